// Chapter 12's lab: runs of theirs and of ours as dots to drag, the interval of the difference of their means, and the word for it.
import { BAD, CLIENTS, GOOD, INK, PAPER, SOFT } from "./palette.js";
import { label, line, polygon, tag } from "./svg.js";
import { lineHandle } from "./handles.js";
import { coordinates, grid, stepped } from "./plane.js";
import { two } from "./wording.js";
import { studentQuantile } from "./student.js";

const WIDTH = 360,
  HEIGHT = 262,
  CENTRE = 81,
  EDGE = 4.5,
  MARGIN = { low: 0.2, high: 2, step: 0.05 },
  MOST = 60,
  SHOWN = 20,
  LEVEL = 0.95;
const GROUPS = [
    { name: "theirs", top: 30, colour: CLIENTS[0] },
    { name: "ours", top: 112, colour: CLIENTS[1] },
  ],
  TALL = 72,
  ROW = 208,
  RING = 13,
  HIGHEST = 1.5;
const AXIS = coordinates({
  x: [CENTRE - EDGE, CENTRE + EDGE],
  y: [0, 1],
  left: 8,
  right: WIDTH - 8,
  top: 22,
  bottom: 234,
});
const MORE = coordinates({
  x: [1.4, SHOWN + 0.6],
  y: [-5, 5],
  left: 34,
  right: WIDTH - 6,
  top: 26,
  bottom: 226,
});
const COLOURS = { equivalent: GOOD, different: BAD, undecided: INK };

// ---- numbers ------------------------------------------------------------------------------------------------------------------------

/** Welch's 90 % interval of a difference of means, and the word that it gives. ``spreads``: variances; ``runs``: how many; ``guess``: a t nearby. */
function judged(difference, variances, runs, margin, guess) {
  const parts = variances.map((v, i) => v / runs[i]),
    square = parts[0] + parts[1],
    error = Math.sqrt(square);
  const freedom =
    error > 0 ? square ** 2 / parts.reduce((sum, v, i) => sum + (v * v) / (runs[i] - 1), 0) : null;
  const t = freedom === null ? 0 : studentQuantile(LEVEL, freedom, guess),
    low = difference - t * error,
    high = difference + t * error;
  return {
    error,
    freedom,
    t,
    low,
    high,
    word:
      -margin <= low && high <= margin
        ? "equivalent"
        : low > margin || high < -margin
          ? "different"
          : "undecided",
  };
}

function compute({ theirs, ours, margin, first, second }) {
  const groups = [first.slice(0, theirs), second.slice(0, ours)].map((points) =>
      points.map((p) => CENTRE + p[0]),
    ),
    runs = [theirs, ours];
  const means = groups.map((values) => values.reduce((sum, v) => sum + v, 0) / values.length);
  const variances = groups.map(
      (values, i) => values.reduce((sum, v) => sum + (v - means[i]) ** 2, 0) / (values.length - 1),
    ),
    difference = means[1] - means[0];
  const more = [],
    at = (n, guess) => judged(difference, variances, [n, n], margin, guess);
  for (let n = 2; n <= SHOWN; n++) more.push(at(n, more.at(-1)?.t || undefined));
  const [enough, then] = settled(more, at);
  return {
    groups,
    means,
    spreads: variances.map(Math.sqrt),
    difference,
    margin,
    ...judged(difference, variances, runs, margin),
    enough,
    then,
    lows: more.map(({ low }) => low),
    highs: more.map(({ high }) => high),
  };
}

/** The fewest runs a side that decide, and the word, or nulls. More runs only narrow the interval, so that the search can halve. */
function settled(more, at) {
  const early = more.findIndex(({ word }) => word !== "undecided");
  if (early >= 0) return [early + 2, more[early].word];
  let [low, high] = [SHOWN, MOST];
  if (at(high).word === "undecided") return [null, null];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (at(middle).word === "undecided") low = middle;
    else high = middle;
  }
  return [high, at(high).word];
}

// ---- the picture --------------------------------------------------------------------------------------------------------------------

