// Chapter 14's lab: when ten offices' replies arrive, which of them still take part, and whom its step serves.
import { affine, combine, decide, dot, gram, rates } from "./geometry.js";
import { OFFICES } from "./offices.js";
import { BAD, CLIENTS, INK, LINE, PAPER, SOFT } from "./palette.js";
import { label, line, tag } from "./svg.js";
import { lineHandle } from "./handles.js";
import { coordinates } from "./plane.js";
import { ZERO, two } from "./wording.js";

const WIDTH = 360,
  HEIGHT = 276,
  ALL = OFFICES.rows.length,
  LAST = ALL - 1,
  NOON = 12,
  TOP = 22,
  BOTTOM = 232,
  NOBODY = 5e-3,
  LARGE = "100 × as large",
  TIMES = 100;
const DAY = coordinates({
  x: [-4.5, 4.5],
  y: [0, 1],
  left: 82,
  right: 350,
  top: TOP,
  bottom: BOTTOM,
});
const AGREES = coordinates({
  x: [-1, 1],
  y: [0, 1],
  left: 82,
  right: 304,
  top: TOP,
  bottom: BOTTOM,
});
const CLOSING = { low: -4.5, high: 4.5, step: 0.05 };
const REASONS = {
  "not a number": "a weight in its model is infinite or no number",
  "wrong shape": "one of its arrays of weights has another size than the server's",
};

// ---- numbers ------------------------------------------------------------------------------------------------------------------------

/** What ``rule`` decides from replies { client, row, loss, size }, sorted by client. */
function stepOf(rule, replies) {
  if (!replies.length) return OFFICES.rows[0].map(() => 0);
  const G = replies.map(({ row }) => row),
    losses = replies.map(({ loss }) => loss),
    K = replies.length,
    largest = Math.max(...losses);
  if (rule === "FedAvg") {
    const all = replies.reduce((sum, { size }) => sum + size, 0);
    return G[0].map((_, j) =>
      replies.reduce((sum, { row, size }) => sum + (size / all) * row[j], 0),
    );
  }
  if (rule === "FedMGDA+") return shortest(G);
  const order = losses.map((_, k) => k).sort((i, j) => losses[i] - losses[j] || i - j);
  const { direction } = decide(rule, G, {
    s: losses.map((f) => f / largest),
    order,
    keepers: order.slice(Math.ceil((K - 1) * 0.9 - 1e-9)),
  });
  return rule === "AdaFed" ? direction.map((v) => v / largest) : direction;
}

/** FedMGDA+'s direction: whoever has a negative weight in the affine hull of the unit rows is left out, one after the other. Where that does
 *  not end at the convex hull's point, every face is tried, which takes ten offices some milliseconds. */
function shortest(G) {
  const H = G.map((row) => row.map((v) => v / Math.hypot(...row))),
    A = gram(H);
  let free = A.map((_, k) => k),
    weights = affine(A);
  while (Math.min(...weights) < 0) {
    free = free.filter((_, i) => weights[i] > Math.min(...weights));
    weights = affine(free.map((i) => free.map((j) => A[i][j])));
  }
  const all = A.map((_, k) => (free.includes(k) ? weights[free.indexOf(k)] : 0)),
    rho = rates(A, all);
  return Math.min(...rho) >= dot(all, rho) - 1e-12
    ? combine(H, all)
    : decide("FedMGDA+", G).direction;
}

const reply = (k) => ({
  client: k,
  row: OFFICES.rows[k],
  loss: OFFICES.losses[k],
  size: OFFICES.sizes[k],
});
const complete = {};
/** How long the rule's step is when all ten answer soundly. */
const usual = (rule) =>
  (complete[rule] ??= Math.hypot(
    ...stepOf(
      rule,
      OFFICES.rows.map((_, k) => reply(k)),
    ),
  ));

function compute({ rule, ninth, closing, times }) {
  const fates = times.map(([time]) => (time <= closing ? "heard" : "late")),
    replies = [];
  if (fates[LAST] === "heard" && ninth in REASONS) fates[LAST] = "refused";
  if (fates[LAST] === "heard" && ninth === "signed office 0") {
    if (fates[0] === "heard") fates[0] = fates[LAST] = "refused";
    else {
      fates[LAST] = "taken for office 0";
      replies.push({ ...reply(LAST), client: 0 });
    }
  }
  fates.forEach((fate, k) => {
    if (fate === "heard")
      replies.push(
        k === LAST && ninth === LARGE
          ? { ...reply(k), row: OFFICES.rows[k].map((v) => TIMES * v) }
          : reply(k),
      );
  });
  const step = stepOf(rule, replies),
    length = Math.hypot(...step);
  const cosines = OFFICES.rows.map((row) =>
    length > 0 ? dot(row, step) / Math.hypot(...row) / length : 0,
  );
  return {
    rule,
    ninth,
    closing,
    times: times.map(([time]) => time),
    fates,
    cosines,
    length,
    longer: length / usual(rule),
  };
}

// ---- the picture --------------------------------------------------------------------------------------------------------------------

