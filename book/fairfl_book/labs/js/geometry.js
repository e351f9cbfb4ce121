// The rules' small mathematics for up to six clients, exactly: what fairfl.rules computes for hundreds, by looking at every face.
// Rows of G are gradients; A = G Gᵀ is their Gram matrix; λ are weights. tests/fairfl_book/test_lab_numbers.py compares all with Python.

const SINGULAR = 1e-15; // a pivot below this, in matrices of cosines, belongs to a face that a smaller face replaces
const STATIONARY = 1e-12; // fairfl.rules.gram: precise_resolution and, below, resolution of float64 rows
const CANCELS = 1e-11;

export const dot = (a, b) => {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
};
/** The length of a vector, and the distance between two points of the plane. */
export const length = (v) => Math.hypot(...v);
export const distance = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]);
export const gram = (G) => G.map((a) => G.map((b) => dot(a, b)));
/** Gᵀ λ. */
export const combine = (G, weights) =>
  G[0].map((_, j) => G.reduce((sum, row, k) => sum + weights[k] * row[j], 0));
/** ρ = A λ: positive where a loss falls. */
export const rates = (A, weights) => A.map((row) => dot(row, weights));

/** Whether the point Σ μ_k g_k, the nearest to the origin, is zero up to rounding. */
export const vanishes = (A, mu) => {
  const squares = A.map((row, k) => row[k]);
  return dot(mu, rates(A, mu)) <= STATIONARY * dot(mu, squares);
};

/** x with M x = b by elimination with pivoting; null if M is singular. */
export function solve(M, b) {
  const n = b.length,
    rows = M.map((row, i) => [...row, b[i]]);
  for (let c = 0; c < n; c++) {
    let p = c;
    for (let r = c + 1; r < n; r++) if (Math.abs(rows[r][c]) > Math.abs(rows[p][c])) p = r;
    if (Math.abs(rows[p][c]) < SINGULAR) return null;
    [rows[c], rows[p]] = [rows[p], rows[c]];
    for (let r = c + 1; r < n; r++) {
      const f = rows[r][c] / rows[c][c];
      if (f) for (let j = c; j <= n; j++) rows[r][j] -= f * rows[c][j];
    }
  }
  const x = Array(n).fill(0);
  for (let r = n - 1; r >= 0; r--) {
    let sum = rows[r][n];
    for (let j = r + 1; j < n; j++) sum -= rows[r][j] * x[j];
    x[r] = sum / rows[r][r];
  }
  return x;
}

/** Eigenvalues, ascending, and eigenvectors of a symmetric matrix, by Jacobi's rotations. */
export function eigen(S) {
  const n = S.length,
    M = S.map((row) => [...row]),
    V = S.map((_, i) => S.map((__, j) => +(i === j)));
  const size = Math.max(...S.map((row, k) => Math.abs(row[k])));
  for (let sweep = 0; sweep < 60; sweep++) {
    let off = 0;
    for (let p = 0; p < n; p++)
      for (let q = p + 1; q < n; q++) off = Math.max(off, Math.abs(M[p][q]));
    if (off <= 1e-22 * size) break;
    for (let p = 0; p < n; p++)
      for (let q = p + 1; q < n; q++) {
        if (M[p][q] === 0) continue;
        const tau = (M[q][q] - M[p][p]) / (2 * M[p][q]),
          t = (tau < 0 ? -1 : 1) / (Math.abs(tau) + Math.hypot(1, tau));
        const c = 1 / Math.hypot(1, t),
          s = t * c;
        for (let k = 0; k < n; k++) {
          const a = M[k][p],
            b = M[k][q];
          M[k][p] = c * a - s * b;
          M[k][q] = s * a + c * b;
        }
        for (let k = 0; k < n; k++) {
          const a = M[p][k],
            b = M[q][k];
          M[p][k] = c * a - s * b;
          M[q][k] = s * a + c * b;
        }
        for (let k = 0; k < n; k++) {
          const a = V[k][p],
            b = V[k][q];
          V[k][p] = c * a - s * b;
          V[k][q] = s * a + c * b;
        }
      }
  }
  const order = M.map((_, i) => i).sort((i, j) => M[i][i] - M[j][j]);
  return { values: order.map((i) => M[i][i]), vectors: order.map((i) => V.map((row) => row[i])) };
}

