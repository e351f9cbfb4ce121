// Every rule of fairfl.rules as its defaults have it, for a few clients: the direction of a round { G, losses, falls, accuracies } that
// is shown ``times`` times in a row. tests/fairfl_book/labs/test_rules_js.py compares all of them with the package's. Two rules are drawn in the
// plane only: FairGrad and Nash-MTL; PCGrad for two clients only, because the package draws the order in which more of them meet.
import { fair, fairness } from "./alpha_fairness.js";
import {
  combine,
  decide,
  dot,
  eigen,
  gram,
  nearest,
  nonzero,
  prescribed,
  projected,
  rates,
  solve,
} from "./geometry.js";

const SHORT = 1e-11; // fairfl.rules.gram.resolution of float64 rows
const EXACT = 1e-12; // and precise_resolution
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
function towardsEquality(losses) {
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
    h = towardsEquality(losses);
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

/** M = 2, ε = 0.2: the weight grows as a loss comes near to M. */
function propfair({ G, losses }) {
  const weights = losses.map((f) => 1 / Math.max(0.2, 2 - f));
  return combine(G, scaled(weights, 1 / total(weights)));
}

/** α = 0.5: the worst half of the clients; equal losses share what is left. */
function cvar({ G, losses }) {
  const weights = losses.map(() => 0);
  let left = 1;
  for (const loss of [...new Set(losses)].sort((a, b) => b - a)) {
    const tied = losses.filter((f) => f === loss).length,
      most = (2 * tied) / G.length;
    losses.forEach((f, k) => {
      if (f === loss) weights[k] = Math.min(most, left) / tied;
    });
    left -= most;
    if (left <= 0) break;
  }
  return combine(G, scaled(weights, 1 / total(weights)));
}

/** θ = 11.25°. Whoever sends the same again is never worse than usual, so that only the angle of the losses brings in their row. */
function fedmdfg({ G, losses }) {
  const live = G.map((_, k) => k).filter((k) => G[k].some((v) => v !== 0)),
    none = combine(G, scaled(losses, 0));
  if (!live.length) return none;
  const sizes = live.map((k) => Math.hypot(...G[k])),
    mean = total(sizes) / live.length,
    rows = live.map((k, i) => scaled(G[k], mean / sizes[i])),
    f = live.map((k) => losses[k]),
    middle = total(f) / f.length,
    angle = Math.atan2(Math.hypot(...f.map((v) => v - middle)) / Math.sqrt(f.length), middle),
    h = angle > Math.PI / 16 ? towardsEquality(f) : null;
  const table = h ? [...rows, combine(rows, scaled(h, 1 / Math.hypot(...h)))] : rows,
    point = combine(table, nearest(gram(table))),
    squared = dot(point, point);
  return squared > SHORT * mean ** 2
    ? scaled(point, Math.hypot(...combine(rows, equal(rows))) / Math.sqrt(squared))
    : none;
}

/** λ_k = ρ_k^(−α), where some direction lowers every loss. */
function alphaFair({ G }, alpha) {
  return combine(
    G,
    nonzero(G, (rows) => {
      const common = fairness(rows);
      return { weights: common ? fair(common, alpha).weights : rows.map(() => 0) };
    }).weights,
  );
}

/** The weights of equal projections, of sum 1: where their sum is negative, every loss rises. */
function imtlg({ G }) {
  return combine(
    G,
    nonzero(G, (rows) => {
      const { weights } = prescribed(
          rows,
          rows.map((g) => Math.hypot(...g)),
        ),
        sum = total(weights),
        none = Math.abs(sum) <= EXACT * Math.max(...weights.map(Math.abs));
      return { weights: scaled(weights, none ? 0 : 1 / sum) };
    }).weights,
  );
}

/** Along U⁺ 1 for the unit rows U, as long as the rows' mean projection. */
function config({ G }) {
  const rows = G.filter((g) => g.some((v) => v !== 0)),
    sizes = rows.map((g) => Math.hypot(...g)),
    U = rows.map((g, k) => scaled(g, 1 / sizes[k])),
    { values, vectors } = eigen(gram(U));
  const y = rows.map((_, k) =>
      total(vectors.map((v, i) => (values[i] > EXACT ? (v[k] * total(v)) / values[i] : 0))),
    ),
    line = rows.length ? combine(U, y) : [],
    squared = dot(line, line);
  if (squared <= EXACT * Math.max(1, total(y.map(Math.abs)) ** 2)) return G[0].map(() => 0);
  return scaled(line, total(rows.map((g) => dot(g, line))) / G.length / squared);
}

/** √σ A^(−1/2) p, σ the smallest eigenvalue that is not zero. */
function alignedMtl({ G }) {
  const { values, vectors } = eigen(gram(G)),
    there = values.filter((v) => v > EXACT * values[values.length - 1]);
  const weights = G.map((_, k) =>
    total(
      vectors.map((v, i) =>
        there.includes(values[i]) ? v[k] * Math.sqrt(there[0] / values[i]) * total(v) : 0,
      ),
    ),
  );
  return combine(G, scaled(weights, 1 / G.length));
}

/** c = 0.5: ḡ + c ‖ḡ‖ g_w / ‖g_w‖. w is that of the hull of g_k + t ḡ for the t where ‖g_w‖ = t c ‖ḡ‖, found as fairfl.rules.cagrad does. */
function cagrad({ G }) {
  const rows = G.filter((g) => g.some((v) => v !== 0)),
    largest = Math.max(...G.map((g) => dot(g, g))),
    mean = combine(G, equal(G)),
    square = largest ? dot(mean, mean) / largest : 0,
    reach = 0.5 * Math.sqrt(square);
  if (square <= EXACT) return rows.length ? scaled(mean, 0) : mean;
  const at = (t) => {
    const w = nearest(
        gram(rows.map((g) => g.map((v, j) => (v + t * mean[j]) / Math.sqrt(largest)))),
      ),
      point = combine(rows, w);
    return { t, point, length: Math.hypot(...point) / Math.sqrt(largest) };
  };
  const over = ({ t, length }) => length - t * reach;
  let low = at(0),
    high = at(1 / reach);
  if (low.length <= Math.sqrt(EXACT)) {
    low = at(1e-4 / reach);
    if (over(low) <= 0) return dualProjection({ G }, [equal(G)]);
  }
  let [above, below] = [over(low), high.length - 1],
    side = 0,
    now = high;
  for (let turn = 0; turn < 100; turn++) {
    now = below < 0 ? at((low.t * below - high.t * above) / (below - above)) : high;
    const value = over(now);
    if (Math.abs(value) <= 1e-15 || high.t - low.t <= 1e-15 * high.t) break;
    if (value > 0) {
      low = now;
      above = value;
      if (side > 0) below /= 2;
      side = 1;
    } else {
      high = now;
      below = value;
      if (side < 0) above /= 2;
      side = -1;
    }
  }
  return mean.map((v, j) => v + (reach / now.length) * now.point[j]);
}

/** v ≥ u with the smallest vᵀ C v: rows join, at most all of them, until none has a negative rate. */
function lifted(C, u) {
  const slope = rates(C, u),
    K = u.length;
  let best = u,
    least = Math.max(0, -Math.min(...slope));
  for (let mask = 1; mask < 1 << K && least > 1e-13; mask++) {
    const free = u.map((_, k) => k).filter((k) => (mask >> k) & 1),
      part = solve(
        free.map((i) => free.map((j) => C[i][j])),
        free.map((i) => -slope[i]),
      );
    if (!part || part.some((w) => w < 0)) continue;
    const v = [...u];
    free.forEach((k, i) => (v[k] += part[i]));
    const missed = Math.max(0, -Math.min(...rates(C, v)));
    if (missed < least) [best, least] = [v, missed];
  }
  return best;
}

/** The sum of the ``mixtures``, each moved to the nearest vector that raises no loss. */
function dualProjection({ G }, mixtures) {
  const sizes = G.map((g) => Math.hypot(...g)),
    live = sizes.map((_, k) => k).filter((k) => sizes[k] > 0),
    longest = Math.max(...sizes),
    U = live.map((k) => scaled(G[k], 1 / sizes[k])),
    C = gram(U);
  const v = live.map(() => 0);
  if (live.length)
    for (const mixture of mixtures)
      lifted(
        C,
        live.map((k) => (mixture[k] * sizes[k]) / longest),
      ).forEach((more, i) => (v[i] += more));
  const still = dot(v, rates(C, v)) <= EXACT * total(v) ** 2;
  return still ? scaled(G[0], 0) : scaled(combine(U, v), longest);
}

/** For two clients: from each update its conflict with the other one is removed. */
function pcgrad({ G }) {
  const A = gram(G),
    C = projected(
      A,
      G.map((_, k) => k),
    ),
    weights = G.map((_, j) => total(C.map((row) => row[j])) / G.length),
    typical = total(weights.map((v, k) => Math.abs(v) * Math.sqrt(A[k][k])));
  return combine(
    G,
    dot(weights, rates(A, weights)) > SHORT * typical ** 2 ? weights : scaled(weights, 0),
  );
}

/** In the order of fairfl.rules.names(). ``kind``: what a rule fixes (chapter 10); ``source``: where it comes from. */
const FOUND = {
  "the four papers": [
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
  ],
  "other federated": [
    { name: "PropFair", kind: "weights", direction: propfair },
    { name: "CVaR", kind: "weights", direction: cvar },
    { name: "FedMDFG", kind: "neither", direction: fedmdfg },
  ],
  "multi-task": [
    { name: "Nash-MTL", kind: "neither", direction: (round) => alphaFair(round, 1) },
    { name: "FairGrad", kind: "neither", direction: (round) => alphaFair(round, 2) },
    { name: "IMTL-G", kind: "rates", direction: imtlg },
    { name: "ConFIG", kind: "rates", direction: config },
    { name: "Aligned-MTL", kind: "neither", direction: alignedMtl },
    { name: "CAGrad", kind: "neither", direction: cagrad },
    {
      name: "DualProj",
      kind: "neither",
      direction: (round) => dualProjection(round, [equal(round.G)]),
    },
    {
      name: "UPGrad",
      kind: "neither",
      direction: (round) =>
        dualProjection(
          round,
          round.G.map((_, k) => round.G.map((__, j) => (j === k ? 1 / round.G.length : 0))),
        ),
    },
    { name: "PCGrad", kind: "neither", direction: pcgrad },
  ],
};
export const SOURCES = Object.keys(FOUND);
export const EVERY = SOURCES.flatMap((source) =>
  FOUND[source].map((rule) => ({ ...rule, source })),
);
