// Chapter 3's second lab: the front of three clients as a surface that turns, their minimisers to drag, and weights to choose.
import { combine } from "./geometry.js";
import { pointHandle } from "./handles.js";
import { disc, label, line, placed, polygon, px, tag } from "./svg.js";
import { CLIENTS, INK, LINE, PAPER, SOFT, worded } from "./palette.js";
import { coordinates, grid, within } from "./plane.js";
import { ZERO, sub, two } from "./wording.js";
import { quadratics } from "./toy.js";

const BROAD = 360,
  TALL = 300,
  PICKED = CLIENTS[5],
  LARGEST = 2,
  MESH = 8,
  RADIAN = Math.PI / 180;
const MODELS = coordinates({
  x: [-1.5, 1.5],
  y: [-1.25, 1.25],
  left: 0,
  right: BROAD,
  top: 0,
  bottom: TALL,
});
const LIFT = 25 * RADIAN,
  SCALE = 84,
  CENTRE = [222, 228],
  TABLE = LARGEST / Math.SQRT2; // how the box of losses stands on its turntable
const INSET = [48, 70],
  RADIUS = 36,
  RAYS = [
    [-Math.sqrt(0.75), -0.5],
    [Math.sqrt(0.75), -0.5],
    [0, 1],
  ];

function compute({ turn, weights, centres }) {
  const problem = quadratics({ centres }),
    shares = simplexed(
      RAYS.map((ray) => 1 / 3 + (2 / 3) * (ray[0] * weights[0][0] + ray[1] * weights[0][1])),
    );
  const w = problem.minimiser(shares),
    fair = encircled(centres);
  return { turn, centres, shares, w, f: problem.losses(w), fair, fairest: problem.losses(fair) };
}

/** The nearest weights: what is over is taken from all alike, and nobody has less than nothing. */
function simplexed(raw) {
  const down = [...raw].sort((a, b) => b - a);
  let sum = 0,
    over = 0;
  down.forEach((v, i) => {
    sum += v;
    if (v > (sum - 1) / (i + 1)) over = (sum - 1) / (i + 1);
  });
  return raw.map((v) => Math.max(0, v - over));
}

/** The centre of the smallest circle around three points. */
function encircled(points) {
  const far = ([i, j]) => Math.hypot(points[i][0] - points[j][0], points[i][1] - points[j][1]);
  const [i, j] = [
    [0, 1],
    [0, 2],
    [1, 2],
  ].reduce((best, side) => (far(side) > far(best) ? side : best));
  const middle = points[i].map((v, n) => (v + points[j][n]) / 2),
    other = points[3 - i - j];
  if (Math.hypot(other[0] - middle[0], other[1] - middle[1]) <= far([i, j]) / 2 + 1e-12)
    return middle;
  const [p, q, r] = points,
    square = ([x, y]) => x * x + y * y,
    [a, b, c, d] = [q[0] - p[0], q[1] - p[1], r[0] - p[0], r[1] - p[1]];
  const [s, t] = [(square(q) - square(p)) / 2, (square(r) - square(p)) / 2],
    det = a * d - b * c;
  return [(d * s - b * t) / det, (a * t - c * s) / det];
}

function draw(numbers) {
  return { surface: surface(numbers), models: models(numbers) };
}

/** From losses to the panel, seen from above at an angle, after so many degrees of turning. */
function seen(turn) {
  const c = Math.cos(turn * RADIAN),
    s = Math.sin(turn * RADIAN),
    half = LARGEST / 2;
  return ([a, b, up]) => [
    CENTRE[0] + SCALE * ((a - half) * c - (b - half) * s),
    CENTRE[1] + SCALE * (((a - half) * s + (b - half) * c) * Math.sin(LIFT) - up * Math.cos(LIFT)),
  ];
}

const run = (points) =>
  `M${points.map((p) => p.map((v) => Math.round(10 * v) / 10).join(" ")).join("L")}`;

