// Chapter 9's lab: two clients' ellipses and a start to drag, DQN-Fed's path, and its distance to the Pareto set round by round.
import { CLIENTS, GOOD, INK, PAPER, SOFT } from "./palette.js";
import { LONG, SHORT, apartFrom, dqnPath, pointing, reaching } from "./dqn.js";
import { arrow, disc, label, line, placed, px, tag } from "./svg.js";
import { coordinates, grid, ticks, within } from "./plane.js";
import { ellipse } from "./contours.js";
import { sub, two, whereabouts } from "./wording.js";

const WIDE = 360,
  TALL = 280,
  LOW = 236,
  UNIT = 64,
  EDGE = [WIDE / 2 / UNIT, TALL / 2 / UNIT],
  FLOOR = -4,
  ROOF = 2,
  REACH = 1.15;
const MAP = coordinates({
  x: [-EDGE[0], EDGE[0]],
  y: [-EDGE[1], EDGE[1]],
  left: 0,
  right: WIDE,
  top: 0,
  bottom: TALL,
});
const LOG = coordinates({
  x: [0, 20],
  y: [FLOOR, ROOF],
  left: 66,
  right: 346,
  top: 32,
  bottom: 196,
});

function compute({ steps, clients, minimisers, shapes, begin }) {
  const K = clients === "both clients" ? 2 : 1,
    found = dqnPath(minimisers.slice(0, K), shapes.slice(0, K), begin[0], steps);
  const tips = shapes
    .slice(0, K)
    .map((tip, k) => pointing(tip).map((v, i) => minimisers[k][i] + v * reaching(tip)));
  return { ...found, tips, steps, begin: begin[0] };
}

function draw(numbers, time = 1) {
  return { plane: plane(numbers, time), rounds: rounds(numbers, time) };
}

/** A line through points as the text of an SVG path, cut at the panel's edge. */
function cut(points) {
  let d = "",
    open = false;
  for (let i = 1; i < points.length; i++) {
    const a = points[i - 1],
      b = points[i];
    let from = 0,
      to = 1;
    for (let j = 0; j < 2; j++) {
      const v = b[j] - a[j],
        room = EDGE[j] - 0.02;
      if (v === 0) {
        if (Math.abs(a[j]) > room) to = -1;
        continue;
      }
      const ends = [(-room - a[j]) / v, (room - a[j]) / v];
      from = Math.max(from, Math.min(...ends));
      to = Math.min(to, Math.max(...ends));
    }
    if (from >= to) {
      open = false;
      continue;
    }
    const place = (t) =>
      MAP.at([a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])])
        .map(px)
        .join(" ");
    d += `${open && from === 0 ? "" : `M${place(from)}`}L${place(to)}`;
    open = to === 1;
  }
  return d;
}

const seen = (w) => w.every((v, i) => Math.abs(v) < EDGE[i] - 0.06);
const traced = (points, more) => {
  const d = cut(points);
  return d ? tag("path", { d, fill: "none", "stroke-linejoin": "round", ...more }) : "";
};

