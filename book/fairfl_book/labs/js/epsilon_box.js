// Chapter 5's lab: the box of weights in the simplex, dragged by its edge, and what it allows among the gradients.
import { combine, dot, gram, nearest, outline } from "./geometry.js";
import { tipHandles } from "./handles.js";
import { arrow, disc, label, line, placed, polygon, tag } from "./svg.js";
import { BAD, CLIENTS, INK, LINE, PAPER, SOFT } from "./palette.js";
import { coordinates, grid, stepped } from "./plane.js";
import { ZERO, named, two, where } from "./wording.js";

const ACROSS = 360,
  DOWN = 300,
  LEVER = 22,
  SIZES = { three: [1, 1, 1] },
  TEN = [8, 1, 1];
const AREA = coordinates({
  x: [-1.8, 1.8],
  y: [-1.5, 1.5],
  left: 0,
  right: ACROSS,
  top: 0,
  bottom: DOWN,
});
const CORNERS = [
  [62, 238],
  [298, 238],
  [180, 52],
]; // the simplex: client 1, 2 and 3 has all the weight
const inTriangle = (mu) => [0, 1].map((i) => mu.reduce((sum, v, k) => sum + v * CORNERS[k][i], 0));
const extent = (v) => Math.hypot(...v),
  NOBODY = [0, 0, 0];

function compute({ crowd, rows, epsilon, tips }) {
  const all = SIZES[crowd] ?? TEN,
    sizes = all.map((n, k) => (extent(tips[k]) > 0 ? n : 0)),
    K = sizes.reduce((a, b) => a + b, 0);
  const H = tips.map((g) => (rows === "unit" && extent(g) > 0 ? g.map((v) => v / extent(g)) : g));
  const equal = K ? sizes.map((n) => n / K) : all.map((n) => n / all.reduce((a, b) => a + b, 0));
  const [low, high] = K ? bounds(sizes, K, epsilon) : [equal, equal];
  const weights = chosen(H, low, high),
    free = K ? chosen(H, ...bounds(sizes, K, 1)) : equal;
  const direction = combine(H, weights),
    best = combine(H, free);
  return {
    crowd,
    rows,
    epsilon,
    tips,
    sizes,
    H,
    equal,
    low,
    high,
    weights,
    direction,
    rates: H.map((h) => dot(h, direction)),
    free,
    best,
    enough: Math.max(...free.map((v, k) => Math.abs(v - equal[k]) / (sizes[k] || 1))),
  };
}

/** From where to where the weight of each row may go that stands for so many of K clients. */
const bounds = (sizes, K, epsilon) => [
  sizes.map((n) => n * Math.max(0, 1 / K - epsilon)),
  sizes.map((n) => Math.min(1, n * Math.min(1, 1 / K + epsilon))),
];

/** The weights of the nearest point, without the rows that may have none. */
function chosen(H, low, high) {
  const keep = where(high, (v) => v > 0),
    some = (list) => keep.map((k) => list[k]),
    weights = [...NOBODY];
  nearest(gram(some(H)), some(low), some(high)).forEach((v, i) => {
    weights[keep[i]] = v;
  });
  return weights;
}

/** The corners of low ≤ μ ≤ high on the simplex of three weights. */
export function corners(low, high) {
  const found = [];
  for (const [free, i, j] of [
    [0, 1, 2],
    [1, 2, 0],
    [2, 0, 1],
  ])
    for (const a of [low[i], high[i]])
      for (const b of [low[j], high[j]]) {
        const rest = 1 - a - b,
          mu = [0, 0, 0];
        if (rest < low[free] - 1e-9 || rest > high[free] + 1e-9) continue;
        [mu[free], mu[i], mu[j]] = [rest, a, b];
        found.push(mu);
      }
  return found;
}

function draw(numbers) {
  return { simplex: simplex(numbers), gradients: gradients(numbers) };
}