/** Every guess of which bounds hold: lists of -1 (lower), 0 (free), 1 (upper) with somebody free, small faces first. */
const faces = (() => {
  const made = new Map();
  return (K, uppers) => {
    const key = `${K}${uppers}`;
    if (!made.has(key)) {
      let all = [[]];
      for (let k = 0; k < K; k++)
        all = all.flatMap((face) => (uppers ? [0, -1, 1] : [0, -1]).map((at) => [...face, at]));
      const free = (face) => face.filter((at) => at === 0).length;
      made.set(
        key,
        all.filter(free).sort((a, b) => free(a) - free(b)),
      );
    }
    return made.get(key);
  };
})();

/** min Σ λ_k ρ_k over low ≤ λ ≤ high, Σ λ = 1: whoever has the smallest rate is filled up first. */
function least(rho, low, high) {
  let left = 1 - low.reduce((sum, v) => sum + v, 0),
    value = dot(low, rho);
  for (const k of rho.map((_, k) => k).sort((i, j) => rho[i] - rho[j])) {
    const more = Math.min(Math.max(left, 0), high[k] - low[k]);
    value += more * rho[k];
    left -= more;
  }
  return value;
}

/** Weights of the point nearest to the origin over low ≤ λ ≤ high, Σ λ = 1 (without bounds: of the convex hull).
 *  Every face is tried; the one whose optimality conditions hold best is the answer, so that rounding decides nothing. */
export function nearest(A, low = A.map(() => 0), high = A.map(() => 1)) {
  const K = A.length,
    largest = Math.max(...A.map((row, k) => row[k]));
  if (K === 1 || largest === 0 || high.every((v, k) => v <= low[k])) return into(low, low, high);
  const positive = A.map((row, k) => Math.sqrt(row[k])).filter((size) => size > 0),
    shortest = Math.min(...positive);
  const D = A.map((row, k) => (Math.sqrt(row[k]) || shortest) / shortest),
    a = D.map((d) => 1 / d);
  const C = A.map((row, i) => row.map((v, j) => v / (D[i] * D[j] * shortest * shortest)));
  let best = null,
    smallest = Infinity;
  for (const face of faces(
    K,
    high.some((v) => v < 1),
  )) {
    const free = [],
      y = Array(K).fill(0);
    face.forEach((at, k) => {
      if (at === 0) free.push(k);
      else y[k] = D[k] * (at < 0 ? low[k] : high[k]);
    });
    const M = free.map((i) => [...free.map((j) => C[i][j]), a[i]]);
    M.push([...free.map((i) => a[i]), 0]);
    const x = solve(M, [...free.map((i) => -dot(C[i], y)), 1 - dot(a, y)]);
    if (
      !x ||
      free.some((k, i) => x[i] < D[k] * low[k] - 1e-11 || x[i] > D[k] * high[k] + 1e-11 * D[k])
    )
      continue;
    free.forEach((k, i) => {
      y[k] = x[i];
    });
    const weights = into(
        y.map((v, k) => v / D[k]),
        low,
        high,
      ),
      rho = rates(A, weights);
    const gap = dot(weights, rho) - least(rho, low, high);
    if (gap < smallest) {
      smallest = gap;
      best = weights;
    }
    if (gap <= 1e-16 * largest) break;
  }
  return best;
}

/** Weights moved into their bounds, and what their sum then lacks of 1 put where there is room. */
function into(weights, low, high) {
  const inside = weights.map((v, k) => Math.min(high[k], Math.max(low[k], v)));
  const missing = 1 - inside.reduce((sum, v) => sum + v, 0);
  const room = inside.map((v, k) => (missing > 0 ? high[k] - v : v - low[k])),
    all = room.reduce((sum, v) => sum + v, 0);
  return all > 0 ? inside.map((v, k) => v + (missing * room[k]) / all) : inside;
}

/** λ with A λ = s for rows G (all A_kk > 0), the pseudo-inverse's where rows depend on one another; null where no vector has these
 *  rates. As fairfl.rules.solvers.least_norm, with its two corrections on the rows if ``G`` is given. */
