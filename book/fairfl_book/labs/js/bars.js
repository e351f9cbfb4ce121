// A bar a client: its rate, g_k · dir, to the right where its loss falls; beside it, if given, the weight.
import { label, line, tag } from "./marks.js";
import { BAD, INK, LINE, PAPER, SOFT } from "./palette.js";
import { ZERO, two } from "./said.js";

const TOP = 46, FOOT = 22, LONGEST = 40;

/** ``rates``: one a client; ``ghosts``: rates to compare with, as dashed outlines; ``weights``: small bars and numbers at the left, under
 *  ``weighed``, and broken where they are longer than the bar's room (so are rates); ``signed``: room for negative ones; ``bound``: { at, words }, a dashed line across; ``low`` … ``high``: what the bars' axis shows, with ``ticks``. */
export function bars({ width, height, names, colours, rates, ghosts, weights, signed = false, weighed = "weight λ", heading = "rate: how fast the loss falls", bound, low, high, ticks: at }) {
  const left = weights ? 112 : 84, right = width - 52, bottom = height - FOOT, row = (bottom - TOP - 2) / rates.length, thick = Math.min(26, 0.5 * row);
  const across = (v) => left + (Math.min(high, Math.max(low, v)) - low) / (high - low) * (right - left), zero = across(0), none = signed ? 68 : 56;
  const pieces = [weights ? label(0, 16, weighed, { fill: SOFT }) : "", label(left, 16, heading, { fill: SOFT })];
  for (const tick of at) {
    pieces.push(line([across(tick), TOP - 4], [across(tick), bottom], { stroke: tick ? LINE : SOFT, "stroke-width": tick ? 0.7 : 1.2 }));
    pieces.push(label(across(tick), height - 5, String(tick).replace("-", "−"), { fill: SOFT, "text-anchor": "middle" }));
  }
  if (bound) {
    pieces.push(line([across(bound.at), TOP - 8], [across(bound.at), bottom], { stroke: INK, "stroke-width": 1.2, "stroke-dasharray": "5 4" }));
    pieces.push(label(across(bound.at) + 6, TOP - 10, bound.words));
  }
  rates.forEach((rate, k) => {
    const middle = TOP + row * (k + 0.5), bar = (to, half, more) => tag("rect", { x: Math.min(zero, across(to)), y: middle - half, width: Math.abs(across(to) - zero), height: 2 * half, rx: 2, ...more });
    pieces.push(label(0, middle + (weights ? -6 : 5), names[k], { class: "strong" }));
    if (weights) {
      const drawn = Math.min(1, Math.max(-0.5, weights[k])), length = drawn * LONGEST;
      pieces.push(label(0, middle + 13, two(weights[k])), line([none, middle + 2], [none, middle + 15], { stroke: SOFT }));
      pieces.push(tag("rect", { x: Math.min(none, none + length), y: middle + 4, width: Math.abs(length), height: 9, fill: colours[k] }));
      if (drawn !== weights[k]) pieces.push(broken(none + length, middle + 8.5, 6, Math.sign(drawn)));
    }
    pieces.push(bar(rate, thick / 2, { fill: colours[k] }));
    if (rate < low || rate > high) pieces.push(broken(across(rate), middle, thick / 2 + 2, Math.sign(rate)));
    if (ghosts) pieces.push(bar(ghosts[k], thick / 2 + 4, { fill: "none", stroke: SOFT, "stroke-width": 1.3, "stroke-dasharray": "3 3" }));
    pieces.push(label(width - 1, middle + 5, two(rate), { "text-anchor": "end", class: "strong", ...(rate < -ZERO ? { fill: BAD } : {}) }));
  });
  return pieces.join("");
}

/** A slanted gap near the end of a bar that goes on beyond its room. */
const broken = (x, y, half, way) => line([x - 9 * way - 2, y + half], [x - 9 * way + 2, y - half], { stroke: PAPER, "stroke-width": 3 });
