// Chapter 2's lab: three clients' losses to drag by their arms, FedAvg's resting point, and the proximal average on a leash that is dragged too.
import { STEEPEST, average, leashed, loss, meanLeast, resting, worked } from "./proximal_points.js";
import { arrow, disc, label, line, placed, polygon, tag } from "./svg.js";
import { BAD, CLIENTS, INK, PAPER, SOFT } from "./palette.js";
import { lineHandle } from "./handles.js";
import { coordinates, curve, grid, stepped, ticks } from "./plane.js";
import { ZERO, named, two, where } from "./wording.js";

const WIDE = 360,
  HIGH = 276,
  FEDAVG = CLIENTS[5],
  ARM = 2.1,
  SIDES = [-1, 1, 1],
  LANES = [203, 225, 247];
const LOSSES = coordinates({
  x: [15.3, 26.7],
  y: [0, 2.7],
  left: 4,
  right: 356,
  top: 26,
  bottom: 172,
});
const RESTS = coordinates({
  x: [0, 1],
  y: [17.4, 24.6],
  left: 34,
  right: 344,
  top: 46,
  bottom: 226,
});
const W = Array.from({ length: 58 }, (_, i) => 15.3 + 0.2 * i),
  TURNS = Array.from({ length: 61 }, (_, i) => i / 60);
const WISH = { low: 17.5, high: 24.5, step: 0.05 },
  CURVATURE = { low: 0.01, high: 1.2, step: 0.01 },
  LOG = { low: -2, high: 4, step: 0.05 };
const PAYS = 0.02; // less than this is not called paying
const stepsAt = (turn) => 1000 ** turn,
  etaAt = (turn) => 10 ** (6 * turn - 2);
const turnOf = { steps: (steps) => Math.log10(steps) / 3, eta: (eta) => (Math.log10(eta) + 2) / 6 };
const three = (v) => (v < 100 ? String(+v.toPrecision(2)) : String(Math.round(v / 10) * 10));

function compute({ shape, steps, log_eta, ...dragged }) {
  const clients = [1, 2, 3].map((k) => ({
      h: dragged[`h${k}`],
      c: dragged[`c${k}`],
      steepest: STEEPEST[shape],
    })),
    eta = 10 ** log_eta;
  const mean = (x) => clients.reduce((sum, client) => sum + loss(client, x), 0) / 3;
  const best = meanLeast(clients),
    rest = resting(clients, worked, steps),
    least = resting(clients, leashed, eta);
  return {
    clients,
    steps,
    eta,
    best,
    rest,
    least,
    bottom: mean(best),
    mean: W.map(mean),
    average: W.map((x) => average(clients, x, eta)),
    lowest: average(clients, least, eta),
    rests: TURNS.map((turn) => resting(clients, worked, stepsAt(turn))),
    leasts: TURNS.map((turn) => resting(clients, leashed, etaAt(turn))),
    worked: clients.map((client) => worked(client, rest, steps)),
    leashed: clients.map((client) => leashed(client, rest, eta)),
    losses: clients.map((client) => loss(client, rest)),
    paid: clients.map((client) => loss(client, rest) - loss(client, best)),
  };
}

function draw(numbers) {
  return { clients: losses(numbers), rests: rests(numbers) };
}

/** A curve over W as far as it stays below the panel's top. */
function inside(values, more) {
  const top = LOSSES.y[1],
    runs = [[]];
  values.forEach((v, i) => {
    const last = runs[runs.length - 1],
      before = values[i - 1],
      edge =
        i && v > top !== before > top
          ? [W[i - 1] + (0.2 * (top - before)) / (v - before), top]
          : null;
    if (edge) last.push(edge);
    if (v <= top) last.push([W[i], v]);
    else if (edge) runs.push([]);
  });
  return runs
    .filter((run) => run.length > 1)
    .map((run) => curve(LOSSES, run, more))
    .join("");
}

const diamond = ([x, y]) =>
  polygon(
    [
      [x, y - 7],
      [x + 6, y],
      [x, y + 7],
      [x - 6, y],
    ],
    { fill: SOFT, stroke: PAPER },
  );
const square = ([x, y]) =>
  tag("rect", { x: x - 5, y: y - 5, width: 10, height: 10, fill: INK, stroke: PAPER });
/** A place on the right part of a curve over W, where a label stands apart from the others' minima; ``otherwise`` if it is above the panel. */
const wing = (values, otherwise) =>
  values[46] < LOSSES.y[1] ? LOSSES.at([W[46], values[46]]) : otherwise;
const low = (x, v) => {
  const [a, b] = LOSSES.at([x, v]);
  return [a, Math.max(LOSSES.top, b)];
};

