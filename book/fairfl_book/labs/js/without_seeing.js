// Chapter 15's lab: the sums that a server hears of three gradients it does not see, the step it makes of them, and what they give away.
import { bars } from "./bars.js";
import { clipped, combine, dot, gram, length, nearest, outline } from "./geometry.js";
import { tipHandles } from "./handles.js";
import { arrow, line, placed, polygon, tag } from "./svg.js";
import { CLIENTS, INK, PAPER, SOFT } from "./palette.js";
import { centred, curve, grid, outward } from "./plane.js";
import { ZERO, listed, named, two, where } from "./wording.js";

const WIDE = 360,
  HIGH = 290,
  BARS = 196,
  UNIT = 66,
  LAST = "last sum",
  TIE = 1e-9,
  NOWHERE = 1e-6;
const PLANE = centred({ middle: [WIDE / 2, HIGH / 2], unit: UNIT }),
  { at } = PLANE;
const minus = (a, b) => a.map((v, i) => v - b[i]);

function compute({ step, sums, tips: G }) {
  let weights = G.map(() => 1 / 3);
  const heard = [],
    corners = [];
  for (let t = 0; t < sums; t++) {
    if (t) {
      const moved = frankWolfe(G, weights, heard[t - 1]);
      weights = moved.weights;
      if (moved.corner !== null && !corners.includes(moved.corner)) corners.push(moved.corner);
    }
    heard.push(combine(G, weights));
  }
  const best = combine(G, nearest(gram(G))),
    first = heard.find((d) => length(d) > NOWHERE),
    along = first ? first.map((v) => v / length(first)) : [0, 0];
  const plane = heard.some((d) => Math.abs(along[0] * d[1] - along[1] * d[0]) > NOWHERE);
  const direction = step === LAST ? heard[sums - 1] : plane ? best : onLine(G, along);
  return {
    step,
    G,
    heard,
    along,
    plane,
    direction,
    rates: perLength(G, direction),
    hope: Math.min(...heard.map(length)),
    best,
    bestRates: perLength(G, best),
    known: G.map((_, k) => (corners.includes(k) ? 1 : 1 / (3 - corners.length))),
  };
}

/** The next weights, and the corner that they moved to: null where they did not move. */
function frankWolfe(G, weights, d) {
  const rates = G.map((g) => dot(g, d)),
    corner = rates.findIndex((v) => v <= Math.min(...rates) + TIE),
    way = minus(G[corner], d),
    long = dot(way, way);
  const t = long > TIE ? Math.min(1, Math.max(0, -dot(d, way) / long)) : 0;
  return t > TIE
    ? { weights: weights.map((v, k) => (1 - t) * v + (k === corner ? t : 0)), corner }
    : { weights, corner: null };
}

function onLine(G, along) {
  const feet = G.map((g) => dot(g, along)),
    v = Math.max(0, Math.min(...feet)) + Math.min(0, Math.max(...feet));
  return along.map((x) => v * x);
}

const perLength = (G, v) => G.map((g) => (length(v) > NOWHERE ? dot(g, v) / length(v) : 0));

function draw(numbers) {
  return { plane: plane(numbers), bars: rateBars(numbers) };
}

function plane({ step, G, heard, along, plane: whole, direction, best }) {
  const origin = at([0, 0]),
    marks = [-2, -1, 0, 1, 2],
    pieces = [grid(PLANE, marks, marks)],
    last = heard[heard.length - 1],
    shown = step !== LAST && !whole;
  pieces.push(
    polygon(outline(G).map(at), {
      fill: SOFT,
      "fill-opacity": 0.16,
      stroke: SOFT,
      "stroke-width": 1.5,
      "stroke-linejoin": "round",
    }),
  );
  if (shown && length(along) > ZERO) {
    pieces.push(
      line(...clipped([0, 0], along, HIGH / 2 / UNIT).map(at), {
        stroke: SOFT,
        "stroke-width": 1.2,
      }),
    );
    G.forEach((g, k) => {
      const foot = along.map((v) => dot(g, along) * v);
      pieces.push(
        line(at(g), at(foot), {
          stroke: CLIENTS[k],
          "stroke-width": 1.6,
          "stroke-dasharray": "3 4",
        }),
        spot(foot, 5, { fill: CLIENTS[k] }),
      );
    });
  }
  G.forEach((g, k) => pieces.push(arrow(origin, at(g), CLIENTS[k], 3, { opacity: 0.75 })));
  if (heard.length > 1) pieces.push(curve(PLANE, heard, { stroke: INK, "stroke-width": 1.2 }));
  pieces.push(
    spot(best, 7, { fill: PAPER, stroke: INK, "stroke-width": 1.6 }),
    arrow(origin, at(direction), INK, 4),
    ...heard.map((d) => spot(d, 3.5, { fill: INK, stroke: PAPER })),
  );
  if (length(direction) < NOWHERE)
    pieces.push(
      tag("rect", { x: origin[0] - 5, y: origin[1] - 5, width: 10, height: 10, fill: INK }),
    );
  const beside = (v, words, more) => ({ at: at(v), towards: outward(v, ZERO), words, more });
  const labels = [
    beside(direction, "step", { class: "strong" }),
    ...G.map((g, k) => beside(g, `g${"₁₂₃"[k]}`, { class: "strong" })),
  ];
  if (length(minus(heard[0], direction)) > 0.15)
    labels.push(beside(heard[0], "first sum", { fill: SOFT }));
  if (
    heard.length > 1 &&
    length(minus(last, direction)) > 0.15 &&
    length(minus(last, heard[0])) > 0.15
  )
    labels.push(beside(last, "last sum", { fill: SOFT }));
  if (length(minus(best, direction)) > 0.15)
    labels.push({ at: at(best), towards: [1, 1], words: "nearest", more: { fill: SOFT } });
  pieces.push(
    placed(
      labels,
      [
        ...G.map((g) => [...at(g), 9]),
        ...heard.map((d) => [...at(d), 4]),
        [...at(best), 8],
        [...at(direction), 3],
      ],
      WIDE,
      HIGH,
    ),
  );
  return pieces.join("");
}