const draw = (numbers) => ({ day: day(numbers), step: bars(numbers) });
const row = (k) => TOP + ((BOTTOM - TOP) * (k + 0.5)) / ALL;
const colour = (k) => (k === LAST ? CLIENTS[5] : CLIENTS[0]);
/** An office's name before its row; the last one's says what it alone has. */
const office = (k) =>
  k === LAST
    ? label(0, row(k) + 1, `office ${k}`, { class: "strong" }) +
      label(0, row(k) + 19, "has 8, 9", { fill: SOFT })
    : label(0, row(k) + 5, `office ${k}`);
const used = (fate) => fate === "heard" || fate === "taken for office 0";
const clock = (v) => {
  const minutes = Math.round(60 * (NOON + v));
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}`;
};

function day({ closing, times, fates }) {
  const x = DAY.across(closing),
    pieces = [
      tag("rect", {
        x,
        y: TOP,
        width: DAY.right + 8 - x,
        height: BOTTOM - TOP,
        fill: SOFT,
        opacity: 0.14,
      }),
    ];
  for (const tick of [-4, -2, 0, 2, 4]) {
    pieces.push(
      line([DAY.across(tick), TOP], [DAY.across(tick), BOTTOM], {
        stroke: LINE,
        "stroke-width": 0.7,
      }),
    );
    pieces.push(
      label(DAY.across(tick), HEIGHT - 4, clock(tick), { fill: SOFT, "text-anchor": "middle" }),
    );
  }
  pieces.push(line([x, TOP - 2], [x, BOTTOM + 8], { stroke: INK, "stroke-width": 2 }));
  times.forEach((time, k) => {
    const here = DAY.across(time),
      y = row(k),
      fate = fates[k];
    pieces.push(office(k));
    pieces.push(
      line([DAY.left, y], [here, y], {
        stroke: colour(k),
        "stroke-width": 2,
        ...(used(fate) ? {} : { "stroke-dasharray": "3 4" }),
      }),
    );
    if (fate !== "heard") {
      const words = fate === "taken for office 0" ? "as office 0" : fate,
        left = here + 12 + 8 * words.length > WIDTH;
      pieces.push(
        label(left ? here - 12 : here + 12, y + 5, words, {
          class: "strong",
          "text-anchor": left ? "end" : "start",
          ...(fate === "late" ? {} : { fill: BAD }),
        }),
      );
    }
  });
  pieces.push(
    label(Math.min(WIDTH - 71, Math.max(71, x)), 15, `closes at ${clock(closing)}`, {
      class: "strong",
      "text-anchor": "middle",
    }),
  );
  return pieces.join("");
}

function bars({ cosines, fates, length }) {
  const zero = AGREES.across(0),
    pieces = [
      label(zero, 15, "cosine: own update with the server's step", {
        fill: SOFT,
        "text-anchor": "middle",
      }),
    ];
  for (const tick of [-1, -0.5, 0, 0.5, 1]) {
    pieces.push(
      line([AGREES.across(tick), TOP], [AGREES.across(tick), BOTTOM], {
        stroke: tick ? LINE : SOFT,
        "stroke-width": tick ? 0.7 : 1.2,
      }),
    );
    pieces.push(
      label(AGREES.across(tick), HEIGHT - 24, String(tick).replace("-", "−"), {
        fill: SOFT,
        "text-anchor": "middle",
      }),
    );
  }
  pieces.push(
    label(zero - 8, HEIGHT - 5, "← goes against it", { fill: SOFT, "text-anchor": "end" }),
    label(zero + 8, HEIGHT - 5, "serves it →", { fill: SOFT }),
  );
  cosines.forEach((cosine, k) => {
    const x = AGREES.across(cosine),
      y = row(k),
      heard = used(fates[k]);
    pieces.push(office(k));
    pieces.push(
      tag("rect", {
        x: Math.min(zero, x),
        y: y - 8,
        width: Math.abs(x - zero),
        height: 16,
        rx: 2,
        ...(heard
          ? { fill: colour(k) }
          : {
              fill: colour(k),
              "fill-opacity": 0.15,
              stroke: colour(k),
              "stroke-width": 1.3,
              "stroke-dasharray": "3 3",
            }),
      }),
    );
    if (length > 0)
      pieces.push(
        label(WIDTH - 1, y + 5, two(cosine), {
          "text-anchor": "end",
          class: "strong",
          ...(cosine < -NOBODY ? { fill: BAD } : {}),
        }),
      );
  });
  if (!(length > 0))
    pieces.push(
      tag("rect", { x: zero - 62, y: 115, width: 124, height: 24, rx: 5, fill: PAPER }),
      label(zero, 132, "no step at all", { class: "strong", "text-anchor": "middle" }),
    );
  return pieces.join("");
}

// ---- handles and words --------------------------------------------------------------------------------------------------------------

const handles = ({ closing, times }) => [
  ...times.map((time, k) => ({
    name: `office${k}`,
    panel: "day",
    at: [DAY.across(time), row(k)],
    colour: colour(k),
    now: time,
    track: [-view.reach, view.reach].map((end) => [DAY.across(end), row(k)]),
    value: clock(time),
    label: `when office ${k}'s reply arrives`,
    move: (state, point) => arrived(state, k, DAY.back(point)[0]),
    step: (state, by) => arrived(state, k, time + by[0] + by[1]),
  })),
  lineHandle({
    control: "closing",
    limits: CLOSING,
    now: closing,
    place: (v) => [DAY.across(v), BOTTOM + 9],
    panel: "day",
    colour: INK,
    value: clock(closing),
    label: "when the server closes the round",
  }),
];

