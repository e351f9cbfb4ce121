// Chapter 3's lab: a line, a wall or a goal to drag in the plane of losses; in the plane of parameters the model that it picks, and one to move.
import { front, gain, lands, overlap, piece, through, trail } from "./fronts.js";
import { pointHandle } from "./handles.js";
import { arrow, disc, label, line, placed, polygon, px, tag } from "./svg.js";
import { CLIENTS, GOOD, INK, PAPER, SOFT, worded } from "./palette.js";
import { coordinates, curve, grid, stepped, ticks } from "./plane.js";
import { two } from "./wording.js";

const WIDE = 360,
  HIGH = 300,
  METHOD = CLIENTS[5],
  NAMED = worded(METHOD),
  TURN = 76,
  AROUND = 60,
  SMALL = 0.005;
const ROOM = { x: [-1.9, 1.9], y: [-1.5, 1.5] };
const PARAMETERS = coordinates({ ...ROOM, left: 30, right: 352, top: 24, bottom: 278 });
const LEVELS = [0.15, 0.8, 2, 3.75];
const RANGES = {
  weight: { low: 0, high: 1, step: 0.01 },
  bound: { low: 0, high: 1.2, step: 0.01 },
};

function compute({ problem, method, weight, bound, goal_1, goal_2, mine }) {
  const known = front(problem),
    setting = {
      "weighted sum": [weight, 1 - weight],
      "ε-constraint": bound,
      Chebyshev: [goal_1, goal_2].map((v, i) => Math.min(v, known.farthest[i])),
    }[method];
  // held: a setting under its method's name, so that a lab that glides from one method to another never mixes a goal with weights.
  const at = lands(method, setting, known),
    all = trail(method, known),
    image = known.problem.losses(mine[0]);
  const jump = Math.max(
    ...all.slice(1).map((w, i) => Math.hypot(w[0] - all[i][0], w[1] - all[i][1])),
  );
  return {
    problem,
    method,
    setting,
    held: { [method]: setting },
    trail: all,
    w: known.path[at],
    f: known.front[at],
    jump,
    mine: mine[0],
    image,
    gain: gain(known, image),
  };
}

function draw(numbers) {
  return { losses: losses(numbers), parameters: parameters(numbers) };
}

const spaceOf = (problem) => once(problem, () => ground(problem)).c;

// ---- the plane of losses ----------------------------------------------------------------------------------------------------------------

const fixed = new Map();
/** What no drag changes is drawn once. */
function once(key, make) {
  if (!fixed.has(key)) fixed.set(key, make());
  return fixed.get(key);
}

/** What lies behind: the grid, the front with all that is worse, and the front's line by itself. */
function ground(problem) {
  const c = coordinates({ ...front(problem), left: 40, right: 352, top: 24, bottom: 258 }),
    [x1, y1] = [c.x[1], c.y[1]],
    path = front(problem).front.filter((_, i) => i % 20 === 0),
    pieces = [];
  const xs = problem === "convex" ? [0, 2, 4, 6] : [0, 0.5, 1, 1.5],
    ys = problem === "convex" ? [0, 1, 2] : [0, 0.5, 1];
  pieces.push(
    grid(c, xs, ys),
    ticks(c, xs, ys),
    label(c.right, 294, "f₁: loss of client 1 →", { "text-anchor": "end" }),
    label(2, 14, "↑ f₂: loss of client 2"),
  );
  pieces.push(
    polygon([[path[0][0], y1], ...path, [x1, path.at(-1)[1]], [x1, y1]].map(c.at), {
      fill: SOFT,
      opacity: 0.14,
    }),
  );
  return {
    c,
    xs,
    ys,
    path,
    behind: pieces.join(""),
    line: curve(c, path, { stroke: INK, "stroke-width": 2.2 }),
    sits: path.filter((_, i) => i % 5 === 0).map((p) => [...c.at(p), 4]),
  };
}