const spot = (v, r, more) => {
  const [cx, cy] = at(v);
  return tag("circle", { cx, cy, r, ...more });
};

const rateBars = ({ G, rates, hope, known, bestRates }) =>
  bars({
    width: WIDE,
    height: BARS,
    names: G.map((_, k) => `client ${k + 1}`),
    colours: CLIENTS,
    rates,
    weights: known,
    weighed: "known",
    heading: "rate per length of the step",
    bound: { at: hope, words: "no more than" },
    low: -1,
    high: 2,
    ticks: [-1, 0, 1, 2],
    ghosts: bestRates,
  });

const handles = ({ G }) => tipHandles(G, { c: PLANE, reach: view.reach });

function words({ step, heard, direction, rates, hope, best, known }) {
  const pay = where(rates, (v) => v < -ZERO),
    least = Math.min(...rates),
    bare = where(known, (v) => v > 1 - ZERO),
    lines = [];
  let tone = "good";
  if (length(direction) < NOWHERE) {
    tone = "soft";
    lines.push(
      length(best) < NOWHERE && (step === LAST || heard.length > 1)
        ? "The server stands still: no direction lowers every loss."
        : "The server stands still: the sums so far show no direction that helps everybody.",
    );
  } else if (pay.length) {
    tone = "bad";
    lines.push(
      `${named(pay)} pay${pay.length > 1 ? "" : "s"}, and the server knows it from the answers.`,
    );
  } else {
    lines.push(
      `Nobody gains less than ${two(least)} a length, and the server knows that nobody can be promised more than ${two(hope)}.`,
    );
  }
  if (least > 0 && hope - least < ZERO) lines.push("The two meet: it is the best direction.");
  lines.push(
    bare.length === 3
      ? "The sums alone now give every client's row away."
      : bare.length
        ? `The sums alone give away the row of ${named(bare).toLowerCase()}.`
        : "The sums alone give away a third of each row, and no row.",
  );
  return {
    tone,
    lines,
    figures: `Rates per length ${listed(rates.map(two))}. Known of the rows ${listed(known.map(two))}.`,
  };
}

export const view = {
  title: "Sums without seeing",
  about:
    "Left, three gradients with their hull, which the server does not see, the sums that it has heard as dots, and the step that it makes of them as the arrow called step. Right, bars of each client's rate per length of the step, and of how much of its row the sums give away.",
  hint: "Ask for more sums; drag the tips. Each sum is Frank–Wolfe's next: weights moved towards whoever would gain least. Dashed outlines: the rates under the best direction, to the hollow dot. Dashed line: what no direction can promise everybody more than.",
  task: {
    ask: "The server hears the sum of the three gradients twice: first with equal weights, then with more weight for one client. Can it compute a single client's gradient?",
    guesses: ["no, a sum hides every client", "yes, one client's", "yes, all three"],
    right: 1,
    goal: "Choose “all sums' shadows”, and ask for sums until the server's arrow ends at the hollow dot.",
    reached: ({ step, sums }, { direction, best }) =>
      step !== LAST &&
      sums === 2 &&
      Math.hypot(direction[0] - best[0], direction[1] - best[1]) < 0.01,
    explain:
      "Two sums are enough for the best direction. But from the first sum to the second, only one client has gained weight, so the server can compute this client's gradient from the two. (Its small bar is full.)",
  },
  reach: 2,
  panels: [
    { name: "plane", width: WIDE, height: HIGH, label: "gradients; drag their tips" },
    { name: "bars", width: WIDE, height: BARS, label: "rates and what is known" },
  ],
  compute,
  draw,
  handles,
  words,
};
