// Chapter 7's lab: three gradients with tips to drag, and FedFV's projections one meeting after another.
import { bars } from "./bars.js";
import { cone, decide, distance, dot, length } from "./geometry.js";
import { tipHandles } from "./handles.js";
import { arrow, line, placed, polygon, px, tag } from "./svg.js";
import { FIRST, pairs, placeOf, settled } from "./projection_steps.js";
import { CLIENTS, GOOD, INK, SOFT } from "./palette.js";
import { centred, coneCircle, outward } from "./plane.js";
import { ZERO, named, sub, two, where } from "./wording.js";

const WIDE = 360,
  HIGH = 292,
  UNIT = 34,
  REACH = 4,
  X = WIDE / 2 / UNIT,
  Y = HIGH / 2 / UNIT;
const PLANE = centred({ middle: [WIDE / 2, HIGH / 2], unit: UNIT }),
  { at } = PLANE;
const FAINT = 1e-9;

function compute(state) {
  const numbers = settled(state),
    { G, projected, step, order } = numbers;
  return {
    ...numbers,
    keepers: state.keepers,
    cone: vanishing(G) ? null : cone(G, decide("FedMGDA", G).direction),
    met: step ? pairs(order)[step - 1].join("") : "", // as words, which no glide mixes
    against: G.map((_, j) => where(projected, (v) => dot(v, G[j]) < -FAINT)),
  };
}

const vanishing = (G) => G.every((g) => length(g) < 0.05);

const draw = (numbers) => ({ plane: plane(numbers), bars: rateBars(numbers) });

function plane({ G, projected, before, direction, mean, cone: helps, met: pair, scale, keepers }) {
  const met = pair ? [...pair].map(Number) : null,
    origin = at([0, 0]),
    pieces = [],
    labels = [],
    spots = [];
  const beside = (v, words, more = {}) =>
    labels.push({ at: at(v), towards: outward(v, ZERO), words, more });
  const edge = (angle, r = REACH) => [r * Math.cos(angle), r * Math.sin(angle)],
    aside = ([x, y]) => [y, x]; // a quarter turn, in pixels
  const besideLine = (v, r, words, more) => {
    const there = edge(Math.atan2(v[1], v[0]), r);
    labels.push({ at: at(there), towards: aside(there), words, more });
  };
  const along = (to, r) => {
    for (let t = 0.1; t <= 1; t += 0.06) spots.push([...at(to.map((v) => t * v)), r]);
  };
  if (met && length(G[met[1]])) pieces.push(wall(G[met[1]], met[1]));
  pieces.push(coneCircle(PLANE, REACH, 0.2, helps));
  const needle = (v, colour, more) => {
    if (length(v) > FAINT)
      pieces.push(
        line(at(v), at(edge(Math.atan2(v[1], v[0]))), {
          stroke: colour,
          "stroke-width": 1.3,
          ...more,
        }),
      );
  };
  if (scale && distance(direction, mean) > 0.02) {
    needle(mean, SOFT, { "stroke-dasharray": "5 4" });
    pieces.push(arrow(origin, at(mean), SOFT, 2, { "stroke-dasharray": "5 4" }));
  }
  needle(direction, INK, {});
  G.forEach((g, k) => {
    if (distance(g, projected[k]) > 0.02)
      pieces.push(arrow(origin, at(g), CLIENTS[k], 2.4, { opacity: 0.4 }));
  });
  if (met && distance(before, projected[met[0]]) > 0.02)
    pieces.push(fall(before, projected[met[0]], met));
  projected.forEach((v, k) =>
    pieces.push(arrow(origin, at(v), CLIENTS[k], met?.[0] === k ? 4.4 : 3.2)),
  );
  pieces.push(arrow(origin, at(direction), INK, 4));
  if (!length(direction))
    pieces.push(
      tag("rect", { x: origin[0] - 5, y: origin[1] - 5, width: 10, height: 10, fill: INK }),
    );
  G.forEach((g, k) => {
    spots.push([...at(g), 9]);
    beside(g, `g${sub(k)}${kept(k, keepers) ? " keeper" : ""}`, { class: "strong" });
  });
  projected.forEach((v, k) => {
    if (distance(G[k], v) > 0.35) beside(v, `g${sub(k)}′`, { class: "strong" });
  });
  if (length(direction) > FAINT) besideLine(direction, 2.7, "dir", { class: "strong" });
  if (scale && distance(direction, mean) > 0.02 && length(mean) > FAINT)
    besideLine(mean, 3.2, "FedAvg", { fill: SOFT });
  if (helps) beside(edge((helps[0] + helps[1]) / 2), "helps all", { fill: GOOD });
  if (met && length(G[met[1]]))
    beside(
      G[met[1]].map((v) => (-2.9 * v) / length(G[met[1]])),
      `would hurt client ${met[1] + 1}`,
      { fill: SOFT },
    );
  for (const v of [direction, ...(scale && distance(direction, mean) > 0.02 ? [mean] : [])])
    if (length(v) > FAINT) along(edge(Math.atan2(v[1], v[0])), 3);
  for (const v of projected) along(v, 3);
  pieces.push(
    placed(labels, [...spots, ...[...projected, direction].map((v) => [...at(v), 4])], WIDE, HIGH),
  );
  return pieces.join("");
}