const WHOLE = {
  fill: SOFT,
  "fill-opacity": 0.13,
  stroke: SOFT,
  "stroke-width": 1.3,
  "stroke-linejoin": "round",
};
const ALLOWED = {
  fill: SOFT,
  "fill-opacity": 0.38,
  stroke: INK,
  "stroke-width": 2.2,
  "stroke-linejoin": "round",
};
/** The mean, the free point and the chosen one, as dots. */
const spots = (mean, best, now) =>
  disc(mean, 4, { fill: SOFT, stroke: PAPER }) +
  disc(best, 6, { fill: PAPER, stroke: INK, "stroke-width": 2 }) +
  (now ? disc(now, 5, { fill: INK }) : "");

function simplex({
  crowd,
  epsilon,
  sizes,
  equal,
  low,
  high,
  weights,
  rates,
  free,
  enough,
  best,
  direction,
}) {
  const pieces = [
    polygon(CORNERS, WHOLE),
    polygon(outline(corners(low, high).map(inTriangle)), ALLOWED),
  ];
  // Where rows coincide many weights give the same dir, and the free ones are no better than those in the box.
  const { from, to, way } = lever(equal, epsilon),
    middle = inTriangle(equal),
    now = inTriangle(weights),
    same = epsilon < enough && extent(best.map((v, i) => v - direction[i])) < ZERO,
    hollow = inTriangle(same ? weights : free);
  pieces.push(
    line(from, to, { stroke: INK, "stroke-width": 2.2 }),
    pull(to, way),
    spots(middle, hollow, now),
  );
  const words = [
    {
      at: now,
      towards: [now[0] - middle[0] || 1, now[1] - middle[1] || 1],
      words: "chosen",
      more: { class: "strong" },
    },
    { at: hollow, towards: [1, 0.4], words: "no box" },
    { at: middle, towards: [-1, 0.6], words: "equal", more: { fill: SOFT } },
  ];
  if (Math.hypot(now[0] - hollow[0], now[1] - hollow[1]) < 12) words.splice(1, 1);
  if (Math.hypot(now[0] - middle[0], now[1] - middle[1]) < 6) words.splice(-1, 1);
  pieces.push(
    placed(
      words,
      [
        [...to, 12],
        [...now, 7],
        [...hollow, 7],
        [...middle, 5],
        [96, 262, 60],
        [264, 262, 60],
        [265, 36, 70],
      ],
      ACROSS,
      DOWN,
    ),
  );
  pieces.push(label(0, 14, "weights of the clients", { fill: SOFT }));
  const eight = crowd === "three" ? "" : " and 7 like it";
  for (const [k, x, y, words] of [
    [0, 4, 256, `client 1${eight}`],
    [1, 220, 256, "client 2"],
    [2, 220, 22, "client 3"],
  ])
    pieces.push(report(x, y, words, k, sizes[k], weights[k], rates[k]));
  return pieces.join("");
}

/** A client's weight and rate at its corner: two lines and a bar. */
function report(x, y, words, k, size, weight, rate) {
  const zero = x + 110,
    length = Math.max(-30, Math.min(30, 60 * rate));
  return (
    disc([x + 6, y - 5], 5, { fill: CLIENTS[k] }) +
    label(x + 16, y, words, { class: "strong" }) +
    label(x, y + 18, size ? `weight ${two(weight)}` : "sent nothing") +
    label(x, y + 37, `rate ${two(rate)}`, rate < -ZERO ? { fill: BAD, class: "strong" } : {}) +
    line([zero, y + 23], [zero, y + 42], { stroke: SOFT, "stroke-width": 1.2 }) +
    tag("rect", {
      x: Math.min(zero, zero + length),
      y: y + 27,
      width: Math.abs(length),
      height: 11,
      rx: 2,
      fill: CLIENTS[k],
    })
  );
}

/** Two chevrons beside the lever's knob: it can be pulled along ``way``. */
const pull = (at, way) =>
  [-1, 1]
    .map((side) => {
      const p = (along, across) => [
        at[0] + side * along * way[0] - across * way[1],
        at[1] + side * along * way[1] + across * way[0],
      ];
      return polygon([p(17, 0), p(11, 5), p(11, -5)], { fill: INK });
    })
    .join("");