function plane({ H, c, tips, path, pareto, begin, fate }, time) {
  const whole = [-2, -1, 0, 1, 2],
    pieces = [grid(MAP, whole, whole)],
    now = time * (path.length - 1),
    done = Math.floor(now);
  if (pareto.length > 1)
    pieces.push(
      traced(pareto, { stroke: GOOD, "stroke-width": 7, "stroke-linecap": "round", opacity: 0.45 }),
    );
  const close = c.length > 1 && apartFrom(c[0], c[1]) < 0.3,
    onTop = close && apartFrom(c[0], c[1]) + apartFrom(tips[0], tips[1]) < 0.1;
  c.forEach((centre, k) => {
    const far = apartFrom(tips[k], centre);
    for (const size of [0.5, 1, 1.7])
      pieces.push(
        traced(ellipse(centre, H[k], 0.5 * far * far * size * size, 40), {
          stroke: CLIENTS[k],
          "stroke-width": size === 1 ? 2 : 1,
          opacity: 0.8,
          ...(onTop && k ? { "stroke-dasharray": "6 6" } : {}),
        }),
      );
    pieces.push(
      line(MAP.at(centre), MAP.at(tips[k]), {
        stroke: CLIENTS[k],
        "stroke-width": 1.3,
        "stroke-dasharray": "2 3",
      }),
    );
  });
  const part = now - done,
    next = path[Math.min(done + 1, path.length - 1)],
    here = path[done].map((v, i) => v + part * (next[i] - v));
  pieces.push(traced([...path.slice(0, done + 1), here], { stroke: INK, "stroke-width": 1.6 }));
  const first = path[1],
    gone = apartFrom(begin, first);
  const hops = fate === "cycle" && done > 1 && apartFrom(path[2], begin) < 0.05;
  if (done >= 1 && gone > 0.1)
    pieces.push(heads(begin, first, hops ? 0.72 : 0.6), hops ? heads(first, begin, 0.72) : "");
  const leaves = path.findIndex((w, t) => t > 0 && t <= done && seen(path[t - 1]) && !seen(w)),
    exit = leaves > 0 ? edgeOf(path[leaves - 1], path[leaves]) : null;
  if (exit) pieces.push(arrow(exit.from, exit.to, INK, 4));
  const last = path[path.length - 1],
    stuck = fate === "stalls" && time === 1 && seen(last),
    downhill = stuck ? slopes(H, c, last) : [];
  path
    .slice(1, done + 1)
    .filter(seen)
    .forEach((w) => pieces.push(disc(MAP.at(w), 3, { fill: INK })));
  downhill.forEach(({ tip, wide }, n) =>
    pieces.push(arrow(MAP.at(last), MAP.at(tip), CLIENTS[n], wide)),
  );
  if (stuck) pieces.push(disc(MAP.at(last), 5, { fill: INK }));
  if (time < 1 && seen(here)) pieces.push(disc(MAP.at(here), 6, { fill: INK }));
  const labels = [
    { at: MAP.at(begin), towards: [0, -1], words: "start", more: { class: "strong" } },
  ];
  if (exit)
    labels.push({
      at: exit.to,
      towards: [WIDE / 2 - exit.to[0], TALL / 2 - exit.to[1]],
      words: "goes on outside",
    });
  if (stuck) {
    labels.push({
      at: MAP.at(last),
      towards: [last[0] - downhill[0].tip[0], downhill[0].tip[1] - last[1]],
      words: "stalls here",
      more: { class: "strong" },
    });
    downhill.forEach(({ tip }, n) =>
      labels.push({
        at: MAP.at(tip),
        towards: [n ? 1 : -1, 0],
        words: `−g${sub(n)}`,
        more: { class: "strong" },
      }),
    );
  }
  if (close && apartFrom(c[0], c[1]) < 0.1)
    labels.push({
      at: MAP.at(c[0]),
      towards: [1, 0.6],
      words: "best for 1 and 2",
      more: { class: "strong" },
    });
  else
    c.forEach((centre, k) =>
      labels.push({
        at: MAP.at(centre),
        towards: [k ? 1 : -1, 0.6],
        words: `best for ${k + 1}`,
        more: { class: "strong" },
      }),
    );
  if (done >= 1 && gone > 0.1 && seen(first))
    labels.push({
      at: MAP.at(first),
      towards: [first[0] - begin[0], begin[1] - first[1]],
      words: "round 1",
    });
  if (pareto.length > 1 && !close)
    labels.push({
      at: MAP.at(pareto[32]),
      towards: [0, 1],
      words: "Pareto set",
      more: { fill: GOOD },
    });
  const rings = [begin, ...c, ...tips].map((w) => [...MAP.at(w), 9]);
  return (
    pieces.join("") +
    placed(
      labels,
      [
        ...rings,
        ...path
          .slice(1, 3)
          .filter(seen)
          .map((w) => [...MAP.at(w), 4]),
      ],
      WIDE,
      TALL,
    )
  );
}