function losses({
  clients,
  mean,
  average: proximal,
  best,
  bottom,
  rest,
  least,
  lowest,
  worked: ends,
  leashed: held,
  paid,
}) {
  const x = LOSSES.across(rest),
    pieces = [grid(LOSSES, [16, 18, 20, 22, 24, 26], [0])],
    deep = LANES[2] + 10;
  pieces.push(
    ticks({ ...LOSSES, bottom: deep - 1 }, [16, 18, 20, 22, 24, 26], []),
    label(2, 14, "loss", { fill: SOFT }),
    label(358, 190, "its loss", { fill: SOFT, "text-anchor": "end" }),
    label(360, HIGH - 4, "w", { fill: SOFT, "text-anchor": "end" }),
  );
  clients.forEach((client, k) => {
    if (client.steepest < 1) {
      const from = client.c,
        to = from + SIDES[k] * ARM,
        parts = Array.from({ length: 15 }, (_, i) => from + ((to - from) * i) / 14);
      pieces.push(
        curve(
          LOSSES,
          parts.map((v) => [v, (client.h * (v - from) ** 2) / 2]),
          { stroke: CLIENTS[k], "stroke-width": 1.5, "stroke-dasharray": "2 4" },
        ),
      );
    }
    pieces.push(
      inside(
        W.map((v) => loss(client, v)),
        { stroke: CLIENTS[k], "stroke-width": 2 },
      ),
    );
  });
  pieces.push(
    inside(mean, { stroke: SOFT, "stroke-width": 2, "stroke-dasharray": "6 4" }),
    inside(proximal, { stroke: INK, "stroke-width": 3.2 }),
  );
  pieces.push(line([x, LOSSES.top - 8], [x, deep], { stroke: FEDAVG, "stroke-width": 2.5 }));
  clients.forEach(({ c }, k) => {
    const y = LANES[k],
      to = LOSSES.across(ends[k]),
      wish = LOSSES.across(c);
    pieces.push(
      line([x, y], [wish, y], {
        stroke: CLIENTS[k],
        "stroke-width": 1.5,
        "stroke-dasharray": "2 4",
      }),
      arrow([x, y], [to, y], CLIENTS[k], 3.2),
    );
    pieces.push(line([wish, y - 7], [wish, y + 7], { stroke: CLIENTS[k], "stroke-width": 3 }));
    pieces.push(
      tag("circle", {
        cx: LOSSES.across(held[k]),
        cy: y,
        r: 5.5,
        fill: "none",
        stroke: INK,
        "stroke-width": 2,
      }),
    );
    pieces.push(label(2, y + 5, `client ${k + 1}`, { class: "strong" }));
    pieces.push(
      label(358, y + 5, (paid[k] > ZERO ? "+" : "") + two(paid[k]), {
        "text-anchor": "end",
        ...(paid[k] > PAYS ? { fill: BAD, class: "strong" } : {}),
      }),
    );
  });
  const marks = [low(best, bottom), low(least, lowest)];
  pieces.push(
    diamond(marks[0]),
    square(marks[1]),
    label(Math.min(308, Math.max(88, x)), 14, "FedAvg rests", {
      "text-anchor": "middle",
      class: "strong",
    }),
  );
  const arms = clients.map((client, k) => [...armAt(client, k), 12]);
  pieces.push(
    placed(
      [
        { at: wing(proximal, marks[1]), towards: [-0.4, -1], words: "proximal average" },
        {
          at: marks[0],
          towards: [best <= rest ? -1 : 1, -0.6],
          words: "mean loss",
          more: { fill: SOFT },
        },
        ...clients.map((_, k) => ({
          at: arms[k],
          towards: [SIDES[k], -1],
          words: `${k + 1}`,
          more: { class: "strong" },
        })),
      ],
      [
        ...arms,
        [...marks[0], 7],
        [...marks[1], 7],
        [x - 32, 10, 12],
        [x, 10, 12],
        [x + 32, 10, 12],
        ...[40, 80, 120, 160].map((y) => [x, y, 4]),
      ],
      WIDE,
      LOSSES.bottom + 6,
    ),
  );
  return pieces.join("");
}

