// Chapter 8's second lab: a start to drag on two bowls with one minimiser, and the walks of AdaFed and of FedMGDA from there.
import { bars } from "./bars.js";
import { dot } from "./geometry.js";
import { pointHandle } from "./handles.js";
import { arrow, disc, label, line, placed, tag } from "./svg.js";
import { BAD, CLIENTS, INK, LINE, PAPER, SOFT } from "./palette.js";
import { centred, curve } from "./plane.js";
import { two } from "./wording.js";
import { quadratics } from "./toy.js";

const WIDE = 360,
  HIGH = 292,
  UNIT = 66,
  REACH = 2,
  X = WIDE / 2 / UNIT,
  Y = HIGH / 2 / UNIT;
const PLANE = centred({ middle: [WIDE / 2, HIGH / 2], unit: UNIT }),
  { at } = PLANE;
const BOWLS = quadratics({
  centres: [
    [0, 0],
    [0, 0],
  ],
  curvatures: [
    [
      [1, 0],
      [0, 4],
    ],
    [
      [4, 0],
      [0, 1],
    ],
  ],
});
const STRIDE = 0.1,
  STEPS = 60,
  RIM = REACH / Math.SQRT2,
  THERE = 0.02,
  DOWN = 0.16; // how near counts as arrived; how long a unit of −g is drawn

function compute({ start: [w] }) {
  const walked = (wholeLine) => {
    const path = [w];
    for (let t = 0; t < STEPS; t++) {
      const last = path[t],
        u = toward(last, wholeLine);
      path.push(last.map((v, i) => v - STRIDE * u[i]));
    }
    return { path, losses: path.map(BOWLS.losses), away: Math.hypot(...path[STEPS]) };
  };
  return { AdaFed: walked(true), FedMGDA: walked(false) };
}

/** The point nearest to the origin on the line through both gradients, or on the segment between them. */
function toward(w, wholeLine) {
  const [g, h] = BOWLS.gradients(w),
    along = h.map((v, i) => v - g[i]),
    square = dot(along, along),
    free = square > 0 ? -dot(g, along) / square : 0.5;
  const part = wholeLine ? free : Math.min(1, Math.max(0, free));
  return g.map((v, i) => v + part * along[i]);
}

const draw = (numbers, time = 1) => {
  const now = Math.round(time * STEPS);
  return { plane: plane(numbers, now), bars: rateBars(numbers, now) };
};

function plane({ AdaFed, FedMGDA }, now) {
  const origin = at([0, 0]),
    pieces = [],
    labels = [],
    place = AdaFed.path[now],
    other = FedMGDA.path[now];
  for (const size of [1, 2]) {
    for (const [k, rx, ry] of [
      [0, size, size / 2],
      [1, size / 2, size],
    ])
      pieces.push(
        tag("ellipse", {
          cx: origin[0],
          cy: origin[1],
          rx: rx * UNIT,
          ry: ry * UNIT,
          fill: "none",
          stroke: CLIENTS[k],
          "stroke-width": 1.2,
          opacity: 0.6,
        }),
      );
  }
  pieces.push(
    disc(origin, REACH * UNIT, {
      fill: "none",
      stroke: LINE,
      "stroke-width": 1.5,
    }),
  );
  for (const side of [1, -1])
    pieces.push(
      line(at([-RIM, -side * RIM]), at([RIM, side * RIM]), {
        stroke: SOFT,
        "stroke-width": 1.2,
        "stroke-dasharray": "1 5",
        "stroke-linecap": "round",
      }),
    );
  for (const [from, to] of [
    [
      [-X, 0],
      [X, 0],
    ],
    [
      [0, -Y],
      [0, Y],
    ],
  ])
    pieces.push(line(at(from), at(to), { stroke: BAD, "stroke-width": 7, opacity: 0.22 }));
  if (now < STEPS)
    for (const { path } of [FedMGDA, AdaFed])
      pieces.push(curve(PLANE, path, { stroke: SOFT, "stroke-width": 1.2, opacity: 0.5 }));
  pieces.push(
    curve(PLANE, FedMGDA.path.slice(0, now + 1), {
      stroke: SOFT,
      "stroke-width": 2.4,
      "stroke-dasharray": "5 4",
    }),
  );
  pieces.push(curve(PLANE, AdaFed.path.slice(0, now + 1), { stroke: INK, "stroke-width": 3 }));
  pieces.push(
    disc(origin, 5, {
      fill: PAPER,
      stroke: INK,
      "stroke-width": 2,
    }),
  );
  const downhill = BOWLS.gradients(place).map((g) => g.map((v, i) => place[i] - DOWN * v));
  [0, 1]
    .sort(
      (j, k) => Math.hypot(...BOWLS.gradients(place)[k]) - Math.hypot(...BOWLS.gradients(place)[j]),
    )
    .forEach((k, nth) => pieces.push(arrow(at(place), at(downhill[k]), CLIENTS[k], nth ? 2.4 : 4)));
  pieces.push(dotted(at(other), SOFT), dotted(at(place), INK));
  labels.push({
    at: at(AdaFed.path[0]),
    towards: [place[0] < 0 ? -1 : 1, -1],
    words: "start",
    more: {},
  });
  labels.push({ at: at(place), towards: [1, -0.4], words: "AdaFed", more: { class: "strong" } });
  labels.push({ at: at(other), towards: [1, 1], words: "FedMGDA", more: { fill: SOFT } });
  downhill.forEach((tip, k) => {
    if (Math.hypot(tip[0] - place[0], tip[1] - place[1]) > 0.2)
      labels.push({
        at: at(tip),
        towards: [-1, -0.2],
        words: `−g${"₁₂"[k]}`,
        more: { class: "strong" },
      });
  });
  labels.push(
    { at: at([-2.35, 0]), towards: [0, -1], words: "wall", more: { fill: BAD } },
    { at: at([0, -1.9]), towards: [1, 0], words: "wall", more: { fill: BAD } },
  );
  labels.push({ at: origin, towards: [-1, 1], words: "minimiser", more: {} });
  const far = at([place[0] > 0 ? -1.15 : 1.15, place[1] > 0 ? -1.15 : 1.15]); // on the diagonal farthest from the walk
  labels.push({ at: far, towards: [1, 0.4], words: "diagonal", more: { fill: SOFT } });
  const shafts = downhill.flatMap((tip) =>
    [0.2, 0.4, 0.6, 0.8, 1].map((t) => [
      ...at(tip.map((v, i) => place[i] + t * (v - place[i]))),
      4,
    ]),
  );
  const spots = [
    ...shafts,
    [...at(AdaFed.path[0]), 9],
    [...origin, 6],
    [...at(place), 5],
    [...at(other), 5],
    ...AdaFed.path.filter((_, t) => t % 3 === 0).map((w) => [...at(w), 2]),
  ];
  pieces.push(placed(labels, spots, WIDE, HIGH));
  return pieces.join("");
}

