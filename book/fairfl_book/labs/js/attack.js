// Chapter 11's lab: four gradients to drag, the fourth client's lie, and by how much it turns the direction of each rule.
import { combine, cone, decide, dot, length } from "./geometry.js";
import { lineHandle, tipHandles } from "./handles.js";
import { BAD, CLIENTS, GOOD, INK, LINE, ON, PAPER, SOFT, worded } from "./palette.js";
import { arrow, label, line, placed, px, tag } from "./svg.js";
import { coordinates, grid, outward } from "./plane.js";
import { named, sub, where } from "./wording.js";

const WIDTH = 360,
  HEIGHT = 300,
  PLANE_HEIGHT = 252,
  EDGE_X = 2.5,
  EDGE_Y = 1.75,
  LONG = 1.3,
  LIAR = 3;
const LOSSES = [1, 1.2, 0.8, 0.6],
  NOTHING = 1e-9,
  LOSES = 1e-6,
  SEEN = 1e-3; // radians: less than a tenth of a degree
const PLANE = coordinates({
    x: [-EDGE_X, EDGE_X],
    y: [-EDGE_Y, EDGE_Y],
    left: 0,
    right: WIDTH,
    top: 0,
    bottom: PLANE_HEIGHT,
  }),
  { at } = PLANE;
const TRACK = coordinates({ x: [0, 3], y: [0, 1], left: 76, right: 328, top: 274, bottom: 274 }),
  POWER = { low: 0, high: 3, step: 0.05 };

// ---- what the rules make of rows and losses -----------------------------------------------------------------------------------------

const byLoss = (losses) => losses.map((_, k) => k).sort((i, j) => losses[i] - losses[j] || i - j);
const LIAR_RULES = {
  FedAvg: (G) => decide("FedAvg", G).direction,
  "FedAvg-n": (G) =>
    combine(
      G,
      G.map((g) => (length(g) > 0 ? 1 / length(g) : 0)),
    ),
  "q-FedAvg": (G, losses) =>
    combine(
      G,
      losses.map((f) => f / Math.max(...losses)),
    ),
  FedMGDA: (G) => decide("FedMGDA", G).direction,
  "FedMGDA+": (G) => decide("FedMGDA+", G).direction,
  AdaFed: (G, losses) =>
    decide("AdaFed", G, { s: losses.map((f) => f / Math.max(...losses)) }).direction,
  FedFV: (G, losses) =>
    decide("FedFV", G, { order: byLoss(losses), keepers: byLoss(losses).slice(LIAR) }).direction,
};

/** Why a lie reaches a rule, or does not. */
const MADE = {
  FedAvg: "FedAvg averages the updates as they come: a long one counts for more",
  "FedAvg-n": "FedAvg-n averages the updates, each brought to length 1",
  "q-FedAvg": "q-FedAvg averages the updates, each times its client's loss",
  FedMGDA: "FedMGDA takes the shortest mixture of the updates: a long one counts for less",
  "FedMGDA+": "FedMGDA+ takes the shortest mixture of the updates, each brought to length 1",
  AdaFed:
    "AdaFed divides each update by its loss, so that a lie about one remains and one about both cancels",
  FedFV:
    "FedFV cuts conflicts away in the order of the losses, then averages: length and loss both count",
};

const unit = (v) => (length(v) > NOTHING ? v.map((x) => x / length(v)) : null);
/** The angle between two unit vectors, in radians; 0 where both are missing, null where one is. */
const between = (a, b) =>
  a && b ? Math.abs(Math.atan2(a[0] * b[1] - a[1] * b[0], dot(a, b))) : a || b ? null : 0;
const degrees = (angle) => (angle * 180) / Math.PI;

function compute({ rule, lies, power, tips }) {
  const factor = 10 ** power,
    reported = LOSSES.map((f, k) => (k === LIAR && lies.includes("its loss") ? factor * f : f));
  const sent = tips.map((g, k) =>
      k === LIAR && lies.includes("its update") ? g.map((v) => factor * v) : g,
    ),
    honest = tips.slice(0, LIAR);
  const names = Object.keys(LIAR_RULES),
    each = (G, losses) => names.map((name) => unit(LIAR_RULES[name](G, losses)));
  const before = each(tips, LOSSES),
    after = each(sent, reported);
  const asking = honest.filter((g) => length(g) > 0);
  const lose = (directions) =>
    directions.map((u) => honest.map((g) => u !== null && dot(g, u) < -LOSES * length(g)));
  return {
    rule,
    lies,
    power,
    factor,
    tips,
    names,
    before,
    after,
    turned: names.map((_, i) => between(before[i], after[i])),
    lostBefore: lose(before),
    loses: lose(after),
    reported: reported[LIAR],
    sent: sent[LIAR],
    asking: asking.length,
    safe: asking.length ? cone(asking, decide("FedMGDA", asking).direction) : null,
  };
}