/** Lines on a triangle, along each of its sides: for each k the rows in which client k's weight stays. */
function mesh() {
  const rows = [];
  for (let k = 0; k < 3; k++)
    for (let i = 0; i < MESH; i++) {
      const row = [];
      for (let j = 0; j <= MESH - i; j++) {
        const weights = [0, 0, 0];
        weights[k] = i / MESH;
        weights[(k + 1) % 3] = j / MESH;
        weights[(k + 2) % 3] = 1 - (i + j) / MESH;
        row.push(weights);
      }
      rows.push(row);
    }
  return rows;
}
const MESHES = mesh();

function surface({ turn, centres, f, fairest }) {
  const eye = seen(turn),
    problem = quadratics({ centres }),
    corner = (...flags) => eye(flags.map((v) => v * LARGEST)),
    origin = corner(0, 0, 0),
    pieces = [];
  pieces.push(
    tag("ellipse", {
      cx: CENTRE[0],
      cy: CENTRE[1],
      rx: SCALE * TABLE,
      ry: SCALE * TABLE * Math.sin(LIFT),
      fill: "none",
      stroke: LINE,
      "stroke-width": 1.5,
    }),
  );
  for (const [p, q] of [
    [
      [1, 0, 0],
      [1, 1, 0],
    ],
    [
      [0, 1, 0],
      [1, 1, 0],
    ],
    [
      [1, 0, 0],
      [1, 0, 1],
    ],
    [
      [0, 1, 0],
      [0, 1, 1],
    ],
    [
      [0, 0, 1],
      [1, 0, 1],
    ],
    [
      [0, 0, 1],
      [0, 1, 1],
    ],
  ])
    pieces.push(line(corner(...p), corner(...q), { stroke: LINE, "stroke-width": 1 }));
  const axes = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ].map((flags) => corner(...flags));
  axes.forEach((end, k) =>
    pieces.push(line(origin, end, { stroke: CLIENTS[k], "stroke-width": 2.5 })),
  );
  const onFront = (weights) => eye(problem.losses(combine(centres, weights))),
    at = eye(f),
    foot = eye([f[0], f[1], 0]),
    fair = eye(fairest);
  pieces.push(...woven(onFront));
  pieces.push(
    tag("path", {
      d: run([at, foot, eye([f[0], 0, 0])]) + run([foot, eye([0, f[1], 0])]),
      fill: "none",
      stroke: PICKED,
      "stroke-width": 1.4,
      "stroke-dasharray": "4 3",
    }),
  );
  pieces.push(
    disc(fair, 6, { fill: PAPER, stroke: INK, "stroke-width": 2.2 }),
    disc(at, 7, { fill: PICKED, stroke: PAPER, "stroke-width": 2 }),
  );
  const words = [
    { at, towards: [1, -0.6], words: "chosen", more: { fill: worded(PICKED), class: "strong" } },
    { at: fair, towards: [-1, 0.6], words: "least largest loss" },
    ...axes.map((end, k) => ({
      at: end,
      towards: [end[0] - origin[0], end[1] - origin[1] - 1],
      words: `f${sub(k)}`,
      away: 4,
      more: { class: "strong" },
    })),
  ];
  pieces.push(
    placed(
      words,
      [
        [...at, 8],
        [...fair, 8],
        [...rim(turn), 10],
        [INSET[0], INSET[1] - 4, 50],
      ],
      BROAD,
      TALL,
    ),
  );
  return pieces.join("") + inset();
}

/** The triangle of weights as a woven surface: a tint, its lines, and its edges, where one client is left out. */
function woven(place) {
  const rows = MESHES.map((row) => row.map(place)),
    edges = [0, 2, 1].map((k) => rows[k * MESH]); // in the order in which they join
  return [
    tag("path", { d: `${run(edges.flat())}Z`, fill: SOFT, "fill-opacity": 0.14, stroke: "none" }),
    tag("path", { d: rows.map(run).join(""), fill: "none", stroke: SOFT, "stroke-width": 0.9 }),
    tag("path", { d: edges.map(run).join(""), fill: "none", stroke: INK, "stroke-width": 2 }),
  ];
}

