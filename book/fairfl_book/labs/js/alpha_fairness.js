// α-fair rates in the plane: λ > 0 with A λ = λ^(−1/α) for rows of two numbers, none of them zero. The lab's Python (fair_rates.py) does
// the same, and says why; tests/fairfl_book/labs/test_fair_rates.py compares it with the package's rules.
import { combine, dot, gram, nearest, vanishes } from "./geometry.js";

const PARALLEL = 1e-9,
  HALVINGS = 90;
const between = (g, h) => Math.abs(Math.atan2(g[0] * h[1] - g[1] * h[0], dot(g, h)));
const softplus = (s) => Math.max(s, 0) + Math.log1p(Math.exp(-Math.abs(s)));

/** What all α have in common: the nearest point of the hull and the cone of directions that lower every loss; null where there are none. */
export function fairness(G) {
  const A = gram(G),
    mu = nearest(A),
    point = combine(G, mu),
    lengths = G.map((g) => Math.hypot(...g));
  if (vanishes(A, mu)) return null;
  const turns = G.map((g) => Math.atan2(point[0] * g[1] - point[1] * g[0], dot(g, point)));
  const [first, last] = [Math.min(...turns), Math.max(...turns)].map(
    (turn) => G[turns.indexOf(turn)],
  );
  const width = Math.atan2(Math.abs(first[0] * last[1] - first[1] * last[0]), -dot(first, last));
  const [before, after] = [last, first].map((end) =>
    G.map((g) => {
      const turn = between(end, g);
      return turn < PARALLEL ? 0 : turn;
    }),
  );
  return { G, lengths, point, width, before, after };
}

/** log (g_k · u) and the slopes of g_k · u, where u parts the cone's width in the proportion e^s. */
function parted({ lengths, width, before, after }, s) {
  const logs = [1, -1].map((way) => Math.log(width) - softplus(-way * s)),
    sizes = logs.map(Math.exp);
  const each = lengths.map((length, k) => {
    const turns = [sizes[0] + before[k], sizes[1] + after[k]],
      side = turns[0] <= turns[1] ? 0 : 1,
      angle = turns[side],
      tiny = [before, after][side][k] === 0 && angle < 1e-4;
    return {
      log: Math.log(length) + (tiny ? logs[side] - (angle * angle) / 6 : Math.log(Math.sin(angle))),
      slope: length * Math.cos(angle) * (side ? -1 : 1),
    };
  });
  return { logs: each.map((one) => one.log), slopes: each.map((one) => one.slope) };
}

/** { weights: λ, rates: ρ, step: dir at length 1 } for one α. */
export function fair(common, alpha) {
  let low = -50 - 50 / alpha,
    high = -low;
  for (let i = 0; i < HALVINGS; i++) {
    const middle = (low + high) / 2,
      { logs, slopes } = parted(common, middle),
      least = Math.min(...logs);
    if (
      dot(
        logs.map((v) => Math.exp(-alpha * (v - least))),
        slopes,
      ) > 0
    )
      low = middle;
    else high = middle;
  }
  const { logs } = parted(common, (low + high) / 2),
    powers = logs.map((v) => (1 - alpha) * v),
    top = Math.max(...powers);
  const longer =
    (top + Math.log(powers.reduce((sum, v) => sum + Math.exp(v - top), 0))) / (1 + alpha);
  const weights = logs.map((v) => Math.exp(-alpha * (v + longer))),
    vector = combine(common.G, weights),
    size = Math.hypot(...vector);
  return {
    weights,
    rates: logs.map((v) => Math.exp(v + longer)),
    step: vector.map((v) => v / size),
  };
}
