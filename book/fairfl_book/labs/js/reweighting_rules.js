// Three clients with one parameter: where q-FFL, TERM and AFL end if client 1 adds to its report. As labs/reweighting.py.

const CURVATURE = [1, 1, 0.7],
  ROUNDS = 300,
  LEARNING = 0.2;
const plus = (v) => v[0] + v[1] + v[2];
const shares = (values) => values.map((v) => v / plus(values));

/** The loss of client k at w. */
export const lossAt = ({ wishes, floors }, k, w) =>
  0.5 * CURVATURE[k] * (w - wishes[k]) * (w - wishes[k]) + floors[k];
const reported = (clients, w, lie) => [
  lossAt(clients, 0, w) + lie,
  lossAt(clients, 1, w),
  lossAt(clients, 2, w),
];
const slopesAt = ({ wishes }, w) => wishes.map((c, k) => CURVATURE[k] * (w - c));

const even = () => [1 / 3, 1 / 3, 1 / 3];
const powers = (q) => (reports) => shares(reports.map((v) => (v / Math.max(...reports)) ** q));
const tilted = (t) => (reports) =>
  shares(reports.map((v) => Math.exp(t * (v - Math.max(...reports)))));

/** Where the weighted slopes cancel. */
function optimum(weigh, clients, lie) {
  let low = Math.min(...clients.wishes),
    high = Math.max(...clients.wishes);
  for (let i = 0; i < 60; i++) {
    const w = (low + high) / 2,
      weights = weigh(reported(clients, w, lie)),
      s = slopesAt(clients, w);
    if (plus(weights.map((v, k) => v * s[k])) < 0) low = w;
    else high = w;
  }
  const w = (low + high) / 2;
  return { w, weights: weigh(reported(clients, w, lie)) };
}

/** The nearest point of the simplex. */
function onto(v) {
  const [a, b, c] = [...v].sort((x, y) => y - x);
  const threshold =
    (a + b + c - 1) / 3 < c ? (a + b + c - 1) / 3 : (a + b - 1) / 2 < b ? (a + b - 1) / 2 : a - 1;
  return v.map((x) => Math.max(x - threshold, 0));
}

/** The means of AFL's models and weights. The order of the sums is Python's: the rounds may swing, and then the last bit counts. */
function afl(gamma, clients, lie) {
  let { w } = optimum(even, clients, 0),
    weights = even(),
    total = 0,
    heard = [0, 0, 0];
  for (let i = 0; i < ROUNDS; i++) {
    const f = reported(clients, w, lie),
      s = slopesAt(clients, w);
    heard = heard.map((v, k) => v + weights[k]);
    w -= LEARNING * (weights[0] * s[0] + weights[1] * s[1] + weights[2] * s[2]);
    weights = onto(weights.map((v, k) => v + gamma * f[k]));
    total += w;
  }
  return { w: total / ROUNDS, weights: heard.map((v) => v / ROUNDS) };
}

/** Where the four rules end, the weights they then give, and everybody's loss. */
export function answers({ q, t, gamma }, clients, lie) {
  const found = [
    optimum(even, clients, lie),
    optimum(powers(q), clients, lie),
    optimum(tilted(t), clients, lie),
    afl(gamma, clients, lie),
  ];
  return {
    ends: found.map(({ w }) => w),
    weights: found.map(({ weights }) => weights),
    losses: found.map(({ w }) => [0, 1, 2].map((k) => lossAt(clients, k, w))),
  };
}
