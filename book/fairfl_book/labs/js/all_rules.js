// Chapter 10's lab: two gradients, losses and Newton falls to drag, every rule's direction, and what a lie of client 2 changes.
import { cone, decide, dot } from "./geometry.js";
import { lineHandle, tipHandles } from "./handles.js";
import { CLIENTS, GOOD, INK, LINE, PAPER, SOFT } from "./palette.js";
import { arrow, disc, label, line, placed, polygon, px, tag } from "./svg.js";
import { centred } from "./plane.js";
import { ZERO, listed, sub, two, where } from "./wording.js";
import { circlePlaces, drawn } from "./circle_labels.js";
import { EVERY, SOURCES } from "./rules.js";
import { KINDS, SHEET, bunches, menu, rows, tallest } from "./rate_charts.js";

const { width: WIDE, height: TALL } = SHEET,
  ARM = 86,
  REACH = 1,
  MIDDLE = [180, 128],
  FAR = 1.15;
const PLANE = centred({ middle: MIDDLE, unit: ARM, half: [FAR, FAR] });
const TIMES = 3,
  SHORTEST = 1e-7, // as in all_rules.py
  TOGETHER = 0.02, // directions that are no further apart share an arrow, and
  BESIDE = 0.2, // a label
  STRIPE = 6;
const CAPTION = 254;
const ALONE = "only with Python";
// What client 2 has and may report, on a line each: a number from 0 to 4, client 1's is 1.
const LINES = {
  loss: { y: 283, range: { low: 0.2, high: 4, step: 0.1 }, lie: "loss", words: "losses" },
  fall: {
    y: 320,
    range: { low: 0.2, high: 4, step: 0.1 },
    lie: "Newton fall",
    words: "Newton falls",
  },
};
const MOST = 4,
  along = (v) => 14 + (Math.min(MOST, v) / MOST) * (WIDE - 28);

const unit = (v) => {
  const size = Math.hypot(...v);
  return size > SHORTEST ? v.map((x) => x / size) : v.map(() => 0);
};

function compute(state, kernel) {
  const { sources, families, lie, factor, show, loss, fall, tips: G } = state,
    losses = [1, loss],
    falls = [1, fall],
    accuracies = losses.map((f) => Math.exp(-f));
  const steps = (lies) => {
    const [f, r, g] = ["loss", "Newton fall", "gradient"].map((what) =>
      lies.includes(what) ? factor : 1,
    );
    const round = {
      G: [G[0], G[1].map((v) => v * g)],
      losses: [1, loss * f],
      falls: [1, fall * r],
      accuracies,
    };
    return EVERY.map((rule) => unit(rule.direction(round, TIMES)));
  };
  const asked = kernel?.names ?? [],
    late = !same(kernel?.state, state),
    none = asked.map(() => [0, 0]);
  const waits = late
    ? kernel?.state
      ? "asking Python …"
      : ALONE
    : kernel.trouble
      ? "no answer"
      : "";
  const all = [...steps(lie), ...(kernel?.steps ?? none)],
    honest = [
      ...(lie.length ? steps([]) : all.slice(0, EVERY.length)),
      ...(kernel?.honest ?? none),
    ];
  const rate = (step) => G.map((g) => dot(g, step));
  return {
    G,
    names: [...EVERY.map((rule) => rule.name), ...asked],
    kinds: [...EVERY.map((rule) => rule.kind), ...(kernel?.kinds ?? [])],
    origins: [...EVERY.map((rule) => rule.source), ...(kernel?.kinds ?? [])],
    sources,
    steps: all,
    rates: all.map(rate),
    honest: honest.map(rate),
    losses,
    falls,
    lie,
    factor,
    show,
    families,
    trouble: (!late && kernel?.trouble) || "",
    waits: all.map((_, i) => (i < EVERY.length ? "" : waits)),
    cone: cone(G, decide("FedMGDA", G).direction),
  };
}

const same = (a, b) =>
  Boolean(a) && Object.keys(b).every((key) => JSON.stringify(a[key]) === JSON.stringify(b[key]));