/** −gradients at a point where they are parallel: the longer one 0.6 long, wide and drawn by its client, the other in proportion. */
function slopes(H, c, w) {
  const G = H.map((rows, k) =>
      rows.map((row) => row[0] * (w[0] - c[k][0]) + row[1] * (w[1] - c[k][1])),
    ),
    sizes = G.map((g) => Math.hypot(...g)),
    most = Math.max(...sizes);
  return G.map((g, k) => ({
    tip: w.map((v, i) => v - (0.6 * g[i]) / (most || 1)),
    wide: sizes[k] === most ? 3 : 6,
  }));
}

/** Where a step from inside leaves the panel, as the last pixels of an arrow. */
function edgeOf(inside, outside) {
  const ends = (cut([inside, outside]).match(/-?[\d.]+/g) ?? []).map(Number),
    size = Math.hypot(ends[2] - ends[0], ends[3] - ends[1]);
  if (!(size > 1)) return null;
  const at = (pixels) => [0, 1].map((i) => ends[2 + i] - (pixels / size) * (ends[2 + i] - ends[i]));
  return { from: at(Math.min(size, 16)), to: at(2) };
}

/** The head of the first round's arrow, on its way, where the way back does not hide it. */
function heads(from, to, part) {
  const ends = cut([from, to])
      .match(/-?[\d.]+/g)
      .map(Number),
    [a, b] = [ends.slice(0, 2), ends.slice(2)];
  const at = (t) => a.map((v, i) => v + t * (b[i] - v)),
    size = Math.hypot(b[0] - a[0], b[1] - a[1]);
  return arrow(at(part - 8 / size), at(part + 8 / size), INK, 3);
}

/** Distances on a logarithmic scale; what is off the scale stands at its rim as a ring. */
function rounds({ tips, c, distance, steps }, time) {
  const powers = [-4, -3, -2, -1, 0, 1, 2],
    fives = [0, 5, 10, 15, 20],
    done = Math.floor(time * (distance.length - 1) + 1e-9);
  const height = (v) => (v > 0 ? Math.log10(v) : -99),
    place = (v, t) => LOG.at([t, Math.min(ROOF, Math.max(FLOOR, height(v)))]);
  const pieces = [
    grid(LOG, [], powers),
    line([LOG.left, LOG.bottom], [LOG.right, LOG.bottom], { stroke: SOFT }),
    ticks(LOG, fives, []),
    ticks(LOG, [], powers, (v) => String(10 ** v)),
  ];
  pieces.push(
    label(0, 16, c.length > 1 ? "distance to the Pareto set" : "distance to client 1's best point"),
    label(LOG.right, LOW - 4, "round", { fill: SOFT, "text-anchor": "end" }),
  );
  if (c.length === 1 && steps === "full" && distance[0] > 1e-3)
    pieces.push(slowest(apartFrom(tips[0], c[0]) / SHORT, distance));
  pieces.push(
    tag("path", {
      d: `M${distance
        .slice(0, done + 1)
        .map((v, t) => place(v, t).map(px).join(" "))
        .join("L")}`,
      fill: "none",
      stroke: INK,
      "stroke-width": 1.6,
      "stroke-linejoin": "round",
    }),
  );
  distance.slice(0, done + 1).forEach((v, t) => {
    const [cx, cy] = place(v, t),
      off = height(v) < FLOOR || height(v) > ROOF;
    pieces.push(
      tag("circle", { cx, cy, r: 4, fill: off ? PAPER : INK, stroke: INK, "stroke-width": 1.5 }),
    );
  });
  if (distance.slice(0, done + 1).some((v) => height(v) < FLOOR || height(v) > ROOF))
    pieces.push(label(LOG.left, LOW - 4, "hollow: off the scale", { fill: SOFT }));
  return pieces.join("");
}

