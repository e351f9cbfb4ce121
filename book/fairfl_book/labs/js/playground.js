// The playground: a toy problem, a start to drag, and every rule's way down from there.
import { contours, ellipse } from "./contours.js";
import { ROUNDS, landscape, walk } from "./descent_paths.js";
import { pointHandle } from "./handles.js";
import { label, line, placed, tag } from "./svg.js";
import { CLIENTS, INK, PAPER, SOFT } from "./palette.js";
import { coordinates } from "./plane.js";
import {
  COLUMNS,
  PENS,
  SQUARE,
  columns,
  names,
  occupied,
  outlined,
  painted,
  parts,
  square,
  tenth,
  thinned,
  trails,
} from "./trajectories.js";
import { listed, named, two } from "./wording.js";

const WIDE = 360,
  HIGH = 272,
  UNIT = 62,
  BOUND = [-WIDE, WIDE, -HIGH, HIGH].map((v) => v / 2 / UNIT);
const FIELD = coordinates({
    x: BOUND.slice(0, 2),
    y: BOUND.slice(2),
    left: 0,
    right: WIDE,
    top: 0,
    bottom: HIGH,
  }),
  { at } = FIELD;
const LEVELS = { "Fonseca–Fleming": [0.1, 0.35, 0.7, 0.9] },
  USUAL = [0.08, 0.35, 0.9, 1.8];
const HIDDEN = 8; // pixels
const PAYS = (f, g) => g > 1.01 * f + 1e-3;

function compute({ problem, rules, gamma, epsilon, minimisers, start }) {
  const land = landscape(problem, minimisers),
    from = start[0],
    walks = {};
  for (const rule of rules)
    if (rule !== "DQN-Fed" || land.falls) walks[rule] = walk(rule, land, from, { gamma, epsilon });
  const each = (what) =>
    Object.fromEntries(Object.entries(walks).map(([rule, found]) => [rule, what(found)]));
  return {
    problem,
    gamma,
    epsilon,
    start: from,
    centres: land.centres,
    running: Object.keys(walks),
    before: land.losses(from),
    paths: each(({ path }) => path),
    after: each(({ path }) => land.losses(path[ROUNDS])),
    where: each((found) => found.where),
    rounds: Math.max(1, ...Object.values(walks).map((found) => found.rounds)),
    withheld: rules.includes("DQN-Fed") && !land.falls,
  };
}

/** A way up to ``time``, between two rounds a part of the step. */
function until(path, time, rounds) {
  const t = time * rounds,
    whole = Math.min(Math.floor(t), path.length - 1),
    next = path[whole + 1],
    part = t - whole;
  const so = path.slice(0, whole + 1);
  return next && part > 1e-9 ? [...so, path[whole].map((v, i) => v + part * (next[i] - v))] : so;
}

function draw(numbers, time = 1) {
  const land = landscape(numbers.problem, numbers.centres),
    ways = numbers.running.map((rule) => ({
      rule,
      way: until(numbers.paths[rule], time, numbers.rounds),
    }));
  return { plane: field(numbers, land, ways), losses: fates(numbers, land, ways) };
}

// ---- the plane ---------------------------------------------------------------------------------------------------------------------------

