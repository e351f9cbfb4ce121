// Chapter 4's lab: tips of gradients to drag, the hull that a rule looks at, its direction, and each client's weight and rate.
import { bars } from "./bars.js";
import { boxed, clipped, combine, cone, decide, dot, length, outline } from "./geometry.js";
import { tipHandles } from "./handles.js";
import { CLIENTS, GOOD, INK, LINE, PAPER, SOFT } from "./palette.js";
import { arrow, disc, line, placed, polygon, px, tag } from "./svg.js";
import { centred, grid, outward } from "./plane.js";
import { ZERO, named, sub, two, where } from "./wording.js";

const WIDE = 360,
  HIGH = 322,
  BARS = 196,
  UNIT = 72,
  RIM = 2,
  EDGE = 2.2,
  RAY = Math.PI / 40;
const PLANE = centred({ middle: [WIDE / 2, HIGH / 2], unit: UNIT }),
  { at } = PLANE;

function compute({ clients, rule, epsilon, tips }) {
  const G = tips.slice(0, clients),
    { weights, multipliers, direction, rates, remark } = decide(rule, G, { epsilon });
  const mean = combine(
    G,
    G.map(() => 1 / clients),
  );
  return {
    rule,
    epsilon,
    G,
    weights,
    multipliers,
    direction,
    rates,
    remark,
    squared: dot(direction, direction),
    mean,
    meanRates: G.map((g) => dot(g, mean)),
    cone: cone(G, decide("FedMGDA", G).direction),
  };
}

function draw(numbers) {
  return { plane: plane(numbers), bars: rateBars(numbers) };
}

function plane({ rule, epsilon, G, direction, mean, remark, cone: helps }) {
  const origin = at([0, 0]),
    whole = [-2, -1, 0, 1, 2],
    pieces = [grid(PLANE, whole, whole)],
    far = length(direction) > ZERO,
    ghost = rule !== "FedAvg";
  const beside = (v, words, more) => ({ at: at(v), towards: outward(v, ZERO), words, more });
  const labels = [
    beside(direction, ghost ? "dir" : "dir = mean", { class: "strong" }),
    ...G.map((g, k) => beside(g, `g${sub(k)}`, { class: "strong" })),
  ];
  pieces.push(
    disc(origin, RIM * UNIT, {
      fill: "none",
      stroke: LINE,
      "stroke-width": 1.5,
      "stroke-dasharray": "2 5",
    }),
  );
  if (helps) pieces.push(fan(helps));
  for (const points of hulls(rule, epsilon, G))
    pieces.push(
      polygon(points.map(at), {
        fill: SOFT,
        "fill-opacity": 0.16,
        stroke: SOFT,
        "stroke-width": 1.5,
        "stroke-linejoin": "round",
      }),
    );
  if (rule === "AdaFed" && !remark && G.length > 1)
    dashed(
      pieces,
      labels,
      G,
      G[0],
      G[1].map((v, i) => v - G[0][i]),
      "line through the tips",
    );
  if (rule === "FedMGDA" && far)
    dashed(pieces, labels, G, direction, [-direction[1], direction[0]], "equal rates");
  if (ghost)
    pieces.push(arrow(origin, at(mean), SOFT, 2, { "stroke-dasharray": "5 4", opacity: 0.9 }));
  G.forEach((g, k) => pieces.push(arrow(origin, at(g), CLIENTS[k], 3.2)));
  if (rule === "FedMGDA+") G.forEach((g, k) => pieces.push(unit(g, CLIENTS[k])));
  pieces.push(arrow(origin, at(direction), INK, 4));
  if (!far)
    pieces.push(
      tag("rect", { x: origin[0] - 5, y: origin[1] - 5, width: 10, height: 10, fill: INK }),
    );
  if (ghost && length(mean.map((v, i) => v - direction[i])) > 0.1)
    labels.push(beside(mean, "mean", { fill: SOFT }));
  if (helps) {
    const middle = (helps[0] + helps[1]) / 2,
      out = [Math.cos(middle), Math.sin(middle)];
    labels.push({
      at: at(out.map((v) => 1.7 * v)),
      towards: [-out[0], out[1]],
      words: "helps everybody",
      away: 0,
      more: { fill: GOOD },
    });
  }
  const strewn = [...G, direction].flatMap((v) =>
    [0.4, 0.6, 0.8].map((t) => [...at(v.map((x) => t * x)), 4]),
  );
  pieces.push(
    placed(
      labels,
      [...G.map((g) => [...at(g), 9]), [...at(direction), 3], [...at(mean), 3], ...strewn],
      WIDE,
      HIGH,
    ),
  );
  return pieces.join("");
}

