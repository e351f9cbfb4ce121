// Chapter 13's lab: a hundred clients with a mean and two tails to drag, the least spread these allow, and a printed one to hold against it.
import { BAD, CLIENTS, GOOD, INK, SOFT } from "./palette.js";
import { coordinates, grid, stepped, ticks } from "./plane.js";
import { label, line, px, tag } from "./marks.js";

const WIDE = 360, TALL = 264, LOW = 216, OURS = CLIENTS[0], PRINTED = CLIENTS[1];
const ASIDE = 6; // a tail's handle stands this many clients beside it, so that its dots are seen
const MAP = coordinates({ x: [0, 100], y: [0, 100], left: 44, right: 346, top: 32, bottom: 222 });
const AXIS = coordinates({ x: [0, 40], y: [0, 1], left: 12, right: 346, top: 6, bottom: 172 });
const LIMITS = { // the controls of fairfl_book/labs/spread.py
  uneven: { low: 0, high: 1, step: 0.01 }, printed: { low: 0, high: 40, step: 0.1 }, share: { low: 1, high: 15, step: 1 },
  mean: { low: 20, high: 80, step: 0.5 }, worst: { low: 0, high: 80, step: 0.5 }, best: { low: 20, high: 100, step: 0.5 },
};
const one = (v) => v.toFixed(1).replace("-", "−"), limited = (v) => Math.min(100, Math.max(0, v));

function compute({ uneven, printed, share, mean, worst, best }) {
  const p = share / 100, between = 100 - 2 * share, middle = (mean - p * worst - p * best) / (1 - 2 * p);
  const room = Math.max(0, Math.min(middle - worst, best - middle)), square = (v) => (v - mean) * (v - mean);
  const values = Array.from({ length: 100 }, (_, i) => (i < share ? worst : i >= 100 - share ? best : middle + uneven * room * (2 * (i - share) / (between - 1) - 1)));
  const least = Math.sqrt(p * square(worst) + p * square(best) + (1 - 2 * p) * square(middle)), spread = Math.sqrt(values.reduce((sum, v) => sum + square(v), 0) / 100);
  return { values, mean, middle, room, printed, least, spread, exist: worst <= middle && middle <= best, uneven, share, worst, best };
}

const draw = (numbers) => ({ clients: clients(numbers), spreads: spreads(numbers) });

function clients({ values, mean, worst, best, printed, share, exist }) {
  const [top, bottom] = [mean + printed, mean - printed].map((v) => MAP.up(limited(v))), under = MAP.bottom + 18;
  const pieces = [grid(MAP, [], [0, 25, 50, 75, 100]), ticks(MAP, [], [0, 25, 50, 75, 100]), label(0, 16, "accuracy (%)")];
  pieces.push(tag("rect", { x: MAP.left, y: top, width: MAP.right - MAP.left, height: bottom - top, fill: PRINTED, opacity: 0.25 }));
  for (const x of [share, 100 - share]) pieces.push(line([MAP.across(x), MAP.bottom], [MAP.across(x), MAP.top], { stroke: SOFT, "stroke-width": 1, "stroke-dasharray": "2 3" }));
  pieces.push(line(MAP.at([share, worst]), MAP.at([share + ASIDE, worst]), { stroke: OURS }), line(MAP.at([100 - share, best]), MAP.at([100 - share - ASIDE, best]), { stroke: OURS }));
  pieces.push(line([MAP.left, MAP.up(mean)], [MAP.right, MAP.up(mean)], { stroke: INK, "stroke-width": 1.5, "stroke-dasharray": "6 4" }));
  const dots = values.map((v, i) => `M${MAP.at([i + 0.5, limited(v)]).map(px).join(" ")}h0`).join(""); // one element, where a hundred would slow a finger down
  pieces.push(tag("path", { d: dots, stroke: exist ? OURS : BAD, "stroke-width": 4.8, "stroke-linecap": "round" }));
  const above = MAP.up(mean) - 12;
  pieces.push(label(MAP.across(30), above < MAP.top + 22 ? MAP.up(mean) + 22 : above, `mean ${one(mean)}`, { "text-anchor": "middle" }));
  pieces.push(label(MAP.left, under, share > 1 ? `the worst ${share}` : "the worst one"), label(MAP.right, under, share > 1 ? `the best ${share}` : "the best one", { "text-anchor": "end" }));
  return pieces.join("") + label((MAP.left + MAP.right) / 2, TALL - 5, "a hundred clients in order", { fill: SOFT, "text-anchor": "middle" });
}