/** Keepers are the clients with the largest losses: client 3 first. */
const kept = (k, keepers) => k >= 3 - keepers;

/** The half-plane in which a target's loss rises, and its edge. */
function wall(g, j) {
  const corners = [
      [-X, -Y],
      [X, -Y],
      [X, Y],
      [-X, Y],
    ],
    side = (p) => dot(p, g),
    kept = [],
    rim = [];
  corners.forEach((p, i) => {
    const q = corners[(i + 1) % 4],
      a = side(p),
      b = side(q);
    if (a <= 0) kept.push(p);
    if ((a < 0 && b > 0) || (a > 0 && b < 0)) {
      const r = p.map((v, n) => v + (a / (a - b)) * (q[n] - v));
      kept.push(r);
      rim.push(r);
    } else if (a === 0) rim.push(p);
  });
  const shade = polygon(kept.map(at), { fill: CLIENTS[j], opacity: 0.13 });
  return (
    shade +
    (rim.length > 1
      ? line(at(rim[0]), at(rim[1]), { stroke: CLIENTS[j], "stroke-width": 1.6 })
      : "")
  );
}

/** A client's arrow before the meeting, and the perpendicular from its tip to the edge, with its right angle. */
function fall(before, after, [k]) {
  const way = [before[0] - after[0], before[1] - after[1]],
    up = way.map((v) => v / length(way)),
    side = Math.min(0.28, 0.6 * length(way));
  const along = length(after) > 0.3 ? after.map((v) => -v / length(after)) : [-up[1], up[0]];
  const corner = [
    [after[0] + side * along[0], after[1] + side * along[1]],
    after.map((v, i) => v + side * (along[i] + up[i])),
    [after[0] + side * up[0], after[1] + side * up[1]],
  ];
  return (
    line(at([0, 0]), at(before), {
      stroke: CLIENTS[k],
      "stroke-width": 3,
      "stroke-dasharray": "2 5",
      "stroke-linecap": "round",
    }) +
    line(at(before), at(after), { stroke: INK, "stroke-width": 1.6, "stroke-dasharray": "4 3" }) +
    tag("path", {
      d: `M${corner.map((p) => at(p).map(px).join(" ")).join("L")}`,
      fill: "none",
      stroke: INK,
      "stroke-width": 1,
    })
  );
}

const rateBars = ({ weights, rates, fedavg, step }) =>
  bars({
    width: WIDE,
    height: 206,
    names: ["client 1", "client 2", "client 3"],
    colours: CLIENTS,
    rates,
    weights,
    ghosts: step ? fedavg : null,
    low: -2,
    high: 4,
    ticks: [-2, 0, 2, 4],
  });

const handles = ({ G }) => tipHandles(G, { c: PLANE, reach: REACH, stride: 0.1, snap: 0.09 }); // less than a key's stride, so that a key leaves the origin

const all = (who, one, more) => (who.length > 1 ? more : one);