function gradients({ crowd, rows, tips, H, equal, low, high, sizes, direction, best }) {
  const origin = AREA.at([0, 0]),
    unit = rows === "unit",
    pieces = [grid(AREA, [-1, 0, 1], [-1, 0, 1])];
  if (unit)
    pieces.push(
      disc(origin, AREA.across(1) - AREA.across(0), {
        fill: "none",
        stroke: LINE,
        "stroke-width": 1.5,
      }),
    );
  const heard = H.filter((_, k) => sizes[k]),
    hull = outline(heard.length ? heard : H),
    allowed = outline(corners(low, high).map((mu) => combine(H, mu)));
  pieces.push(polygon(hull.map(AREA.at), WHOLE), polygon(allowed.map(AREA.at), ALLOWED));
  tips.forEach((g, k) =>
    pieces.push(
      arrow(
        origin,
        AREA.at(g),
        CLIENTS[k],
        k || crowd === "three" ? 3 : 7,
        unit ? { opacity: 0.55 } : {},
      ),
    ),
  );
  if (unit)
    H.forEach((h, k) => {
      if (sizes[k])
        pieces.push(
          disc(AREA.at(h), 5.5, { fill: CLIENTS[k], stroke: PAPER, "stroke-width": 1.5 }),
        );
    });
  const mean = combine(H, equal),
    beside = (v, words, more) => ({
      at: AREA.at(v),
      towards: extent(v) > ZERO ? [v[0], -v[1]] : [1, 1],
      words,
      more,
    });
  pieces.push(spots(AREA.at(mean), AREA.at(best)), arrow(origin, AREA.at(direction), INK, 4));
  if (extent(direction) < ZERO)
    pieces.push(
      tag("rect", { x: origin[0] - 5, y: origin[1] - 5, width: 10, height: 10, fill: INK }),
    );
  const labels = [
    beside(direction, "dir", { class: "strong" }),
    ...tips.map((g, k) =>
      beside(g, k || crowd === "three" ? `g${"₁₂₃"[k]}` : "g₁, 8 alike", { class: "strong" }),
    ),
  ];
  if (extent(best.map((v, i) => v - direction[i])) > 0.15) labels.push(beside(best, "no box"));
  if (extent(mean.map((v, i) => v - direction[i])) > 0.08)
    labels.push(beside(mean, "mean", { fill: SOFT }));
  pieces.push(
    placed(
      labels,
      [
        ...tips.map((g) => [...AREA.at(g), 9]),
        [...AREA.at(direction), 4],
        [...AREA.at(best), 7],
        [...AREA.at(mean), 5],
      ],
      ACROSS,
      DOWN,
    ),
  );
  return pieces.join("");
}

// ---- handles and words ------------------------------------------------------------------------------------------------------------------

/** The lever on the box's edge towards client 3: at the edge, and where it is held. The edge moves along ``way``, ``whole`` pixels long. */
function lever(equal, epsilon) {
  const middle = inTriangle(equal),
    full = [0, 1].map((i) => CORNERS[2][i] - middle[i]),
    whole = extent(full),
    way = full.map((v) => v / whole);
  const from = middle.map((v, i) => v + Math.min(1, epsilon / (1 - equal[2] || 1)) * full[i]);
  return { middle, way, whole, from, to: from.map((v, i) => v + LEVER * way[i]) };
}

function handles({ epsilon, equal, tips }) {
  const { middle, way, whole, to } = lever(equal, epsilon),
    track = [0, 1].map((value) => lever(equal, value).to);
  const set = (state, value) => {
    state.epsilon = stepped({ low: 0, high: 1, step: 0.01 }, value);
    return state;
  };
  return [
    {
      name: "edge",
      panel: "simplex",
      at: to,
      colour: INK,
      now: epsilon,
      range: [0, 1],
      track,
      stride: 0.01,
      value: `ε ${two(epsilon)}`,
      label: "edge of the box: ε",
      move: (state, point) => {
        const along = (dot(point, way) - dot(middle, way) - LEVER) / whole;
        return set(state, along > 0.995 ? 1 : along * (1 - equal[2])); // the whole simplex is what ε = 1 means
      },
      step: (state, [right, up]) => set(state, state.epsilon + right + up),
    },
    ...tipHandles(tips, { c: AREA, panel: "gradients", reach: view.reach }),
  ];
}