const draw = (numbers) => ({ runs: runs(numbers), more: more(numbers) });
/** The edge of the margin that can be dragged: the upper one, but the lower one where the upper would come too near to the panel's end. */
const upper = (means) => (means[0] - CENTRE > HIGHEST ? -1 : 1);
const inside = (v) => Math.min(AXIS.right, Math.max(AXIS.left, AXIS.across(v)));
const signed = (v) => (v > 0.005 ? "+" : "") + two(v);
const height = (group, i, n) => GROUPS[group].top + (TALL * (i + 0.5)) / n;

function runs({ groups, means, margin, low, high, word }) {
  const [mean, our] = means.map((m) => AXIS.across(m)),
    colour = COLOURS[word],
    pieces = [];
  const band = [means[0] - margin, means[0] + margin].map(inside);
  pieces.push(
    tag("rect", {
      x: band[0],
      y: AXIS.top,
      width: band[1] - band[0],
      height: AXIS.bottom - AXIS.top,
      fill: SOFT,
      opacity: 0.16,
    }),
  );
  pieces.push(grid(AXIS, [77, 79, 81, 83, 85], []));
  for (const v of [77, 79, 81, 83, 85])
    pieces.push(
      label(AXIS.across(v), HEIGHT - 6, `${v} %`, { fill: SOFT, "text-anchor": "middle" }),
    );
  const held = AXIS.across(means[0] + upper(means) * margin),
    beside = held > WIDTH / 2 ? -1 : 1;
  for (const edge of band)
    pieces.push(
      line(
        [edge, edge === inside(means[0] + upper(means) * margin) ? RING : AXIS.top],
        [edge, AXIS.bottom],
        { stroke: SOFT, "stroke-width": 1.2, "stroke-dasharray": "5 4" },
      ),
    );
  for (const way of [-1, 1])
    pieces.push(
      polygon(
        [
          [held + 17 * way, RING],
          [held + 10 * way, RING - 6],
          [held + 10 * way, RING + 6],
        ],
        { fill: SOFT },
      ),
    );
  pieces.push(
    label(held + 22 * beside, RING + 5, `margin ± ${two(margin)}`, {
      fill: SOFT,
      "text-anchor": beside < 0 ? "end" : "start",
    }),
  );
  groups.forEach((values, g) => {
    const { name, top, colour: own } = GROUPS[g],
      x = [mean, our][g];
    pieces.push(line([x, top - 4], [x, ROW], { stroke: own, "stroke-width": 1.6 }));
    values.forEach((v, i) =>
      pieces.push(
        line([AXIS.across(v), height(g, i, values.length)], [x, height(g, i, values.length)], {
          stroke: own,
          "stroke-width": 1,
          opacity: 0.6,
        }),
      ),
    );
    const free =
      Math.min(...values) - (CENTRE - EDGE) > CENTRE + EDGE - Math.max(...values)
        ? [AXIS.across(77) + 5, "start"]
        : [AXIS.across(85) - 5, "end"];
    pieces.push(
      label(free[0], top + 14, name, { class: "strong", "text-anchor": free[1] }),
      label(free[0], top + 32, two(means[g]), { "text-anchor": free[1] }),
    );
  });
  const ends = [means[0] + low, means[0] + high],
    [from, to] = ends.map(inside);
  pieces.push(line([from, ROW], [to, ROW], { stroke: colour, "stroke-width": 7 }));
  ends.forEach((v, i) => {
    const way = i ? 1 : -1,
      x = [from, to][i];
    if (AXIS.across(v) * way > x * way + 0.5)
      pieces.push(
        polygon(
          [
            [x + 6 * way, ROW],
            [x - 5 * way, ROW - 8],
            [x - 5 * way, ROW + 8],
          ],
          { fill: colour },
        ),
      );
    else pieces.push(line([x, ROW - 8], [x, ROW + 8], { stroke: colour, "stroke-width": 2 }));
  });
  pieces.push(
    label(WIDTH / 2, ROW + 24, `ours − theirs: ${signed(low)} to ${signed(high)}`, {
      "text-anchor": "middle",
      fill: colour,
    }),
  );
  pieces.push(
    tag("circle", {
      cx: our,
      cy: ROW,
      r: 4.5,
      fill: GROUPS[1].colour,
      stroke: PAPER,
      "stroke-width": 1.5,
    }),
  );
  return pieces.join("");
}