// ---- the picture --------------------------------------------------------------------------------------------------------------------

const draw = (numbers) => ({ plane: plane(numbers), rules: rules(numbers) });
const lying = ({ lies, power }) => lies.length > 0 && power > 0;

function plane(numbers) {
  const { rule, names, tips, sent, before, after, turned, power, factor, safe, asking } = numbers,
    i = names.indexOf(rule),
    origin = at([0, 0]);
  const pieces = [grid(PLANE, [-2, -1, 0, 1, 2], [-1, 0, 1])],
    labels = [],
    under = [];
  const beside = (v, words, more = {}) =>
    labels.push({ at: at(v), towards: outward(v, NOTHING), words, more });
  if (safe) {
    const radius = 1.7,
      [a, b] = safe.map((t) => at([radius * Math.cos(t), radius * Math.sin(t)])),
      round = (radius * WIDTH) / 2 / EDGE_X;
    pieces.push(
      tag("path", {
        d: `M${origin.join(" ")}L${a.map(px).join(" ")}A${round} ${round} 0 0 0 ${b.map(px).join(" ")}Z`,
        fill: GOOD,
        "fill-opacity": 0.12,
        stroke: GOOD,
        "stroke-dasharray": "2 4",
      }),
    );
  }
  if (length(sent) > length(tips[LIAR]) * 1.001) {
    const reach = Math.min(
        1,
        (EDGE_X - 0.1) / Math.abs(sent[0] || NOTHING),
        (EDGE_Y - 0.1) / Math.abs(sent[1] || NOTHING),
      ),
      end = sent.map((v) => reach * v);
    // Without a head it goes on beyond the panel's edge.
    const shaft = { stroke: CLIENTS[LIAR], "stroke-width": 2.5, "stroke-dasharray": "7 5" };
    pieces.push(
      reach < 1
        ? line(origin, at(end), shaft)
        : arrow(origin, at(end), CLIENTS[LIAR], 2.5, { "stroke-dasharray": "7 5" }),
    );
    under.push(...[0.7, 0.8, 0.9, 1].map((part) => [...at(end.map((v) => part * v)), 7]));
    beside(end, `${reach < 1 ? "to " : "sent: "}${thousands(factor)} × g₄`, {
      fill: worded(CLIENTS[LIAR]),
      class: "strong",
    });
  }
  tips.forEach((g, k) => {
    pieces.push(arrow(origin, at(g), CLIENTS[k], 3.2));
    beside(g, `g${sub(k)}`, { class: "strong" });
  });
  const [honest, now] = [before[i], after[i]].map((u) => u && u.map((v) => LONG * v)),
    apart = turned[i] === null || degrees(turned[i]) > 3;
  if (honest && apart) {
    pieces.push(arrow(origin, at(honest), SOFT, 2.5, { "stroke-dasharray": "5 4" }));
    beside(honest, "honest", { fill: SOFT });
  }
  if (now) {
    pieces.push(arrow(origin, at(now), INK, 4));
    beside(now, apart ? "with the lie" : "direction", { class: "strong" });
  } else {
    pieces.push(
      tag("rect", { x: origin[0] - 5, y: origin[1] - 5, width: 10, height: 10, fill: INK }),
    );
    beside([0, 0], "stands still", { class: "strong" });
  }
  if (honest && now && apart) {
    const [from, to] = [honest, now].map((v) => v.map((x) => (0.5 * x) / LONG)),
      turn = from[0] * to[1] - from[1] * to[0] > 0 ? 0 : 1,
      round = (0.5 * WIDTH) / 2 / EDGE_X;
    pieces.push(
      tag("path", {
        d: `M${at(from).map(px).join(" ")}A${round} ${round} 0 0 ${turn} ${at(to).map(px).join(" ")}`,
        fill: "none",
        stroke: INK,
        "stroke-width": 1.5,
      }),
    );
  }
  const caption = safe
    ? "green: no honest client loses"
    : asking
      ? "no direction helps all honest clients"
      : "honest gradients are zero: nobody can lose";
  pieces.push(label(3, PLANE_HEIGHT - 6, caption, { fill: safe ? GOOD : SOFT }));
  under.push(
    ...[15, 45, 75, 105, 135, 165, 195].map((x) => [x, PLANE_HEIGHT - 11, 15]),
    ...tips.flatMap((g) => [0.4, 0.6, 0.8].map((part) => [...at(g.map((v) => part * v)), 6])),
  );
  under.push(
    ...[now, honest]
      .filter(Boolean)
      .flatMap((v) => [0.35, 0.55, 0.75, 0.9].map((part) => [...at(v.map((x) => part * x)), 7])),
  );
  pieces.push(
    placed(
      labels.reverse(), // the directions' labels first: they are wide
      [
        ...under,
        ...tips.map((g) => [...at(g), 9]),
        ...[now, honest].filter(Boolean).map((v) => [...at(v), 4]),
      ],
      WIDTH,
      PLANE_HEIGHT,
      40,
    ),
  );
  return pieces.join("") + track(power, factor);
}