function field({ problem, running, centres, start }, land, ways) {
  const pieces = centres.flatMap((centre, k) => rings(problem, land, centre, k)),
    set = edge(land, centres).map(at),
    from = at(start),
    places = centres.map(at);
  const area =
    centres.length > 2
      ? { fill: SOFT, "fill-opacity": 0.22, stroke: SOFT, "stroke-opacity": 0.5, "stroke-width": 2 }
      : { fill: "none", stroke: SOFT, "stroke-width": 7, "stroke-linecap": "round", opacity: 0.45 };
  pieces.push(tag("path", { d: outlined(thinned(set)), "stroke-linejoin": "round", ...area }));
  const shown = ways.map(({ rule, way }) => ({ rule, points: way.map(at) })),
    heads = shown.map(({ points }) => points[points.length - 1]),
    busy = [from, ...places, ...heads];
  const labels = names(shown, from);
  places.forEach((p, k) =>
    labels.push({
      at: p,
      towards: [p[0] - WIDE / 2, p[1] - HIGH / 2 || 1],
      words: `client ${k + 1}`,
      wide: 9.5,
      rings: 2,
      more: { class: "strong" },
    }),
  );
  labels.push(
    { at: from, towards: [from[0] - WIDE / 2, from[1] - HIGH / 2 || 1], words: "start", rings: 2 },
    { at: lonely(set, busy), towards: [0, 1], words: "Pareto set", rings: 2, more: { fill: SOFT } },
  );
  const wall =
    running.some((rule) => rule === "AdaFed" || rule === "DQN-Fed") && centres.length === 2
      ? parallel(land).map((piece) => piece.map(at))
      : [];
  if (wall.length) {
    pieces.push(
      tag("path", {
        d: wall.map(outlined).join(""),
        stroke: SOFT,
        "stroke-width": 1.8,
        "stroke-dasharray": "2 3",
      }),
    );
    labels.push({
      at: lonely(
        wall.map(([p]) => p),
        busy,
      ),
      towards: [1, 0],
      away: 6,
      words: "wall",
      more: { fill: SOFT },
    });
  }
  const blocked = [
    ...busy.map((p) => [...p, 8]),
    ...shown.flatMap(({ points }) => points.filter((_, i) => i % 4 === 0).map((p) => [...p, 3])),
  ];
  const hidden = shown.filter((_, i) =>
    places.some((p) => Math.hypot(p[0] - heads[i][0], p[1] - heads[i][1]) < HIDDEN),
  ); // below a minimiser's handle
  const around = hidden.map(({ rule, points }) => {
    const [cx, cy] = points[points.length - 1].map(tenth);
    return tag("circle", {
      cx,
      cy,
      r: 10.5,
      fill: "none",
      stroke: PENS[rule].colour,
      "stroke-width": 3,
      class: "head",
    });
  });
  return (
    pieces.join("") + trails(shown) + around.join("") + placed(labels, blocked, WIDE, HIGH, 40)
  );
}

/** The Pareto set of two clients, or the outline of that of three. */
function edge(land, centres) {
  if (centres.length === 2) return land.pareto(41);
  const between = (i, j) =>
    Array.from({ length: 17 }, (_, n) =>
      land.minimiser(centres.map((__, k) => (k === i ? 1 - n / 16 : k === j ? n / 16 : 0))),
    );
  return [...between(0, 1), ...between(1, 2), ...between(2, 0)];
}

/** Of some points the one that is farthest from all that is busy, and not at the rim. */
function lonely(points, busy) {
  const inside = points.filter(([x, y]) => x > 40 && x < WIDE - 40 && y > 24 && y < HIGH - 24),
    alone = ([x, y]) => Math.min(...busy.map((b) => Math.hypot(b[0] - x, b[1] - y)));
  return (inside.length ? inside : points).reduce((best, p) => (alone(p) > alone(best) ? p : best));
}

function rings(problem, land, centre, k) {
  const pen = { fill: "none", stroke: CLIENTS[k], "stroke-width": 1, opacity: 0.55 },
    [x, y] = at(centre);
  return (LEVELS[problem] ?? USUAL).map((level) => {
    if (problem === "Fonseca–Fleming")
      return tag("circle", {
        cx: x,
        cy: y,
        r: tenth(UNIT * Math.sqrt(-Math.log(1 - level))),
        ...pen,
      });
    const ring = ellipse([0, 0], land.hessians()[k], level, 4),
      [a, b] = [ring[0], ring[1]];
    return tag("ellipse", {
      rx: tenth(UNIT * Math.hypot(...a)),
      ry: tenth(UNIT * Math.hypot(...b)),
      transform: `translate(${tenth(x)} ${tenth(y)}) rotate(${tenth((-180 / Math.PI) * Math.atan2(a[1], a[0]))})`,
      ...pen,
    });
  });
}