/** A dot where a gradient of length 1 would end. */
function unit(g, colour) {
  if (!length(g)) return "";
  const [x, y] = at(g.map((v) => v / length(g)));
  return tag("circle", { cx: x, cy: y, r: 4, fill: colour, stroke: PAPER, "stroke-width": 1.5 });
}

/** The directions in which nobody's loss rises: a sector filled with rays, so that its green is no client's. */
function fan([from, to]) {
  const rim = (turn) => at([RIM * Math.cos(turn), RIM * Math.sin(turn)]),
    start = at([0, 0]),
    rays = Math.ceil((to - from) / RAY),
    around = `A${RIM * UNIT} ${RIM * UNIT} 0 0 0`;
  const lines = Array.from(
    { length: rays + 1 },
    (_, i) =>
      `M${start.join(" ")}L${rim(from + (i * (to - from)) / rays)
        .map(px)
        .join(" ")}`,
  );
  return (
    tag("path", {
      d: `M${start.join(" ")}L${rim(from).map(px).join(" ")}${around} ${rim(to).map(px).join(" ")}Z`,
      fill: GOOD,
      opacity: 0.07,
    }) + tag("path", { d: lines.join(""), stroke: GOOD, "stroke-width": 1, opacity: 0.4 })
  );
}

/** The outlines of what the rule looks at: the gradients' hull; FedMGDA+ the unit gradients' and, within it, what its box allows. */
function hulls(rule, epsilon, G) {
  if (rule !== "FedMGDA+") return [outline(G)];
  const H = G.filter((g) => length(g) > 0).map((g) => g.map((v) => v / length(g)));
  if (!H.length) return [];
  return epsilon < 1 ? [outline(H), boxed(H, epsilon)] : [outline(H)];
}

/** A dashed line with its name at that end which is farther from the tips. */
function dashed(pieces, labels, G, point, along, words) {
  const ends = clipped(point, along, EDGE);
  if (!ends) return;
  pieces.push(
    line(at(ends[0]), at(ends[1]), {
      stroke: INK,
      "stroke-width": 1.2,
      "stroke-dasharray": "5 4",
      opacity: 0.8,
    }),
  );
  const [free, other] = ends
    .map((end) => [Math.min(...G.map((g) => Math.hypot(g[0] - end[0], g[1] - end[1]))), end])
    .sort((a, b) => b[0] - a[0])
    .map(([, end]) => end);
  const [from, to] = [at(free), at(other)],
    reach = Math.hypot(to[0] - from[0], to[1] - from[1]),
    inward = [(to[0] - from[0]) / reach, (to[1] - from[1]) / reach];
  const side = point[0] * along[1] - point[1] * along[0] > 0 ? 1 : -1;
  labels.push({
    at: from.map((v, i) => v + 4 * words.length * inward[i]),
    towards: [side * along[1], side * along[0]],
    words,
    away: 5,
  });
}

function rateBars({ rule, remark, G, weights, multipliers, rates, squared, meanRates }) {
  const bound =
    (rule === "FedMGDA" || rule === "AdaFed") && squared > ZERO
      ? { at: squared, words: "‖dir‖²" }
      : null;
  const weighed =
    rule === "FedMGDA+" ? "μ of g/‖g‖" : remark === "stationary" ? "multipliers μ" : "weight λ";
  return bars({
    width: WIDE,
    height: BARS,
    names: G.map((_, k) => `client ${k + 1}`),
    colours: CLIENTS,
    rates,
    weights: weighed === "weight λ" ? weights : multipliers,
    weighed,
    bound,
    low: -1,
    high: 2,
    ticks: [-1, 0, 1, 2],
    ghosts: rule === "FedAvg" ? null : meanRates,
  });
}

const handles = ({ G }) => tipHandles(G, { c: PLANE, reach: view.reach });