function track(power, factor) {
  const pieces = [
    tag("rect", {
      x: 0,
      y: PLANE_HEIGHT + 1,
      width: WIDTH,
      height: HEIGHT - PLANE_HEIGHT - 1,
      fill: PAPER,
    }),
    label(0, 279, `× ${thousands(factor)}`, { class: "strong" }),
  ];
  const height = TRACK.top,
    [low, here] = [TRACK.left, TRACK.across(power)];
  pieces.push(
    line([low, height], [TRACK.right, height], {
      stroke: LINE,
      "stroke-width": 4,
      "stroke-linecap": "round",
    }),
  );
  pieces.push(
    line([low, height], [here, height], {
      stroke: CLIENTS[LIAR],
      "stroke-width": 4,
      "stroke-linecap": "round",
    }),
  );
  for (const tick of [0, 1, 2, 3])
    pieces.push(
      label(TRACK.across(tick), 298, thousands(10 ** tick), {
        fill: SOFT,
        "text-anchor": "middle",
      }),
    );
  return pieces.join("");
}

function rules({ rule, names, turned, loses, lostBefore, after }) {
  const left = 98,
    right = 240,
    top = 26,
    bottom = 278,
    row = (bottom - top) / names.length,
    across = (v) => left + (v / 180) * (right - left);
  const pieces = [
    label(left, 15, "the lie turns it by", { fill: SOFT }),
    label(WIDTH - 1, 15, "honest losers", { fill: SOFT, "text-anchor": "end" }),
  ];
  for (const tick of [0, 90, 180]) {
    pieces.push(
      line([across(tick), top], [across(tick), bottom], {
        stroke: tick ? LINE : SOFT,
        "stroke-width": tick ? 0.7 : 1.2,
      }),
    );
    pieces.push(
      label(across(tick), HEIGHT - 5, `${tick}°`, { fill: SOFT, "text-anchor": "middle" }),
    );
  }
  names.forEach((name, i) => {
    const middle = top + row * (i + 0.5),
      hurt = where(loses[i], (v) => v),
      because = hurt.some((k) => !lostBefore[i][k]);
    if (name === rule)
      pieces.push(
        tag("rect", {
          x: 0,
          y: middle - row / 2 + 1,
          width: WIDTH,
          height: row - 2,
          rx: 5,
          fill: LINE,
          opacity: 0.6,
        }),
      );
    pieces.push(
      label(3, middle + 5, name, name === rule ? { class: "strong", "stroke-width": 0 } : {}),
    );
    if (!after[i]) {
      pieces.push(
        label(left + 4, middle + 5, turned[i] === null ? "now stands still" : "stands still"),
      );
      return;
    }
    const end = across(degrees(turned[i] ?? 0)),
      much =
        turned[i] === null
          ? "no longer still"
          : turned[i] < SEEN
            ? "0°"
            : whole(turned[i]).replace("less than", "<");
    pieces.push(
      tag("rect", {
        x: left,
        y: middle - 8,
        width: end - left,
        height: 16,
        rx: 2,
        fill: because ? BAD : SOFT,
      }),
    );
    // Beside the rule's name, which is bold where it is chosen.
    pieces.push(
      label(Math.max(end, left + 5 * (name === rule)) + 5, middle + 5, much, { class: "strong" }),
    );
    for (const k of hurt) {
      const x = WIDTH - 10 - 21 * (LIAR - 1 - k),
        mine = { cx: x, cy: middle, r: 8.5, stroke: CLIENTS[k], "stroke-width": 2 };
      pieces.push(tag("circle", { ...mine, fill: lostBefore[i][k] ? PAPER : CLIENTS[k] }));
      pieces.push(
        tag(
          "text",
          {
            x,
            y: middle + 5,
            "text-anchor": "middle",
            class: "strong",
            fill: lostBefore[i][k] ? INK : ON[k],
          },
          String(k + 1),
        ),
      );
    }
  });
  return pieces.join("");
}

// ---- handles and words --------------------------------------------------------------------------------------------------------------