function rests({ steps, eta, best, rest, least, rests: byStep, leasts }) {
  const across = [0, 1 / 3, 2 / 3, 1],
    up = [18, 20, 22, 24],
    pieces = [grid(RESTS, across, up)],
    { left, right, top, bottom } = RESTS;
  const band = [Math.max(...leasts), Math.min(...leasts)].map(RESTS.up);
  pieces.push(
    tag("rect", {
      x: left,
      y: band[0],
      width: right - left,
      height: Math.max(1, band[1] - band[0]),
      fill: SOFT,
      opacity: 0.15,
    }),
  );
  for (const y of [top, bottom])
    pieces.push(
      line([left, y], [right, y], { stroke: SOFT, "stroke-width": 3, "stroke-linecap": "round" }),
    );
  pieces.push(ticks(RESTS, [], up));
  across.forEach((turn, i) => {
    const at = RESTS.across(turn),
      anchor = i === 3 ? "end" : "middle",
      edge = i === 3 ? WIDE - 2 : at;
    pieces.push(
      label(edge, bottom + 22, String(10 ** i), { fill: SOFT, "text-anchor": anchor }),
      label(edge, top - 13, ["0.01", "1", "100", "10⁴"][i], { fill: SOFT, "text-anchor": anchor }),
    );
  });
  pieces.push(
    label(left, 14, "length of the leash η", { class: "strong" }),
    label(left, bottom + 43, "local steps E of FedAvg", { class: "strong" }),
  );
  pieces.push(
    curve(
      RESTS,
      TURNS.map((turn, i) => [turn, leasts[i]]),
      { stroke: INK, "stroke-width": 3.2 },
    ),
    curve(
      RESTS,
      TURNS.map((turn, i) => [turn, byStep[i]]),
      { stroke: FEDAVG, "stroke-width": 3 },
    ),
  );
  const one = RESTS.at([turnOf.steps(steps), rest]),
    other = RESTS.at([turnOf.eta(eta), least]),
    start = RESTS.at([0, best]);
  pieces.push(
    line([one[0], bottom], one, { stroke: FEDAVG, "stroke-width": 1.3, "stroke-dasharray": "4 4" }),
    line([other[0], top], other, { stroke: INK, "stroke-width": 1.3, "stroke-dasharray": "4 4" }),
  );
  pieces.push(
    line([left, one[1]], [right, one[1]], {
      stroke: FEDAVG,
      "stroke-width": 1.3,
      "stroke-dasharray": "4 4",
    }),
  );
  pieces.push(diamond(start), disc(one, 6, { fill: FEDAVG, stroke: PAPER }), square(other));
  const beside = (x, far) =>
    x > 270 ? { x: x - far, anchor: "end" } : { x: x + far, anchor: "start" };
  const e = beside(one[0], 11),
    h = beside(other[0], 11);
  pieces.push(
    label(e.x, bottom - 8, `E = ${steps}`, { "text-anchor": e.anchor, class: "strong" }),
    label(h.x, top + 19, `η = ${three(eta)}`, { "text-anchor": h.anchor, class: "strong" }),
  );
  pieces.push(
    placed(
      [
        { at: one, towards: [0.3, one[1] < other[1] ? -1 : 1], words: "FedAvg rests" },
        { at: other, towards: [0.3, one[1] < other[1] ? 1 : -1], words: "proximal average" },
        { at: start, towards: [1, 1], words: "mean loss", rings: 3, more: { fill: SOFT } },
      ],
      [
        [...one, 6],
        [...other, 6],
        [...start, 6],
        ...up.map((w) => [16, RESTS.up(w), 16]),
        [one[0] + 36, bottom - 14, 26],
        [other[0] + 36, top + 14, 26],
        ...TURNS.map((turn) => [RESTS.across(turn), one[1], 2]),
      ],
      WIDE - 14,
      bottom,
    ),
  );
  return pieces.join("");
}

// ---- what can be dragged -----------------------------------------------------------------------------------------------------------------

const armAt = ({ c, h }, k) => LOSSES.at([c + SIDES[k] * ARM, (h * ARM * ARM) / 2]);

function shaped(state, k, c, h) {
  return { ...state, [`c${k + 1}`]: stepped(WISH, c), [`h${k + 1}`]: stepped(CURVATURE, h) };
}

function handles({ clients, steps, eta }) {
  const arms = clients.map(({ c, h }, k) => ({
    name: `arm${k + 1}`,
    panel: "clients",
    at: armAt({ c, h }, k),
    colour: CLIENTS[k],
    now: c,
    range: [WISH.low, WISH.high],
    value: `likes ${two(c)} best, curvature ${two(h)}`,
    label: `arm of client ${k + 1}'s loss: sideways its minimiser, up its curvature`,
    move: (state, point) => {
      const [w, v] = LOSSES.back(point);
      return shaped(state, k, w - SIDES[k] * ARM, (2 * v) / ARM / ARM);
    },
    step: (state, by) =>
      shaped(state, k, state[`c${k + 1}`] + by[0], state[`h${k + 1}`] + by[1] / 5),
  }));
  const whole = (v) => Math.min(1000, Math.max(1, Math.round(v))),
    [below, above] = RESTS.y.map((y) => (turn) => RESTS.at([turn, y]));
  return [
    ...arms,
    {
      name: "steps",
      panel: "rests",
      at: below(turnOf.steps(steps)),
      colour: FEDAVG,
      now: steps,
      range: [1, 1000],
      track: [below(0), below(1)],
      value: `${steps} local steps`,
      label: "local steps E of FedAvg",
      move: (state, point) => ({ ...state, steps: whole(1000 ** RESTS.back(point)[0]) }),
      step: (state, by) => {
        const way = by[0] + by[1];
        return {
          ...state,
          steps: whole(
            state.steps + Math.sign(way) * Math.max(1, state.steps * (10 ** Math.abs(way) - 1)),
          ),
        };
      },
    },
    lineHandle({
      control: "log_eta",
      name: "eta",
      limits: LOG,
      now: Math.log10(eta),
      place: (v) => above(turnOf.eta(10 ** v)),
      panel: "rests",
      colour: INK,
      value: `η = ${three(eta)}`,
      label: "length of the leash η",
    }),
  ];
}