function losses({ problem, method, held: { [method]: setting }, f, image, gain: more }) {
  const { c, xs, ys, path, behind, line, sits } = once(problem, () => ground(problem)),
    known = front(problem),
    pieces = [behind];
  const better = path.filter(([a, b]) => a <= image[0] && b <= image[1]);
  if (better.length && more > SMALL)
    pieces.push(
      polygon(
        [[better[0][0], image[1]], ...better, [image[0], better.at(-1)[1]], image].map(c.at),
        { fill: GOOD, opacity: 0.3, stroke: GOOD, "stroke-width": 1.5 },
      ),
    );
  pieces.push(
    line,
    once(`${problem} ${method}`, () => dots(c, trail(method, known).map(known.problem.losses))),
  );
  pieces.push(...DEVICES[method](c, setting, f));
  const [lx, ly] = c.at(f),
    [ix, iy] = c.at(image),
    labels = [{ at: [ix, iy], towards: [1, -0.6], words: "w", more: { class: "strong" } }];
  pieces.push(
    disc([ix, iy], 5, { fill: INK, stroke: PAPER, "stroke-width": 1.5 }),
    disc([lx, ly], 7.5, { fill: METHOD, stroke: PAPER, "stroke-width": 2 }),
  );
  labels.push({
    at: [lx, ly],
    towards: [-1, 0.8],
    words: "solution",
    more: { fill: NAMED, class: "strong" },
  });
  labels.push({ at: c.at(path[72]), towards: [-1, 1], words: "front", away: 6 });
  const grip = HANDLES[method].at(c, setting),
    marked = [
      ...xs.map((v) => [c.across(v), c.bottom + 12, 10]),
      ...ys.map((v) => [c.left - 14, c.up(v), 10]),
    ];
  pieces.push(
    placed(
      labels,
      [
        ...sits,
        ...marked,
        [lx, ly, 9],
        [ix, iy, 6],
        [...grip, 14],
        ...(method === "weighted sum"
          ? [
              [c.right - 40, c.top + 44, 62],
              [c.right - 70, c.top + 115, 16],
              [c.right - 110, c.top + 115, 16],
            ]
          : []),
      ],
      WIDE,
      HIGH - 20,
    ),
  );
  return pieces.join("");
}

const tenth = (point) => point.map((v) => Math.round(10 * v) / 10).join(" ");
/** Small circles, each drawn once, as two paths. */
function dots(c, points) {
  const d = [...new Set(points.map((p) => `M${tenth(c.at(p))}h0`))].join("");
  return [
    [METHOD, 8.5],
    [PAPER, 5.3],
  ]
    .map(([stroke, width]) =>
      tag("path", { d, stroke, "stroke-width": width, "stroke-linecap": "round" }),
    )
    .join("");
}

const STRONG = { stroke: METHOD, "stroke-width": 2.2 },
  BROKEN = { ...STRONG, "stroke-dasharray": "6 4" };

/** The centre of the dial, and the way in which the line is pushed: at right angles to it on the screen. */
const hub = (c) => [c.right - 12, c.top + 14];
const scales = (c) => [
  (c.right - c.left) / (c.x[1] - c.x[0]),
  (c.bottom - c.top) / (c.y[1] - c.y[0]),
];
function pushed(c, [first, second]) {
  const [a, b] = scales(c),
    size = Math.hypot(first / a, second / b);
  return [-first / a / size, second / b / size];
}