const dotted = ([cx, cy], fill) => tag("circle", { cx, cy, r: 5, fill });

const rateBars = ({ AdaFed, FedMGDA }, now) =>
  bars({
    width: WIDE,
    height: 176,
    names: ["client 1", "client 2"],
    colours: CLIENTS,
    rates: AdaFed.losses[now],
    ghosts: FedMGDA.losses[now],
    heading: "loss on AdaFed's walk",
    low: 0,
    high: 8,
    ticks: [0, 2, 4, 6, 8],
  }) +
  FedMGDA.losses[now]
    .map((loss, k) =>
      label(WIDE - 1, 101 + 53 * k, `FedMGDA ${two(loss)}`, { fill: SOFT, "text-anchor": "end" }),
    )
    .join("");

const handles = ({
  AdaFed: {
    path: [w],
  },
}) => [
  pointHandle({
    name: "start",
    list: "start",
    place: w,
    c: PLANE,
    reach: REACH,
    colour: INK,
    label: "start of both walks",
    runs: true,
  }),
];

function words({ AdaFed, FedMGDA }) {
  const [w] = AdaFed.path,
    end = AdaFed.losses[STEPS],
    lines = [],
    arrived = AdaFed.away < THERE,
    parallel = w[0] === 0 || w[1] === 0;
  const figures = `AdaFed ends ${two(AdaFed.away)} from the minimiser, with losses ${end.map(two).join(" and ")}; FedMGDA ends ${two(FedMGDA.away)} from it.`;
  if (!Math.hypot(...w))
    return {
      tone: "soft",
      lines: ["The start is the minimiser of both losses: nobody has anything to gain."],
      figures,
    };
  if (parallel) lines.push("AdaFed does not take a single step: this start is on a wall.");
  else
    lines.push(
      arrived
        ? "AdaFed arrives at the minimiser of both losses."
        : `AdaFed comes to rest at a wall, ${two(AdaFed.away)} away from the minimiser of both losses.`,
    );
  if (arrived)
    lines.push(
      Math.abs(w[0]) === Math.abs(w[1])
        ? "On the diagonals (dotted) both losses are equal, and stay so."
        : "The start was near a diagonal, or near the minimiser.",
    );
  else
    lines.push(
      "Here the gradients are parallel, one four times as long: both losses could fall, but AdaFed (with γ = 0) steps only where both fall equally fast.",
    );
  lines.push(
    arrived
      ? "FedMGDA, with the convex hull, arrives too."
      : "FedMGDA, with the convex hull, walks on to the minimiser.",
  );
  return { tone: arrived ? "good" : "bad", lines, figures };
}

export const view = {
  title: "A wall on the way to the minimiser",
  about:
    "Left, level lines of two bowls with one minimiser, the walls along the axes, and the walks of AdaFed and FedMGDA from one start; right, bars of both losses at their ends.",
  hint:
    "Drag the start and let it go, or press Run: both walks are shown step by step, 60 steps of 0.1. Ellipses: level lines of the clients' losses. Arrows: downhill for each client, at AdaFed's place. " +
    "Pale bands, the walls: there the two gradients are parallel, and a walk of AdaFed's that runs into one stays at it. Dashed: FedMGDA's walk and losses. Circle: how far out you can start.",
  task: {
    ask: "Both clients want the same model, in the middle. From which starts does AdaFed (γ = 0) arrive there?",
    guesses: ["from all of them", "only from the two diagonals", "from all except the two axes"],
    right: 1,
    goal: "Drag the start to a place farther than 1 from the middle from which AdaFed ends within 0.25 of it.",
    reached: ({ start: [at] }, { AdaFed }) => Math.hypot(...at) > 1 && AdaFed.away < 0.25,
    explain:
      "With γ = 0, both losses fall equally fast, so with small steps the difference between them stays the same. It is zero in the middle, and otherwise only on the diagonals.",
  },
  reach: REACH,
  seconds: 2.5,
  panels: [
    { name: "plane", width: WIDE, height: HIGH, label: "two losses and two walks; drag the start" },
    { name: "bars", width: WIDE, height: 176, label: "losses" },
  ],
  compute,
  draw,
  handles,
  words,
};