function spreads({ least, spread, printed, exist }) {
  const pieces = [grid(AXIS, [0, 10, 20, 30, 40], []), ticks(AXIS, [0, 10, 20, 30, 40], [])], fails = printed < least;
  const bar = (row, v, words, more, colour) => pieces.push(tag("rect", { x: AXIS.left, y: 30 + 54 * row, width: AXIS.across(v) - AXIS.left, height: 20, rx: 2, ...more }), label(AXIS.left + 2, 22 + 54 * row, words, { class: "strong", fill: colour }));
  pieces.push(label(AXIS.right, LOW - 6, "spread (standard deviation)", { fill: SOFT, "text-anchor": "end" }));
  if (exist) {
    pieces.push(tag("rect", { x: AXIS.left, y: AXIS.top, width: AXIS.across(least) - AXIS.left, height: AXIS.bottom - AXIS.top, fill: BAD, opacity: 0.12 }));
    bar(0, least, `at least ${one(least)}: less cannot be`, { fill: OURS }, INK);
    bar(1, spread, `these hundred clients: ${one(spread)}`, { fill: OURS, "fill-opacity": 0.25, stroke: OURS, "stroke-width": 1.5 }, INK);
    pieces.push(line([AXIS.across(least), AXIS.bottom], [AXIS.across(least), 50], { stroke: BAD, "stroke-width": 1.5, "stroke-dasharray": "6 4" }));
  } else pieces.push(label(AXIS.left + 2, 76, "no clients have this mean and these tails", { fill: BAD }));
  const verdict = !exist ? "" : fails ? `, ${one(least - printed)} too small` : ", passes";
  bar(2, printed, `printed: ${one(printed)}${verdict}`, { fill: PRINTED }, exist && !fails ? GOOD : BAD);
  return pieces.join("");
}

function handles({ mean, worst, best, middle, room, uneven, share, printed }) {
  const half = 0.6 * (50 - share), upward = (point) => MAP.back(point)[1];
  const made = (name, panel, at, colour, value, words, measured, stride, now) => ({
    name, panel, at, colour, value, label: words, stride, now, range: [LIMITS[name].low, LIMITS[name].high],
    move: (state, point) => ({ ...state, [name]: stepped(LIMITS[name], measured(point)) }),
    step: (state, [x, y]) => ({ ...state, [name]: stepped(LIMITS[name], state[name] + x + y) }),
  });
  const slack = 0.6 * room, spot = ([x, y]) => MAP.at([x, limited(y)]);
  return [
    made("uneven", "clients", spot([50 + half, middle + slack * uneven]), OURS, `${Math.round(100 * uneven)} % of the room`, "how far the middle clients lie apart", (point) => (slack > 0.3 ? (upward(point) - middle) / slack : uneven), 0.05, uneven),
    made("printed", "spreads", [AXIS.across(printed), 148], PRINTED, one(printed), "the printed spread", (point) => AXIS.back(point)[0], 0.1, printed),
    made("share", "clients", MAP.at([share, 100]), SOFT, `${share} of a hundred`, "how many clients are in each tail", (point) => MAP.back(point)[0], 1, share),
    made("mean", "clients", MAP.at([30, mean]), INK, `${one(mean)} percent`, "the mean accuracy", upward, 0.5, mean),
    made("worst", "clients", MAP.at([share + ASIDE, worst]), OURS, `${one(worst)} percent`, "the mean of the worst clients", upward, 0.5, worst),
    made("best", "clients", MAP.at([100 - share - ASIDE, best]), OURS, `${one(best)} percent`, "the mean of the best clients", upward, 0.5, best),
  ];
}

function words({ mean, worst, best, middle, share, printed, least, spread, exist }) {
  const figures = `Mean ${one(mean)}, worst ${share} clients ${one(worst)}, best ${share} ${one(best)}; least spread ${one(least)}, printed ${one(printed)}, these clients ${one(spread)}.`;
  if (!exist) {
    const outside = middle < worst ? `less than the worst ${share}` : `more than the best ${share}`;
    return { tone: "bad", lines: [`No such clients exist: the other ${100 - 2 * share} would have to average ${one(middle)} %, ${outside}.`], figures };
  }
  const fails = printed < least, lines = [fails
    ? `A spread of ${one(printed)} cannot be: with this mean and these tails it is at least ${one(least)}.`
    : `A spread of ${one(printed)} passes: with this mean and these tails it has to be at least ${one(least)}.`];
  if (spread - least > 0.05) lines.push(`These hundred clients have ${one(spread)}: those in the middle differ, and that only adds.`);
  else lines.push("These hundred clients have the least: within each of the three groups all are equal.");
  return { tone: fails ? "bad" : "good", lines, figures };
}

export const view = {
  title: "The least spread that a mean and two tails allow",
  about: "Left, the accuracies of a hundred clients from the worst to the best, with their mean and a band of the printed spread around it; right, bars of the least possible spread, of these clients' and of the printed one.",
  hint: "A table prints a mean, the average of its worst and of its best clients, and a spread. Drag each of them, the dotted edge of a tail, and the ring on the middle clients that tilts them. Orange: the printed spread, left as a band around the mean.",
  panels: [
    { name: "clients", width: WIDE, height: TALL, label: "a hundred clients; drag their mean, the two tails and the edge of a tail" },
    { name: "spreads", width: WIDE, height: LOW, label: "spreads; drag the printed one" },
  ],
  compute, draw, handles, words,
};
