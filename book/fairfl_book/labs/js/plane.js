// A panel with coordinates: numbers to pixels and back, lines of a grid, ticks, curves.
import { disc, label, line, px, tag } from "./svg.js";
import { GOOD, LINE, SOFT } from "./palette.js";

const HUNDREDTH = (v) => Math.trunc(Math.round(v * 1e6) / 1e4) / 100;

/** The numbers ``x`` and ``y`` = [from, to] over the pixels ``left`` … ``right`` and ``bottom`` … ``top`` of a panel. */
export function coordinates({ x, y, left, right, top, bottom }) {
  const across = (v) => left + ((v - x[0]) / (x[1] - x[0])) * (right - left),
    up = (v) => bottom - ((v - y[0]) / (y[1] - y[0])) * (bottom - top);
  return {
    x,
    y,
    left,
    right,
    top,
    bottom,
    across,
    up,
    at: ([a, b]) => [across(a), up(b)],
    back: ([a, b]) => [
      x[0] + ((a - left) / (right - left)) * (x[1] - x[0]),
      y[0] + ((bottom - b) / (bottom - top)) * (y[1] - y[0]),
    ],
  };
}

/** Coordinates with the origin at the pixel ``middle``, ``unit`` pixels for 1, and ``half`` = [right, up] units on either side; by
 *  default a whole panel. */
export function centred({ middle, unit, half = middle.map((v) => v / unit) }) {
  const [right, up] = half,
    [x, y] = middle;
  return coordinates({
    x: [-right, right],
    y: [-up, up],
    left: x - right * unit,
    right: x + right * unit,
    top: y - up * unit,
    bottom: y + up * unit,
  });
}

/** A circle of radius ``reach`` around the origin, which a cross of arms ``arm`` marks; green, the arc of the directions between the
 *  angles ``cone``, if any. */
export function coneCircle(c, reach, arm, cone) {
  const radius = c.across(reach) - c.across(0),
    end = (angle) =>
      c
        .at([reach * Math.cos(angle), reach * Math.sin(angle)])
        .map(px)
        .join(" ");
  return [
    disc(c.at([0, 0]), radius, { fill: "none", stroke: LINE, "stroke-width": 1.5 }),
    line(c.at([-arm, 0]), c.at([arm, 0]), { stroke: SOFT }),
    line(c.at([0, -arm]), c.at([0, arm]), { stroke: SOFT }),
    cone
      ? tag("path", {
          d: `M${end(cone[0])}A${px(radius)} ${px(radius)} 0 0 0 ${end(cone[1])}`,
          fill: "none",
          stroke: GOOD,
          "stroke-width": 6,
          opacity: 0.75,
        })
      : "",
  ].join("");
}

/** Thin lines at ``xs`` and ``ys``, those at 0 heavier. */
export const grid = (c, xs, ys) =>
  [
    ...xs.map((v) =>
      line([c.across(v), c.bottom], [c.across(v), c.top], {
        stroke: LINE,
        "stroke-width": v ? 0.7 : 1.5,
      }),
    ),
    ...ys.map((v) =>
      line([c.left, c.up(v)], [c.right, c.up(v)], { stroke: LINE, "stroke-width": v ? 0.7 : 1.5 }),
    ),
  ].join("");

/** Numbers below and left of the grid. */
export const ticks = (c, xs, ys, words = (v) => String(v).replace("-", "−")) =>
  [
    ...xs.map((v) =>
      label(c.across(v), c.bottom + 17, words(v), { fill: SOFT, "text-anchor": "middle" }),
    ),
    ...ys.map((v) =>
      label(c.left - 6, c.up(v) + 5, words(v), { fill: SOFT, "text-anchor": "end" }),
    ),
  ].join("");

/** A line through points given in numbers. */
export const curve = (c, points, more) =>
  tag("path", {
    d: `M${points.map((p) => c.at(p).map(px).join(" ")).join("L")}`,
    fill: "none",
    "stroke-linejoin": "round",
    ...more,
  });

/** Which way, in pixels, a label at ``v`` leads away from the origin; where ``v`` is no longer than ``least``, down to the right. */
export const outward = (v, least) => (Math.hypot(...v) > least ? [v[0], -v[1]] : [1, 1]);

/** A point no farther than ``reach`` from the origin and on a grid of hundredths, so that an address can hold it. */
export function within(reach, point) {
  const shrink = Math.min(1, reach / (Math.hypot(...point) || 1));
  return point.map((v) => HUNDREDTH(v * shrink));
}

/** A number between ``low`` and ``high``, on the steps of its control. */
export const stepped = ({ low, high, step }, v) =>
  +(low + Math.round((Math.min(high, Math.max(low, v)) - low) / step) * step).toFixed(6);