const handles = ({ tips, power, factor }) => [
  ...tipHandles(tips, { c: PLANE, reach: view.reach }).map((one, k) =>
    k === LIAR ? { ...one, label: `${one.label}, as it really is` } : one,
  ),
  lineHandle({
    control: "power",
    limits: POWER,
    now: power,
    place: (v) => [TRACK.across(v), TRACK.top],
    panel: "plane",
    colour: CLIENTS[LIAR],
    value: `times ${thousands(factor)}`,
    label: "how many times client 4 multiplies",
  }),
];

const whole = (angle) => (degrees(angle) < 0.5 ? "less than 1°" : `${Math.round(degrees(angle))}°`);
/** Three digits that count, with commas between thousands. */
const thousands = (v) => {
  const [whole, rest] = String(+v.toPrecision(3)).split(".");
  return whole.replace(/\B(?=(\d{3})+$)/g, ",") + (rest ? `.${rest}` : "");
};

function words(numbers) {
  const { rule, names, turned, loses, lostBefore, lies, factor, reported, after, asking } = numbers,
    i = names.indexOf(rule),
    lines = [];
  const hurt = where(loses[i], (v) => v),
    because = hurt.filter((k) => !lostBefore[i][k]),
    anyway = hurt.filter((k) => lostBefore[i][k]);
  const still = (j) => (after[j] ? "moves only with the lie" : "stands still"),
    lose = (who) => `${named(who).toLowerCase()} ${who.length > 1 ? "lose" : "loses"}`;
  const figures =
    names
      .map(
        (name, j) =>
          `${name} ${turned[j] === null || !after[j] ? still(j) : `${degrees(turned[j]).toFixed(0)} degrees`}`,
      )
      .join(", ") + ".";
  let tone = "soft";
  if (!lying(numbers))
    lines.push(
      `Client 4 tells the truth${hurt.length ? `; under ${rule} ${lose(hurt)} all the same` : after[i] ? "" : `; ${rule} stands still`}.`,
    );
  else if (turned[i] === null)
    lines.push(
      after[i]
        ? `Without the lie ${rule} would stand still.`
        : `The lie makes ${rule} stand still.`,
    );
  else if (!after[i]) lines.push(`${rule} stands still, with the lie and without it.`);
  else if (turned[i] < SEEN) {
    tone = anyway.length || !asking ? "soft" : "good";
    lines.push(`The lie changes nothing under ${rule}: its direction stays.`);
  } else {
    tone = because.length ? "bad" : "soft";
    lines.push(
      `The lie turns ${rule} by ${whole(turned[i])}${because.length ? `: ${named(because).toLowerCase()} now ${because.length > 1 ? "lose" : "loses"}` : ", and no honest client loses because of it"}.`,
    );
  }
  if (lying(numbers)) {
    if (anyway.length && turned[i] !== null)
      lines.push(`${named(anyway)} lost before the lie, too.`);
    const what = {
      "its loss": `reports a loss of ${thousands(reported)} instead of 0.6`,
      "its update": `sends ${thousands(factor)} times its gradient`,
    };
    lines.push(`Client 4 ${lies.map((lie) => what[lie]).join(" and ")}.`);
  }
  lines.push(`${MADE[rule]}.`);
  return { tone, lines, figures };
}

export const view = {
  title: "A liar among four clients",
  about:
    "Left, four gradients as arrows, the direction of the chosen rule without the lie dashed and with it drawn through; right, for each rule by how many degrees the lie turns it, and which honest clients then lose.",
  hint: "Drag the tips, and below them how many times client 4 multiplies; or use the arrow keys. A dashed line without a head goes on beyond the picture. Honest losers: clients 1 to 3 whose loss rises; full circles only because of the lie, hollow ones without it, too. A red bar: the lie costs one of them.",
  task: {
    ask: "Client 4 multiplies its loss and its update, and AdaFed's direction does not turn. Does it turn if only the update is false?",
    guesses: ["no, half a lie does no more", "yes, half a lie does more"],
    right: 1,
    goal: "Let client 4 multiply its update only, and look at AdaFed's bar.",
    reached: ({ lies }, { names, turned }) =>
      lies.join() === "its update" && turned[names.indexOf("AdaFed")] > 0.05,
    explain:
      "AdaFed (here with γ = 1) divides every gradient by its loss. If both are multiplied by the same number, the lie cancels. Half a lie does not cancel.",
  },
  reach: 1.6,
  panels: [
    {
      name: "plane",
      width: WIDTH,
      height: HEIGHT,
      label: "gradients and the size of the lie; drag them",
    },
    { name: "rules", width: WIDTH, height: HEIGHT, label: "the turn of each rule" },
  ],
  compute,
  draw,
  handles,
  words,
};
