// Chapter 4's lab: tips of gradients to drag, the hull that a rule looks at, its direction, and each client's weight and rate.
import { bars } from "./bars.js";
import { boxed, clipped, combine, cone, decide, dot, outline } from "./geometry.js";
import { CLIENTS, GOOD, INK, SOFT } from "./palette.js";
import { arrow, line, placed, polygon, px, tag } from "./marks.js";
import { coordinates, grid, within } from "./plane.js";
import { ZERO, named, sub, two, where } from "./said.js";

const SIDE = 360, UNIT = 80, EDGE = SIDE / 2 / UNIT;
const PLANE = coordinates({ x: [-EDGE, EDGE], y: [-EDGE, EDGE], left: 0, right: SIDE, top: 0, bottom: SIDE }), { at, back } = PLANE;
const length = (v) => Math.hypot(...v);

function compute({ clients, rule, epsilon, tips }) {
  const G = tips.slice(0, clients), { weights, direction, rates, remark } = decide(rule, G, { epsilon });
  const mean = combine(G, G.map(() => 1 / clients));
  return { rule, epsilon, G, weights, direction, rates, remark, squared: dot(direction, direction), mean, meanRates: G.map((g) => dot(g, mean)),
    cone: cone(G, decide("FedMGDA", G).direction) };
}

function draw(numbers) {
  return { plane: plane(numbers), bars: told(numbers) };
}

function plane({ rule, epsilon, G, direction, mean, remark, cone: helps }) {
  const origin = at([0, 0]), edge = EDGE, whole = [-2, -1, 0, 1, 2], pieces = [grid(PLANE, whole, whole)];
  if (helps) {
    const [a, b] = helps.map((t) => at([2.1 * Math.cos(t), 2.1 * Math.sin(t)]));
    pieces.push(tag("path", { d: `M${origin.join(" ")}L${a.map(px).join(" ")}A${2.1 * UNIT} ${2.1 * UNIT} 0 0 0 ${b.map(px).join(" ")}Z`, fill: GOOD, opacity: 0.13 }));
  }
  const looked = hulls(rule, epsilon, G);
  for (const points of looked) pieces.push(polygon(points.map(at), { fill: SOFT, "fill-opacity": 0.16, stroke: SOFT, "stroke-width": 1.5, "stroke-linejoin": "round" }));
  const far = length(direction) > ZERO;
  if (rule === "AdaFed" && !remark && G.length > 1) dashed(pieces, G[0], G[1].map((v, i) => v - G[0][i]), edge);
  if (rule === "FedMGDA" && far) dashed(pieces, direction, [-direction[1], direction[0]], edge);
  const ghost = rule !== "FedAvg";
  if (ghost) pieces.push(arrow(origin, at(mean), SOFT, 2, { "stroke-dasharray": "5 4", opacity: 0.9 }));
  G.forEach((g, k) => pieces.push(arrow(origin, at(g), CLIENTS[k], 3.2)));
  pieces.push(arrow(origin, at(direction), INK, 4));
  if (!far) pieces.push(tag("rect", { x: origin[0] - 5, y: origin[1] - 5, width: 10, height: 10, fill: INK }));
  const beside = (v, words, more) => ({ at: at(v), towards: length(v) > ZERO ? [v[0], -v[1]] : [1, 1], words, more });
  const labels = [beside(direction, "dir", { class: "strong" }), ...G.map((g, k) => beside(g, `g${sub(k)}`, { class: "strong" }))];
  if (ghost && length(mean.map((v, i) => v - direction[i])) > 0.1) labels.push(beside(mean, "mean", { fill: SOFT }));
  pieces.push(placed(labels, [...G.map((g) => [...at(g), 9]), [...at(direction), 3], [...at(mean), 3]], SIDE, SIDE));
  return pieces.join("");
}

/** The outlines of what the rule looks at: the gradients' hull; FedMGDA+ the unit gradients' and, within it, what its box allows. */
function hulls(rule, epsilon, G) {
  if (rule !== "FedMGDA+") return [outline(G)];
  const H = G.filter((g) => length(g) > 0).map((g) => g.map((v) => v / length(g)));
  if (!H.length) return [];
  return epsilon < 1 ? [outline(H), boxed(H, epsilon)] : [outline(H)];
}

function dashed(pieces, point, along, edge) {
  const ends = clipped(point, along, edge - 0.02);
  if (ends) pieces.push(line(at(ends[0]), at(ends[1]), { stroke: INK, "stroke-width": 1.2, "stroke-dasharray": "5 4", opacity: 0.8 }));
}

