// Chapter 13's lab: a hundred clients with a mean and two tails to drag, the least and the largest spread these allow, and a printed one to hold against them.
import { BAD, CLIENTS, INK, LINE, SOFT } from "./palette.js";
import { lineHandle } from "./handles.js";
import { two } from "./wording.js";
import { coordinates, grid, ticks } from "./plane.js";
import { label, line, px, tag } from "./svg.js";

const WIDE = 360,
  TALL = 278,
  LOW = 216,
  OURS = CLIENTS[0],
  PRINTED = CLIENTS[1];
const ASIDE = 6; // a tail's handle stands this many clients beside it, so that its dots are seen
const MAP = coordinates({ x: [0, 100], y: [0, 100], left: 44, right: 346, top: 32, bottom: 222 });
const AXIS = coordinates({ x: [0, 50], y: [0, 1], left: 12, right: 346, top: 6, bottom: 172 });
const LIMITS = {
  // the controls of fairfl_book/labs/spread.py
  uneven: { low: 0, high: 1, step: 0.01 },
  printed: { low: 0, high: 50, step: 0.1 },
  share: { low: 1, high: 15, step: 1 },
  mean: { low: 20, high: 80, step: 0.5 },
  worst: { low: 0, high: 80, step: 0.5 },
  best: { low: 20, high: 100, step: 0.5 },
};
const RAIL = MAP.bottom + 7; // where the edge of a tail is dragged: below the clients, that it be taken for none of them
const hundredths = (v) => Math.round(100 * v) / 100;
const one = (v) => v.toFixed(1).replace("-", "−"),
  limited = (v) => Math.min(100, Math.max(0, v));

function compute({ uneven, printed, share, mean, worst, best }) {
  const p = share / 100,
    between = 100 - 2 * share,
    middle = (mean - p * worst - p * best) / (1 - 2 * p);
  const room = Math.max(0, Math.min(middle - worst, best - middle)),
    square = (v) => (v - mean) * (v - mean);
  const values = Array.from({ length: 100 }, (_, i) =>
    i < share
      ? worst
      : i >= 100 - share
        ? best
        : middle + uneven * room * ((2 * (i - share)) / (between - 1) - 1),
  );
  const least = Math.sqrt(p * square(worst) + p * square(best) + (1 - 2 * p) * square(middle)),
    spread = Math.sqrt(values.reduce((sum, v) => sum + square(v), 0) / 100);
  const exist = worst <= middle && middle <= best;
  return {
    values,
    mean,
    middle,
    room,
    printed,
    least,
    largest: exist ? largest(mean, worst, best, share, middle) : 0,
    spread,
    exist,
    uneven,
    share,
    worst,
    best,
  };
}

/** The largest standard deviation: labs/spread.py has the argument. All corners where it can stand are tried. */
function largest(mean, worst, best, tail, middle) {
  const between = 100 - 2 * tail,
    within = (v, low, high) => Math.min(high, Math.max(low, v));
  const lows = [worst, middle],
    highs = [best, middle];
  for (let k = 1; k <= tail; k++) {
    lows.push(within((tail * worst) / k, worst, middle));
    highs.push(within(100 - (tail * (100 - best)) / k, middle, best));
  }
  let most = -Infinity;
  const tried = (l, h) => {
    most = Math.max(
      most,
      apart(tail, worst, 0, l) + apart(between, middle, l, h) + apart(tail, best, h, 100),
    );
  };
  for (const l of lows) {
    for (const h of highs) tried(l, h);
    for (let k = 1; k <= between; k++)
      tried(l, within(l + (between * (middle - l)) / k, middle, best));
  }
  for (const h of highs)
    for (let k = 0; k < between; k++)
      tried(within((between * middle - h * k) / (between - k), worst, middle), h);
  const centres =
    tail * (worst - mean) ** 2 + between * (middle - mean) ** 2 + tail * (best - mean) ** 2;
  return Math.sqrt(Math.max(0, centres + most) / 100);
}

/** The largest sum of squared distances from their mean for so many values between ``low`` and ``high``. */
function apart(count, centre, low, high) {
  const width = high - low,
    total = count * (centre - low),
    upper = width > 0 ? Math.min(count - 1, Math.floor(total / width)) : 0,
    rest = total - upper * width;
  return upper * width * width + rest * rest - (total * total) / count;
}

/** −1 where the printed spread is too small for these tails, 1 where it is too large, else 0. */
const verdict = ({ printed, least, largest }) => (printed < least ? -1 : printed > largest ? 1 : 0);

const draw = (numbers) => ({ clients: clients(numbers), spreads: spreads(numbers) });