function leastNorm(A, s, tolerance, G = null) {
  const sizes = A.map((row, k) => Math.sqrt(row[k])),
    wanted = s.map((v, k) => v / sizes[k]);
  const largest = Math.max(...wanted.map(Math.abs)),
    a = wanted.map((v) => v / largest);
  const { values, vectors } = eigen(A.map((row, i) => row.map((v, j) => v / sizes[i] / sizes[j])));
  const along = vectors.map((v) => dot(v, a)),
    size = (list) => Math.hypot(...list);
  if (
    size(along.filter((_, i) => values[i] <= tolerance)) >
    Math.max(10 * tolerance, 1e-6) * size(along)
  )
    return null;
  const kept = values.map((v, i) => [v, vectors[i]]).filter(([v]) => v > tolerance);
  const apply = (b) =>
    b.map((_, k) => kept.reduce((sum, [value, v]) => sum + (v[k] * dot(v, b)) / value, 0));
  let y = apply(a);
  if (G && kept[0][0] < 1e-4)
    for (let turn = 0; turn < 2; turn++) {
      const u = combine(
        G,
        y.map((v, k) => v / sizes[k]),
      );
      const missing = apply(a.map((v, k) => v - dot(G[k], u) / sizes[k]));
      y = y.map((v, k) => v + missing[k]);
    }
  return y.map((v, k) => (v * largest) / sizes[k]);
}

/** Weights, summing to 1, of the point of the affine hull nearest to the origin; where that is the origin itself, the shortest such
 *  weights. */
export function affine(A) {
  const ones = A.map(() => 1),
    largest = Math.max(...A.map((row, k) => row[k]));
  let weights = A.every((row, k) => row[k] > 0) ? leastNorm(A, ones, 1e-12) : null;
  if (!weights) {
    const { values, vectors } = eigen(
      largest > 0 ? A.map((row) => row.map((v) => v / largest)) : A,
    );
    const none = vectors.filter((_, i) => values[i] <= 1e-12 * A.length);
    weights = ones.map((_, k) => none.reduce((sum, v) => sum + v[k] * dot(v, ones), 0));
  }
  const sum = weights.reduce((total, v) => total + v, 0);
  return weights.map((v) => v / sum);
}

/** FedFV's coefficients after the projections: row k holds g_k's, each met in ``order`` by the others' own gradients. */
export function projected(A, order, keepers = []) {
  const C = A.map((_, k) => A.map((__, j) => +(k === j)));
  for (const j of order)
    C.forEach((row, k) => {
      const along = dot(
        row,
        A.map((line) => line[j]),
      );
      if (k !== j && !keepers.includes(k) && along < 0) row[j] -= along / A[j][j];
    });
  return C;
}

// ---- the rules: (G, settings) → weights, a remark where the formula had no answer, and, of rules that look for a nearest point, its
// multipliers μ, which are there also where the weights are 0 because that point is the origin --------------------------------------------

/** ``weights`` for the rows that are not zero, with 0 for those that are: a zero row would be the nearest point itself. */
export function nonzero(G, answer) {
  const keep = G.map((row, k) => (row.some((v) => v !== 0) ? k : -1)).filter((k) => k >= 0),
    weights = G.map(() => 0);
  const found = keep.length ? answer(keep.map((k) => G[k])) : { weights: [], remark: "" },
    multipliers = G.map(() => 0);
  keep.forEach((k, i) => {
    weights[k] = found.weights[i];
    multipliers[k] = (found.multipliers ?? found.weights)[i];
  });
  return { weights, multipliers, remark: found.remark };
}

function mgda(G, { epsilon = 1, normalise = false } = {}) {
  return nonzero(G, (rows) => {
    const A = gram(rows),
      K = rows.length,
      sizes = A.map((row, k) => (normalise ? Math.sqrt(row[k]) : 1));
    const C = A.map((row, i) => row.map((v, j) => v / sizes[i] / sizes[j]));
    const bound = (sign) => C.map(() => Math.min(1, Math.max(0, 1 / K + sign * epsilon)));
    const mu = epsilon < 1 ? nearest(C, bound(-1), bound(1)) : nearest(C);
    const still = vanishes(C, mu);
    return {
      weights: mu.map((v, k) => (still ? 0 : v / sizes[k])),
      multipliers: mu,
      remark: still ? "stationary" : "",
    };
  });
}

/** Rates in proportion to ``s``: the affine hull of g_k / s_k, or, where no vector has these rates, the convex one. */
export function prescribed(G, s) {
  const A = gram(G),
    weights = leastNorm(A, s, STATIONARY, G);
  if (weights) {
    const squared = 1 / dot(s, weights);
    return { weights: weights.map((v) => v * squared), remark: "" };
  }
  const B = A.map((row, i) => row.map((v, j) => v / s[i] / s[j])),
    mu = nearest(B);
  const still = vanishes(B, mu);
  return {
    weights: mu.map((v, k) => (still ? 0 : v / s[k])),
    multipliers: mu,
    remark: still ? "stationary" : "convex",
  };
}