function told({ rule, G, weights, rates, squared, meanRates }) {
  const bound = (rule === "FedMGDA" || rule === "AdaFed") && squared > ZERO ? { at: squared, words: "‖dir‖²" } : null;
  return bars({ width: SIDE, height: SIDE, names: G.map((_, k) => `client ${k + 1}`), colours: CLIENTS, rates, weights, bound, low: -2, high: 4, ticks: [-2, 0, 2, 4],
    ghosts: rule === "FedAvg" ? null : meanRates });
}

const handles = ({ G }) => G.map((g, k) => ({
  name: `tip${k + 1}`, panel: "plane", at: at(g), colour: CLIENTS[k], now: g[0], value: `${two(g[0])} across, ${two(g[1])} up`,
  label: `tip of client ${k + 1}'s gradient`,
  move: (state, point) => moved(state, k, back(point)),
  step: (state, by) => moved(state, k, state.tips[k].map((v, i) => v + by[i])),
}));

function moved(state, k, tip) {
  state.tips[k] = within(view.reach, tip);
  return state;
}


function words({ rule, epsilon, G, weights, rates, remark, squared, cone: helps }) {
  const absent = where(G, (g) => length(g) === 0), pay = where(rates, (v) => v < -ZERO), idle = where(rates, (v) => Math.abs(v) <= ZERO);
  const figures = `Weights ${weights.map(two).join(", ")}. Rates ${rates.map(two).join(", ")}.`, lines = [];
  let tone = "good";
  if (squared < ZERO * ZERO) {
    tone = "soft";
    lines.push(helps ? "The server stands still, although some directions help everybody." : "The server stands still: no direction lowers every loss. This is Pareto stationarity.");
    if (rule === "FedMGDA") lines.push("The nearest point of the hull is the origin.");
  } else if (pay.length) {
    tone = "bad";
    lines.push(pay.length > 1 ? `${named(pay)} pay: their losses rise.` : `${named(pay)} pays: its loss rises.`);
    lines.push(helps ? "Some directions (green) would help everybody." : "No direction helps everybody here.");
  } else {
    lines.push(idle.length ? `Nobody pays; ${named(idle).toLowerCase()} gain${idle.length > 1 ? "" : "s"} nothing.` : "Nobody pays: every loss falls.");
  }
  if (rule === "FedMGDA" && squared >= ZERO * ZERO) {
    const heard = where(weights, (v) => v > ZERO), rest = where(weights, (v) => v <= ZERO).filter((k) => !absent.includes(k));
    const gains = rest.length ? ` ${named(rest)} ${rest.length > 1 ? "have" : "has"} weight 0 and no lower rate.` : "";
    lines.push((heard.length > 1 ? `${named(heard)} have the weight and share the rate ${two(squared)}.` : `${named(heard)} has all the weight.`) + gains);
  }
  if (rule === "AdaFed") lines.push(remark ? "No direction gives these gradients equal rates, so AdaFed takes the convex hull's point." : "Everybody has the same rate, if need be with a negative weight.");
  if (rule === "FedMGDA+") lines.push(epsilon < 1 ? `The box keeps every unit gradient's share within ${two(epsilon)} of an equal one: dir stays in the darker shape.` : "Lengths do not count: the rule looks at unit gradients.");
  if (rule === "FedFV") lines.push("Each gradient is projected off those it conflicts with, in the clients' order; then they are averaged.");
  if (absent.length && rule !== "FedAvg" && rule !== "FedFV") lines.push(`${named(absent)} sent a zero gradient and ${absent.length > 1 ? "are" : "is"} set aside.`);
  return { tone, lines, figures };
}

export const view = {
  title: "The hull of the gradients",
  about: "Left, gradients as arrows with their convex hull, the mean as a dashed arrow and the server's direction in black; right, bars of each client's weight and rate.",
  hint: "Drag the tips, or move them with the arrow keys. Dashed: FedAvg's mean and its rates. Green: the directions that lower every loss. Grey: the hull that the rule looks at.",
  reach: 2,
  panels: [
    { name: "plane", width: SIDE, height: SIDE, label: "gradients; drag their tips" },
    { name: "bars", width: SIDE, height: SIDE, label: "weights and rates" },
  ],
  active: (state, name) => name !== "epsilon" || state.rule === "FedMGDA+",
  compute, draw, handles, words,
};