function more({ lows, highs, margin, difference, groups }) {
  const pieces = [grid(MORE, [], [-4, -2, 0, 2, 4])],
    up = (v) => Math.min(MORE.bottom, Math.max(MORE.top, MORE.up(v)));
  pieces.push(label(0, 16, "ours − theirs, were there n runs a side", { fill: SOFT }));
  pieces.push(
    tag("rect", {
      x: MORE.left,
      y: MORE.up(margin),
      width: MORE.right - MORE.left,
      height: MORE.up(-margin) - MORE.up(margin),
      fill: SOFT,
      opacity: 0.16,
    }),
  );
  for (const v of [-4, -2, 0, 2, 4])
    pieces.push(
      label(MORE.left - 7, MORE.up(v) + 5, v > 0 ? `+${v}` : String(v).replace("-", "−"), {
        fill: SOFT,
        "text-anchor": "end",
      }),
    );
  const [n1, n2] = groups.map((values) => values.length),
    wide = MORE.across(3) - MORE.across(2);
  if (n1 === n2)
    pieces.push(
      tag("rect", {
        x: MORE.across(n1) - wide / 2,
        y: MORE.top,
        width: wide,
        height: MORE.bottom - MORE.top + 21,
        rx: 3,
        fill: "none",
        stroke: SOFT,
        "stroke-width": 1.5,
      }),
    );
  for (let n = 2; n <= SHOWN; n++) {
    const x = MORE.across(n),
      low = lows[n - 2],
      high = highs[n - 2],
      all = low > margin || high < -margin ? BAD : low >= -margin && high <= margin ? GOOD : INK;
    pieces.push(
      line([x, up(low)], [x, up(high) - (up(low) === up(high) ? 2 : 0)], {
        stroke: all,
        "stroke-width": 5,
      }),
    );
    for (const [v, end, way] of [
      [high, MORE.top, -1],
      [low, MORE.bottom, 1],
    ])
      if (up(v) === end)
        pieces.push(
          polygon(
            [
              [x, end + 7 * way],
              [x - 5, end - way],
              [x + 5, end - way],
            ],
            { fill: all },
          ),
        );
    const framed = n1 === n2 && n === n1,
      crowded = n1 === n2 && Math.abs(n - n1) === 1;
    if (framed || (!crowded && (n % 4 === 0 || n === 2)))
      pieces.push(
        label(
          x,
          244,
          String(n),
          framed
            ? { class: "strong", "text-anchor": "middle" }
            : { fill: SOFT, "text-anchor": "middle" },
        ),
      );
  }
  const y = up(difference);
  pieces.push(
    line([MORE.left, y], [MORE.right, y], {
      stroke: PAPER,
      "stroke-width": 1.5,
      "stroke-dasharray": "2 3",
    }),
  );
  pieces.push(
    label(
      (MORE.left + MORE.right) / 2,
      HEIGHT - 2,
      n1 === n2 ? `n (framed: now, ${n1} a side)` : `n (now ${n1} and ${n2})`,
      { fill: SOFT, "text-anchor": "middle" },
    ),
  );
  return pieces.join("");
}

// ---- handles and words --------------------------------------------------------------------------------------------------------------