function clients({ values, mean, worst, best, printed, share, exist }) {
  const [top, bottom] = [mean + printed, mean - printed].map((v) => MAP.up(limited(v))),
    under = MAP.bottom + 30;
  const pieces = [
    grid(MAP, [], [0, 25, 50, 75, 100]),
    ticks(MAP, [], [0, 25, 50, 75, 100]),
    label(0, 16, "accuracy (%)"),
  ];
  pieces.push(
    tag("rect", {
      x: MAP.left,
      y: top,
      width: MAP.right - MAP.left,
      height: bottom - top,
      fill: PRINTED,
      opacity: 0.25,
    }),
  );
  for (const x of [share, 100 - share])
    pieces.push(
      line([MAP.across(x), MAP.bottom], [MAP.across(x), MAP.top], {
        stroke: SOFT,
        "stroke-width": 1,
        "stroke-dasharray": "2 3",
      }),
    );
  pieces.push(
    line(MAP.at([share, worst]), MAP.at([share + ASIDE, worst]), { stroke: OURS }),
    line(MAP.at([100 - share, best]), MAP.at([100 - share - ASIDE, best]), { stroke: OURS }),
  );
  pieces.push(
    line([MAP.left, MAP.up(mean)], [MAP.right, MAP.up(mean)], {
      stroke: INK,
      "stroke-width": 1.5,
      "stroke-dasharray": "6 4",
    }),
  );
  const dots = values
    .map(
      (v, i) =>
        `M${MAP.at([i + 0.5, limited(v)])
          .map(px)
          .join(" ")}h0`,
    )
    .join(""); // one element, where a hundred would slow a finger down
  pieces.push(
    tag("path", {
      d: dots,
      stroke: exist ? OURS : BAD,
      "stroke-width": 4.8,
      "stroke-linecap": "round",
    }),
  );
  pieces.push(
    line([MAP.across(LIMITS.share.low), RAIL], [MAP.across(LIMITS.share.high), RAIL], {
      stroke: LINE,
      "stroke-width": 3,
      "stroke-linecap": "round",
    }),
  );
  const above = MAP.up(mean) - 12;
  pieces.push(
    label(MAP.across(30), above < MAP.top + 22 ? MAP.up(mean) + 22 : above, `mean ${one(mean)}`, {
      "text-anchor": "middle",
    }),
  );
  pieces.push(
    label(MAP.left, under, share > 1 ? `the worst ${share}` : "the worst one"),
    label(MAP.right, under, share > 1 ? `the best ${share}` : "the best one", {
      "text-anchor": "end",
    }),
  );
  return (
    pieces.join("") +
    label((MAP.left + MAP.right) / 2, TALL - 4, "a hundred clients in order", {
      fill: SOFT,
      "text-anchor": "middle",
    })
  );
}

function spreads(numbers) {
  const { least, largest, spread, printed, exist } = numbers,
    pieces = [],
    fails = verdict(numbers);
  const forbidden = (from, to) =>
    tag("rect", {
      x: AXIS.across(from),
      y: AXIS.top,
      width: Math.max(0, AXIS.across(to) - AXIS.across(from)),
      height: AXIS.bottom - AXIS.top,
      fill: BAD,
      opacity: 0.12,
    });
  if (exist) pieces.push(forbidden(0, least), forbidden(largest, 50));
  pieces.push(grid(AXIS, [0, 10, 20, 30, 40, 50], []), ticks(AXIS, [0, 10, 20, 30, 40, 50], []));
  const bar = (row, from, to, words, more, colour) =>
    pieces.push(
      tag("rect", {
        x: AXIS.across(from),
        y: 30 + 54 * row,
        width: Math.max(2, AXIS.across(to) - AXIS.across(from)),
        height: 20,
        rx: 2,
        ...more,
      }),
      label(AXIS.left + 2, 22 + 54 * row, words, { class: "strong", fill: colour }),
    );
  pieces.push(
    label(AXIS.right, LOW - 6, "spread (standard deviation)", { fill: SOFT, "text-anchor": "end" }),
  );
  if (exist && AXIS.across(largest) + 80 < AXIS.right)
    pieces.push(
      label(AXIS.right - 4, AXIS.bottom - 8, "cannot be", { fill: BAD, "text-anchor": "end" }),
    );
  const off = hundredths(hundredths(printed) - hundredths(fails > 0 ? largest : least)),
    gap = off ? `${two(Math.abs(off))} ` : "";
  bar(
    0,
    0,
    printed,
    `printed: ${two(printed)}${!exist ? "" : fails < 0 ? `, ${gap}too small` : fails > 0 ? `, ${gap}too large` : ", not ruled out"}`,
    { fill: PRINTED },
    !exist || fails ? BAD : INK,
  );
  if (exist) {
    bar(1, least, largest, `possible: ${two(least)} to ${two(largest)}`, { fill: OURS }, INK);
    bar(
      2,
      0,
      spread,
      `these hundred clients: ${two(spread)}`,
      { fill: OURS, "fill-opacity": 0.25, stroke: OURS, "stroke-width": 1.5 },
      INK,
    );
  } else
    pieces.push(
      label(AXIS.left + 2, 84, "no clients have this mean and these tails", { fill: BAD }),
    );
  return pieces.join("");
}

