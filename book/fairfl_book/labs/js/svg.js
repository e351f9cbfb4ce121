// What a picture is made of: SVG elements as text.
import { INK, PAPER } from "./palette.js";

export const px = (v) => (typeof v === "number" ? String(+v.toFixed(2) + 0) : v);
export const escaped = (words) =>
  String(words).replace(
    /[&<>"]/g,
    (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c],
  );
/** One SVG element as text. */
export const tag = (name, attributes, inside = "") =>
  `<${name}${Object.entries(attributes)
    .map(([key, v]) => ` ${key}="${px(v)}"`)
    .join("")}${inside === "" ? "/>" : `>${inside}</${name}>`}`;
/** Words in a picture, with a rim in the paper's colour that keeps them apart from lines below. */
export const label = (x, y, words, more = {}) =>
  tag(
    "text",
    {
      x,
      y,
      fill: INK,
      stroke: PAPER,
      "stroke-width": 4,
      "paint-order": "stroke",
      "stroke-linejoin": "round",
      ...more,
    },
    escaped(words),
  );
/** A circle around a point. */
export const disc = ([cx, cy], r, more) => tag("circle", { cx, cy, r, ...more });
export const line = (from, to, more) =>
  tag("line", { x1: from[0], y1: from[1], x2: to[0], y2: to[1], ...more });
export const polygon = (points, more) =>
  tag("polygon", { points: points.map((p) => p.map(px).join()).join(" "), ...more });

/** An arrow between two points of a panel; a short one keeps its proportions. */
export function arrow(from, to, colour, width, more = {}) {
  const length = Math.hypot(to[0] - from[0], to[1] - from[1]);
  if (length < 1) return "";
  const [ux, uy] = [(to[0] - from[0]) / length, (to[1] - from[1]) / length],
    head = Math.min(9 + width, 0.6 * length),
    side = 0.42 * head;
  const neck = [to[0] - 0.8 * head * ux, to[1] - 0.8 * head * uy],
    back = [to[0] - head * ux, to[1] - head * uy];
  return (
    line(from, neck, { stroke: colour, "stroke-width": width, ...more }) +
    polygon(
      [to, [back[0] - side * uy, back[1] + side * ux], [back[0] + side * uy, back[1] - side * ux]],
      { fill: colour, ...more, "stroke-dasharray": "none" },
    )
  );
}

/** Puts labels where they are free of one another, of ``blocked`` circles [x, y, r] and of the panel's edge: {at, towards, words}, the
 *  most important first. Each goes beside its point, away from the origin if that is free, else as little turned as can be, and in one of
 *  ``rings`` distances. ``wide``: pixels a letter, where a narrow panel makes it largest; ``edge``: what a label outside costs, beside 1 for one over another;
 *  ``leader``: the colour of a line from the label to its point, which names need where points lie close to one another. */
export function placed(labels, blocked, width, height, edge = 4) {
  const boxes = [];
  const over = (a, b) =>
    Math.max(0, Math.min(a[2], b[2]) - Math.max(a[0], b[0])) *
    Math.max(0, Math.min(a[3], b[3]) - Math.max(a[1], b[1]));
  return labels
    .map(({ at, towards, words, away = 12, wide = 9, rings = 2, leader = "", more = {} }) => {
      const w = [...words].reduce((sum, letter) => sum + (letter > "\u2e80" ? 14 : wide), 4),
        h = 20,
        ahead = Math.atan2(towards[1], towards[0]);
      let best = null,
        least = Infinity;
      for (let j = 0; j < 16 * rings; j++) {
        const i = j % 16,
          out = away + 18 * Math.floor(j / 16),
          turn = ahead + (Math.ceil(i / 2) * (i % 2 ? 1 : -1) * Math.PI) / 8,
          c = Math.cos(turn),
          s = Math.sin(turn);
        const far =
          out + Math.min(w / 2 / Math.max(Math.abs(c), 1e-9), h / 2 / Math.max(Math.abs(s), 1e-9));
        const x = at[0] + far * c,
          y = at[1] + far * s,
          box = [x - w / 2, y - h / 2, x + w / 2, y + h / 2];
        const outside = w * h - over(box, [1, 1, width - 1, height - 1]);
        const cost =
          edge * outside +
          boxes.reduce((sum, b) => sum + over(box, b), 0) +
          blocked.reduce(
            (sum, [bx, by, r]) => sum + over(box, [bx - r, by - r, bx + r, by + r]),
            0,
          ) +
          j;
        if (cost < least) {
          least = cost;
          best = { x, y, box };
        }
      }
      boxes.push(best.box);
      const near = [0, 1].map((i) =>
          Math.min(best.box[i + 2] - 2, Math.max(best.box[i] + 2, at[i])),
        ),
        led = leader && Math.hypot(near[0] - at[0], near[1] - at[1]) > 6;
      return (
        (led ? line(at, near, { stroke: leader, "stroke-width": 1.2 }) : "") +
        label(best.x, best.y + 5, words, { "text-anchor": "middle", ...more })
      );
    })
    .join("");
}