/** The places of the rules in the list, and of those that are switched on; those that Python is asked for always are. */
const list = ({ origins, sources }) =>
  where(origins, (origin) => sources.includes(origin) || !SOURCES.includes(origin));
const on = (numbers) =>
  list(numbers).filter((i) => {
    const kind = numbers.kinds[i];
    return numbers.families.includes(kind) || !(kind in KINDS.switched);
  });

function draw(numbers) {
  const chosen = on(numbers);
  return {
    plane: plane(numbers, chosen),
    rates:
      numbers.show === "ellipse" ? menu(numbers, chosen) : rows(numbers, list(numbers), chosen),
  };
}

const heights = (numbers) => ({
  rates: numbers.show === "ellipse" ? TALL : tallest(list(numbers).length),
});

function plane({ G, steps, kinds, waits, lie, factor, losses, falls, cone: helps }, chosen) {
  const { at } = PLANE,
    origin = at([0, 0]),
    pieces = [],
    around = (t, r = 1) => at([r * Math.cos(t), r * Math.sin(t)]);
  if (helps)
    pieces.push(
      tag("path", {
        d: `M${origin.join(" ")}L${around(helps[0]).map(px).join(" ")}A${ARM} ${ARM} 0 0 0 ${around(helps[1]).map(px).join(" ")}Z`,
        fill: GOOD,
        opacity: 0.16,
      }),
    );
  pieces.push(
    disc(origin, ARM, {
      fill: "none",
      stroke: LINE,
      "stroke-width": 1.5,
    }),
  );
  G.forEach((g, k) => pieces.push(arrow(origin, at(g), CLIENTS[k], 6)));
  const moving = chosen.filter((i) => Math.hypot(...steps[i]) > 0.5);
  for (const { point, members } of bunches(moving, steps, TOGETHER)) {
    const colours = [...new Set(members.map((i) => KINDS.colours[kinds[i]]))],
      more = members.every((i) => waits[i]) ? { opacity: 0.35 } : {},
      shaft = at(point.map((v) => v * (1 - 9 / ARM)));
    pieces.push(arrow(origin, at(point), colours[0], 2.2, more));
    // Rules of several kinds share an arrow in stripes.
    colours.slice(1).forEach((stroke, n) =>
      pieces.push(
        line(origin, shaft, {
          stroke,
          "stroke-width": 2.2,
          "stroke-dasharray": `${STRIPE} ${STRIPE * (colours.length - 1)}`,
          "stroke-dashoffset": -STRIPE * (n + 1),
          ...more,
        }),
      ),
    );
  }
  const beside = [],
    outside = [];
  G.forEach((g, k) => {
    const size = Math.hypot(...g),
      words = `g${sub(k)}`,
      more = { class: "strong" };
    if (size > 0.8) outside.push({ turn: Math.atan2(g[1], g[0]), words, more });
    else
      beside.push({
        at: at(g),
        towards: size > ZERO ? [g[0], -g[1]] : [1, 1 - 2 * k],
        words,
        more,
      });
  });
  if (lie.includes("gradient")) {
    const far = Math.min(factor, FAR / (Math.hypot(...G[1]) || 1)),
      sent = at(G[1].map((v) => v * far));
    // Without a ring at its end it goes on, further than there is room.
    pieces.push(
      line(at(G[1]), sent, { stroke: CLIENTS[1], "stroke-width": 3, "stroke-dasharray": "4 3" }),
    );
    if (far === factor)
      pieces.push(
        disc(sent, 4, {
          fill: PAPER,
          stroke: CLIENTS[1],
          "stroke-width": 2,
          "stroke-dasharray": "2 2",
        }),
      );
    pieces.push(label(WIDE, CAPTION, `sends ${factor.toFixed(1)} g₂`, { "text-anchor": "end" }));
  }
  for (const { point, words } of bunches(moving, steps, BESIDE))
    outside.push({ turn: Math.atan2(point[1], point[0]), words, more: { class: "strong" } });
  if (moving.length < chosen.length)
    pieces.push(
      tag("rect", { x: origin[0] - 5, y: origin[1] - 5, width: 10, height: 10, fill: INK }),
    );
  const labels = circlePlaces(outside, origin, ARM, [1, 2, WIDE - 1, CAPTION - 13]),
    taken = labels.flatMap(({ x, y, w, h }) =>
      [-1, 0, 1].map((side) => [x + (side * Math.max(0, w - h)) / 2, y, h / 2]),
    );
  pieces.push(
    placed(beside, [...G.map((g) => [...at(g), 8]), ...taken], WIDE, 225),
    drawn(labels, origin, ARM, SOFT),
  );
  pieces.push(
    label(0, CAPTION, helps ? "green: both losses fall" : "no step lowers both losses", {
      fill: helps ? GOOD : SOFT,
    }),
  );
  for (const [name, { y, words, lie: what }] of Object.entries(LINES)) {
    const has = name === "loss" ? losses : falls,
      lies = lie.includes(what) ? `, told as ${two(has[1] * factor)}` : "";
    pieces.push(
      label(
        0,
        y - 11,
        `${words} ${has[0].toFixed(1)} and ${has[1].toFixed(1)}${lies}`,
        lies ? {} : { fill: SOFT },
      ),
    );
    pieces.push(
      line([along(0), y], [along(4), y], {
        stroke: LINE,
        "stroke-width": 3,
        "stroke-linecap": "round",
      }),
    );
    pieces.push(
      tag("rect", { x: along(has[0]) - 2, y: y - 6, width: 4, height: 12, fill: CLIENTS[0] }),
    );
    if (lies && has[1] * factor > MOST)
      pieces.push(
        polygon(
          [
            [WIDE - 1, y],
            [WIDE - 11, y - 6],
            [WIDE - 11, y + 6],
          ],
          { fill: CLIENTS[1] },
        ),
      );
    else if (lies)
      pieces.push(
        tag("circle", {
          cx: along(has[1] * factor),
          cy: y,
          r: 5,
          fill: PAPER,
          stroke: CLIENTS[1],
          "stroke-width": 2,
          "stroke-dasharray": "2 2",
        }),
      );
  }
  return pieces.join("");
}

