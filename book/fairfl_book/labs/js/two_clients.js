// Chapter 0's lab: two gradients, and between their tips the point that the server's weights choose; who gains by it and who pays.
import { bars } from "./bars.js";
import { combine, gram, rates } from "./geometry.js";
import { lineHandle, tipHandles } from "./handles.js";
import { arrow, disc, label, line, placed } from "./svg.js";
import { CLIENTS, GOOD, INK, LINE, SOFT } from "./palette.js";
import { centred, grid, outward, stepped } from "./plane.js";
import { ZERO, named, sub, two, where } from "./wording.js";
import { tr } from "./i18n.js";

const WIDE = 360,
  HIGH = 330,
  UNIT = 75,
  REACH = 2,
  WEIGHT = { low: 0, high: 1, step: 0.01 };
const PLANE = centred({ middle: [WIDE / 2, HIGH / 2], unit: UNIT }),
  { at } = PLANE;
const OPPOSED = 1e-9,
  TOGETHER = 0.15, // tips nearer than this leave no room for a handle between them
  MARKS = [0.2, 0.4, 0.6, 0.8], // weights of client 1 that are written along the line
  ROOM = 150; // pixels of a line that is long enough for them
const between = (G, weight) => combine(G, [weight, 1 - weight]),
  apart = (G) => G[0].map((v, i) => v - G[1][i]);

function compute({ weight, tips }) {
  const weights = [weight, 1 - weight],
    A = gram(tips);
  return {
    G: tips,
    weights,
    A,
    direction: combine(tips, weights),
    rates: rates(A, weights),
    harmless: harmless(A),
  };
}

function harmless([[a, c], [, b]]) {
  return c >= 0 ? [0, 1] : [-c / (a - c), b / (b - c)];
}

const draw = (numbers) => ({
  plane: plane(numbers),
  bars: bars({
    width: WIDE,
    height: 156,
    names: [1, 2].map((k) => tr("client {k}", { k })),
    colours: CLIENTS,
    rates: numbers.rates,
    weights: numbers.weights,
    low: -2,
    high: 2,
    ticks: [-2, -1, 0, 1, 2],
  }),
});

function plane({ G, direction, harmless: [low, high] }) {
  const origin = at([0, 0]),
    [from, to] = [low, high].map((weight) => at(between(G, weight))),
    free = high - low > OPPOSED;
  const pieces = [
    grid(PLANE, [-2, -1, 0, 1, 2], [-2, -1, 0, 1, 2]),
    disc(origin, REACH * UNIT, {
      fill: "none",
      stroke: LINE,
      "stroke-width": 1.5,
      "stroke-dasharray": "2 5",
    }),
  ];
  pieces.push(line(at(G[0]), at(G[1]), { stroke: SOFT, "stroke-width": 2 }));
  if (free) pieces.push(line(from, to, { stroke: GOOD, "stroke-width": 10, opacity: 0.45 }));
  const marks = scale(G);
  for (const { weight, ends, beside } of marks)
    pieces.push(
      line(...ends, { stroke: SOFT, "stroke-width": 2 }),
      label(beside[0], beside[1] + 5, weight, { fill: SOFT, "text-anchor": "middle" }),
    );
  G.forEach((g, k) => pieces.push(arrow(origin, at(g), CLIENTS[k], 3.2)));
  const step = direction.map((v) => -v);
  pieces.push(
    arrow(origin, at(step), SOFT, 2, { "stroke-dasharray": "5 4" }),
    arrow(origin, at(direction), INK, 4),
  );
  const away = (v) => outward(v, ZERO),
    beside = (v, words) => ({ at: at(v), towards: away(v), words, more: { class: "strong" } });
  const labels = [...G.map((g, k) => beside(g, `g${sub(k)}`)), beside(direction, "dir")],
    middle = between(G, (low + high) / 2);
  if (free && Math.hypot(from[0] - to[0], from[1] - to[1]) > 12)
    labels.push({
      at: at(middle),
      towards: away(middle),
      words: tr("hurts nobody"),
      rings: 3,
      more: { fill: GOOD },
    });
  const strewn = (a, b, r) =>
    [0, 0.2, 0.4, 0.6, 0.8, 1].map((t) => [...a.map((v, i) => v + t * (b[i] - v)), r]);
  const taken = [
    strewn(from, to, 6),
    strewn(at(G[0]), at(G[1]), 4),
    marks.map(({ beside }) => [...beside, 11]),
    ...[...G, direction].map((v) => strewn(origin, at(v), 4)),
  ].flat();
  if (Math.hypot(...step) > 0.25)
    labels.push({ at: at(step), towards: away(step), words: tr("step"), more: { fill: SOFT } });
  pieces.push(
    placed(labels, [...taken, ...[...G, direction].map((v) => [...at(v), 10])], WIDE, HIGH),
  );
  return pieces.join("");
}