function words({ crowd, epsilon, rows, sizes, weights, direction, rates, best, enough }) {
  const pay = where(rates, (v) => v < -ZERO),
    idle = where(rates, (v) => Math.abs(v) <= ZERO),
    absent = where(sizes, (n) => !n),
    lines = [];
  const hopeless = extent(best) < ZERO,
    group = (who) =>
      crowd !== "three" && who.includes(0) ? `${named(who)} (with the seven like it)` : named(who);
  let tone = "good";
  if (extent(direction) < ZERO) {
    tone = "soft";
    lines.push(
      hopeless
        ? "The server stands still: no direction lowers every loss."
        : "The server stands still.",
    );
  } else if (pay.length) {
    tone = "bad";
    lines.push(`${group(pay)} pay${pay.length > 1 ? ": their losses rise" : "s: its loss rises"}.`);
    lines.push(
      hopeless
        ? "No direction helps everybody here."
        : "Other weights would help everybody (one choice: the hollow dot), but the box shuts them out.",
    );
  } else {
    lines.push(
      idle.length
        ? `Nobody pays; ${named(idle).toLowerCase()} gain${idle.length > 1 ? "" : "s"} nothing.`
        : "Nobody pays: every loss falls.",
    );
  }
  if (epsilon === 0)
    lines.push("With ε = 0 the box is one point, equal weights: this is FedAvg's mean.");
  else if (epsilon > enough - 1e-9 && !absent.length)
    lines.push(
      `From ε = ${two(enough)} on the box changes nothing: dir is where it would be without it, at the hull's nearest point to the origin.`,
    );
  else if (extent(best.map((v, i) => v - direction[i])) < ZERO)
    lines.push("The box shuts other weights out, but they would give the same dir.");
  else if (!pay.length)
    lines.push(
      "The box still keeps dir away from the hull's nearest point to the origin (hollow dot), where it would be without the box.",
    );
  if (rows === "unit" && absent.length < 3)
    lines.push(
      "Every gradient counts with length 1 (its dot on the circle), however long its arrow is.",
    );
  if (absent.length)
    lines.push(
      `${named(absent)} sent a zero gradient and ${absent.length > 1 ? "are" : "is"} set aside.`,
    );
  return {
    tone,
    lines,
    figures: `Weights ${weights.map(two).join(", ")}. Rates ${rates.map(two).join(", ")}.`,
  };
}

export const view = {
  title: "The box of weights",
  about:
    "Left, a triangle whose corners give one client all the weight, with the box that ε allows and the weights chosen in it; right, the gradients, their hull, the smaller shape that the box allows, and the direction.",
  hint: "Drag the box by its lever (the ring between two arrowheads), and the tips. Dark: the weights within ε of equal ones; of the mixtures that these allow the server takes the one nearest to the origin, dir.",
  key: "Every point of the triangle is a choice of weights, and the same mixture of gradients in the other picture. Dark: what a box of half-width ε around equal weights cuts out of the triangle. Rate: how fast a loss falls along −dir; where gradients count as unit vectors, per unit of their length.",
  task: {
    ask: "At ε = 0.1, three clients are all served. Suppose that client 1 brings seven more clients like it. Which ε does client 3 need now?",
    guesses: ["a smaller one", "the same", "a much larger one"],
    right: 2,
    goal: "Choose ten clients, and drag the box open until client 3's loss falls.",
    reached: ({ crowd }, { rates }) => crowd.startsWith("ten") && rates[2] > ZERO,
    explain:
      "Client 3 needs a weight of a little more than 0.4 either way. Among three clients it starts from 0.33, so a small box is enough. Among ten it starts from 0.1, with nine clients against it, and only a large box lets it have that much.",
  },
  reach: 1.4,
  panels: [
    { name: "simplex", width: ACROSS, height: DOWN, label: "weights; drag the edge of the box" },
    { name: "gradients", width: ACROSS, height: DOWN, label: "gradients; drag their tips" },
  ],
  compute,
  draw,
  handles,
  words,
};