const handles = ({ G, losses, falls }) => [
  ...Object.entries(LINES).map(([name, { y, range, words }]) => {
    const now = (name === "loss" ? losses : falls)[1];
    return lineHandle({
      control: name,
      limits: range,
      now,
      place: (v) => [along(v), y],
      panel: "plane",
      colour: CLIENTS[1],
      stride: range.step,
      value: now.toFixed(1),
      label: `${words}: client 2's`,
    });
  }),
  ...tipHandles(G, { c: PLANE, reach: REACH }),
];

function words(numbers) {
  const { names, steps, rates, honest, waits, lie, trouble } = numbers,
    chosen = on(numbers).filter((i) => !waits[i]),
    lines = [],
    named = (places) => listed(places.map((i) => names[i]));
  const figures = chosen.map((i) => `${names[i]}: ${rates[i].map(two).join(" and ")}.`).join(" ");
  if (!chosen.length) return { tone: "soft", lines: ["No rule is switched on."], figures };
  if (chosen.every((i) => !steps[i][0] && !steps[i][1])) {
    const zero = numbers.G.flat().every((v) => v === 0)
      ? "Both gradients are zero: there is nothing to follow. "
      : "";
    return {
      tone: "soft",
      lines: [`${zero}${chosen.length > 1 ? "Every rule shown" : named(chosen)} stands still.`],
      figures,
    };
  }
  const pay = [0, 1].map((k) => chosen.filter((i) => rates[i][k] < -ZERO)),
    payers = [0, 1].filter((k) => pay[k].length),
    all = chosen.length > 1 ? `the ${chosen.length} rules` : "the rule shown";
  lines.push(
    payers.length
      ? `${payers.map((k, n) => (n ? `client ${k + 1} under ${pay[k].length}` : `Client ${k + 1} pays under ${pay[k].length} of ${all}`)).join(", ")}.`
      : `Nobody pays under any of ${all}.`,
  );
  const paid = chosen.filter((i) => pay.some((some) => some.includes(i)));
  if (paid.length > FEW)
    lines.push(
      numbers.show === "ellipse"
        ? "Their points lie outside the green."
        : "These are the red rows.",
    );
  else if (payers.length === 1) lines.push(`Its loss rises under ${named(paid)}.`);
  else if (payers.length > 1)
    lines.push(`Client 1's loss rises under ${named(pay[0])}; client 2's under ${named(pay[1])}.`);
  const still = chosen.filter((i) => !steps[i][0] && !steps[i][1]);
  if (still.length) lines.push(`${named(still)} ${still.length > 1 ? "stand" : "stands"} still.`);
  if (lie.length) {
    const change = (i) => rates[i][1] - honest[i][1],
      deaf = chosen.filter((i) => [0, 1].every((k) => Math.abs(rates[i][k] - honest[i][k]) < ZERO));
    const [gain, lose] = [1, -1].map((way) =>
      chosen.filter((i) => !deaf.includes(i) && way * change(i) > 0),
    );
    const some = (places) => (places.length > 3 ? `${places.length} rules` : named(places)),
      parts = [];
    if (gain.length) parts.push(`raises client 2's rate under ${some(gain)}`);
    if (lose.length)
      parts.push(`${gain.length ? "lowers it" : "lowers client 2's rate"} under ${some(lose)}`);
    if (deaf.length)
      parts.push(
        `changes nothing under ${deaf.length === chosen.length ? "any rule shown" : deaf.length > FEW ? `the other ${deaf.length}` : named(deaf)}`,
      );
    lines.push(`The lie ${listed(parts)}.`);
  }
  const away = where(waits, (words) => words === ALONE);
  if (away.length)
    lines.push(`${named(away)} ${away.length > 1 ? "answer" : "answers"} only where Python runs.`);
  if (trouble) lines.push(`Python could not answer: ${trouble.replace(/\.?$/, ".")}`);
  return { tone: payers.length ? "bad" : "good", lines, figures };
}