/** What a method pushes or holds up in the plane of losses. */
const DEVICES = {
  "weighted sum": (c, setting, f) => {
    const way = pushed(c, setting),
      [x, y] = c.at(f),
      far = [way[1] * 900, -way[0] * 900],
      [hx, hy] = hub(c);
    const ends = piece(
      [x - far[0], y - far[1]],
      [x + far[0], y + far[1]],
      [c.left, c.right],
      [c.top, c.bottom],
    );
    return [
      ends ? line(...ends, STRONG) : "",
      tag("path", {
        d: `M${px(hx - TURN)} ${px(hy)}A${TURN} ${TURN} 0 0 0 ${px(hx)} ${px(hy + TURN)}`,
        fill: "none",
        stroke: SOFT,
        "stroke-width": 1.2,
        "stroke-dasharray": "3 3",
      }),
      arrow([hx, hy], [hx + TURN * way[0], hy + TURN * way[1]], METHOD, 2.5),
      label(c.right, hy + TURN + 30, `push: weights ${two(setting[0])}, ${two(setting[1])}`, {
        fill: NAMED,
        "text-anchor": "end",
      }),
    ];
  },
  "ε-constraint": (c, bound, f) => [
    tag("rect", {
      x: c.left,
      y: c.top,
      width: c.right - c.left,
      height: Math.max(0, c.up(bound) - c.top),
      fill: METHOD,
      opacity: 0.13,
    }),
    line([c.left, c.up(bound)], [c.right, c.up(bound)], { ...STRONG, "stroke-width": 3 }),
    line([c.across(f[0]), c.up(bound)], [c.across(f[0]), c.bottom], BROKEN),
    label(c.right - 42, c.up(bound) + 18, `ε = ${two(bound)}`, {
      fill: NAMED,
      "text-anchor": "end",
    }),
    c.up(bound) > c.top + 34
      ? label(c.right - 42, c.up(bound) - 8, "forbidden: f₂ above ε", {
          fill: NAMED,
          "text-anchor": "end",
        })
      : "",
  ],
  Chebyshev: (c, s, f) => {
    const excess = Math.max(f[0] - s[0], f[1] - s[1]),
      corner = s.map((v) => v + excess);
    const rays = [
      [[c.x[0], corner[1]], corner],
      [[corner[0], c.y[0]], corner],
    ].map(([p, q]) => piece(p, q, c.x, c.y));
    const ray = piece(s, corner, c.x, c.y);
    return [
      ...rays.map((ends) => (ends ? line(...ends.map(c.at), STRONG) : "")),
      ray ? line(...ray.map(c.at), BROKEN) : "",
      label(c.across(s[0]) - 24, c.up(s[1]) - 16, "s", { fill: NAMED, class: "strong" }),
    ];
  },
};

/** Where a method's handle is, and what it does. */
const HANDLES = {
  "weighted sum": {
    name: "line",
    label: "direction in which the line is pushed",
    stride: 0.01,
    range: [0, 1],
    at: (c, setting) => {
      const way = pushed(c, setting),
        [x, y] = hub(c);
      return [x + TURN * way[0], y + TURN * way[1]];
    },
    now: (setting) => setting[0],
    value: (setting) => `weights ${two(setting[0])} and ${two(setting[1])}`,
    move: (state, c, [x, y]) => {
      // Left of the hub and below it; a finger elsewhere means the nearer end.
      const [a, b] = scales(c),
        left = Math.max(0, hub(c)[0] - x),
        down = Math.max(0, y - hub(c)[1]);
      const first =
        left + down > 0 ? (a * left) / (a * left + b * down) : +(hub(c)[0] - x > y - hub(c)[1]);
      state.weight = stepped(RANGES.weight, first);
    },
    step: (state, c, [right, up]) => {
      state.weight = stepped(RANGES.weight, state.weight + right + up);
    },
  },
  "ε-constraint": {
    name: "wall",
    label: "the wall ε: client 2's loss may not exceed it",
    stride: 0.02,
    range: [0, 1.2],
    at: (c, bound) => [c.right - 18, c.up(bound)],
    track: (c) => [RANGES.bound.low, RANGES.bound.high].map((bound) => [c.right - 18, c.up(bound)]),
    now: (bound) => bound,
    value: (bound) => `bound ${two(bound)}`,
    move: (state, c, point) => {
      state.bound = stepped(RANGES.bound, c.back(point)[1]);
    },
    step: (state, c, [right, up]) => {
      state.bound = stepped(RANGES.bound, state.bound + right + up);
    },
  },
  Chebyshev: {
    name: "goal",
    label: "the reference point s, the losses that one would like to see",
    stride: 0.05,
    range: [0, 5.5],
    at: (c, s) => c.at(s),
    now: (s) => s[0],
    value: (s) => `${two(s[0])} for client 1, ${two(s[1])} for client 2`,
    move: (state, c, point) => aimed(state, c.back(point)),
    step: (state, c, by) =>
      aimed(
        state,
        [state.goal_1, state.goal_2].map(
          (v, i) => Math.min(v, front(state.problem).farthest[i]) + by[i],
        ),
      ),
  },
};

function aimed(state, goal) {
  [state.goal_1, state.goal_2] = front(state.problem).farthest.map((high, i) =>
    stepped({ low: 0, high, step: 0.01 }, goal[i]),
  );
}

// ---- the plane of parameters ------------------------------------------------------------------------------------------------------------

