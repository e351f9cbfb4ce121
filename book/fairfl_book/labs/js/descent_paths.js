// Descent paths on several losses: every rule starts at the same point and takes steps of the same length, which shrink where it stops.
// fairfl_book.labs.descent_paths repeats the computation, number by number.
import { boxPoints } from "./geometry.js";
import { TWO_VALLEYS, fonsecaFleming, quadratics } from "./toy.js";

export const ROUNDS = 120;
const STRIDE = 0.05,
  HALT = 2e-3,
  NEGLIGIBLE = 1e-9,
  ARRIVED = 1e-2;
export const THREE = [
  [
    [1.5, 0],
    [0, 0.5],
  ],
  [
    [0.75, 0.43],
    [0.43, 1.25],
  ],
  [
    [0.75, -0.43],
    [-0.43, 1.25],
  ],
];

const times = (a, b) => a[0] * b[0] + a[1] * b[1],
  turned = (a, b) => a[0] * b[1] - a[1] * b[0],
  size = (a) => Math.sqrt(times(a, a));
const scaled = (a, v) => [a[0] * v, a[1] * v];
const added = (rows) => [
  rows.reduce((sum, g) => sum + g[0], 0),
  rows.reduce((sum, g) => sum + g[1], 0),
];
const steepest = ([[a, b], [, d]]) => (a + d) / 2 + Math.hypot((a - d) / 2, b);

/** A problem by its name, with its clients' minimisers: as toy.js has it, and three more answers at w. ``bends``: curvatures that bound how
 *  fast gradients turn; ``stiff``: the same for their mean; ``falls``: r_k = g_k · H_k⁻¹ g_k, or null where some loss curves downwards. */
export function landscape(name, minimisers) {
  if (name === "Fonseca–Fleming") {
    const toy = fonsecaFleming({ centres: minimisers.slice(0, 2) });
    const squares = (w) => toy.centres.map((c) => (w[0] - c[0]) ** 2 + (w[1] - c[1]) ** 2);
    return {
      ...toy,
      bends: (w) => squares(w).map((q) => 2 * Math.exp(-q)),
      stiff: (w) => squares(w).map((q) => 2 * Math.exp(-q) * Math.max(1, 2 * q - 1)),
      falls: null,
    };
  }
  const curvatures = {
    "two valleys": TWO_VALLEYS.curvatures,
    "two circles": [
      [
        [1, 0],
        [0, 1],
      ],
      [
        [1, 0],
        [0, 1],
      ],
    ],
    "three clients": THREE,
  }[name];
  const toy = quadratics({ centres: minimisers.slice(0, curvatures.length), curvatures }),
    steep = curvatures.map(steepest);
  const fall = ([x, y], [[a, b], [, d]]) =>
    (d * x * x - 2 * b * x * y + a * y * y) / (a * d - b * b);
  return {
    ...toy,
    bends: () => steep,
    stiff: () => steep,
    falls: (G) => G.map((g, k) => fall(g, curvatures[k])),
  };
}

/** The point nearest to the origin of the convex hull of points in the plane. */
export function nearestPoint(points) {
  let best = points[0],
    least = times(best, best);
  for (let i = 0; i < points.length; i++)
    for (let j = i + 1; j < points.length; j++) {
      const p = points[i],
        side = [points[j][0] - p[0], points[j][1] - p[1]],
        long = times(side, side);
      const t = long > 0 ? Math.min(1, Math.max(0, -times(p, side) / long)) : 0,
        foot = [p[0] + t * side[0], p[1] + t * side[1]],
        square = times(foot, foot);
      if (square < least) {
        best = foot;
        least = square;
      }
    }
  // Some point on its near side: then the origin lies inside.
  return points.some((p) => times(p, best) < least * (1 - 1e-9)) ? [0, 0] : best;
}

/** FedFV's sum: each gradient projected off those it conflicts with, in the order of the losses. */
function projections(G, losses) {
  const order = losses.map((_, k) => k).sort((i, j) => losses[i] - losses[j]);
  return added(
    G.map((g, k) =>
      order.reduce((row, j) => {
        const along = times(row, G[j]);
        return j !== k && along < 0
          ? [
              row[0] - (along / times(G[j], G[j])) * G[j][0],
              row[1] - (along / times(G[j], G[j])) * G[j][1],
            ]
          : row;
      }, g),
    ),
  );
}

