// What each of many rules gives two clients: as bars, a row a rule, or as points of the ellipse that a step of length 1 can reach.
import { distance } from "./geometry.js";
import { BAD, CLIENTS, GOOD, INK, SOFT } from "./palette.js";
import { disc, escaped, label, line, placed, tag } from "./svg.js";
import { coordinates, curve, grid, ticks } from "./plane.js";
import { ZERO, two } from "./wording.js";

export const SHEET = { width: 360, height: 330 };
/** A colour for what a rule fixes; ``switched``: what a reader can switch on and off, and its name. */
export const KINDS = {
  colours: {
    weights: CLIENTS[4],
    rates: INK,
    neither: CLIENTS[3],
    new: CLIENTS[5],
    yours: CLIENTS[5],
  },
  switched: { weights: "fixes weights", rates: "fixes rates", neither: "neither" },
};

const NAME = 32,
  ZERO_AT = 184,
  UNIT = 66,
  HEAD = 22,
  FOOT = 24,
  COLUMNS = [300, 358],
  LONGEST = 11;
const LEGEND = [0, 126, 230, 303];

const ROW = { least: 20, most: 21 };

/** How high a sheet of so many rows is. */
export const tallest = (count) => Math.max(SHEET.height, HEAD + FOOT + ROW.least * count);

/** A row for each rule of the places ``list``: its number, colour and name, two bars of its rates, with strokes for the rates ``honest``,
 *  and the numbers. */
export function rows({ names, kinds, rates, honest, waits, lie }, list, chosen) {
  const height = tallest(list.length),
    step = Math.min(ROW.most, (height - HEAD - FOOT) / Math.max(1, list.length)),
    thick = Math.min(7, 0.36 * step),
    pieces = [];
  const x = (rate) => ZERO_AT + UNIT * rate;
  pieces.push(
    label(0, 14, "rule", { fill: SOFT }),
    label(COLUMNS[0] - 38, 14, "rates of clients", { fill: SOFT, "text-anchor": "end" }),
  );
  COLUMNS.forEach((column, k) => {
    pieces.push(
      tag("rect", { x: column - 26, y: 4, width: 10, height: 10, fill: CLIENTS[k] }),
      label(column, 14, String(k + 1), { "text-anchor": "end", class: "strong" }),
    );
  });
  pieces.push(
    line([ZERO_AT, HEAD], [ZERO_AT, HEAD + step * list.length], {
      stroke: SOFT,
      "stroke-width": 1.2,
    }),
  );
  const texts = [];
  list.forEach((i, place) => {
    const name = names[i],
      top = HEAD + step * place,
      base = top + step / 2 + 5,
      off = !chosen.includes(i),
      pays = !off && !waits[i] && rates[i].some((v) => v < -ZERO);
    if (pays)
      pieces.push(
        tag("rect", {
          x: 0,
          y: top + 1,
          width: SHEET.width,
          height: step - 2,
          fill: BAD,
          opacity: 0.1,
        }),
      );
    pieces.push(
      tag("rect", {
        x: 0,
        y: top + 2,
        width: 4,
        height: step - 4,
        fill: KINDS.colours[kinds[i]],
        ...(off ? { opacity: 0.3 } : {}),
      }),
    );
    const shown = name.length > LONGEST ? `${name.slice(0, LONGEST - 1)}…` : name;
    texts.push(
      tag(
        "text",
        { x: NAME - 4, y: base, "text-anchor": "end", ...(off ? { opacity: 0.4 } : {}) },
        String(i + 1),
      ),
      tag("text", { x: NAME + 2, y: base, ...(off ? { opacity: 0.4 } : {}) }, escaped(shown)),
    );
    if (off) return;
    if (waits[i]) {
      texts.push(tag("text", { x: ZERO_AT + 8, y: base, fill: SOFT }, waits[i]));
      return;
    }
    rates[i].forEach((rate, k) => {
      const y = top + step / 2 - thick + k * thick,
        from = Math.min(x(0), x(rate));
      pieces.push(
        tag("rect", {
          x: from,
          y,
          width: Math.abs(x(rate) - x(0)),
          height: thick,
          fill: CLIENTS[k],
        }),
      );
      if (lie.length && Math.abs(honest[i][k] - rate) > ZERO)
        pieces.push(
          line([x(honest[i][k]), y - 0.5], [x(honest[i][k]), y + thick + 0.5], {
            stroke: INK,
            "stroke-width": 2,
          }),
        );
      texts.push(
        tag(
          "text",
          {
            x: COLUMNS[k],
            y: base,
            "text-anchor": "end",
            ...(rate < -ZERO ? { fill: BAD, class: "strong" } : {}),
          },
          two(rate),
        ),
      );
    });
  });
  const other = [...new Set(kinds)]
    .filter((kind) => !(kind in KINDS.switched))
    .slice(-1)
    .map((kind) => [kind, kind]);
  [...Object.entries(KINDS.switched), ...other].forEach(([kind, words], k) => {
    pieces.push(
      tag("rect", {
        x: LEGEND[k],
        y: height - 16,
        width: 10,
        height: 10,
        fill: KINDS.colours[kind],
      }),
      label(LEGEND[k] + 14, height - 6, words, { fill: SOFT }),
    );
  });
  return pieces.join("") + tag("g", { fill: INK }, texts.join(""));
}