const EDGE_OF_ROOM = [
  [ROOM.x[0], ROOM.y[0]],
  [ROOM.x[1], ROOM.y[0]],
  [ROOM.x[1], ROOM.y[1]],
  [ROOM.x[0], ROOM.y[1]],
];

/** The grid, lines of equal loss and the Pareto set. */
function scene(problem) {
  const c = PARAMETERS,
    known = front(problem),
    whole = [-1, 0, 1];
  const contours = known.problem.centres.flatMap((centre, k) =>
    LEVELS.map((level) => {
      const point = [centre[0] + Math.sqrt(level / known.shapes[k][0][0]), centre[1]];
      return ring(c, through(known, k, point, 40), {
        stroke: CLIENTS[k],
        "stroke-width": 0.9,
        opacity: 0.55,
      });
    }),
  );
  const behind = [
    grid(c, whole, whole),
    ticks(c, whole, whole),
    label(c.left, 14, "models: two parameters each", { fill: SOFT }),
    ...contours,
  ].join("");
  const sits = known.path.filter((_, i) => i % 100 === 0).map((p) => [...c.at(p), 5]);
  return {
    behind,
    line: curve(
      c,
      known.path.filter((_, i) => i % 40 === 0),
      { stroke: INK, "stroke-width": 2.2 },
    ),
    sits,
  };
}

function parameters({ problem, method, w, mine, gain: more }) {
  const c = PARAMETERS,
    known = front(problem),
    { centres } = known.problem,
    { behind, line, sits } = once(`models ${problem}`, () => scene(problem)),
    pieces = [behind];
  const rings = centres.map((_, k) => through(known, k, mine, AROUND)),
    lens = overlap(overlap(rings[0].slice(1), rings[1].slice(1)), EDGE_OF_ROOM);
  if (lens.length > 2 && more > SMALL)
    pieces.push(polygon(lens.map(c.at), { fill: GOOD, opacity: 0.3 }));
  rings.forEach((points, k) =>
    pieces.push(ring(c, points, { stroke: CLIENTS[k], "stroke-width": 2.2 })),
  );
  pieces.push(
    line,
    once(`models ${problem} ${method}`, () => dots(c, trail(method, known))),
  );
  pieces.push(disc(c.at(w), 7.5, { fill: METHOD, stroke: PAPER, "stroke-width": 2 }));
  const [mx, my] = c.at(mine);
  const labels = [
    { at: [mx, my], towards: [1, 0.6], words: "w", away: 14, more: { class: "strong" } },
  ];
  centres.forEach((centre, k) =>
    labels.push({
      at: c.at(centre),
      towards: [k === (centres[0][0] > 0 ? 1 : 0) ? -1 : 1, centre[1] > 0 ? -0.6 : 0.6],
      words: `best for client ${k + 1}`,
      more: { class: "strong" },
    }),
  );
  if (lens.length > 2 && more > 0.12)
    labels.push({
      at: c.at([0, 1].map((i) => lens.reduce((sum, p) => sum + p[i], 0) / lens.length)),
      towards: [1, 0],
      away: -40,
      words: "better for both",
      more: { fill: GOOD },
    });
  pieces.push(placed(labels, [...sits, [mx, my, 10], [...c.at(w), 9]], WIDE, HIGH));
  return pieces.join("");
}

/** A closed line, as much of it as the room holds. */
function ring(c, points, more) {
  if (points.every(([x, y]) => x > ROOM.x[0] && x < ROOM.x[1] && y > ROOM.y[0] && y < ROOM.y[1]))
    return tag("path", {
      d: `M${points.map((p) => tenth(c.at(p))).join("L")}`,
      fill: "none",
      ...more,
    });
  let d = "",
    last = null;
  for (let i = 1; i < points.length; i++) {
    const part = piece(points[i - 1], points[i], ROOM.x, ROOM.y);
    if (!part) {
      last = null;
      continue;
    }
    const [p, q] = part.map((point) => tenth(c.at(point)));
    d += `${p === last ? "" : `M${p}`}L${q}`;
    last = q;
  }
  return d ? tag("path", { d, fill: "none", ...more }) : "";
}

// ---- handles and words ------------------------------------------------------------------------------------------------------------------

