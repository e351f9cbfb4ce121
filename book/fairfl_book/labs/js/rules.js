// Every rule of fairfl.rules as its defaults have it, for a few clients: the direction of a round { G, losses, falls, accuracies } that
// is shown ``times`` times in a row. tests/fairfl_book/labs/test_rules_js.py compares all of them with the package's.
import { combine, decide, dot, gram, nearest, rates } from "./geometry.js";

const SHORT = 1e-11; // fairfl.rules.gram.resolution of float64 rows
const SHARE = 1e-6; // fairfl.rules.fedfa.SMALLEST_SHARE

const total = (list) => list.reduce((sum, v) => sum + v, 0);
const scaled = (list, factor) => list.map((v) => v * factor);
const equal = (G) => G.map(() => 1 / G.length);

/** λ_k = 1 / (K ‖g_k‖); a zero gradient has no direction. */
const fedavgn = ({ G }) =>
  combine(
    G,
    G.map((g) => {
      const size = Math.hypot(...g);
      return size > 0 ? 1 / size / G.length : 0;
    }),
  );

/** q-FedAvg with q = 1 and L = 1: λ_k = f_k / Σ (‖g_j‖² + f_j), over clients with a loss. */
function qfedavg({ G, losses }) {
  const all = total(G.map((g, k) => (losses[k] > 0 ? dot(g, g) + losses[k] : 0)));
  return combine(
    G,
    losses.map((f) => (f > 0 ? f / all : 0)),
  );
}

function term({ G, losses }) {
  const worst = Math.max(...losses),
    tilted = losses.map((f) => Math.exp(f - worst));
  return combine(G, scaled(tilted, 1 / total(tilted)));
}

/** The point of the simplex nearest to ``v``. */
function onSimplex(v) {
  const down = [...v].sort((a, b) => b - a);
  let sum = 0,
    excess = 0;
  down.forEach((value, i) => {
    sum += value;
    if (value * (i + 1) > sum - 1) excess = (sum - 1) / (i + 1);
  });
  const point = v.map((value) => Math.max(0, value - excess));
  return scaled(point, 1 / total(point));
}

/** The mixture starts at 1/K and moves by 0.1 of the losses after every round. */
function afl({ G, losses }, times) {
  let mixture = equal(G);
  for (let t = 1; t < times; t++) mixture = onSimplex(mixture.map((v, k) => v + 0.1 * losses[k]));
  return combine(G, mixture);
}

/** α = 0.5, γ = 0.5. Who takes part equally often has an equal share of the second half; m is the same vector over and over. */
function fedfa({ G, accuracies }, times) {
  const sum = total(accuracies),
    bits = accuracies.map((a) => -Math.log2(Math.min(1, Math.max(SHARE, sum > 0 ? a / sum : 1))));
  const all = total(bits),
    weights = bits.map((b) => 0.5 * (all > 0 ? b / all : 1 / G.length) + 0.5 / G.length);
  return scaled(combine(G, weights), 2 - 2 ** (1 - times));
}

function adafed({ G, losses }) {
  return combine(G, decide("AdaFed", G, { s: losses }).weights);
}

/** The shortest vector with the rates r_k; where only the convex hull has an answer, at least these. */
function dqnfed({ G, falls }) {
  const found = decide("AdaFed", G, { s: falls }).direction,
    squared = dot(found, found);
  return squared > 0 ? scaled(found, 1 / squared) : found;
}

/** α = 0.1: of up to ten clients the one with the largest loss keeps its gradient. */
function mostLossKept({ G, losses }) {
  const order = losses.map((_, k) => k).sort((i, j) => losses[i] - losses[j] || i - j);
  return decide("FedFV", G, { order, keepers: order.slice(Math.ceil((G.length - 1) * 0.9 - 1e-9)) })
    .direction;
}

/** h: the gradient of minus the cosine between the losses and (1, …, 1), up to a factor; null where the losses are equal. */
function fairness(losses) {
  const size = Math.hypot(...losses),
    u = losses.map((f) => f / size),
    p = losses.map(() => losses.length ** -0.5);
  const h = size > 0 ? u.map((v, k) => dot(u, p) * v - p[k]) : [0];
  return Math.hypot(...h) > 1e-12 ? h : null;
}

/** One layer: the rows at their mean length, and a row for fairness. */
function fedlf({ G, losses }) {
  const A = gram(G),
    norms = A.map((row, k) => Math.sqrt(row[k])),
    some = norms.map((v, k) => (v > 0 ? k : -1)).filter((k) => k >= 0);
  if (!some.length) return combine(G, norms);
  const typical = total(norms) / some.length,
    table = some.map((k) => norms.map((v, j) => (j === k ? typical / v : 0))),
    h = fairness(losses);
  if (h) {
    const length = Math.sqrt(Math.max(0, dot(h, rates(A, h))));
    if (length > Math.sqrt(SHORT) * dot(h.map(Math.abs), norms))
      table.push(scaled(h, typical / length));
  }
  const x = combine(table, nearest(table.map((a) => table.map((b) => dot(a, rates(A, b)))))),
    squared = dot(x, rates(A, x));
  const mean = Math.max(0, total(A.flat())) / G.length ** 2;
  return combine(
    G,
    scaled(x, squared > SHORT * (total(norms) / G.length) ** 2 ? Math.sqrt(mean / squared) : 0),
  );
}

/** β = 0.4. Whoever sends the same again keeps every sign, so that nothing is masked and only the weights move. */
function fedheal({ G }, times) {
  const sizes = G.map((g) => Math.hypot(...g)),
    all = total(sizes),
    share = sizes.map((v) => (all > 0 ? v / all : 1 / G.length));
  let momentum = share.map(() => 0),
    weights = equal(G);
  for (let t = 0; t < times; t++) {
    momentum = momentum.map((v, k) => 0.6 * v + 0.4 * share[k]);
    weights = weights.map((v, k) => v + momentum[k]);
  }
  return combine(G, scaled(weights, 1 / total(weights)));
}

/** In the order of fairfl.rules.names(). ``kind``: what a rule fixes (chapter 10). */
export const EVERY = [
  { name: "FedAvg", kind: "weights", direction: ({ G }) => combine(G, equal(G)) },
  { name: "FedAvg-n", kind: "weights", direction: fedavgn },
  { name: "q-FedAvg", kind: "weights", direction: qfedavg },
  { name: "TERM", kind: "weights", direction: term },
  { name: "AFL", kind: "weights", direction: afl },
  { name: "FedFA", kind: "weights", direction: fedfa },
  { name: "FedMGDA", kind: "rates", direction: ({ G }) => decide("FedMGDA", G).direction },
  { name: "FedMGDA+", kind: "rates", direction: ({ G }) => decide("FedMGDA+", G).direction },
  { name: "AdaFed", kind: "rates", direction: adafed },
  { name: "DQN-Fed", kind: "rates", direction: dqnfed },
  { name: "FedFV", kind: "neither", direction: mostLossKept },
  { name: "FedLF", kind: "neither", direction: fedlf },
  { name: "FedHEAL", kind: "weights", direction: fedheal },
];