const SQUARE = coordinates({
  x: [-1.24, 1.24],
  y: [-1.06, 1.06],
  left: 44,
  right: 354,
  top: 22,
  bottom: 287,
});

/** All pairs of rates that a step of length 1 can give, and what each rule takes from them. */
export function menu({ G, rates, kinds, waits, losses }, chosen) {
  const { at } = SQUARE,
    whole = [-1, -0.5, 0, 0.5, 1],
    zero = at([0, 0]),
    ray = (far) => losses.map((f) => (far * f) / Math.max(...losses));
  const pieces = [
    tag("rect", {
      x: zero[0],
      y: SQUARE.top,
      width: SQUARE.right - zero[0],
      height: zero[1] - SQUARE.top,
      fill: GOOD,
      opacity: 0.12,
    }),
    grid(SQUARE, whole, whole),
    ticks(SQUARE, whole, whole),
  ];
  const around = Array.from({ length: 97 }, (_, i) => {
    const t = (i * Math.PI) / 48;
    return G.map((g) => g[0] * Math.cos(t) + g[1] * Math.sin(t));
  });
  pieces.push(
    curve(SQUARE, around, { stroke: SOFT, "stroke-width": 1.6 }),
    line(zero, at(ray(1.05)), { stroke: INK, "stroke-width": 1.2, "stroke-dasharray": "5 4" }),
  );
  const answered = chosen.filter((i) => !waits[i]);
  // Rules of several kinds may share a point: a ring for each.
  for (const { point, members } of bunches(answered, rates, 0.03))
    [...new Set(members.map((i) => KINDS.colours[kinds[i]]))].forEach((fill, n, all) =>
      pieces.push(
        disc(at(point), (5 * (all.length - n)) / all.length, {
          fill,
          ...(n ? {} : { stroke: INK, "stroke-width": 1 }),
        }),
      ),
    );
  const labels = bunches(answered, rates, 0.1).map(({ point, words }) => ({
    at: at(point),
    towards: Math.hypot(...point) > ZERO ? [point[0], -point[1]] : [1, 1],
    words,
    away: 5,
    rings: 4,
    leader: SOFT,
    more: { class: "strong" },
  }));
  pieces.push(
    label((SQUARE.left + SQUARE.right) / 2, SHEET.height - 6, "rate of client 1", {
      "text-anchor": "middle",
    }),
    label(0, 14, "rate of client 2"),
  );
  pieces.push(
    label(354, SQUARE.top + 12, "green: nobody pays", { fill: GOOD, "text-anchor": "end" }),
  );
  ["dashed: rates in the", "ratio of the losses"].forEach((words, i) =>
    pieces.push(
      label(354, SQUARE.bottom - 66 + 17 * i, words, { fill: SOFT, "text-anchor": "end" }),
    ),
  );
  const taken = [
    ...[210, 235, 260, 285, 310, 335].flatMap((x) =>
      [SQUARE.top + 8, SQUARE.bottom - 71, SQUARE.bottom - 54].map((y) => [x, y, 13]),
    ),
    ...[12, 36, 60, 84, 108].map((x) => [x, 10, 12]),
    ...whole.map((v) => [SQUARE.left - 18, SQUARE.up(v), 14]),
    ...chosen.map((i) => [...at(rates[i]), 5]),
  ];
  return pieces.join("") + placed(labels, taken, SHEET.width, SHEET.height);
}

/** The ``chosen`` places in groups whose points lie no further than ``near`` from one another, always the nearest joined first: their
 *  middle ``point``, ``members``, and these as the numbers of rules, "1–3, 6". */
export function bunches(chosen, points, near) {
  let groups = chosen.map((i) => [i]);
  const apart = (a, b) =>
    Math.max(...a.flatMap((i) => b.map((j) => distance(points[i], points[j]))));
  for (;;) {
    let best = null,
      least = near;
    groups.forEach((a, n) =>
      groups.slice(n + 1).forEach((b) => {
        const far = apart(a, b);
        if (far < least) [best, least] = [[a, b], far];
      }),
    );
    if (!best) break;
    const [one, other] = best;
    groups = groups
      .filter((group) => group !== other)
      .map((group) => (group === one ? [...one, ...other].sort((i, j) => i - j) : group));
  }
  return groups.map((members) => ({
    point: [0, 1].map((j) => members.reduce((sum, i) => sum + points[i][j], 0) / members.length),
    members,
    words: runs(members.map((i) => i + 1)),
  }));
}

function runs(members) {
  const parts = [];
  for (const n of members) {
    const last = parts[parts.length - 1];
    if (last && n === last[1] + 1) last[1] = n;
    else parts.push([n, n]);
  }
  return parts
    .map(([a, b]) => (a === b ? `${a}` : b === a + 1 ? `${a}, ${b}` : `${a}–${b}`))
    .join(", ");
}
