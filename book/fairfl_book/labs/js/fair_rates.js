// Chapter 10's lab on α-fair rates: gradients and α to drag, dir on the circle of directions, and each client on the curve ρ = λ^(−1/α).
import { fair, fairness } from "./alpha_fairness.js";
import { combine, cone, dot, outline } from "./geometry.js";
import { lineHandle, tipHandles } from "./handles.js";
import { CLIENTS, GOOD, INK, LINE, PAPER, SOFT } from "./palette.js";
import { arrow, disc, label, line, placed, polygon, px, tag } from "./svg.js";
import { centred, coordinates, curve, grid, outward, ticks } from "./plane.js";
import { circleLabels } from "./circle_labels.js";
import { ZERO, listed, named, sub, two, where } from "./wording.js";

const BROAD = 360,
  DEEP = 320,
  RADIUS = 108,
  REACH = 1,
  MIDDLE = [180, 142],
  ROOM = 1.2,
  CAPTION = 314;
const PLANE = centred({ middle: MIDDLE, unit: RADIUS, half: [ROOM, ROOM] });
// λ and ρ from 0 to ∞, each v at v / (1 + v): 1 stands in the middle, and Nash's ρ = 1/λ is a straight line.
const PLACES = coordinates({ x: [0, 1], y: [0, 1], left: 46, right: 262, top: 14, bottom: 214 });
const MARKS = [0, 1 / 3, 0.5, 2 / 3, 1],
  NUMBERS = ["0", "½", "1", "2", "∞"],
  numeral = (v) => NUMBERS[MARKS.indexOf(v)];
const POWER = { low: -2, high: 2, step: 0.05 },
  FAR = 4; // as in fair_rates.py
const TRACK = { y: 272, x: (power) => 46 + ((power + 2) / 4) * 268 };
const exponent = (power) => (Math.abs(power) === 2 ? Math.sign(power) * FAR : power);
const STOPS = [-FAR, ...Array.from({ length: 15 }, (_, i) => -1.75 + 0.25 * i), FAR];
const extent = (v) => Math.hypot(...v),
  shortened = (v) => v / (1 + v),
  off = [0, 0];

function compute({ clients, power, tips }) {
  const G = tips.slice(0, clients),
    heard = where(G, (g) => extent(g) > 0),
    common = heard.length ? fairness(heard.map((k) => G[k])) : null;
  const spread = (list) => G.map((_, k) => (heard.includes(k) ? list[heard.indexOf(k)] : 0)),
    alpha = 10 ** exponent(power),
    mean = combine(
      G,
      G.map(() => 1 / clients),
    );
  const numbers = { G, power, alpha, exponent: exponent(power), solved: Boolean(common), mean };
  if (!common)
    return {
      ...numbers,
      weights: G.map(() => 0),
      rates: G.map(() => 0),
      step: off,
      places: G.map(() => off),
      ways: [],
      arc: [],
      helps: null,
    };
  const at = (value) => {
    const found = fair(common, value),
      weights = spread(found.weights),
      rates = spread(found.rates);
    return {
      weights,
      rates,
      step: found.step,
      places: G.map((_, k) => [shortened(weights[k]), shortened(rates[k])]),
    };
  };
  const all = STOPS.map((stop) => at(10 ** stop));
  return {
    ...numbers,
    ...at(alpha),
    ways: all.map((one) => one.places),
    arc: all.map((one) => one.step),
    point: common.point,
    helps: cone(G, common.point),
  };
}

function draw(numbers) {
  return { plane: plane(numbers), curve: points(numbers) };
}