const FEW = 3; // more rules than these are not listed by name

export const view = {
  title: "All rules on the same two gradients",
  about:
    "Left, two gradients and each rule's direction as an arrow of length 1, below them the clients' losses and Newton falls; right, each rule's rates for both clients.",
  hint: "Drag g₁, g₂ and, on the lines below, client 2's loss and Newton fall. Thin arrows: the rules' directions, numbered as in the list; touch the buttons above to see more or fewer.",
  key: "Newton fall: by how much one Newton step of a client's own would lower its loss; client 1's loss and fall are fixed. Sky blue: the rule fixes weights, how much each gradient counts; black, or white in the dark: it fixes rates, how fast each true loss falls; purple: neither; striped: rules of several kinds. Strokes across bars: rates without the lie.",
  task: {
    ask: "FedMGDA believes what it is sent. What can client 2 send to get a larger rate?",
    guesses: ["a longer gradient", "a shorter gradient", "the length makes no difference"],
    right: 1,
    goal: "Let client 2 multiply its gradient so that FedMGDA gives it at least 0.1 more than without the lie.",
    reached: ({ lie }, { names, rates, honest }) => {
      const i = names.indexOf("FedMGDA");
      return lie.includes("gradient") && rates[i][1] > honest[i][1] + 0.1;
    },
    explain:
      "FedMGDA makes the rates equal along the gradients as they were sent. If client 2 sends half of its gradient, its true rate is twice client 1's.",
  },
  reach: REACH,
  panels: [
    {
      name: "plane",
      width: WIDE,
      height: TALL,
      label: "gradients, losses and Newton falls; drag them",
    },
    { name: "rates", width: WIDE, height: TALL, label: "rates of both clients under each rule" },
  ],
  active: (state, name) => name !== "factor" || state.lie.length > 0,
  says: (name, v) => (name === "factor" ? v.toFixed(1) : undefined),
  compute,
  draw,
  heights,
  handles,
  words,
};