function fedfv(G, { order = G.map((_, k) => k), keepers = [] } = {}) {
  const A = gram(G),
    K = G.length,
    C = projected(A, order, keepers);
  const mean = C[0].map((_, j) => C.reduce((sum, row) => sum + row[j], 0) / K),
    size = dot(mean, rates(A, mean));
  const typical = mean.reduce((sum, v, k) => sum + Math.abs(v) * Math.sqrt(A[k][k]), 0);
  if (size <= CANCELS * typical * typical) return { weights: mean.map(() => 0), remark: "cancels" };
  const scale = Math.sqrt(Math.max(0, A.flat().reduce((sum, v) => sum + v, 0) / K / K) / size);
  return { weights: mean.map((v) => v * scale), remark: "" };
}

export const RULES = {
  FedAvg: (G) => ({ weights: G.map(() => 1 / G.length), remark: "" }),
  FedMGDA: (G) => mgda(G),
  "FedMGDA+": (G, { epsilon = 1 } = {}) => mgda(G, { epsilon, normalise: true }),
  AdaFed: (G, { s = G.map(() => 1) } = {}) =>
    nonzero(G, (rows) =>
      prescribed(
        rows,
        s.filter((_, k) => G[k].some((v) => v !== 0)),
      ),
    ),
  FedFV: (G, settings) => fedfv(G, settings),
};

/** What a rule decides: weights λ, multipliers μ (the weights, if it has none), direction Gᵀ λ, rates G · direction, and its remark. */
export function decide(rule, G, settings) {
  const { weights, multipliers = weights, remark } = RULES[rule](G, settings),
    direction = combine(G, weights);
  return { weights, multipliers, direction, rates: G.map((row) => dot(row, direction)), remark };
}

// ---- the plane ---------------------------------------------------------------------------------------------------------------------

/** The corners of the convex hull of points, in order around it (Andrew's monotone chain). */
export function outline(points) {
  const order = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]),
    corners = [];
  const turn = (a, b, c) => (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
  for (const list of [order, [...order].reverse()]) {
    const half = [];
    for (const p of list) {
      while (half.length > 1 && turn(half[half.length - 2], half[half.length - 1], p) <= 0)
        half.pop();
      half.push(p);
    }
    corners.push(...(half.length > 1 ? half.slice(0, -1) : half));
  }
  return corners;
}

/** The points Σ μ_k h_k of all vertices μ of {μ ≥ 0, Σ μ = 1, |μ_k − 1/K| ≤ ε}. */
export function boxPoints(H, epsilon) {
  const K = H.length,
    low = Math.max(0, 1 / K - epsilon),
    high = Math.min(1, 1 / K + epsilon),
    points = [];
  for (let free = 0; free < K; free++)
    for (let mask = 0; mask < 1 << (K - 1); mask++) {
      const mu = H.map((_, k) =>
        k === free ? 0 : (mask >> (k < free ? k : k - 1)) & 1 ? high : low,
      );
      mu[free] = 1 - mu.reduce((sum, v) => sum + v, 0);
      if (mu[free] >= low - 1e-12 && mu[free] <= high + 1e-12) points.push(combine(H, mu));
    }
  return points;
}

/** Their convex hull's corners, in order. */
export const boxed = (H, epsilon) => outline(boxPoints(H, epsilon));

/** The angles [from, to] of all directions in which no loss rises, or null: given the nearest point of the convex hull. */
export function cone(G, point) {
  if (Math.hypot(...point) === 0) return null;
  const middle = Math.atan2(point[1], point[0]);
  const turns = G.filter((g) => Math.hypot(...g) > 0).map((g) => {
    const turn = Math.atan2(g[1], g[0]) - middle;
    return Math.atan2(Math.sin(turn), Math.cos(turn));
  });
  const from = middle + Math.max(...turns) - Math.PI / 2,
    to = middle + Math.min(...turns) + Math.PI / 2;
  return to > from ? [from, to] : null;
}

/** The part of the line through ``p`` along ``v`` inside the square |x|, |y| ≤ reach, as two points; null if there is none, or no line. */
export function clipped(p, v, reach) {
  let from = -Infinity,
    to = Infinity;
  for (let i = 0; i < 2; i++) {
    if (Math.abs(v[i]) < 1e-12) {
      if (Math.abs(p[i]) > reach) return null;
      continue;
    }
    const ends = [(-reach - p[i]) / v[i], (reach - p[i]) / v[i]].sort((a, b) => a - b);
    from = Math.max(from, ends[0]);
    to = Math.min(to, ends[1]);
  }
  return from < to && to - from < Infinity
    ? [from, to].map((t) => p.map((x, i) => x + t * v[i]))
    : null;
}
