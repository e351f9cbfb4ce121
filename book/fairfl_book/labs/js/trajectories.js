// What a race looks like: each rule's way as a line with its head and name, and what became of each client's loss on the way.
import { disc, label, line, px, tag } from "./svg.js";
import { coordinates } from "./plane.js";
import { BAD, CLIENTS, GOOD, INK, LINE, PAPER, SOFT, worded } from "./palette.js";

// A colour a family, away from the clients' own; the second of a family is dashed.
export const PENS = {
  FedAvg: { colour: INK, dashes: "none" },
  FedFV: { colour: CLIENTS[3], dashes: "none" },
  FedMGDA: { colour: CLIENTS[4], dashes: "none" },
  "FedMGDA+": { colour: CLIENTS[4], dashes: "7 4" },
  AdaFed: { colour: CLIENTS[5], dashes: "none" },
  "DQN-Fed": { colour: CLIENTS[5], dashes: "7 4" },
};
const WIDTH = 360,
  HEIGHT = 272,
  LEFT = 40,
  TOP = 22,
  BOTTOM = 230;

/** A line's points without those that it hardly bends at. */
export function thinned(points, most = 0.25) {
  const kept = [points[0]];
  let from = 0;
  for (let i = 2; i < points.length; i++) {
    const a = points[from],
      b = points[i],
      length = Math.hypot(b[0] - a[0], b[1] - a[1]);
    const off = points
      .slice(from + 1, i)
      .some(
        (p) =>
          (length < 1e-9
            ? Math.hypot(p[0] - a[0], p[1] - a[1])
            : Math.abs((b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])) / length) >
          most,
      );
    if (off) {
      from = i - 1;
      kept.push(points[from]);
    }
  }
  return [...kept, points[points.length - 1]];
}

export const tenth = (v) => px(Math.round(v * 10) / 10);
export const outlined = (points) => `M${points.map((p) => p.map(tenth).join(" ")).join("L")}`;

/** The ways so far, in pixels of a panel, with dots at their heads. ``ways``: [{ rule, points }]. */
export const trails = (ways) =>
  ways
    .map(({ rule, points }) =>
      tag("path", {
        d: outlined(thinned(points)),
        fill: "none",
        stroke: PENS[rule].colour,
        "stroke-width": 2.6,
        ...(PENS[rule].dashes === "none" ? {} : { "stroke-dasharray": PENS[rule].dashes }),
        "stroke-linejoin": "round",
        class: "way",
      }),
    )
    .join("") +
  ways
    .map(({ rule, points }) => {
      const [cx, cy] = points[points.length - 1].map(tenth);
      return tag("circle", {
        cx,
        cy,
        r: 4.5,
        fill: PENS[rule].colour,
        stroke: PAPER,
        "stroke-width": 1.2,
        class: "head",
      });
    })
    .join("");

/** Labels for ``placed`` with the rules' names at their heads, in their ways' colours, pointing away from ``from``. */
export const names = (ways, from) =>
  ways.map(({ rule, points }) => {
    const at = points[points.length - 1];
    return {
      at,
      towards: [at[0] - from[0] || 1, at[1] - from[1] || 1],
      words: rule,
      away: 8,
      wide: 12,
      rings: 5,
      leader: PENS[rule].colour,
      more: { class: "strong", fill: painted(PENS[rule].colour) },
    };
  });
/** A way's colour, for words. */
export const painted = (colour) => (colour === INK ? INK : worded(colour));

/** Circles that keep labels off words of ``length`` pixels beginning at [x, y]. */
export const kept = (x, y, length) =>
  Array.from({ length: Math.ceil(length / 16) }, (_, i) => [x + 8 + 16 * i, y - 5, 8]);

// ---- what became of the losses: 1 is where they started, and beyond 1 the axis bends so that all fits on it --------------------------

const FARTHEST = 1.6,
  bent = (v) => (v <= 1 ? v : FARTHEST - (FARTHEST - 1) / v);
/** Losses in parts of what they were, on the axis 0 … FARTHEST. */
export const parts = (losses, before) =>
  losses.map((f, k) => (before[k] > 0 ? bent(f / before[k]) : f > 0 ? FARTHEST : 1));
const TICKS = [
  [0, "0"],
  [0.5, "½"],
  [1, "1"],
  [bent(2), "2"],
  [bent(4), "4"],
];

export const SQUARE = coordinates({
  x: [0, FARTHEST],
  y: [0, FARTHEST],
  left: LEFT,
  right: WIDTH - 10,
  top: TOP,
  bottom: BOTTOM,
});