const insetAt = (shares) =>
  [0, 1].map(
    (i) => INSET[i] + RADIUS * (i ? -1 : 1) * shares.reduce((sum, v, k) => sum + v * RAYS[k][i], 0),
  );

function inset() {
  const corners = RAYS.map((_, k) => insetAt([0, 1, 2].map((j) => +(j === k))));
  return (
    polygon(corners, { fill: PAPER, stroke: SOFT, "stroke-width": 1.3 }) +
    label(2, 14, "weights", { fill: SOFT }) +
    corners
      .map(
        ([x, y], k) =>
          disc([x, y], 4, { fill: CLIENTS[k] }) +
          label(x + [-9, 14, 14][k], y + [18, 16, 5][k], `${k + 1}`, {
            "text-anchor": "middle",
            class: "strong",
          }),
      )
      .join("")
  );
}

function models({ centres, w, fair }) {
  const place = (weights) => MODELS.at(combine(centres, weights)),
    pieces = [grid(MODELS, [-1, 0, 1], [-1, 0, 1]), label(2, 14, "models", { fill: SOFT })];
  const at = MODELS.at(w),
    middle = MODELS.at(fair),
    reach = Math.max(
      ...centres.map((c) => Math.hypot(...MODELS.at(c).map((v, i) => v - middle[i]))),
    );
  pieces.push(
    tag("path", {
      d: around(middle, reach),
      fill: "none",
      stroke: SOFT,
      "stroke-width": 1.3,
      "stroke-dasharray": "5 4",
    }),
    ...woven(place),
  );
  pieces.push(
    disc(middle, 6, { fill: PAPER, stroke: INK, "stroke-width": 2.2 }),
    disc(at, 7, { fill: PICKED, stroke: PAPER, "stroke-width": 2 }),
  );
  const labels = [
    { at, towards: [1, -0.6], words: "chosen", more: { fill: worded(PICKED), class: "strong" } },
    { at: middle, towards: [-1, 0.6], words: "least largest loss" },
    ...centres.map((c, k) => ({
      at: MODELS.at(c),
      towards: [c[0] || 1, -c[1]],
      words: `best for ${k + 1}`,
      away: 14,
      more: { class: "strong" },
    })),
  ];
  pieces.push(
    placed(
      labels,
      [[...at, 8], [...middle, 8], ...centres.map((c) => [...MODELS.at(c), 9])],
      BROAD,
      TALL,
    ),
  );
  return pieces.join("");
}

/** As much of a circle as the panel holds. */
function around([x, y], radius) {
  let d = "",
    out = true;
  for (let i = 0; i <= 90; i++) {
    const p = [x + radius * Math.cos(4 * i * RADIAN), y + radius * Math.sin(4 * i * RADIAN)],
      inside = p[0] > 1 && p[0] < BROAD - 1 && p[1] > 1 && p[1] < TALL - 1;
    if (inside) d += `${out ? "M" : "L"}${px(p[0])} ${px(p[1])}`;
    out = !inside;
  }
  return d || "M0 0";
}

/** The near corner of the box's floor: it is held to turn the box. */
const rim = (turn) => seen(turn)([LARGEST, LARGEST, 0]);
const turned = (state, degrees) => {
  state.turn = Math.round(degrees - 360 * Math.round(degrees / 360));
  return state;
};

