// Chapter 6's lab: three losses to drag, a report to be pulled above its loss, and where each reweighting rule then ends.
import { arrow, label, line, placed, tag } from "./svg.js";
import { BAD, CLIENTS, INK, PAPER, SOFT } from "./palette.js";
import { lineHandle } from "./handles.js";
import { coordinates, curve, grid, stepped, ticks } from "./plane.js";
import { answers, lossAt } from "./reweighting_rules.js";
import { listed, named, two } from "./wording.js";

const WIDE = 360,
  HIGH = 274,
  NAMES = ["equal weights", "q-FFL", "TERM", "AFL"],
  SHORT = ["equal", ...NAMES.slice(1)],
  PENS = [INK, ...CLIENTS.slice(3)];
const FIELD = coordinates({
    x: [-2.4, 2.4],
    y: [0, 4.8],
    left: 4,
    right: 356,
    top: 22,
    bottom: 168,
  }),
  LANES = [184, 204, 224, 244],
  ARM = 0.6;
const WISH = { low: -1.6, high: 1.6, step: 0.05 },
  FLOOR = { low: 0.1, high: 2.5, step: 0.05 },
  LIE = { low: 0, high: 2, step: 0.05 };
const SEEN = 0.02; // losses and weights that change by less are said not to change

function compute(state) {
  const clients = {
    wishes: [1, 2, 3].map((k) => state[`c${k}`]),
    floors: [1, 2, 3].map((k) => state[`floor${k}`]),
  };
  return {
    clients,
    lie: state.lie,
    ...answers(state, clients, state.lie),
    honest: answers(state, clients, 0),
    settings: [null, state.q, state.t, state.gamma],
  };
}

function draw(numbers) {
  return { losses: field(numbers), rules: table(numbers) };
}

/** A client's loss, or its report, as far as the panel shows it. */
function parabola(clients, k, more, added = 0) {
  const room = FIELD.y[1] - clients.floors[k] - added,
    wide = Math.sqrt(
      (2 * room) / (lossAt(clients, k, clients.wishes[k] + 1) - clients.floors[k]) / 2,
    );
  const from = Math.max(FIELD.x[0], clients.wishes[k] - wide),
    to = Math.min(FIELD.x[1], clients.wishes[k] + wide);
  return curve(
    FIELD,
    Array.from({ length: 41 }, (_, i) => from + ((to - from) * i) / 40).map((w) => [
      w,
      lossAt(clients, k, w) + added,
    ]),
    more,
  );
}

function field({ clients, lie, ends, losses, honest }) {
  const marks = [-2, -1, 0, 1, 2],
    deep = LANES[3] + 8,
    pieces = [grid(FIELD, marks, [0])],
    heights = losses.map((f) => Math.max(...f));
  pieces.push(
    ticks({ ...FIELD, bottom: deep }, marks, []),
    label(2, 14, "loss", { fill: SOFT }),
    label(358, deep + 17, "w", { fill: SOFT, "text-anchor": "end" }),
  );
  clients.wishes.forEach((c, k) =>
    pieces.push(
      line([FIELD.across(c), FIELD.up(clients.floors[k])], [FIELD.across(c), deep], {
        stroke: CLIENTS[k],
        "stroke-width": 1.5,
        "stroke-dasharray": "2 4",
      }),
    ),
  );
  clients.wishes.forEach((_, k) =>
    pieces.push(parabola(clients, k, { stroke: CLIENTS[k], "stroke-width": 3 })),
  );
  if (lie)
    pieces.push(
      parabola(
        clients,
        0,
        { stroke: CLIENTS[0], "stroke-width": 2.2, "stroke-dasharray": "6 4" },
        lie,
      ),
    );
  ends.map(FIELD.across).forEach((x, i) => {
    pieces.push(
      line([x, LANES[i]], [x, FIELD.up(Math.min(heights[i], FIELD.y[1]))], {
        stroke: PENS[i],
        "stroke-width": 1.6,
      }),
    );
    losses[i].forEach((f) => {
      if (f < FIELD.y[1])
        pieces.push(tag("circle", { cx: x, cy: FIELD.up(f), r: 3, fill: PENS[i] }));
    });
  });
  ends.map(FIELD.across).forEach((x, i) => {
    const y = LANES[i],
      before = FIELD.across(honest.ends[i]),
      right = x < 250;
    if (Math.abs(before - x) > 3)
      pieces.push(
        tag("circle", { cx: before, cy: y, r: 5, fill: PAPER, stroke: PENS[i], "stroke-width": 2 }),
        arrow([before + 5 * Math.sign(x - before), y], [x, y], PENS[i], 2),
      );
    const side = Math.abs(before - x) > 3 ? x < before : !right;
    const edge = side && x > 64 ? x - 10 : Math.max(x, before) + 10;
    pieces.push(
      tag("circle", { cx: x, cy: y, r: 5.5, fill: PENS[i], stroke: PAPER }),
      label(edge, y + 5, SHORT[i], {
        "text-anchor": side && x > 64 ? "end" : "start",
        class: "strong",
      }),
    );
  });
  const bottoms = clients.wishes.map((c, k) => FIELD.at([c, clients.floors[k]])),
    hold = arm(clients, lie);
  pieces.push(
    placed(
      [
        ...bottoms.map((at, k) => ({
          at,
          towards: [k === 2 ? 1 : -1, -0.6],
          words: `${k + 1}`,
          more: { class: "strong" },
        })),
        { at: hold, towards: [-1, -0.6], words: "1's report", more: { fill: SOFT } },
      ],
      [...bottoms.map((at) => [...at, 10]), [...hold, 10]],
      WIDE,
      FIELD.bottom,
    ),
  );
  return pieces.join("");
}