/** Where two gradients are parallel and point the same way. */
function parallel(land) {
  const pair = (w) => land.gradients(w),
    cross = ([g, h]) => g[0] * h[1] - g[1] * h[0],
    inner = ([g, h]) => g[0] * h[0] + g[1] * h[1];
  const [pieces] = contours((w) => cross(pair(w)), BOUND, [0], 36);
  return pieces.filter(([p, q]) => inner(pair([(p[0] + q[0]) / 2, (p[1] + q[1]) / 2])) > 0);
}

// ---- the losses ------------------------------------------------------------------------------------------------------------------------

function fates({ centres, before }, land, ways) {
  if (centres.length === 2) {
    const points = ways.map(({ rule, way }) => ({
        rule,
        points: way.map((w) => SQUARE.at(parts(land.losses(w), before))),
      })),
      from = SQUARE.at([1, 1]);
    return (
      square(land.pareto(41).map(land.losses), before) +
      trails(points) +
      placed(
        names(points, from),
        [...occupied, ...points.map(({ points: way }) => [...way[way.length - 1], 5])],
        WIDE,
        SQUARE.bottom + 4,
        40,
      )
    );
  }
  const dots = (rule, ends) =>
    ends
      .map(([x, y]) =>
        tag("circle", {
          cx: x,
          cy: tenth(y),
          r: 4,
          fill: PENS[rule].colour,
          stroke: PAPER,
          "stroke-width": 1,
        }),
      )
      .join("");
  const last = [];
  const lines = ways.map(({ rule, way }) => {
    const ends = parts(land.losses(way[way.length - 1]), before).map((v, k) => [
      COLUMNS.x(k),
      COLUMNS.y(v),
    ]);
    last.push({ rule, from: ends[2][1], y: ends[2][1] });
    return (
      tag("path", {
        d: outlined(ends),
        fill: "none",
        stroke: PENS[rule].colour,
        "stroke-width": 2.6,
        "stroke-dasharray": PENS[rule].dashes,
      }) + dots(rule, ends)
    );
  });
  const beside = spread(last).map(
    ({ rule, from, y }) =>
      line([COLUMNS.x(2) + 5, from], [COLUMNS.x(2) + 19, y], {
        stroke: PENS[rule].colour,
        "stroke-width": 1.2,
      }) +
      label(COLUMNS.x(2) + 21, y + 5, rule, { class: "strong", fill: painted(PENS[rule].colour) }),
  );
  return columns(3) + lines.join("") + beside.join("");
}

/** Names beside the last column, none over another. */
function spread(ends) {
  const sorted = ends.sort((a, b) => a.y - b.y),
    top = 18,
    foot = 214;
  sorted.forEach((end, i) => {
    end.y = Math.max(end.y, i ? sorted[i - 1].y + 17 : top);
  });
  for (let i = sorted.length - 1; i >= 0; i--)
    sorted[i].y = Math.min(sorted[i].y, i === sorted.length - 1 ? foot : sorted[i + 1].y - 17);
  return sorted;
}

// ---- what can be dragged, and what is said ------------------------------------------------------------------------------------------------

const handles = ({ centres, start }) => [
  ...centres.map((c, k) =>
    pointHandle({
      name: `minimiser${k + 1}`,
      list: "minimisers",
      k,
      place: c,
      colour: CLIENTS[k],
      label: `where client ${k + 1}'s loss is lowest`,
      c: FIELD,
      reach: view.reach,
    }),
  ),
  pointHandle({
    name: "start",
    list: "start",
    place: start,
    colour: INK,
    label: "the start of the race",
    c: FIELD,
    reach: view.reach,
    runs: true,
  }),
];

