// FedFV's projections one by one (Wang et al. 2021, Algorithm 2), and further sweeps: the numbers of labs/projections.py.
import { combine, dot, gram } from "./geometry.js";

export const FIRST = 6,
  AGAIN = 9; // meetings of the first sweep, where nobody meets itself, and of each further one
const SWEEPS = 3,
  VANISHED = 3e-6; // a mean this much shorter than its parts is rounding

/** Who meets whom, [client, target]: a client against the targets in ``order``, then the next client; from the second sweep on its own
 *  gradient is a target too. */
export function pairs(order) {
  const targets = order.split("→").map((one) => one - 1),
    round = (own) =>
      [0, 1, 2].flatMap((k) => targets.filter((j) => own || j !== k).map((j) => [k, j]));
  return [...round(false), ...Array.from({ length: SWEEPS - 1 }, () => round(true)).flat()];
}

/** The meeting as the lab's slider counts it: which sweep, and where in it. */
export const placeOf = (step) =>
  step <= FIRST
    ? { sweep: 1, nth: step, of: FIRST }
    : {
        sweep: 2 + Math.floor((step - FIRST - 1) / AGAIN),
        nth: 1 + ((step - FIRST - 1) % AGAIN),
        of: AGAIN,
      };

/** After ``step`` meetings: what is left of each gradient, its coefficients C, and the mean with the length of FedAvg's. */
export function settled({ step, order, keepers, tips }) {
  const G = tips,
    A = gram(G),
    C = [
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ];
  let product = 0,
    before = [0, 0],
    kept = false;
  for (const [k, j] of pairs(order).slice(0, step)) {
    product = dot(C[k], A[j]);
    before = combine(G, C[k]);
    kept = k >= 3 - keepers;
    if (product < 0 && !kept) C[k][j] -= product / A[j][j];
  }
  const raw = [0, 1, 2].map((j) => (C[0][j] + C[1][j] + C[2][j]) / 3),
    mean = combine(G, [1 / 3, 1 / 3, 1 / 3]),
    left = combine(G, raw);
  const size = Math.hypot(...left),
    typical = raw.reduce((sum, v, k) => sum + v * Math.sqrt(A[k][k]), 0);
  const scale = size > VANISHED * typical ? Math.hypot(...mean) / size : 0,
    direction = left.map((v) => scale * v);
  return {
    G,
    step,
    order,
    product,
    before,
    kept,
    scale,
    direction,
    mean,
    projected: C.map((row) => combine(G, row)),
    weights: raw.map((v) => scale * v),
    rates: A.map((row) => scale * dot(row, raw)),
    fedavg: G.map((g) => dot(g, mean)),
  };
}