function arrived(state, k, time) {
  state.times[k] = [Math.min(view.reach, Math.max(-view.reach, Math.round(100 * time) / 100)), 0];
  return state;
}

/** "office 9", "offices 0 to 8" or "offices 1, 3 and 9". */
function offices(who) {
  if (who.length > 2 && who.at(-1) - who[0] === who.length - 1)
    return `offices ${who[0]} to ${who.at(-1)}`;
  return `${who.length > 1 ? "offices" : "office"} ${who.join(", ").replace(/, (\d+)$/, " and $1")}`;
}

function words({ rule, ninth, fates, cosines, length, longer }) {
  const these = (holds) => fates.map((_, k) => k).filter(holds),
    lines = [];
  const against = these((k) => cosines[k] < -NOBODY),
    unheard = against.filter((k) => !used(fates[k])),
    late = these((k) => fates[k] === "late");
  const figures = `Cosines ${cosines.map(two).join(", ")}.`,
    posed = fates.findIndex((fate) => fate === "taken for office 0");
  let tone = "bad";
  if (!(length > 0)) {
    tone = "soft";
    lines.push(
      fates.some(used) ? "The server stands still." : "Nobody took part: the model stays as it is.",
    );
  } else if (unheard.length === against.length && against.length)
    lines.push(
      `${offices(unheard).replace("o", "O")} did not take part, and the server steps against ${unheard.length > 1 ? "them" : "it"}.`,
    );
  else if (against.length)
    lines.push(
      `The server steps against ${offices(against)}${unheard.length ? "" : `, although ${against.length > 1 ? "they" : "it"} took part`}.`,
    );
  else {
    const idle = these((k) => cosines[k] < NOBODY);
    tone = idle.length ? "soft" : "good";
    lines.push(
      idle.length
        ? `The server steps against nobody, but ${offices(idle)} ${idle.length > 1 ? "gain" : "gains"} almost nothing.`
        : "The server's step serves all ten.",
    );
  }
  if (late.length)
    lines.push(
      `Late: ${offices(late)}${fates[LAST] === "late" && ninth !== "sound" ? "; what office 9's reply holds makes no difference" : ""}.`,
    );
  if (fates[0] === "refused")
    lines.push(
      "Refused: two replies that both say they are office 0, since nothing in them tells which is.",
    );
  else if (fates[LAST] === "refused") lines.push(`Refused: office 9, because ${REASONS[ninth]}.`);
  if (posed >= 0) lines.push("Office 9's reply counts as office 0's: nothing in it tells.");
  if (length > 0 && longer > 1.5) {
    const reason =
      rule === "FedMGDA+"
        ? ": fewer replies pull against each other"
        : ninth === LARGE && fates[LAST] === "heard"
          ? ": office 9's reply, 100 times as large, stretches it"
          : "";
    lines.push(
      `The model moves ${longer < 10 ? longer.toFixed(1) : Math.round(longer)} times as far as with ten sound replies in time${reason}.`,
    );
  }
  return { tone, lines, figures };
}

export const view = {
  title: "Ten post offices, and who answers in time",
  about:
    "Left, ten rows with a dot where each office's reply arrives during the day and a line where the server closes; right, bars of how far each office's own update agrees with the server's step, with pale dashed bars for those that did not take part.",
  hint: "A reply is the model after an office's own training; its update is what that changed. Drag a reply to another hour, or the closing line by its knob; or use the arrow keys. Offices 0 to 8 share the digits 0 to 7; office 9 alone has 8 and 9. Pale dashed bars: offices that did not take part.",
  task: {
    ask: "Suppose that all ten reply in time. FedAvg's step then harms office 9. How many of the others must be late before the step helps it?",
    guesses: ["one or two", "about half", "all nine"],
    right: 1,
    goal: "Choose FedAvg. Let office 9 reply in time and others late, until the step helps office 9.",
    reached: ({ rule, ninth }, { fates, cosines }) =>
      rule === "FedAvg" && ninth === "sound" && fates[9] === "heard" && cosines[9] > ZERO,
    explain:
      "FedAvg weights the offices by the data that arrived. With four of the nine late, office 9 has 31 % of the weight, which is not enough. With five late it has 36 %, and that is.",
  },
  reach: 4.5,
  panels: [
    { name: "day", width: WIDTH, height: HEIGHT, label: "when replies arrive; drag them" },
    { name: "step", width: WIDTH, height: HEIGHT, label: "whom the step serves" },
  ],
  compute,
  draw,
  handles,
  words,
};
