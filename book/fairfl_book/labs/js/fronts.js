// Two clients' fronts: where weighted sums, bounds and reference points land, by search along the known Pareto set.
import { ellipse } from "./contours.js";
import { TWO_VALLEYS, fonsecaFleming, quadratics } from "./toy.js";

const POINTS = 2001,
  KNOB = Array.from({ length: 51 }, (_, i) => i / 50),
  TIE = 1e-12;
const ROUND = [
  [1, 0],
  [0, 1],
];
/** x, y: the losses that the picture shows; farthest: where s can stand; shapes: H of the ellipses of equal loss. */
const TWO_FRONTS = {
  dented: {
    problem: fonsecaFleming(),
    x: [-0.08, 1.68],
    y: [-0.08, 1.24],
    farthest: [1.1, 1.1],
    shapes: [ROUND, ROUND],
  },
  convex: {
    problem: quadratics(TWO_VALLEYS),
    x: [-0.45, 6.8],
    y: [-0.16, 2.42],
    farthest: [5.5, 1.2],
    shapes: TWO_VALLEYS.curvatures,
  },
};
const known = new Map();

/** A problem with its ``path`` along the Pareto set, the ``front`` of losses there and the largest losses on it. */
export function front(name) {
  if (!known.has(name)) {
    const { problem } = TWO_FRONTS[name],
      path = problem.pareto(POINTS),
      front = path.map(problem.losses);
    known.set(name, {
      ...TWO_FRONTS[name],
      path,
      front,
      most: [0, 1].map((k) => Math.max(...front.map((f) => f[k]))),
      trails: {},
    });
  }
  return known.get(name);
}

/** What a method minimises, as a function of losses. */
function score(method, setting) {
  if (method === "weighted sum") return ([a, b]) => setting[0] * a + setting[1] * b;
  if (method === "ε-constraint") return ([a, b]) => (b <= setting + 1e-9 ? a : Infinity);
  return ([a, b]) => Math.max(a - setting[0], b - setting[1]);
}

/** Which point of the front has the least score; of several that tie, the first. */
export function lands(method, setting, { front }) {
  const scores = front.map(score(method, setting)),
    least = Math.min(...scores);
  return scores.findIndex((v) => v <= least + TIE);
}

/** Where the method's other settings land: λ₁ or ε from 0 up, or s down the f₂-axis to (0, 0) and out along the f₁-axis. */
export function trail(method, known) {
  known.trails[method] ??= KNOB.map((k) => {
    const setting = {
      "weighted sum": [k, 1 - k],
      "ε-constraint": known.most[1] * k,
      Chebyshev: [2 * k - 1, 1 - 2 * k].map((v, i) => Math.max(0, v) * known.most[i]),
    }[method];
    return known.path[lands(method, setting, known)];
  });
  return known.trails[method];
}

/** By how much both losses can fall below ``image`` at once. */
export const gain = ({ front }, image) =>
  -Math.min(...front.map((f) => Math.max(f[0] - image[0], f[1] - image[1])));

/** The line of client k's loss through w: an ellipse. */
export function through({ problem, shapes }, k, w, n) {
  const H = shapes[k],
    v = w.map((x, i) => x - problem.centres[k][i]);
  return ellipse(
    problem.centres[k],
    H,
    0.5 * (H[0][0] * v[0] * v[0] + 2 * H[0][1] * v[0] * v[1] + H[1][1] * v[1] * v[1]),
    n,
  );
}

/** What lies of a polygon inside a convex one, both counterclockwise (Sutherland and Hodgman). */
export function overlap(points, frame) {
  let rest = points;
  for (let i = 0; i < frame.length; i++) {
    const p = frame[i],
      q = frame[(i + 1) % frame.length],
      dx = q[0] - p[0],
      dy = q[1] - p[1];
    const sides = rest.map((r) => dx * (r[1] - p[1]) - dy * (r[0] - p[0]));
    if (!sides.some((v) => v < 0)) continue; // most edges cut nothing off
    const kept = [];
    rest.forEach((b, j) => {
      const before = j ? j - 1 : rest.length - 1,
        a = rest[before],
        u = sides[before],
        v = sides[j];
      if (u < 0 !== v < 0)
        kept.push([a[0] + (u / (u - v)) * (b[0] - a[0]), a[1] + (u / (u - v)) * (b[1] - a[1])]);
      if (v >= 0) kept.push(b);
    });
    rest = kept;
  }
  return rest;
}

/** The part of the segment from p to q in the rectangle x, y, or null (Liang and Barsky). */
export function piece(p, q, x, y) {
  let [from, to] = [0, 1];
  const d = [q[0] - p[0], q[1] - p[1]];
  for (const [i, [low, high]] of [x, y].entries()) {
    if (d[i] === 0) {
      if (p[i] < low || p[i] > high) return null;
      continue;
    }
    const ends = [(low - p[i]) / d[i], (high - p[i]) / d[i]].sort((a, b) => a - b);
    [from, to] = [Math.max(from, ends[0]), Math.min(to, ends[1])];
  }
  return from < to ? [from, to].map((t) => p.map((v, i) => v + t * d[i])) : null;
}