function plane({ G, solved, mean, point, step, arc, helps }) {
  const { at } = PLANE,
    origin = at([0, 0]),
    pieces = [],
    rim = (turn) => at([Math.cos(turn), Math.sin(turn)]);
  if (helps)
    pieces.push(
      tag("path", {
        d: `M${origin.join(" ")}L${rim(helps[0]).map(px).join(" ")}A${RADIUS} ${RADIUS} 0 0 0 ${rim(helps[1]).map(px).join(" ")}Z`,
        fill: GOOD,
        opacity: 0.16,
      }),
    );
  pieces.push(disc(origin, RADIUS, { fill: "none", stroke: LINE, "stroke-width": 1.5 }));
  const heard = G.filter((g) => extent(g) > 0);
  if (heard.length > 1)
    pieces.push(
      polygon(outline(heard).map(at), {
        fill: SOFT,
        "fill-opacity": 0.13,
        stroke: SOFT,
        "stroke-width": 1.3,
        "stroke-linejoin": "round",
      }),
    );
  G.forEach((g, k) => pieces.push(arrow(origin, at(g), CLIENTS[k], 3.2)));
  pieces.push(arrow(origin, at(mean), SOFT, 2, { "stroke-dasharray": "5 4" }));
  const inside = [],
    outside = [],
    strong = { class: "strong" };
  if (extent(mean) > ZERO)
    inside.push({
      at: at(mean),
      towards: outward(mean, ZERO),
      words: "mean",
      more: { fill: SOFT },
    });
  G.forEach((g, k) => {
    const words = `g${sub(k)}`;
    if (extent(g) > 0.8) outside.push({ turn: Math.atan2(g[1], g[0]), words, more: strong });
    else
      inside.push({
        at: at(g),
        towards: extent(g) > ZERO ? [g[0], -g[1]] : [1, 1 - k],
        words,
        more: strong,
      });
  });
  if (solved && extent(step) > 0.5) {
    const below = dot(mean, arc[0]),
      foot = arc[0].map((v) => v * below);
    if (extent(mean.map((v, i) => v - foot[i])) > 0.01)
      pieces.push(
        line(at(mean), at(foot), { stroke: SOFT, "stroke-width": 1.5, "stroke-dasharray": "2 3" }),
        disc(at(foot), 3, { fill: SOFT }),
      );
    pieces.push(
      curve(PLANE, arc, {
        stroke: SOFT,
        "stroke-width": 5,
        opacity: 0.55,
        "stroke-linecap": "round",
      }),
      disc(at(point), 5, { fill: PAPER, stroke: INK, "stroke-width": 2 }),
    );
    pieces.push(arrow(origin, at(step), INK, 3));
    for (const [words, u] of [
      ["0", arc[0]],
      ["1", arc[(arc.length - 1) / 2]],
      ["∞", arc[arc.length - 1]],
    ]) {
      pieces.push(disc(at(u), 4, { fill: PAPER, stroke: INK, "stroke-width": 1.6 }));
      const turn = Math.atan2(u[1], u[0]),
        near = outside.find(
          (one) =>
            one.alpha &&
            Math.abs(Math.atan2(Math.sin(one.turn - turn), Math.cos(one.turn - turn))) < 0.12,
        );
      if (near) near.words = `${near.words}, ${words}`;
      else outside.push({ turn, words: words, alpha: true });
    }
  } else
    pieces.push(
      tag("rect", { x: origin[0] - 5, y: origin[1] - 5, width: 10, height: 10, fill: INK }),
    );
  pieces.push(
    placed(
      inside,
      [...G.map((g) => [...at(g), 8]), ...(solved ? [[...at(point), 6]] : [])],
      BROAD,
      284,
    ),
    circleLabels(outside, origin, RADIUS, [1, 2, BROAD - 1, 284]),
  );
  pieces.push(
    label(
      0,
      CAPTION,
      solved ? "green: every loss falls; 0, 1, ∞: values of α" : "no direction lowers every loss",
      { fill: solved ? GOOD : SOFT },
    ),
  );
  return pieces.join("");
}

const SATURATED = 12; // the logarithm of what the axes no longer tell from ∞
/** Points of the curve log ρ = −(log λ) / α, close to one another also where α is near 0 or large. */
export function bend(steep) {
  const flat = Math.min(1, 10 ** steep),
    high = Math.min(1, 10 ** -steep),
    most = Math.log1p(SATURATED * 10 ** Math.abs(steep));
  const half = Array.from({ length: 41 }, (_, i) => Math.expm1((most * i) / 40));
  const at = (r) => [flat * r, -high * r].map((log) => 1 / (1 + Math.exp(-log)));
  return [...[...half].reverse().map((r) => at(-r)), ...half.map(at)];
}

