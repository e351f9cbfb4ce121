// What each of many rules gives two clients: as bars, a row a rule, or as points of the ellipse that a step of length 1 can reach.
import { BAD, CLIENTS, GOOD, INK, SOFT } from "./palette.js";
import { escaped, label, line, placed, tag } from "./svg.js";
import { coordinates, curve, grid, ticks } from "./plane.js";
import { ZERO, two } from "./wording.js";

export const SHEET = { width: 360, height: 318 };
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
  UNIT = 70,
  HEAD = 22,
  FOOT = 24,
  COLUMNS = [306, 358],
  LONGEST = 10;
const LEGEND = [0, 118, 224, 302];

/** A row a rule: its number, colour and name, two bars of its rates, with strokes for the rates ``honest``, and the numbers. */
export function rows({ names, kinds, rates, honest, waits, lie }, chosen) {
  const step = (SHEET.height - HEAD - FOOT) / names.length,
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
    line([ZERO_AT, HEAD], [ZERO_AT, SHEET.height - FOOT], { stroke: SOFT, "stroke-width": 1.2 }),
  );
  const texts = [];
  names.forEach((name, i) => {
    const top = HEAD + step * i,
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
        y: SHEET.height - 16,
        width: 10,
        height: 10,
        fill: KINDS.colours[kind],
      }),
      label(LEGEND[k] + 15, SHEET.height - 6, words, { fill: SOFT }),
    );
  });
  return pieces.join("") + tag("g", { fill: INK }, texts.join(""));
}

const SQUARE = coordinates({
  x: [-1.24, 1.24],
  y: [-1.06, 1.06],
  left: 44,
  right: 354,
  top: 10,
  bottom: 274,
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
  for (const i of chosen)
    if (!waits[i])
      pieces.push(
        tag("circle", {
          cx: at(rates[i])[0],
          cy: at(rates[i])[1],
          r: 5,
          fill: KINDS.colours[kinds[i]],
          stroke: INK,
          "stroke-width": 1,
        }),
      );
  const labels = bunches(
    chosen.filter((i) => !waits[i]),
    rates,
    0.09,
  ).map(({ point, words }) => ({
    at: at(point),
    towards: Math.hypot(...point) > ZERO ? [point[0], -point[1]] : [1, 1],
    words,
    away: 5,
    more: { class: "strong" },
  }));
  const middle = (SQUARE.left + SQUARE.right) / 2,
    high = (SQUARE.top + SQUARE.bottom) / 2;
  pieces.push(
    label(middle, SHEET.height - 8, "rate of client 1", { "text-anchor": "middle" }),
    label(14, high, "rate of client 2", {
      "text-anchor": "middle",
      transform: `rotate(-90 14 ${high})`,
    }),
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
    ...[235, 260, 285, 310, 335].map((x) => [x, SQUARE.top + 8, 12]),
    ...chosen.map((i) => [...at(rates[i]), 5]),
  ];
  return pieces.join("") + placed(labels, taken, SHEET.width, SHEET.height);
}

/** Points of the ``chosen`` places that lie nearer than ``near`` to one another, with their numbers: "1–3, 6". */
export function bunches(chosen, points, near) {
  const found = [];
  for (const i of chosen) {
    const group = found.find(
      ({ point }) => Math.hypot(point[0] - points[i][0], point[1] - points[i][1]) < near,
    );
    if (group) group.members.push(i + 1);
    else found.push({ point: points[i], members: [i + 1] });
  }
  return found.map(({ point, members }) => ({ point, words: runs(members) }));
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