/** Formula (8): what a client alone can count on, at its ellipses' ratio of axes. */
function slowest(ratio, distance) {
  const factor = (ratio * ratio - 1) / (ratio * ratio + 1);
  if (factor < 0.05) return "";
  const log = Math.log10(distance[0]),
    slope = Math.log10(factor),
    end = Math.min(20, (FLOOR - log) / slope);
  return (
    line(LOG.at([0, log]), LOG.at([end, log + slope * end]), {
      stroke: GOOD,
      "stroke-width": 8,
      "stroke-linecap": "round",
      opacity: 0.4,
    }) +
    label(LOG.right, LOG.top + 14, `green: at worst × ${two(factor)} a round`, {
      fill: GOOD,
      "text-anchor": "end",
    })
  );
}

function handles({ c, tips, begin }) {
  const moved = (state, name, k, point, reach) => {
    state[name][k] = within(reach, point);
    return state;
  };
  const one = (name, k, at, colour, words, move, more = {}) => ({
    name: `${name}${k + 1}`,
    panel: "plane",
    at: MAP.at(at),
    colour,
    now: at[0],
    value: whereabouts(at),
    label: words,
    move,
    ...more,
  });
  return [
    ...c.map((centre, k) =>
      one(
        "best",
        k,
        centre,
        CLIENTS[k],
        `client ${k + 1}'s minimiser`,
        (state, point) => moved(state, "minimisers", k, MAP.back(point), REACH),
        {
          step: (state, by) =>
            moved(
              state,
              "minimisers",
              k,
              centre.map((v, i) => v + by[i]),
              REACH,
            ),
        },
      ),
    ),
    ...tips.map((tip, k) =>
      one(
        "tip",
        k,
        tip,
        CLIENTS[k],
        `tip of client ${k + 1}'s long axis`,
        (state, point) => moved(state, "shapes", k, axis(MAP.back(point), c[k]), LONG),
        {
          step: (state, by) =>
            moved(
              state,
              "shapes",
              k,
              axis(
                tip.map((v, i) => v + by[i]),
                c[k],
              ),
              LONG,
            ),
        },
      ),
    ),
    one(
      "start",
      0,
      begin,
      INK,
      "where the path starts",
      (state, point) => moved(state, "begin", 0, MAP.back(point), view.reach),
      {
        step: (state, by) =>
          moved(
            state,
            "begin",
            0,
            begin.map((v, i) => v + by[i]),
            view.reach,
          ),
        runs: true,
      },
    ),
  ];
}

/** A long axis, from the minimiser, that is not shorter than the short one. */
function axis(tip, centre) {
  const v = tip.map((x, i) => x - centre[i]),
    u = pointing(v),
    length = reaching(v);
  return u.map((x) => x * length);
}