function points({ G, solved, power, exponent: steep, weights, rates, places, ways }) {
  const pieces = [grid(PLACES, MARKS, MARKS), ticks(PLACES, MARKS, MARKS, numeral)],
    heard = where(G, (g) => extent(g) > 0);
  pieces.push(
    label((PLACES.left + PLACES.right) / 2, PLACES.bottom + 36, "weight λ", {
      "text-anchor": "middle",
    }),
    label(14, (PLACES.top + PLACES.bottom) / 2, "rate ρ", {
      "text-anchor": "middle",
      transform: `rotate(-90 14 ${(PLACES.top + PLACES.bottom) / 2})`,
    }),
  );
  pieces.push(curve(PLACES, bend(steep), { stroke: INK, "stroke-width": 2 }));
  if (solved)
    for (const k of heard) {
      if (ways.length)
        pieces.push(
          curve(
            PLACES,
            ways.map((all) => all[k]),
            { stroke: CLIENTS[k], "stroke-width": 2, "stroke-dasharray": "3 3" },
          ),
        );
      pieces.push(
        disc(PLACES.at(places[k]), 7, { fill: CLIENTS[k], stroke: PAPER, "stroke-width": 1.5 }),
      );
    }
  G.forEach((_, k) => {
    const top = 28 + 66 * k,
      solvable = solved && heard.includes(k);
    pieces.push(
      disc([280, top - 5], 6, { fill: CLIENTS[k] }),
      label(292, top, `client ${k + 1}`, { class: "strong" }),
    );
    pieces.push(
      label(276, top + 20, solvable ? `λ ${much(weights[k])}` : "no λ"),
      solvable ? label(276, top + 40, `ρ ${much(rates[k])}`) : "",
    );
  });
  const { x, y } = TRACK;
  pieces.push(
    line([x(-2), y], [x(2), y], { stroke: LINE, "stroke-width": 4, "stroke-linecap": "round" }),
    line([x(0), y - 8], [x(0), y + 8], { stroke: SOFT, "stroke-width": 2 }),
  );
  for (const [v, anchor, number, words] of [
    [-2, "start", "α → 0", "projected mean"],
    [0, "middle", "1", "Nash"],
    [2, "end", "α → ∞", "nearest point"],
  ]) {
    const place = v ? x(v) + v * 22 : x(v);
    pieces.push(
      label(place, y + 26, number, { "text-anchor": anchor, class: "strong" }),
      label(place, y + 44, words, { "text-anchor": anchor, fill: SOFT }),
    );
  }
  pieces.push(label(276, PLACES.bottom + 36, alphaText(power), { class: "strong" }));
  return pieces.join("");
}

/** A weight or a rate, which may be large. */
const much = (v) =>
  v >= 1e5 ? v.toExponential(0).replace("e+", "e") : v >= 100 ? v.toFixed(0) : two(v);
const alphaText = (power) =>
  power <= -2 ? "α → 0" : power >= 2 ? "α → ∞" : `α = ${(10 ** power).toPrecision(2)}`;

const handles = ({ G, power }) => [
  lineHandle({
    control: "power",
    limits: POWER,
    now: power,
    place: (v) => [TRACK.x(v), TRACK.y],
    panel: "curve",
    colour: INK,
    stride: POWER.step,
    value: `${alphaText(power)}${power === 0 ? ", Nash" : ""}`,
    label: "α, from the projected mean through Nash to the nearest point",
  }),
  ...tipHandles(G, { c: PLANE, reach: REACH }),
];

