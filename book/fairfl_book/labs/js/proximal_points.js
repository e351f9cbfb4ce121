// Three clients with one number: E local steps, proximal steps on a leash η, and where rounds of either come to rest. As labs/proximal.py.

const LOCAL = 0.2; // ℓ, the size of a local step
export const STEEPEST = { quadratic: 1e3, "bounded slope": 0.2 };
/** Where a function that never rises is 0, by bisection. */
const halves = (falling, low, high) => {
  for (let i = 0; i < 52; i++) {
    const middle = (low + high) / 2;
    if (falling(middle) > 0) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
};
/** A sum over the clients; called ten thousand times a picture, so it makes no list. */
const total = (clients, what) => {
  let sum = 0;
  for (const client of clients) sum += what(client);
  return sum;
};

/** Huber losses: quadratic with curvature h about c as long as the slope is below ``steepest``, straight beyond. */
export const loss = ({ h, c, steepest }, x) => {
  const away = Math.abs(x - c),
    bend = Math.min(away, steepest / h);
  return (h * bend * bend) / 2 + h * bend * (away - bend);
};
export const slope = ({ h, c, steepest }, x) =>
  Math.min(steepest, Math.max(-steepest, h * (x - c)));

/** Where a client is after so many local steps from w. */
export function worked({ h, c, steepest }, w, steps) {
  const away = w - c,
    far = Math.min(
      steps,
      Math.max(0, Math.ceil((Math.abs(away) - steepest / h) / (LOCAL * steepest))),
    );
  return (
    c +
    Math.sign(away) * (Math.abs(away) - far * LOCAL * steepest) * (1 - LOCAL * h) ** (steps - far)
  );
}

/** Its proximal point from w. */
export function leashed({ h, c, steepest }, w, eta) {
  const away = (w - c) / (1 + eta * h);
  return Math.abs(h * away) > steepest ? w - Math.sign(away) * eta * steepest : c + away;
}

/** The w to which the clients, each ``sent`` off from it, come back in the mean. */
export const resting = (clients, sent, setting) =>
  halves((w) => total(clients, (client) => sent(client, w, setting) - w), 17, 25);

/** Where the mean loss is least. */
export const meanLeast = (clients) =>
  halves((w) => -total(clients, (client) => slope(client, w)), 17, 25);

/** The proximal average at x: find the w whose mean proximal point is x, then add up the split's cost. */
export function average(clients, x, eta) {
  const w = halves(
    (w) => x - total(clients, (client) => leashed(client, w, eta)) / 3,
    x - 12 * eta - 12,
    x + 12 * eta + 12,
  );
  return (
    total(clients, (client) => {
      const split = leashed(client, w, eta);
      return loss(client, split) + (split - x) ** 2 / (2 * eta);
    }) / 3
  );
}