function handles({ groups, means, margin }) {
  const edge = lineHandle({
      control: "margin",
      limits: MARGIN,
      now: margin,
      place: (v) => [AXIS.across(means[0] + upper(means) * v), RING],
      panel: "runs",
      colour: SOFT,
      value: `± ${two(margin)} points`,
      label: "margin: the difference that does not matter",
      step: (state, by) => ({
        ...state,
        margin: stepped(MARGIN, state.margin + upper(means) * by[0] + by[1]),
      }),
    }),
    ends = [CENTRE - view.reach, CENTRE + view.reach];
  const dots = groups.flatMap((values, g) =>
    values.map((v, i) => ({
      name: `${GROUPS[g].name}${i + 1}`,
      panel: "runs",
      at: [AXIS.across(v), height(g, i, values.length)],
      colour: GROUPS[g].colour,
      now: v,
      range: ends,
      track: ends.map((end) => [AXIS.across(end), height(g, i, values.length)]),
      value: `${two(v)} per cent`,
      label: `accuracy of run ${i + 1} of ${GROUPS[g].name}`,
      move: (state, point) => moved(state, g, i, AXIS.back(point)[0]),
      step: (state, by) => moved(state, g, i, v + by[0] + by[1]),
    })),
  );
  return [edge, ...dots];
}

function moved(state, group, i, accuracy) {
  state[["first", "second"][group]][i] = [
    Math.min(view.reach, Math.max(-view.reach, Math.round(100 * (accuracy - CENTRE)) / 100)),
    0,
  ];
  return state;
}

function words({ difference, margin, low, high, word, freedom, t, enough, then, spreads }) {
  const interval = `from ${signed(low)} to ${signed(high)}`,
    lines = [];
  if (word === "equivalent")
    lines.push(`Equivalent: ours minus theirs, ${interval}, lies wholly within ±${two(margin)}.`);
  else if (word === "different")
    lines.push(`Different: ours minus theirs, ${interval}, lies wholly outside ±${two(margin)}.`);
  else
    lines.push(
      `Undecided: ours minus theirs, ${interval}, crosses ${low < -margin && high > margin ? "both edges" : "an edge"} of ±${two(margin)}.`,
    );
  const away = two(Math.abs(difference));
  if (freedom === null)
    lines.push(
      "Beware: runs that do not differ give an interval without width; real runs do differ.",
    );
  lines.push(
    away === "0.00"
      ? "Both means are the same to the hundredth."
      : `Our mean is ${away} points ${difference > 0 ? "above" : "below"} theirs.`,
  );
  if (word === "undecided")
    lines.push(
      enough === null
        ? `With these means and spreads, not even ${MOST} runs on both sides would settle it.`
        : `With these means and spreads, ${enough} runs on both sides would settle it: ${then}. More of ours alone may not.`,
    );
  const figures = `Spreads ${spreads.map(two).join(" and ")}; ${freedom === null ? "no spread at all" : `${freedom.toFixed(1)} degrees of freedom, t ${two(t)}`}.`;
  return {
    tone:
      freedom === null ? "soft" : { equivalent: "good", different: "bad", undecided: "soft" }[word],
    lines,
    figures,
  };
}

export const view = {
  title: "When are two means the same?",
  about:
    "Left, runs of theirs and of ours as dots on an axis of accuracies, with lines to their means, a grey band of the margin around their mean and, below, the 90 % interval of our mean minus theirs; right, the interval as it would be with other numbers of runs.",
  hint: "Drag a run, or the ring between two arrowheads at the top: the margin, the difference that you say does not matter; or use the arrow keys. The thick bar is the 90 % interval of ours minus theirs, laid around our mean, so that a bar inside the grey band is a difference within the margin. Green: equivalent, red: different, else undecided.",
  task: {
    ask: "Five runs on each side leave the verdict undecided. Would three more runs of ours alone settle it?",
    guesses: ["yes", "no"],
    right: 1,
    goal: "Leave the dots and the margin alone. Give our side eight runs, then add runs on their side until the verdict is “equivalent”.",
    reached: ({ margin, theirs, ours }, { word }) =>
      margin === 1 && ours === 8 && theirs > 5 && word === "equivalent",
    explain:
      "With eight runs of ours alone it stayed undecided. A part of the interval's width comes from their five runs, and only more runs on their side make it smaller.",
  },
  reach: 4,
  panels: [
    { name: "runs", width: WIDTH, height: HEIGHT, label: "accuracies of the runs; drag them" },
    {
      name: "more",
      width: WIDTH,
      height: HEIGHT,
      label: "the interval with other numbers of runs",
    },
  ],
  compute,
  draw,
  handles,
  words,
};
