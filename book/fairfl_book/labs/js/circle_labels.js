// Labels around a circle, beside the directions that they name and apart from one another.
import { label, line } from "./svg.js";

const LINE_HIGH = 18,
  NUDGE = 0.04,
  GAP = 8,
  LED = 0.2,
  LONGEST_LINE = 10;

/** ``labels``: { turn, words, more }, an angle each. They stand outside the circle of radius ``r`` around ``middle`` and inside the box
 *  [left, top, right, bottom]; where two would overlap they give way to both sides;
 *  long ones have two lines. ``leader``: the colour of a line from the circle to a label that had to give way. */
export function circleLabels(labels, middle, r, box, leader = "") {
  return drawn(circlePlaces(labels, middle, r, box), middle, r, leader);
}

/** Where ``circleLabels`` puts them: { x, y, w, h } around their middles, and all that ``drawn`` needs. */
export function circlePlaces(labels, middle, r, [left, top, right, bottom]) {
  const all = labels
    .map((one) => ({ ...one, at: one.turn, lines: inTwo(one.words) }))
    .sort((a, b) => a.turn - b.turn);
  const place = (one) => {
    const w = 9 * Math.max(...one.lines.map((words) => words.length)) + 4,
      h = LINE_HIGH * one.lines.length,
      c = Math.cos(one.at),
      s = Math.sin(one.at),
      far =
        r +
        GAP +
        Math.min(w / 2 / Math.max(Math.abs(c), 1e-9), h / 2 / Math.max(Math.abs(s), 1e-9));
    one.x = Math.min(right - w / 2, Math.max(left + w / 2, middle[0] + far * c));
    one.y = Math.min(bottom - h / 2, Math.max(top + h / 2, middle[1] - far * s));
    Object.assign(one, { w, h });
  };
  all.forEach(place);
  for (let turn = 0, moved = true; moved && turn < 150; turn++) {
    moved = false;
    all.forEach((a, i) =>
      all.slice(i + 1).forEach((b) => {
        if (Math.abs(a.x - b.x) >= (a.w + b.w) / 2 || Math.abs(a.y - b.y) >= (a.h + b.h) / 2)
          return;
        const way = b.at - a.at > Math.PI ? -1 : 1;
        a.at -= NUDGE * way;
        b.at += NUDGE * way;
        place(a);
        place(b);
        moved = true;
      }),
    );
  }
  return all;
}

export function drawn(all, middle, r, leader) {
  return all
    .map(({ turn, at, x, y, w, h, lines, more = {} }) => {
      const rim = [middle[0] + (r + 2) * Math.cos(turn), middle[1] - (r + 2) * Math.sin(turn)],
        near = [
          Math.min(x + w / 2 - 6, Math.max(x - w / 2 + 6, rim[0])),
          Math.min(y + h / 2 - 4, Math.max(y - h / 2 + 4, rim[1])),
        ];
      const led = leader && Math.abs(at - turn) > LED;
      return (
        (led ? line(rim, near, { stroke: leader, "stroke-width": 1 }) : "") +
        lines
          .map((words, n) =>
            label(x, y - h / 2 + LINE_HIGH * n + 14, words, { "text-anchor": "middle", ...more }),
          )
          .join("")
      );
    })
    .join("");
}

/** Long words as two lines, cut at the comma nearest to the middle. */
function inTwo(words) {
  const cuts = [...words.matchAll(/, /g)].map((found) => found.index);
  if (words.length <= LONGEST_LINE || !cuts.length) return [words];
  const cut = cuts.reduce((best, at) =>
    Math.abs(at - words.length / 2) < Math.abs(best - words.length / 2) ? at : best,
  );
  return [words.slice(0, cut + 1), words.slice(cut + 2)];
}
