// Numbers and clients in words.
import { tr } from "./i18n.js";

export const ZERO = 5e-3; // what two decimals show as nothing
export const two = (v) => (Math.abs(v) < ZERO ? 0 : v).toFixed(2).replace("-", "−");
/** ₁ for client 0. */
export const sub = (k) => String(k + 1).replace(/\d/g, (d) => "₀₁₂₃₄₅₆₇₈₉"[d]);
/** "a", "a and b", "a, b and c". */
export const listed = (all) =>
  all.length > 1
    ? tr("{most} and {last}", { most: all.slice(0, -1).join(tr(", ")), last: all[all.length - 1] })
    : all.join();
/** "Client 2", or "Clients 1 and 3", from places in a list. */
export const named = (who) => {
  const list = listed(who.map((k) => k + 1));
  return who.length > 1 ? tr("Clients {list}", { list }) : tr("Client {list}", { list });
};
/** Sentences, one behind the other. */
export const joined = (sentences) => sentences.join(tr(" "));
/** Where a point of the plane lies. */
export const whereabouts = ([x, y]) => tr("{x} across, {y} up", { x: two(x), y: two(y) });
/** The places where something holds. */
export const where = (list, holds) =>
  list.map((v, k) => (holds(v, k) ? k : -1)).filter((k) => k >= 0);