function handles({ problem, method, held: { [method]: setting }, mine }) {
  const c = spaceOf(problem),
    own = HANDLES[method];
  return [
    {
      name: own.name,
      panel: "losses",
      at: own.at(c, setting),
      colour: METHOD,
      now: own.now(setting),
      value: own.value(setting),
      label: own.label,
      stride: own.stride,
      range: own.range,
      track: own.track?.(c),
      move: (state, point) => {
        own.move(state, c, point);
        return state;
      },
      step: (state, by) => {
        own.step(state, c, by);
        return state;
      },
    },
    pointHandle({
      name: "w",
      list: "mine",
      place: mine,
      c: PARAMETERS,
      panel: "parameters",
      reach: view.reach,
      colour: INK,
      label: "the model w",
    }),
  ];
}

function words({ problem, method, setting, f, image, jump, gain: more }) {
  const dented = problem === "dented",
    end = f.findIndex((v) => v < SMALL),
    at = `losses ${two(f[0])} and ${two(f[1])}`,
    lines = [];
  let tone = "good";
  if (end >= 0) {
    tone = "bad";
    lines.push(
      `${{ "weighted sum": "The line lands", "ε-constraint": "The wall leads", Chebyshev: "The reference point leads" }[method]} ${method === "weighted sum" ? "at" : "to"} client ${end + 1}'s own best model: client ${2 - end} pays, with a loss of ${two(f[1 - end])}.`,
    );
  } else if (method === "weighted sum") {
    lines.push(`The line lands at a compromise: ${at}.`);
    if (!dented)
      lines.push(
        `Weights are prices: here one unit more for client 1 buys client 2 a relief of ${two(setting[0] / setting[1])}.`,
      );
  } else if (method === "ε-constraint") {
    lines.push(
      `The wall keeps client 2 at ${two(f[1])}, and client 1 gets the best that is left: ${two(f[0])}.`,
    );
  } else {
    const excess = f.map((v, k) => v - setting[k]),
      even = Math.abs(excess[0] - excess[1]) < 2 * SMALL;
    lines.push(
      even
        ? `A compromise: ${at}, both ${two(Math.abs(excess[0]))} ${excess[0] < 0 ? "below" : "above"} the reference point s.`
        : `A compromise: ${at}.`,
    );
  }
  if (method === "weighted sum" && dented)
    lines.push(
      `This front is dented, and no turn of the line stops near its middle: it leaps over ${Math.round(50 * jump)} % of the front at once.`,
    );
  lines.push(
    more > SMALL
      ? `The model w, for comparison, is not on the front: both its losses could fall by ${two(more)} (green: better for both).`
      : "The model w is on the front: nothing is better for both.",
  );
  return {
    tone,
    lines,
    figures: `Losses where it lands ${f.map(two).join(" and ")}. Losses at w ${image.map(two).join(" and ")}.`,
  };
}

export const view = {
  title: "Three ways to choose from a front",
  about:
    "Left, the plane of two clients' losses with the front, and a line, a wall or a goal that picks a point of it; right, the models in the plane of parameters, with lines of equal loss and a model w to move.",
  hint: "Drag the orange handle: it turns the push of the line, moves the wall or the reference point s. Each model on the right is a point of losses on the left; the strong lines: the models that no other beats for both clients, and their losses, the front. White rings: all the points that this method reaches, whatever its setting. The point w is a model to compare with: green is better than it for both.",
  task: {
    ask: "The front is dented. Which of these methods can stop in its middle, where both losses are equal?",
    guesses: ["the weighted sum, with equal weights", "the ε-constraint", "neither"],
    right: 1,
    goal: "Stay on the dented front. Choose a method, and bring the solution to where both losses are equal.",
    reached: ({ problem }, { f: [one, other] }) =>
      problem === "dented" && Math.abs(one - other) < 0.035,
    explain:
      "A weighted sum's line touches this front only near its ends. An ε-constraint's wall cuts the front at whatever height we choose, so the solution can stop anywhere. Chebyshev's corner can reach the middle, too.",
  },
  reach: 1.3,
  panels: [
    {
      name: "losses",
      width: WIDE,
      height: HIGH,
      label: "losses; drag the line, the wall or the reference point",
    },
    { name: "parameters", width: WIDE, height: HIGH, label: "parameters; drag the model w" },
  ],
  compute,
  draw,
  handles,
  words,
};
