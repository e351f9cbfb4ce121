// DQN-Fed with exact Hessians on quadratics in the plane. The order of every operation is that of fairfl_book/labs/newton.py: where a
// step is long, two programs that rounded differently would draw different paths.
import { quadratics } from "./toy.js";

const ROUNDS = 20,
  PIECES = 64,
  GOLDEN = 0.6180339887498949;
export const SHORT = 0.3,
  LONG = 0.95;

/** The length that an ellipse's long half axis gets. */
export const reaching = ([x, y]) => Math.min(Math.max(Math.sqrt(x * x + y * y), SHORT), LONG);

/** The unit vector along a long axis. */
export function pointing([x, y]) {
  const length = Math.sqrt(x * x + y * y);
  return length > 1e-9 ? [x / length, y / length] : [1, 0];
}

/** The Hessian whose curvature is 1 along the long axis with this tip, and (long / short)² across it. */
export function valley(tip) {
  const [c, s] = pointing(tip),
    ratio = reaching(tip) / SHORT,
    across = ratio * ratio,
    b = (1 - across) * c * s;
  return [
    [c * c + across * s * s, b],
    [b, s * s + across * c * c],
  ];
}

export const apartFrom = (p, q) => {
  const x = p[0] - q[0],
    y = p[1] - q[1];
  return Math.sqrt(x * x + y * y);
};

/** The shortest u with G u = r; where gradients depend on one another, the shortest of those nearest to it. */
function newtonStep(G, r) {
  if (G.length === 1) {
    const [[x, y]] = G,
      size = x * x + y * y;
    return size > 0 ? [(x * r[0]) / size, (y * r[0]) / size] : [0, 0];
  }
  const [[ax, ay], [bx, by]] = G,
    det = ax * by - ay * bx,
    size = ax * ax + ay * ay + (bx * bx + by * by);
  if (Math.abs(det) > 1e-12 * size)
    return [(r[0] * by - r[1] * ay) / det, (r[1] * ax - r[0] * bx) / det];
  return size > 0 ? [(ax * r[0] + bx * r[1]) / size, (ay * r[0] + by * r[1]) / size] : [0, 0];
}

function afterRound(problem, w, steps) {
  const G = problem.gradients(w),
    r = G.map(
      (g, k) => g[0] * (w[0] - problem.centres[k][0]) + g[1] * (w[1] - problem.centres[k][1]),
    );
  if (Math.max(...r) < 1e-28) return w;
  const [x, y] = newtonStep(G, r);
  let size = steps === "half" ? 0.5 : 1;
  if (steps === "backtracking") {
    const bends = problem
        .hessians()
        .map(([[a, b], [, d]]) => a * x * x + 2 * b * x * y + d * y * y),
      rates = G.map((g) => g[0] * x + g[1] * y);
    while (size > 1e-9 && rates.some((rho, k) => rho - 0.5 * size * bends[k] < 1e-4 * rho))
      size /= 2;
  }
  return [w[0] - size * x, w[1] - size * y];
}

/** The distance of ``w`` from the Pareto set, by golden sections around the nearest of its points. */
function toPareto({ H, c, pareto }, w) {
  if (pareto.length === 1) return apartFrom(w, pareto[0]);
  let nearest = 0,
    least = Infinity;
  for (let i = 0; i < pareto.length; i++) {
    const x = pareto[i][0] - w[0],
      y = pareto[i][1] - w[1],
      square = x * x + y * y;
    if (square < least) {
      least = square;
      nearest = i;
    }
  }
  const [[[a, b], [, d]], [[e, f], [, g]]] = H,
    [[p, q], [r, s]] = c;
  const far = (t) => {
    // toy.js finds these points too; written out it is ten times as fast, and a redraw asks for a thousand
    const o = 1 - t,
      A = o * a + t * e,
      B = o * b + t * f,
      D = o * d + t * g,
      det = A * D - B * B;
    const P = o * (a * p + b * q) + t * (e * r + f * s),
      Q = o * (b * p + d * q) + t * (f * r + g * s);
    const x = w[0] - (D * P - B * Q) / det,
      y = w[1] - (A * Q - B * P) / det;
    return Math.sqrt(x * x + y * y);
  };
  let low = Math.max(0, nearest - 1) / PIECES,
    high = Math.min(PIECES, nearest + 1) / PIECES;
  let left = high - GOLDEN * (high - low),
    right = low + GOLDEN * (high - low),
    atLeft = far(left),
    atRight = far(right);
  for (let i = 0; i < 40; i++) {
    if (atLeft < atRight) {
      high = right;
      right = left;
      atRight = atLeft;
      left = high - GOLDEN * (high - low);
      atLeft = far(left);
    } else {
      low = left;
      left = right;
      atLeft = atRight;
      right = low + GOLDEN * (high - low);
      atRight = far(right);
    }
  }
  return Math.min(atLeft, atRight, Math.sqrt(least));
}

/** What becomes of the path: cycle, at once, shrinks (towards one point), arrives, stalls (where gradients point the same way) or wanders. */
function fateOf(problem, path, distance) {
  const c = problem.centres,
    back = (n) => path[ROUNDS - n],
    last = apartFrom(back(0), back(1)),
    agree = c[0].every((v, i) => v === c[c.length - 1][i]);
  if (last > 1e-6 && apartFrom(back(0), back(2)) < 1e-6 * last) return "cycle";
  if (distance[1] < 1e-9) return "at once";
  if (agree) return "shrinks";
  if (Math.max(...distance.slice(-3)) < 1e-2) return "arrives";
  const [[ax, ay], [bx, by]] = problem.gradients(back(0));
  return apartFrom(back(0), back(5)) < 1e-3 && ax * bx + ay * by > 0 ? "stalls" : "wanders";
}

/** Minimisers ``c``, tips of long axes and a start → the path of so many rounds, its distances, losses and fate. */
export function dqnPath(c, tips, begin, steps) {
  const H = tips.map(valley),
    problem = quadratics({ centres: c, curvatures: H }),
    pareto = problem.pareto(PIECES + 1),
    path = [begin];
  while (path.length <= ROUNDS) path.push(afterRound(problem, path[path.length - 1], steps));
  const distance = path.map((w) => toPareto({ H, c, pareto }, w));
  return {
    H,
    c,
    path,
    pareto,
    distance,
    losses: path.map(problem.losses),
    fate: fateOf(problem, path, distance),
  };
}