function words({
  G,
  mean,
  direction,
  rates,
  weights,
  step,
  order,
  met,
  product,
  kept: stays,
  keepers,
  cone: helps,
  against,
}) {
  const pay = where(rates, (v) => v < -ZERO),
    lines = [],
    figures = `Weights ${weights.map(two).join(", ")}. Rates ${rates.map(two).join(", ")}.`,
    { sweep, nth, of } = placeOf(step),
    done = step >= FIRST && nth === of;
  const paying = `${all(pay, "pays: its loss rises", "pay: their losses rise")}`,
    who = pay.length ? `${named(pay).toLowerCase()} ${paying}` : "nobody pays";
  const spared = [0, 1, 2].filter((k) => kept(k, keepers)),
    bent = [0, 1, 2].filter((k) => against[k].includes(k));
  const still = length(direction) < 1e-6;
  if (vanishing(G))
    return {
      tone: "soft",
      lines: ["All three gradients are next to zero: nobody has anything to gain or to lose."],
      figures,
    };
  if (still)
    lines.push(
      length(mean) < 1e-6
        ? "The server stands still: FedAvg's mean is zero, and dir has its length."
        : "The server stands still: the projected arrows cancel.",
    );
  else if (!step)
    lines.push(
      pay.length
        ? `${named(pay)} ${paying} when the server follows the mean.`
        : "Nobody pays when the server follows the mean.",
    );
  else if (spared.length === 3)
    lines.push(
      `All three are keepers, so nothing is projected and FedFV's step is FedAvg's; ${who}.`,
    );
  else if (step < FIRST) lines.push(`After ${step} of ${FIRST} meetings ${who}.`);
  else if (step === FIRST)
    lines.push(
      pay.length
        ? `FedFV has made all its projections, and still ${who}.`
        : "FedFV has made all its projections: nobody pays.",
    );
  else lines.push(`In sweep ${sweep} ${who}.`);
  if (step === FIRST && spared.length < 3) lines.push(given({ G, order, keepers }));
  else if (step && spared.length < 3) lines.push(meeting([...met].map(Number), product, stays));
  else if (!step) {
    const foes = [
      [0, 1],
      [0, 2],
      [1, 2],
    ]
      .filter(([k, j]) => against[j].includes(k))
      .map(([k, j]) => `g${sub(k)} and g${sub(j)}`);
    lines.push(
      foes.length
        ? `These point against each other: ${foes.join("; ")}. Let them meet: move the slider.`
        : "No two gradients point against each other: there is nothing to project.",
    );
  }
  if (!helps)
    lines.push(
      `No direction helps everybody here${!step || still ? "" : sweep > 1 ? ": sweep by sweep the arrows shrink to nothing, and the rescaling makes a long step of what is left" : ", and FedFV moves all the same"}.`,
    );
  else if (done && pay.length) lines.push("Some directions (the green arc) would help everybody.");
  else if (done && sweep > 1 && !keepers)
    lines.push(
      "The further sweeps changed nothing: for three clients in the plane one is enough, if some direction helps everybody.",
    );
  if (step === FIRST && bent.length)
    lines.push(
      `${all(bent, `What is left of g${sub(bent[0])} points against g${sub(bent[0])}`, "Some arrows point against their gradients")} as sent.`,
    );
  if (spared.length && spared.length < 3)
    lines.push(
      `${named(spared)} ${all(spared, "is a keeper, and stays", "are keepers, and stay")} as sent.`,
    );
  return { tone: still ? "soft" : pay.length ? "bad" : "good", lines, figures };
}

/** What the six meetings of the first sweep did, client by client. */
function given({ G, order, keepers }) {
  const times = [0, 0, 0];
  pairs(order)
    .slice(0, FIRST)
    .forEach(([k], i) => {
      const { product, kept: stays } = settled({ step: i + 1, order, keepers, tips: G });
      if (product < -FAINT && !stays) times[k] += 1;
    });
  const who = where(times, (n) => n > 0).map(
    (k) => `client ${k + 1} ${["", "once", "twice"][times[k]]}`,
  );
  return who.length
    ? `Who gave up a part of its arrow: ${who.join(", ").replace(/, ([^,]*)$/, " and $1")}.`
    : "In none of the six meetings did an arrow have to give anything up.";
}

function meeting([k, j], product, kept) {
  const whom = k === j ? "its own gradient" : `g${sub(j)}`;
  if (kept) return `Client ${k + 1} met ${whom} and, as a keeper, gave up nothing.`;
  return product < -FAINT
    ? `Client ${k + 1} met ${whom} and pointed against it: it gave up that part and now stands at a right angle to ${whom}.`
    : `Client ${k + 1} met ${whom}: no conflict, so nothing changed.`;
}

export const view = {
  title: "FedFV's projections, one by one",
  about:
    "Left, three gradients as arrows, what the projections have left of them, and the server's direction as a needle on a dial whose green arc helps everybody; right, bars of each client's weight and rate.",
  hint: "Drag the tips; move the slider from meeting to meeting. In each, one arrow is held against another client's gradient: if it lies in the half that is then shaded, it is moved to the edge.",
  key: "dir: the mean of the three arrows, made as long as FedAvg's mean (dashed once they differ), or λ₁g₁ + λ₂g₂ + λ₃g₃, whose weights need not add to 1. Keepers are not moved: the largest losses, client 3 first, then 2. FedFV ends after six meetings; a further sweep has nine, since there a client meets its own gradient too.",
  task: {
    ask: "Suppose that no direction helps all three clients. What decides which of them loses after six meetings?",
    guesses: ["the shortest gradient", "the longest gradient", "the order of the meetings"],
    right: 2,
    goal: "Press “no way out”. With 1→2→3, clients 2 and 3 gain. Choose an order in which one of these two loses.",
    reached: (state, { step, rates, cone: helps }) => {
      const before = compute({ ...state, order: "1→2→3" }).rates;
      return step === FIRST && !helps && rates.some((v, k) => v < -ZERO && before[k] > ZERO);
    },
    explain:
      "The gradients stay the same, and yet a different client loses. A meeting can undo a part of what an earlier one has achieved, so the order matters. FedFV takes the clients in the order of their losses.",
  },
  reach: REACH,
  panels: [
    { name: "plane", width: WIDE, height: HIGH, label: "gradients; drag their tips" },
    { name: "bars", width: WIDE, height: 206, label: "weights and rates" },
  ],
  says: (name, value) =>
    name === "step"
      ? value > FIRST
        ? `${FIRST} + ${value - FIRST} more`
        : `${value} of ${FIRST}`
      : undefined,
  compute,
  draw,
  handles,
  words,
};