function table({ lie, weights, losses, honest, settings }) {
  const pieces = [
    label(0, 14, "weights of clients 1, 2, 3", { fill: SOFT }),
    label(359, 14, "their losses", { fill: SOFT, "text-anchor": "end" }),
  ];
  weights.forEach((row, i) => {
    const top = 22 + 63 * i,
      worst = Math.max(...losses[i]),
      setting = i ? `, ${["", "q", "t", "γ"][i]} = ${settings[i]}` : "";
    pieces.push(
      tag("circle", { cx: 6, cy: top + 11, r: 5.5, fill: PENS[i] }),
      label(16, top + 16, NAMES[i] + setting, { class: "strong" }),
    );
    losses[i].forEach((f, k) =>
      pieces.push(
        label(359 - 44 * (2 - k), top + 16, two(f), {
          "text-anchor": "end",
          ...(f === worst && f > Math.min(...losses[i]) + SEEN
            ? { class: "strong", fill: BAD }
            : {}),
        }),
      ),
    );
    pieces.push(stack(row, top + 23, 23, true));
    if (lie) pieces.push(stack(honest.weights[i], top + 48, 6, false));
  });
  return pieces.join("");
}

/** Weights as pieces of one bar over the panel's width. */
function stack(row, y, height, numbers) {
  let x = 0;
  const bars = [],
    words = [];
  row.forEach((weight, k) => {
    const width = weight * WIDE;
    if (width > 0.5)
      bars.push(
        tag("rect", {
          x,
          y,
          width,
          height,
          fill: CLIENTS[k],
          stroke: PAPER,
          "stroke-width": numbers ? 1.5 : 0,
        }),
      );
    if (numbers && width > 40)
      words.push(
        label(x + width / 2, y + 16, two(weight), { "text-anchor": "middle", class: "strong" }),
      );
    x += width;
  });
  return bars.join("") + words.join("");
}

// ---- what can be dragged -----------------------------------------------------------------------------------------------------------------

const arm = (clients, lie) =>
  FIELD.at([clients.wishes[0] - ARM, lossAt(clients, 0, clients.wishes[0] - ARM) + lie]);
const placedAt = (state, k, c, floor) => ({
  ...state,
  [`c${k + 1}`]: stepped(WISH, c),
  [`floor${k + 1}`]: stepped(FLOOR, floor),
});

function handles({ clients, lie }) {
  const bottoms = clients.wishes.map((c, k) => ({
    name: `client${k + 1}`,
    panel: "losses",
    at: FIELD.at([c, clients.floors[k]]),
    colour: CLIENTS[k],
    now: c,
    range: [WISH.low, WISH.high],
    value: `wants ${two(c)}, loss at least ${two(clients.floors[k])}`,
    label: `client ${k + 1}'s lowest loss: sideways what it wants, up what it cannot fall below`,
    move: (state, point) => placedAt(state, k, ...FIELD.back(point)),
    step: (state, by) =>
      placedAt(state, k, state[`c${k + 1}`] + by[0], state[`floor${k + 1}`] + by[1]),
  }));
  const report = {
    control: "lie",
    name: "report",
    limits: LIE,
    now: lie,
    place: (v) => arm(clients, v),
    panel: "losses",
    colour: CLIENTS[0],
  };
  return [
    ...bottoms,
    lineHandle({
      ...report,
      value: `adds ${two(lie)} to its loss`,
      label: "client 1's report: up, what it adds to its loss",
    }),
  ];
}

// ---- what happened -----------------------------------------------------------------------------------------------------------------------

const listening = ({ settings }) => [1, 2, 3].filter((i) => settings[i] > 0);
const paying = (after, before, rules) =>
  [0, 1, 2].filter((k) => rules.some((i) => after[i][k] > before[i][k] + SEEN));

/** The smallest loss that the worst-off client can have, to what two decimals show. */
function bestWorst(clients) {
  const all = Array.from({ length: 641 }, (_, i) => -1.6 + i / 200);
  return Math.min(...all.map((w) => Math.max(...[0, 1, 2].map((k) => lossAt(clients, k, w)))));
}