function words({ rule, epsilon, G, weights, multipliers, rates, remark, squared, cone: helps }) {
  const absent = where(G, (g) => length(g) === 0),
    pay = where(rates, (v) => v < -ZERO),
    idle = where(rates, (v) => Math.abs(v) <= ZERO),
    lines = [];
  const list = (values) => values.map(two).join(", "),
    units = rule === "FedMGDA+",
    whose = units ? "unit gradients" : "gradients";
  const figures = `Weights ${list(weights)}. ${units || remark === "stationary" ? `Multipliers μ of the ${whose} ${list(multipliers)}. ` : ""}Rates ${list(rates)}.`;
  let tone = "good";
  if (squared < ZERO * ZERO) {
    tone = "soft";
    lines.push(
      helps
        ? "The server stands still, although some directions help everybody."
        : "The server stands still: no direction lowers every loss. This is Pareto stationarity.",
    );
    if (remark === "stationary")
      lines.push(
        `Its proof: the ${whose}' mean with the multipliers μ = ${list(multipliers)} is zero.`,
      );
  } else if (pay.length) {
    tone = "bad";
    lines.push(
      pay.length > 1
        ? `${named(pay)} pay: their losses rise.`
        : `${named(pay)} pays: its loss rises.`,
    );
    lines.push(
      helps
        ? "Some directions (green) would help everybody."
        : "No direction helps everybody here.",
    );
  } else {
    lines.push(
      idle.length
        ? `Nobody pays; ${named(idle).toLowerCase()} gain${idle.length > 1 ? "" : "s"} nothing.`
        : "Nobody pays: every loss falls.",
    );
  }
  if (rule === "FedMGDA" && squared >= ZERO * ZERO) {
    const heard = where(weights, (v) => v > ZERO),
      rest = where(weights, (v) => v <= ZERO).filter((k) => !absent.includes(k));
    const gains = rest.length
      ? ` ${named(rest)} ${rest.length > 1 ? "have" : "has"} weight 0 and no lower rate.`
      : "";
    lines.push(
      "The rule takes the point of the grey hull that is nearest to 0.",
      (heard.length > 1
        ? `${named(heard)} have the weight and share the rate ${two(squared)}.`
        : `${named(heard)} has all the weight.`) + gains,
    );
  }
  if (rule === "AdaFed" && remark === "convex")
    lines.push("No direction gives these gradients equal rates, so AdaFed takes FedMGDA's.");
  if (rule === "AdaFed" && !remark && squared >= ZERO * ZERO) {
    const below = where(weights, (v) => v < -ZERO);
    lines.push(
      `All rates are equal${below.length ? `; for that, ${named(below).toLowerCase()} ${below.length > 1 ? "have" : "has"} a negative weight` : ""}.`,
    );
  }
  if (units && epsilon < 1 && absent.length < G.length)
    lines.push(
      `The box: each μₖ, the multiplier of a unit gradient, stays within ${two(epsilon)} of 1/${G.length - absent.length}, which keeps dir in the darker shape.`,
    );
  if (units && epsilon === 1)
    lines.push(
      "Lengths do not count: the rule takes the shortest mean of the unit gradients g/‖g‖, with the multipliers μ.",
    );
  if (rule === "FedFV")
    lines.push(
      "Each gradient is projected off those it conflicts with, in the clients' order; then they are averaged.",
    );
  if (absent.length && rule !== "FedAvg" && rule !== "FedFV")
    lines.push(
      `${named(absent)} sent a zero gradient and ${absent.length > 1 ? "are" : "is"} set aside.`,
    );
  return { tone, lines, figures };
}

export const view = {
  title: "The hull of the gradients",
  about:
    "Left, gradients as arrows with their convex hull, and the server's direction as the arrow dir; the directions that help everybody are a fan of green rays. Right, bars of each client's weight and rate.",
  hint: "Drag the tips, or move them with the arrow keys; then change the rule. The server steps along −dir, and client k's loss falls at the rate gₖ · dir. Grey: the hull that the rule looks at. Dashed outlines: the rates under the mean.",
  task: {
    ask: "Suppose that the three gradients surround the origin. What does FedMGDA do then?",
    guesses: ["it takes its longest steps", "it stands still", "it follows the longest gradient"],
    right: 1,
    goal: "Choose FedMGDA, and drag the tips until the grey triangle contains the origin.",
    reached: ({ rule, clients }, { cone: helps }) => rule === "FedMGDA" && clients > 2 && !helps,
    explain:
      "The nearest point of the hull is now the origin itself, so the server stands still. Some weighted mean of the gradients is zero, and therefore no direction lowers all three losses.",
  },
  reach: RIM,
  panels: [
    { name: "plane", width: WIDE, height: HIGH, label: "gradients; drag their tips" },
    { name: "bars", width: WIDE, height: BARS, label: "weights and rates" },
  ],
  active: (state, name) => name !== "epsilon" || state.rule === "FedMGDA+",
  compute,
  draw,
  handles,
  words,
};
