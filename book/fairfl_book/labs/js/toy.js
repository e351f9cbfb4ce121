// Toy problems in the plane with known Pareto sets: fairfl_book.toy, number by number.

const SOLVED = ([[a, b], [c, d]], [x, y]) => {
  const det = a * d - b * c;
  return [(d * x - b * y) / det, (a * y - c * x) / det];
};
const applied = (H, v) => [H[0][0] * v[0] + H[0][1] * v[1], H[1][0] * v[0] + H[1][1] * v[1]];
const BOX = [-2, 2, -2, 2];

/** f_k(w) = ½ (w − c_k)ᵀ H_k (w − c_k); ``curvatures``: symmetric matrices, or numbers for multiples of the identity. */
export function quadratics({ centres, curvatures = centres.map(() => 1), box = BOX }) {
  const H = curvatures.map((h) =>
    typeof h === "number"
      ? [
          [h, 0],
          [0, h],
        ]
      : h,
  );
  const away = (w, k) => [w[0] - centres[k][0], w[1] - centres[k][1]];
  const gradients = (w) => H.map((h, k) => applied(h, away(w, k)));
  const minimiser = (weights) => {
    const sum = [
        [0, 0],
        [0, 0],
      ],
      pull = [0, 0];
    H.forEach((h, k) => {
      const own = applied(h, centres[k]);
      for (let i = 0; i < 2; i++) {
        pull[i] += weights[k] * own[i];
        for (let j = 0; j < 2; j++) sum[i][j] += weights[k] * h[i][j];
      }
    });
    return SOLVED(sum, pull);
  };
  return {
    clients: centres.length,
    box,
    centres,
    gradients,
    minimiser,
    losses: (w) =>
      gradients(w).map((g, k) => {
        const v = away(w, k);
        return 0.5 * (g[0] * v[0] + g[1] * v[1]);
      }),
    hessians: () => H,
    /** n points along the Pareto set of two clients; for three, a lattice of the weights with n points a side. */
    pareto: (n = 101) => lattice(centres.length, n).map(minimiser),
  };
}

/** Weights of the simplex: a row of n for two clients, for three a triangle of n (n + 1) / 2. */
function lattice(clients, n) {
  if (clients === 1) return [[1]];
  const steps = Array.from({ length: n }, (_, i) => i / (n - 1));
  if (clients === 2) return steps.map((t) => [1 - t, t]);
  return steps.flatMap((a, i) => steps.slice(0, n - i).map((b) => [1 - a - b, a, b]));
}

const RAISED = 1 / Math.sqrt(2);

/** f_k(w) = 1 − exp(−‖w − c_k‖²): losses from 0 to 1 whose front bulges outward (Fonseca and Fleming 1995, two variables). */
export function fonsecaFleming({
  centres = [
    [RAISED, RAISED],
    [-RAISED, -RAISED],
  ],
  box = BOX,
} = {}) {
  const away = (w, k) => [w[0] - centres[k][0], w[1] - centres[k][1]],
    square = ([x, y]) => x * x + y * y;
  return {
    clients: centres.length,
    box,
    centres,
    losses: (w) => centres.map((_, k) => 1 - Math.exp(-square(away(w, k)))),
    gradients: (w) =>
      centres.map((_, k) => {
        const v = away(w, k),
          e = 2 * Math.exp(-square(v));
        return [e * v[0], e * v[1]];
      }),
    hessians: (w) =>
      centres.map((_, k) => {
        const [x, y] = away(w, k),
          e = 2 * Math.exp(-(x * x + y * y));
        return [
          [e * (1 - 2 * x * x), -2 * e * x * y],
          [-2 * e * x * y, e * (1 - 2 * y * y)],
        ];
      }),
    pareto: (n = 101) =>
      lattice(2, n).map(([s, t]) => [
        s * centres[0][0] + t * centres[1][0],
        s * centres[0][1] + t * centres[1][1],
      ]),
  };
}

/** The book's standard pair: curvatures turned against each other, and a curved Pareto set. */
export const TWO_VALLEYS = {
  centres: [
    [-1, -0.5],
    [1, 0.5],
  ],
  curvatures: [
    [
      [2, 0.5],
      [0.5, 0.6],
    ],
    [
      [0.5, -0.3],
      [-0.3, 1.5],
    ],
  ],
};