function words({ G, power, solved, weights, rates, mean, arc }) {
  const absent = where(G, (g) => extent(g) === 0),
    heard = where(G, (g) => extent(g) > 0),
    lines = [],
    now = alphaText(power);
  const silent = absent.length
    ? [`${named(absent)} sent a zero gradient and ${absent.length > 1 ? "are" : "is"} set aside.`]
    : [];
  if (!heard.length)
    return {
      tone: "soft",
      lines: ["All gradients are zero: there is nothing to follow."],
      figures: "",
    };
  if (!solved)
    return {
      tone: "soft",
      lines: [
        "No weights solve A λ = λ^(−1/α), whatever α.",
        "The gradients’ hull contains 0: they are Pareto stationary, and no direction gives everybody a positive rate.",
        ...silent,
      ],
      figures: "",
    };
  const harmed = heard.filter((k) => dot(G[k], mean) < -ZERO * ZERO),
    turned = Math.max(...arc.map((u) => Math.hypot(u[0] - arc[0][0], u[1] - arc[0][1])));
  if (turned < ZERO)
    lines.push(
      `${now}.`,
      heard.length > 1
        ? "Here every α takes the same direction, the plain mean’s."
        : "There is one gradient to follow, whatever α.",
    );
  else if (power <= -2) {
    lines.push(
      harmed.length
        ? `α → 0: the plain mean’s projection on the green cone.`
        : "α → 0: the plain mean, which harms nobody.",
    );
    lines.push(
      harmed.length
        ? `${named(harmed)} would pay under the mean and ${harmed.length > 1 ? "have" : "has"} just enough weight not to; the others weigh 1.`
        : "Everybody weighs 1.",
    );
  } else if (power >= 2) {
    const rest = heard.filter((k) => rates[k] > 1 + 10 * ZERO),
      even = heard.filter((k) => !rest.includes(k));
    lines.push("α → ∞: the hull’s nearest point to 0 (hollow dot), FedMGDA.");
    lines.push(
      even.length > 1
        ? `${named(even)} have the same rate${rest.length ? `; ${named(rest).toLowerCase()} ${rest.length > 1 ? "have" : "has"} more, and weight 0` : ""}.`
        : `${named(even)} has all the weight.`,
    );
  } else {
    lines.push(
      power === 0
        ? "α = 1, the Nash bargain: no direction has the larger product of rates."
        : `${now}: between ${power < 0 ? "the mean’s projection (α → 0) and Nash (1)" : "Nash (1) and the nearest point (α → ∞)"}.`,
    );
    lines.push("Every loss falls, and each client lies on the curve ρ = λ^(−1/α).");
    if (harmed.length) lines.push(`The plain mean would harm ${named(harmed).toLowerCase()}.`);
  }
  const list = (values) => listed(heard.map((k) => much(values[k])));
  return {
    tone: "good",
    lines: [...lines, ...silent],
    figures: `Weights ${list(weights)}. Rates ${list(rates)}.`,
  };
}

export const view = {
  title: "α-fair rates",
  about:
    "Left, gradients as arrows, their hull, the plain mean, and the server’s direction, drawn with length 1, on a grey arc from α → 0 through Nash to α → ∞. Right, the curve ρ = λ^(−1/α) with a dot a client at its weight and rate; below it the line on which α moves.",
  hint: "Drag the ring on the line below the curve: α. Then drag the tips. Black: dir, at length 1. Each client’s rate sets its weight, so that its dot stays on the curve.",
  key: "Both axes of the curve run from 0 to ∞, with 1 in their middle. Dashed: where each client’s weight and rate go as α runs from 0 to ∞. Grey dashed arrow: the plain mean; dotted: its projection on the green cone, where it harms somebody. Hollow dot: the hull’s nearest point to 0.",
  task: {
    ask: "The plain mean (grey, dashed) would harm client 3. What happens to client 3's rate as α falls to 0?",
    guesses: ["it falls below zero", "it falls to zero", "it grows"],
    right: 1,
    goal: "Leave the tips alone, and drag the ring to where client 3's rate is nearly zero.",
    reached: ({ clients, power }, { rates }) =>
      clients === 3 && power < -0.75 && Math.abs(rates[2]) < 0.02,
    explain:
      "For every α > 0 all rates are positive. As α falls, the direction tends to the plain mean's projection on the green cone. It lies on the edge where client 3's rate is zero: client 3 neither gains nor loses.",
  },
  reach: REACH,
  panels: [
    { name: "plane", width: BROAD, height: DEEP, label: "gradients and direction; drag the tips" },
    { name: "curve", width: BROAD, height: DEEP, label: "weights and rates on the curve; drag α" },
  ],
  compute,
  draw,
  handles,
  words,
};