function words({ problem, running, before, after, where: ends, gamma, withheld }) {
  const times = (rule, k) => (before[k] > 0 ? after[rule][k] / before[k] : Infinity),
    lines = [];
  const withheldSaid =
    "DQN-Fed does not run here: these losses curve downwards, and it would ask some of them to rise.";
  if (!running.length)
    return {
      tone: "soft",
      lines: ["No rule is running: switch one on.", ...(withheld ? [withheldSaid] : [])],
      figures: "",
    };
  const paid = running
      .map((rule) => [
        rule,
        before.map((f, k) => (PAYS(f, after[rule][k]) ? k : -1)).filter((k) => k >= 0),
      ])
      .filter(([, who]) => who.length),
    kind = running.filter((rule) => !paid.some(([one]) => one === rule));
  for (const [rule, who] of paid) {
    const worst = who.reduce((a, b) => (times(rule, b) > times(rule, a) ? b : a)),
      by = times(rule, worst);
    lines.push(
      `${rule} makes ${named(who).toLowerCase()} pay: ${who.length > 1 ? `client ${worst + 1}'s` : "its"} loss ends at ${by < 100 ? `${two(by)} times` : "more than a hundred times"} what it was.`,
    );
  }
  if (kind.length) lines.push(`Nobody pays with ${listed(kind)}.`);
  const stopped = running.filter((rule) => ends[rule] === "wall"),
    still = running.filter((rule) => ends[rule] === "on its way");
  if (stopped.length)
    lines.push(
      `${listed(stopped)} ${stopped.length > 1 ? "stop" : "stops"} at a wall, short of the Pareto set: the gradients point the same way there, and its rates cannot be had, though both losses could still fall.`,
    );
  else if (!still.length)
    lines.push(
      running.length > 1 ? "All paths reach the Pareto set." : "The path reaches the Pareto set.",
    );
  if (still.length)
    lines.push(
      `${listed(still)} ${still.length > 1 ? "are" : "is"} still on the way after ${ROUNDS} rounds.`,
    );
  const worst = (rule) => Math.max(...after[rule]),
    best = [...running].sort((a, b) => worst(a) - worst(b));
  lines.push(
    `Who pays is told against the start. The largest loss that is left is another question: ${best.map((rule) => `${rule} ${two(worst(rule))}`).join(", ")}.`,
  );
  if (
    gamma === 1 &&
    problem !== "Fonseca–Fleming" &&
    running.includes("AdaFed") &&
    running.includes("DQN-Fed")
  )
    lines.push("At γ = 1 AdaFed goes DQN-Fed's way: these losses are quadratic and end at 0.");
  if (withheld) lines.push(withheldSaid);
  const figures = running
    .map((rule) => `${rule}: losses ${after[rule].map(two).join(", ")}, ${ends[rule]}.`)
    .join(" ");
  return { tone: paid.length ? "bad" : stopped.length ? "soft" : "good", lines, figures };
}

export const view = {
  title: "The playground",
  about:
    "Left, the plane of a toy model's two parameters with lines of equal loss, the Pareto set, and every rule's path from one start; right, what becomes of the clients' losses, in parts of what they were.",
  hint: "Drag the start (the ring called start) and let go, or drag the clients' minimisers (coloured rings). Every rule takes steps of the same length. Grey: the Pareto set, where no direction lowers every loss.",
  task: {
    ask: "From which starts does no client pay under FedAvg?",
    guesses: [
      "from those that are bad for both clients",
      "from those near both minimisers",
      "from none",
    ],
    right: 0,
    goal: "Stay with the two valleys. Drag the start to where no client pays under FedAvg.",
    reached: ({ problem }, { before, after: { FedAvg: after } }) =>
      problem === "two valleys" && after && !before.some((f, k) => PAYS(f, after[k])),
    explain:
      "FedAvg ends at the lowest point of the mean loss, wherever it starts. So nobody pays only if every client was worse off at the start than it is there.",
  },
  reach: 2,
  seconds: 3,
  panels: [
    {
      name: "plane",
      width: WIDE,
      height: HIGH,
      label: "the plane of parameters; drag the start and the minimisers",
    },
    { name: "losses", width: WIDE, height: HIGH, label: "what becomes of each client's loss" },
  ],
  active: (state, name) =>
    name === "gamma"
      ? state.rules.includes("AdaFed")
      : name !== "epsilon" ||
        (state.problem === "three clients" && state.rules.includes("FedMGDA+")),
  compute,
  draw,
  handles,
  words,
};