function handles({ mean, worst, best, middle, room, uneven, share, printed }) {
  const half = 0.6 * (50 - share),
    slack = 0.6 * room;
  const made = (control, panel, now, place, colour, value, label, stride) =>
    lineHandle({
      control,
      limits: LIMITS[control],
      now,
      place,
      panel,
      colour,
      value,
      label,
      stride,
    });
  return [
    made(
      "uneven",
      "clients",
      uneven,
      (v) => MAP.at([50 + half, limited(middle + slack * v)]),
      OURS,
      `${Math.round(100 * uneven)} % of the room`,
      "how far the middle clients lie apart",
      0.05,
    ),
    made(
      "printed",
      "spreads",
      printed,
      (v) => [AXIS.across(v), 40],
      PRINTED,
      two(printed),
      "the printed spread",
      0.1,
    ),
    made(
      "share",
      "clients",
      share,
      (v) => [MAP.across(v), RAIL],
      SOFT,
      `${share} of a hundred`,
      "how many clients are in each tail",
      1,
    ),
    made(
      "mean",
      "clients",
      mean,
      (v) => MAP.at([30, v]),
      INK,
      `${one(mean)} percent`,
      "the mean accuracy",
      0.5,
    ),
    made(
      "worst",
      "clients",
      worst,
      (v) => MAP.at([share + ASIDE, v]),
      OURS,
      `${one(worst)} percent`,
      "the mean of the worst clients",
      0.5,
    ),
    made(
      "best",
      "clients",
      best,
      (v) => MAP.at([100 - share - ASIDE, v]),
      OURS,
      `${one(best)} percent`,
      "the mean of the best clients",
      0.5,
    ),
  ];
}

function words(numbers) {
  const { mean, worst, best, middle, share, printed, least, largest, spread, exist } = numbers,
    rest = 100 - 2 * share;
  const figures = `Mean ${one(mean)}, worst ${share} clients ${one(worst)}, best ${share} ${one(best)}; possible spread ${two(least)} to ${two(largest)}, printed ${two(printed)}, these clients ${two(spread)}.`;
  if (!exist) {
    const why =
      worst > best
        ? `the worst ${share} would be better than the best ${share}`
        : `the other ${rest} would have to average ${one(middle)} %, ${middle < worst ? `less than the worst ${share}` : `more than the best ${share}`}`;
    return {
      tone: "bad",
      lines: [`No such clients exist: ${why}.`],
      figures: figures.replace(/possible.*printed/, "spread printed"),
    };
  }
  const fails = verdict(numbers),
    lines = [
      `A spread of ${two(printed)} ${
        fails
          ? `cannot be: with this mean and these tails it is at ${fails < 0 ? `least ${two(least)}` : `most ${two(largest)}`}.`
          : `is not ruled out: with this mean and these tails anything from ${two(least)} to ${two(largest)} can be.`
      }`,
    ];
  if (spread - least > 0.05)
    lines.push(
      `These hundred clients have ${two(spread)}: those in the middle differ, and that only adds.`,
    );
  else
    lines.push(
      "These hundred clients have the least: within each of the three groups all are equal.",
    );
  return { tone: fails ? "bad" : "soft", lines, figures };
}

export const view = {
  title: "The spread that a mean and two tails allow",
  about:
    "Left, the accuracies of a hundred clients from the worst to the best, with their mean and a band of the printed spread around it; right, bars of the printed spread, of the possible ones from the least to the largest, and of these clients' own.",
  hint: "A table prints a mean, the average of its worst and of its best clients, and a spread (orange; left, the band of that width around the mean). Drag each of them. Tails: drag the grey ring below the clients to have 1 to 15 in each. No table tells about the clients in the middle: the ring on them tilts them as you like.",
  task: {
    ask: "The printed spread (orange) is 3. Could a hundred clients with this mean and these tails have it?",
    guesses: ["yes, if the middle clients are alike", "yes, if they lie far apart", "no"],
    right: 2,
    goal: "Leave the mean and the tails alone. Drag the ring of the middle clients until the spread of the hundred is as small as it can be.",
    reached: (_, { exist, spread, least }) => exist && least > 6 && spread - least < 0.03,
    explain:
      "Now the middle clients are all equal, and the tails alone still keep the spread above 6. So with this mean and these tails, a spread of 3 is impossible.",
  },
  panels: [
    {
      name: "clients",
      width: WIDE,
      height: TALL,
      label: "a hundred clients; drag their mean, the two tails and the edge of a tail",
    },
    { name: "spreads", width: WIDE, height: LOW, label: "spreads; drag the printed one" },
  ],
  compute,
  draw,
  handles,
  words,
};