/** Two clients: loss against loss. ``front``: losses along the Pareto set. */
export function square(front, before) {
  const { at, across, up, left, right, top, bottom } = SQUARE,
    pieces = [helping(left, up(1), across(1), bottom)];
  for (const [v, name] of TICKS) {
    pieces.push(
      line([across(v), bottom], [across(v), top], {
        stroke: v === 1 ? SOFT : LINE,
        "stroke-width": v === 1 ? 1.5 : 0.7,
      }),
    );
    pieces.push(
      line([left, up(v)], [right, up(v)], {
        stroke: v === 1 ? SOFT : LINE,
        "stroke-width": v === 1 ? 1.5 : 0.7,
      }),
    );
    pieces.push(
      label(across(v), bottom + 17, name, { fill: SOFT, "text-anchor": "middle" }),
      label(left - 6, up(v) + 5, name, { fill: SOFT, "text-anchor": "end" }),
    );
  }
  pieces.push(
    label(0, 14, "client 2’s loss, in parts of its start", { fill: SOFT }),
    label(right, HEIGHT - 6, "client 1’s loss, in parts of its start", {
      fill: SOFT,
      "text-anchor": "end",
    }),
  );
  pieces.push(
    label(left + 8, top + 18, "client 2 pays", { fill: BAD }),
    label(right - 4, bottom - 8, "client 1 pays", { fill: BAD, "text-anchor": "end" }),
    label(right - 4, top + 18, "both pay", { fill: BAD, "text-anchor": "end" }),
    label(across(0.5), up(1) + 18, "both gain", { fill: GOOD, "text-anchor": "middle" }),
  );
  if (front.length)
    pieces.push(
      tag("path", {
        d: outlined(thinned(front.map((f) => at(parts(f, before))))),
        fill: "none",
        stroke: SOFT,
        "stroke-width": 5,
        opacity: 0.45,
        "stroke-linejoin": "round",
      }),
    );
  const start = at([1, 1]);
  return (
    pieces.join("") +
    disc(start, 5, {
      fill: PAPER,
      stroke: INK,
      "stroke-width": 2.5,
    })
  );
}

/** What rules' names have to keep off in that panel. */
export const occupied = [
  [...SQUARE.at([1, 1]), 7],
  ...TICKS.flatMap(([v]) => [
    [LEFT - 10, SQUARE.up(v), 9],
    [SQUARE.across(v), BOTTOM + 12, 9],
  ]),
  ...kept(LEFT, BOTTOM + 38, 310),
  ...kept(0, 14, 230),
  ...kept(LEFT + 8, TOP + 18, 110), // as wide as the words are in a narrow panel
  ...kept(WIDTH - 124, BOTTOM - 8, 110),
  ...kept(WIDTH - 88, TOP + 18, 74),
  ...kept(SQUARE.across(0.5) - 32, SQUARE.up(1) + 18, 64),
];

/** Where losses fall: green stripes, so that it is not taken for a client's colour. */
function helping(left, top, right, bottom) {
  const stripes = [],
    reach = bottom - top;
  for (let x = left - reach + 9; x < right; x += 9) {
    const a = Math.max(left, x),
      b = Math.min(right, x + reach);
    stripes.push(`M${tenth(a)} ${tenth(bottom - (a - x))}L${tenth(b)} ${tenth(bottom - (b - x))}`);
  }
  return tag("path", { d: stripes.join(""), stroke: GOOD, "stroke-width": 1, opacity: 0.35 });
}

/** Three clients: a column each. */
export const COLUMNS = { x: (k) => 66 + 86 * k, y: (v) => SQUARE.up(v) };
export function columns(clients) {
  const pieces = [helping(LEFT, COLUMNS.y(1), 258, BOTTOM)];
  for (const [v, name] of TICKS) {
    pieces.push(
      line([LEFT, COLUMNS.y(v)], [258, COLUMNS.y(v)], {
        stroke: v === 1 ? SOFT : LINE,
        "stroke-width": v === 1 ? 1.5 : 0.7,
      }),
    );
    pieces.push(label(LEFT - 6, COLUMNS.y(v) + 5, name, { fill: SOFT, "text-anchor": "end" }));
  }
  for (let k = 0; k < clients; k++) {
    pieces.push(
      line([COLUMNS.x(k), BOTTOM], [COLUMNS.x(k), TOP], { stroke: CLIENTS[k], "stroke-width": 2 }),
    );
    pieces.push(
      label(COLUMNS.x(k), BOTTOM + 24, `client ${k + 1}`, {
        "text-anchor": "middle",
        class: "strong",
      }),
    );
  }
  pieces.push(
    label(0, 14, "each loss, in parts of its start", { fill: SOFT }),
    label(LEFT + 6, TOP + 16, "pays", { fill: BAD }),
    label(LEFT + 6, BOTTOM - 8, "gains", { fill: GOOD }),
  );
  return pieces.join("");
}