/** Marks across the line, with the weight of client 1 beside them on the side away from the origin; none if the line is too short. */
function scale(G) {
  const [a, b] = G.map(at),
    long = Math.hypot(a[0] - b[0], a[1] - b[1]);
  if (long < ROOM) return [];
  let across = [(a[1] - b[1]) / long, (b[0] - a[0]) / long];
  const middle = at(between(G, 0.5)),
    origin = at([0, 0]);
  if (across[0] * (middle[0] - origin[0]) + across[1] * (middle[1] - origin[1]) < 0)
    across = across.map((v) => -v);
  return MARKS.map((weight) => {
    const here = at(between(G, weight));
    const out = (far) => here.map((v, i) => v + far * across[i]);
    return { weight, ends: [out(-5), out(5)], beside: out(17) };
  });
}

function handles({ G, weights }) {
  const tips = tipHandles(G, { c: PLANE, reach: REACH });
  if (Math.hypot(...apart(G)) < TOGETHER) return tips;
  const server = lineHandle({
    control: "weight",
    limits: WEIGHT,
    now: weights[0],
    place: (v) => at(between(G, v)),
    panel: "plane",
    colour: INK,
    stride: 0.02,
    value: `λ₁ = ${two(weights[0])}`,
    label: tr("weight of client 1: the server's direction, between the tips"),
    step: (state, by) => ({
      ...state,
      weight: stepped(
        WEIGHT,
        state.weight +
          (Math.sign(by[0] * apart(state.tips)[0] + by[1] * apart(state.tips)[1]) || 1) *
            Math.hypot(...by),
      ),
    }),
  });
  return [...tips, server]; // above the tips, which it meets at either end
}

function words({ A, weights, direction, rates, harmless: [low, high] }) {
  const pay = where(rates, (v) => v < -ZERO),
    idle = where(rates, (v) => Math.abs(v) <= ZERO),
    lines = [];
  const figures = tr("Weights {weights}. Rates {rates}.", {
    weights: weights.map(two).join(tr(", ")),
    rates: rates.map(two).join(tr(", ")),
  });
  let tone = "good";
  if (pay.length) {
    tone = "bad";
    lines.push(tr("{who} pays: its loss rises.", { who: named(pay) }));
  } else if (Math.hypot(...direction) < ZERO) {
    tone = "soft";
    lines.push(tr("The server stands still: nobody gains, nobody pays."));
  } else if (idle.length)
    lines.push(
      idle.length > 1
        ? tr("Nobody pays; {who} gain nothing.", { who: named(idle).toLowerCase() })
        : tr("Nobody pays; {who} gains nothing.", { who: named(idle).toLowerCase() }),
    );
  else lines.push(tr("Nobody pays: both losses fall."));
  const silent = where(A, (row, k) => row[k] === 0);
  if (silent.length)
    lines.push(
      silent.length > 1
        ? tr("{who} have zero gradients and ask for nothing.", { who: named(silent) })
        : tr("{who} has a zero gradient and asks for nothing.", { who: named(silent) }),
    );
  else if (A[0][1] >= 0)
    lines.push(
      tr("The gradients agree, being at most a right angle apart, and no weight hurts anybody."),
    );
  else if (high - low <= OPPOSED)
    lines.push(tr("The gradients oppose each other: whatever helps one client hurts the other."));
  else if (pay.length)
    lines.push(
      tr("Nobody would pay with λ₁ between {low} and {high}, the green part of the line.", {
        low: two(low),
        high: two(high),
      }),
    );
  else
    lines.push(
      tr("So it is with every λ₁ between {low} and {high}.", { low: two(low), high: two(high) }),
    );
  return { tone, lines, figures };
}

export const view = {
  title: tr("Two clients and one direction"),
  about: tr(
    "Left, two gradients as arrows, and between their tips a line with the server's direction on it, the arrow dir, and its step the other way, dashed; the part of the line where nobody pays is green. Right, bars of each client's rate.",
  ),
  hint: tr(
    "Drag the tip of dir: its place on the line between the tips is the weight λ₁. Drag the tips too. The server steps along −dir (dashed), downhill, where dir = λ₁ g₁ + λ₂ g₂; client k's loss falls at the rate gₖ · dir, and rises where that is negative.",
  ),
  task: {
    ask: tr(
      "Client 1 pays. The weights and the angle stay as they are. Can another length of g₂ end that?",
    ),
    guesses: [tr("yes, a longer g₂"), tr("yes, a shorter g₂"), tr("no, the angle decides")],
    right: 1,
    goal: tr(
      "Leave dir in the middle of its line, and keep the angle about as wide as it is. Drag the tip of g₂ to where nobody pays.",
    ),
    reached: ({ weight }, { A, rates }) =>
      Math.abs(weight - 0.5) < 0.06 &&
      A[0][1] < -0.7 * Math.sqrt(A[0][0] * A[1][1]) &&
      Math.min(...rates) > ZERO,
    explain: tr(
      "A shorter g₂ does not pull dir as far to its side. The angle shows that the clients disagree, and with equal weights, the lengths decide whether one of them pays, and which one.",
    ),
  },
  reach: REACH,
  panels: [
    {
      name: "plane",
      width: WIDE,
      height: HIGH,
      label: tr("two gradients and the server's direction; drag them"),
    },
    { name: "bars", width: WIDE, height: 156, label: tr("weights and rates") },
  ],
  compute,
  draw,
  handles,
  words,
};