function words({ c, distance, losses, path, steps, fate }) {
  const hop = apartFrom(path[path.length - 1], path[path.length - 2]),
    last = distance[distance.length - 1],
    alone = c.length === 1,
    lines = [];
  const far = Math.max(...distance),
    rate = (Math.max(last, 1e-16) / distance[0]) ** (1 / 20),
    formatted = (v) =>
      v < 0.1 ? v.toFixed(3) : v < 100 ? two(v) : v.toExponential(0).replace("e+", " · 10^");
  if (fate === "cycle") {
    lines.push(
      "The path hops between two points for ever: the clients disagree, and nothing is ever settled.",
      "What a loss gains in one round it gives back in the next.",
    );
    if (far > 2.4)
      lines.push(
        `Near the Pareto set the gradients nearly cancel, and a step explodes: this one is ${formatted(hop)} long.`,
      );
  } else if (fate === "at once") {
    lines.push(
      distance[0] < 1e-9
        ? "The start is already the best point."
        : alone
          ? "One step, and client 1 is at its best: round ellipses, so its gradient points there."
          : "One step, and both clients are at their best: they want the same point.",
    );
    if (!alone) lines.push("Two clients in two dimensions determine the error completely.");
  } else if (fate === "shrinks") {
    const straight = distance.every(
        (v, t) =>
          Math.abs(Math.log10(Math.max(v, 1e-16) / distance[0]) - t * Math.log10(rate)) < 0.12,
      ),
      ten = Math.max(1, Math.round(-1 / Math.log10(rate)));
    lines.push(
      `The distance shrinks by a factor of ${two(rate)} a round${straight ? " (a straight line)" : " on average"}.`,
    );
    if (rate < 0.995)
      lines.push(
        `To come ten times closer takes about ${ten} ${ten > 1 ? "rounds" : "round"}, again and again.`,
      );
    if (alone)
      lines.push(
        steps === "full"
          ? "Client 1 alone takes gradient steps of Newton's length: the rate is Newton's, the direction is not."
          : "With client 1 alone every step goes along its gradient.",
      );
    else
      lines.push(
        steps === "half"
          ? "Half of what is left of the error remains."
          : "The clients agree, but their gradients point the same way and count as one.",
      );
  } else if (fate === "arrives") {
    lines.push(
      `The path comes to the Pareto set: after 20 rounds it is ${last < 1e-4 ? "less than 0.0001" : formatted(last)} away.`,
    );
    if (steps === "backtracking")
      lines.push("A step is halved until both losses fall, and that ends the hopping.");
  } else if (fate === "stalls") {
    lines.push(
      `The path stalls ${formatted(last)} from the Pareto set, although both losses could still fall.`,
      "There the gradients have become parallel (the arrows): no short step has both Newton rates.",
    );
  } else {
    lines.push(
      steps === "backtracking"
        ? `After 20 rounds the path is still ${formatted(last)} from the Pareto set.`
        : "The path comes and goes, and does not settle.",
    );
    if (steps === "half")
      lines.push("Half steps do not help: near the Pareto set a step can have any length.");
  }
  if (fate !== "cycle" && path.some((w) => !seen(w)))
    lines.push("A part of the path lies outside the picture.");
  const first = losses[0].map(two).join(" and "),
    end = losses[losses.length - 1]
      .map((v) => (v < 1000 ? two(v) : v.toExponential(0)))
      .join(" and ");
  return {
    tone: { cycle: "bad", stalls: "bad", wanders: "bad", shrinks: "soft" }[fate] ?? "good",
    lines,
    figures: `Distance at first ${formatted(distance[0])}, after a round ${formatted(distance[1])}, after 20 ${formatted(last)}. Losses at first ${first}, at the end ${end}.`,
  };
}

export const view = {
  title: "DQN-Fed's path for two clients",
  about:
    "Left, the plane with ellipses of equal loss around each client's minimiser, the Pareto set between them and DQN-Fed's path; right, the path's distance to that set, round by round, on a logarithmic scale.",
  hint:
    "Drag the start and let go: the path runs. Drag a client's best point, or the tip of its dotted axis to turn and stretch its ellipses (lines of equal loss). Each round asks every loss to fall at its Newton rate: twice what it could still fall, because a bowl flattens on the way down and half of what its slope promises is lost. " +
    "Pareto set: no loss can fall without another rising.",
  task: {
    ask: "Suppose that you start closer to the green Pareto set. Does the first full step then end closer to it, too?",
    guesses: ["yes", "no, it can end much farther away", "it ends at the same distance"],
    right: 1,
    goal: "Drag the start right next to the Pareto set, to where the first step ends more than 1 away from it.",
    reached: ({ steps }, { distance: [from, to] }) => steps === "full" && from < 0.25 && to > 1,
    explain:
      "Next to the Pareto set, the gradients nearly point in opposite directions, but each client still asks for a rate that is not small. Only a huge step gives such rates to both.",
  },
  reach: 2,
  seconds: 4,
  panels: [
    {
      name: "plane",
      width: WIDE,
      height: TALL,
      label: "the path; drag the start, the best points and the tips of the axes",
    },
    { name: "rounds", width: WIDE, height: LOW, label: "distance to the Pareto set by round" },
  ],
  compute,
  draw,
  handles,
  words,
};