// ---- what happened -----------------------------------------------------------------------------------------------------------------------

/** Which leashes rest where FedAvg does, read off the curve: the first crossing, or null. */
function fitting(rest, leasts) {
  for (let i = 1; i < leasts.length; i++) {
    const before = leasts[i - 1] - rest,
      after = leasts[i] - rest;
    if (before * after <= 0)
      return etaAt((i - 1 + (before === after ? 0 : before / (before - after))) / 60);
  }
  return null;
}

function words({ clients, steps, eta, best, rest, least, leasts, paid }) {
  const work = steps === 1 ? "one local step" : `${steps} local steps`,
    off = Math.abs(rest - best) > 0.005,
    near = Math.abs(least - rest) <= 0.02;
  const figures = `Mean loss least at ${two(best)}, FedAvg rests at ${two(rest)}, proximal average least at ${two(least)}.`,
    lines = [];
  const alike = clients.every(({ h, steepest }) => h === clients[0].h && steepest > 1),
    who = where(paid, (v) => v > PAYS);
  if (alike)
    lines.push(
      `With equal curvatures all agree: FedAvg rests at ${two(rest)}, where the mean loss is least, whatever E is.`,
      "One local phase is then exactly one step on a leash of one length, which depends on E, and every proximal average is least there too.",
    );
  else if (off)
    lines.push(
      `With ${work} FedAvg rests at ${two(rest)}, not at ${two(best)} where the mean loss is least${who.length ? `: ${named(who).toLowerCase()} pay${who.length > 1 ? "" : "s"} for it` : ""}.`,
    );
  else lines.push(`With ${work} FedAvg rests at ${two(rest)}, where the mean loss is least.`);
  if (!alike) {
    const fit = fitting(rest, leasts),
      short = Math.abs(leasts[0] - rest) < 0.01;
    if (near)
      lines.push(
        `The proximal average with η = ${three(eta)} is least there${off ? ": it says what these steps minimise" : " too: a short leash changes little"}.`,
      );
    else
      lines.push(
        `The proximal average with η = ${three(eta)} is least elsewhere, at ${two(least)}; ${short ? "a very short leash would fit" : fit ? `η near ${three(fit)} would fit` : "no leash fits: no η rests where FedAvg does"}.`,
      );
  }
  return { tone: alike ? "good" : off ? "bad" : "good", lines, figures };
}

export const view = {
  title: "The leash",
  about:
    "Left, three clients' losses with their mean and their proximal average, and below, where each client goes from FedAvg's resting point; right, the resting points against local steps and against the leash.",
  hint: "Drag the knobs E and η until the square stands on the dashed line of FedAvg. Drag a loss by its arm, the ring on its curve: sideways moves the w that the client likes best, up makes it touchier. A client pays if it is worse off than where the mean loss is least.",
  key: "Arrows: where E local steps from FedAvg's resting point end; they cancel. Black rings beside them: where a leash ends, which minimises loss + (distance)²/2η. Numbers: how much higher a client's loss is than where the mean loss is least. In the picture with the knobs w goes upwards; grey: what some η reaches.",
  task: {
    ask: "Three quadratic losses have different curvatures. How many local steps bring FedAvg to rest at the lowest point of their mean?",
    guesses: ["one", "about twenty", "as many as possible"],
    right: 0,
    goal: "Keep the quadratic losses. Drag E until FedAvg's line stands at the lowest point of the dashed curve, the mean loss.",
    reached: ({ shape, steps }, { rest, best }) =>
      shape === "quadratic" && steps < 3 && Math.abs(rest - best) < 0.06,
    explain:
      "The mean of single steps is a gradient step on the mean loss. With more steps, a client with a strongly curved loss soon arrives and stops pulling, while the others pull on.",
  },
  reach: 25,
  panels: [
    { name: "clients", width: WIDE, height: HIGH, label: "three losses; drag their arms" },
    { name: "rests", width: WIDE, height: HIGH, label: "where rounds come to rest; drag E and η" },
  ],
  compute,
  draw,
  handles,
  words,
};