function handles({ turn, shares, centres }) {
  return [
    {
      name: "turn",
      panel: "surface",
      at: rim(turn),
      colour: SOFT,
      now: turn,
      range: [-180, 180],
      stride: 5,
      value: `turned by ${turn} degrees`,
      label: "turns the axes of losses",
      move: (state, [x, y]) =>
        turned(state, Math.atan2((y - CENTRE[1]) / Math.sin(LIFT), x - CENTRE[0]) / RADIAN - 45),
      step: (state, [right, up]) => turned(state, state.turn - right - up),
    },
    {
      name: "weights",
      panel: "surface",
      at: insetAt(shares),
      colour: PICKED,
      now: shares[2],
      range: [0, 1],
      value: `weights ${shares.map(two).join(", ")}`,
      label: "weights of the three clients",
      move: (state, [x, y]) => weighed(state, [(x - INSET[0]) / RADIUS, (INSET[1] - y) / RADIUS]),
      step: (state, by) =>
        weighed(
          state,
          [0, 1].map((i) => shares.reduce((sum, v, k) => sum + v * RAYS[k][i], 0) + by[i]),
        ),
    },
    ...centres.map((c, k) =>
      pointHandle({
        name: `best${k + 1}`,
        list: "centres",
        k,
        place: c,
        c: MODELS,
        panel: "models",
        reach: view.reach,
        colour: CLIENTS[k],
        label: `client ${k + 1}'s best model`,
      }),
    ),
  ];
}

function weighed(state, point) {
  const shares = simplexed(
    RAYS.map((ray) => 1 / 3 + (2 / 3) * (ray[0] * point[0] + ray[1] * point[1])),
  );
  state.weights = [
    within(
      1,
      [0, 1].map((i) => shares.reduce((sum, v, k) => sum + v * RAYS[k][i], 0)),
    ),
  ];
  return state;
}

function words({ shares, f, fairest }) {
  const worst = f.indexOf(Math.max(...f)),
    least = Math.max(...fairest),
    equal = shares.every((v) => Math.abs(v - 1 / 3) < 0.005),
    pays = f[worst] > least + 0.05;
  const chosen = equal ? "Equal weights" : `Weights ${shares.map(two).join(", ")}`,
    tied = f[worst] - Math.min(...f) < ZERO;
  const lines = [
    tied
      ? `${chosen} leave all three clients with the same loss, ${two(f[worst])}: nobody's can fall below it unless another's rises above it.`
      : `${chosen} leave client ${worst + 1} with the largest loss, ${two(f[worst])}; ${pays ? `a fairer model leaves nobody with more than ${two(least)}` : "hardly less is possible"}.`,
  ];
  if (tied && least < ZERO)
    lines[0] =
      "All three best models are in one place: it suits everybody, and every loss is 0 whatever the weights.";
  else
    lines.push(
      "The fairest model (hollow dot) is the centre of the smallest circle round the clients' best models; the right weights reach it.",
    );
  return {
    tone: pays ? "bad" : "good",
    lines,
    figures: `Losses of the weighted sum ${f.map(two).join(", ")}. Losses at the hollow dot ${fairest.map(two).join(", ")}.`,
  };
}

export const view = {
  title: "The front of three clients",
  about:
    "Left, three axes of losses with the front as a woven surface, and a small triangle of weights; right, the models: a triangle between the clients' best ones, with the weighted sum's minimiser and the model with the least largest loss.",
  hint: "Drag the grey ring to turn the three axes of losses, the orange handle in the small triangle to change the weights (orange dot: the model that their weighted sum picks), and the clients' best models on the right. Each crossing of the threads on the right is a model, and the one on the left its three losses. On an edge one client has no weight.",
  task: {
    ask: "At equal weights, client 3 has the largest loss. Suppose that we make the largest loss as small as possible. How do the three losses compare then?",
    guesses: [
      "client 3's is the smallest",
      "all three are equal",
      "client 3's is still the largest",
    ],
    right: 1,
    goal: "Drag the weights until the orange dot meets the hollow one.",
    reached: (_, { w, fair }) => Math.hypot(w[0] - fair[0], w[1] - fair[1]) < 0.08,
    explain:
      "While one loss is the largest, more weight for its client lowers it. Once two are, more weight for both lowers both. In this triangle that ends only where all three losses are equal. (In a triangle with an obtuse angle, it ends where two are.)",
  },
  reach: 1,
  panels: [
    {
      name: "surface",
      width: BROAD,
      height: TALL,
      label: "losses; turn the box, drag the weights",
    },
    { name: "models", width: BROAD, height: TALL, label: "models; drag the clients' best ones" },
  ],
  compute,
  draw,
  handles,
  words,
};
