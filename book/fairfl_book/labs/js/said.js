// Numbers and clients in words.

export const ZERO = 5e-3; // what two decimals show as nothing
export const two = (v) => (Math.abs(v) < ZERO ? 0 : v).toFixed(2).replace("-", "−");
/** ₁ for client 0. */
export const sub = (k) => String(k + 1).replace(/\d/g, (d) => "₀₁₂₃₄₅₆₇₈₉"[d]);
/** "a", "a and b", "a, b and c". */
export const listed = (all) => (all.length > 1 ? `${all.slice(0, -1).join(", ")} and ${all[all.length - 1]}` : all.join());
/** "Client 2", or "Clients 1 and 3", from places in a list. */
export const named = (who) => `${who.length > 1 ? "Clients" : "Client"} ${listed(who.map((k) => k + 1))}`;
/** Where a point of the plane lies. */
export const whereabouts = ([x, y]) => `${two(x)} across, ${two(y)} up`;
/** The places where something holds. */
export const where = (list, holds) => list.map((v, k) => (holds(v, k) ? k : -1)).filter((k) => k >= 0);