/** How AdaFed and DQN-Fed go for rates in proportion to s, and how far they may before two gradients are parallel. */
function inProportion(G, s, { units, room, near }) {
  if (G.length > 2) return { along: nearestPoint(G.map((g, k) => scaled(g, 1 / s[k]))), far: near };
  const [g, h] = G,
    gap = size([g[0] - h[0], g[1] - h[1]]);
  if (gap <= 1e-9 * (size(g) + size(h))) return { along: g, far: near };
  const way = Math.sign(turned(g, h));
  return {
    along: [way * (s[0] * h[1] - s[1] * g[1]), way * (s[1] * g[0] - s[0] * h[0])],
    far: Math.min(near, (Math.abs(turned(...units)) * room) / 2),
  };
}

/** ``far``, shortened so that no loss rises where ``along`` lowers all to first order; but not below HALT, or a path would stop where one
 *  client has next to nothing left to gain. */
function withoutARise(land, w, G, { along, far }) {
  const long = size(along);
  if (far < HALT || long === 0) return { along, far: 0 };
  const bends = land.stiff(w);
  return {
    along,
    far: Math.max(HALT, Math.min(far, ...G.map((g, k) => (2 * times(g, along)) / long / bends[k]))),
  };
}

const WAYS = {
  FedAvg: (G, land, w) => {
    const along = added(G);
    return { along, far: size(along) / land.stiff(w).reduce((sum, v) => sum + v, 0) };
  },
  FedMGDA: (G, land, w, { near }) =>
    withoutARise(land, w, G, { along: nearestPoint(G), far: near }),
  "FedMGDA+": (G, land, w, { units, room }, { epsilon }) => {
    const along = nearestPoint(boxPoints(units, epsilon)),
      way = { along, far: size(along) * room };
    // With three clients a box may make somebody pay, and a way that slows down before that would never get there.
    return epsilon < 1 && G.length > 2 ? way : withoutARise(land, w, G, way);
  },
  AdaFed: (G, land, w, around, { gamma }) => {
    const f = land.losses(w),
      top = Math.max(...f);
    return withoutARise(
      land,
      w,
      G,
      inProportion(
        G,
        f.map((v) => (v / top) ** gamma),
        around,
      ),
    );
  },
  FedFV: (G, land, w, { near }) => {
    const along = projections(G, land.losses(w));
    if (G.length === 2) return withoutARise(land, w, G, { along, far: near });
    return {
      along,
      far: size(along) > NEGLIGIBLE * G.reduce((sum, g) => sum + size(g), 0) ? near : 0,
    };
  },
  "DQN-Fed": (G, land, w, around) =>
    withoutARise(land, w, G, inProportion(G, land.falls(G), around)),
};

/** What two questions need: the unit gradients, the shortest way to a minimiser by its gradient, and a way that does not pass a
 *  Pareto-stationary point; null where somebody's gradient is zero. */
function surroundings(land, w, G) {
  const sizes = G.map(size);
  if (sizes.some((v) => v === 0)) return null;
  const units = G.map((g, k) => scaled(g, 1 / sizes[k])),
    bends = land.bends(w),
    room = Math.min(...sizes.map((v, k) => v / bends[k]));
  return { units, room, near: room * size(nearestPoint(units)) };
}

/** Where a rule comes from ``start``: ``path`` (ROUNDS + 1 points, the last repeated from where it rests), how many ``rounds`` it moved, and
 *  ``where`` it is then: at the "Pareto set", at a "wall", or "on its way". */
export function walk(rule, land, start, settings) {
  const path = [start];
  let w = start,
    rounds = 0;
  for (; rounds < ROUNDS; rounds++) {
    const G = land.gradients(w),
      around = surroundings(land, w, G);
    const { along, far } =
      rule === "FedAvg" || around?.room >= HALT
        ? WAYS[rule](G, land, w, around, settings)
        : { along: w, far: 0 };
    if (far < HALT) break;
    const t = Math.min(STRIDE, far) / size(along);
    w = [w[0] - t * along[0], w[1] - t * along[1]];
    path.push(w);
  }
  const around = surroundings(land, w, land.gradients(w)),
    there = !around || around.near < ARRIVED;
  while (path.length <= ROUNDS) path.push(w);
  return { path, rounds, where: there ? "Pareto set" : rounds < ROUNDS ? "wall" : "on its way" };
}