function words(numbers) {
  const { clients, lie, ends, weights, losses, honest } = numbers,
    rules = listening(numbers),
    equal = losses[0],
    worst = equal.indexOf(Math.max(...equal));
  const figures = NAMES.map(
    (name, i) =>
      `${name}: w = ${two(ends[i])}, weights ${weights[i].map(two).join(", ")}, losses ${losses[i].map(two).join(", ")}.`,
  ).join(" ");
  if (!rules.length)
    return {
      tone: "soft",
      figures,
      lines: [
        "No rule listens to losses: with q, t and γ at 0 all are equal weights.",
        `Client ${worst + 1} has the largest loss, ${two(equal[worst])}.`,
      ],
    };
  if (lie) {
    const moved = rules.filter((i) => weights[i][0] - honest.weights[i][0] > SEEN),
      who = paying(losses, honest.losses, rules),
      added = `Client 1 reports ${two(lie)} more than its loss`;
    const drawn = moved.map(
      (i) => `${two(honest.weights[i][0])} to ${two(weights[i][0])} under ${NAMES[i]}`,
    );
    return {
      tone: who.length ? "bad" : "soft",
      figures,
      lines: [
        who.length
          ? `${added}, and ${named(who).toLowerCase()} pay${who.length > 1 ? "" : "s"} for the lie.`
          : `${added}, and nobody's loss changes for it.`,
        moved.length
          ? `Client 1's weight goes from ${listed(drawn)}; equal weights ask for no losses.`
          : "Client 1's weight hardly moves.",
        "To the server this looks just as if its loss could not fall lower.",
      ],
    };
  }
  const spread = equal[worst] - Math.min(...equal),
    others = [0, 1, 2].filter((k) => k !== worst),
    rest = others.map((k) => lossAt(clients, k, clients.wishes[worst]));
  if (Math.max(...rest) < clients.floors[worst] && clients.floors[worst] > 0.5) {
    const who = paying(
      losses,
      losses.map(() => equal),
      rules,
    );
    return {
      tone: "bad",
      figures,
      lines: [
        `Client ${worst + 1} cannot be served: even where it is best off its loss, ${two(clients.floors[worst])}, is the largest.`,
        `${who.length ? `The rules go its way all the same, and ${named(who).toLowerCase()} pay${who.length > 1 ? "" : "s"} for it` : "The rules listen to it all the same"}.`,
      ],
    };
  }
  if (spread < 0.05)
    return {
      tone: "good",
      figures,
      lines: [
        "With equal weights already everybody has nearly the same loss, and the rules agree.",
      ],
    };
  const helped = rules.map((i) => Math.max(...losses[i])),
    least = Math.min(...helped),
    best = rules[helped.indexOf(least)],
    m = bestWorst(clients);
  const mean = (f) => (f[0] + f[1] + f[2]) / 3,
    price = two(mean(losses[best]) - mean(equal)),
    cost = price === "0.00" ? "" : `, and the mean loss rises by ${price}`;
  if (least <= m + SEEN)
    return {
      tone: "good",
      figures,
      lines: [
        `${NAMES[best]} leaves the largest loss at ${two(least)}, and no w does better; with equal weights client ${worst + 1} has ${two(equal[worst])}.`,
        cost ? `The price${cost.replace(", and", ":")}.` : "It costs the mean loss nothing.",
      ],
    };
  return {
    tone: "bad",
    figures,
    lines: [
      `With equal weights client ${worst + 1} is left behind: its loss is ${two(equal[worst])}, the others' ${others.map((k) => two(equal[k])).join(" and ")}.`,
      `${least < equal[worst] - SEEN ? `${NAMES[best]} brings the largest loss down to ${two(least)}${cost}` : "No rule does better here"}; the best w would leave ${two(m)}.`,
    ],
  };
}

export const view = {
  title: "Weights against a lie",
  about:
    "Left, three losses over one parameter with the places where four rules end; right, each rule's weights there as a bar, and everybody's loss.",
  hint:
    "Drag the lowest points: sideways, what a client wants; up, what its loss cannot fall below. Pull client 1's report above its loss: it lies. Dots below: where each rule ends; rings and thin bars: without the lie. " +
    "Weights: q-FFL loss to the power q, TERM exp(t · loss), AFL plus γ · loss in each of 300 rounds.",
  task: {
    ask: "Suppose that client 3's loss cannot fall below 2, whatever the model. How much weight do the three rules give client 3 then?",
    guesses: ["less (it is a lost cause)", "the same as before", "more"],
    right: 2,
    goal: "Drag the lowest point of client 3's loss up, to 2 or higher.",
    reached: ({ floor3 }) => floor3 >= 1.95,
    explain:
      "A large loss earns weight, whether or not weight can lower it. The rules move towards client 3, but it gains less than the other two together lose.",
  },
  reach: 2,
  panels: [
    {
      name: "losses",
      width: WIDE,
      height: HIGH,
      label: "three losses and where the rules end; drag the losses",
    },
    { name: "rules", width: WIDE, height: HIGH, label: "weights and losses under each rule" },
  ],
  compute,
  draw,
  handles,
  words,
};
