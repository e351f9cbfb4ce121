// Chapter 8's lab: two gradients, divided by what AdaFed asks for each, and the nearest points of their segment and of their whole line.
import { bars } from "./bars.js";
import { clipped, combine, cone, distance, dot, length } from "./geometry.js";
import { tipHandles } from "./handles.js";
import { arrow, disc, line, placed, px, tag } from "./svg.js";
import { CLIENTS, GOOD, INK, SOFT } from "./palette.js";
import { centred, coneCircle, outward } from "./plane.js";
import { ZERO, named, sub, two, where } from "./wording.js";

const WIDE = 360,
  HIGH = 292,
  LOW = 176,
  UNIT = 68,
  REACH = 2,
  Y = HIGH / 2 / UNIT;
const PLANE = centred({ middle: [WIDE / 2, HIGH / 2], unit: UNIT }),
  { at } = PLANE;
const NONE = 1e-9,
  SHORT = 0.25;

function compute({ gamma, loss_1, loss_2, tips: G }) {
  const s = [loss_1 ** gamma, loss_2 ** gamma],
    H = G.map((g, k) => g.map((v) => v / s[k])),
    second = share(H);
  const point = (shares) => {
    const nu = shares.map((v, k) => (H[k].some((x) => x !== 0) ? v : 0)),
      direction = combine(H, nu);
    return {
      weights: nu.map((v, k) => v / s[k]),
      direction,
      length: length(direction),
      rates: G.map((g) => dot(g, direction)),
    };
  };
  const kept = Math.min(1, Math.max(0, second)),
    convex = point([1 - kept, kept]);
  return {
    G,
    s,
    H,
    convex,
    affine: point([1 - second, second]),
    cone: cone(G, convex.length > NONE ? convex.direction : [0, 0]),
  };
}

/** ν₂ of the point (1 − ν₂) h₁ + ν₂ h₂ of the line that is nearest to the origin; ½ where the line is a point. */
function share([a, b]) {
  const along = [b[0] - a[0], b[1] - a[1]],
    square = dot(along, along);
  return square > 1e-24 * Math.max(dot(a, a), dot(b, b)) ? -dot(a, along) / square : 0.5;
}

const draw = (numbers) => ({ plane: plane(numbers), bars: rateBars(numbers) });

function plane({ G, H, convex, affine, cone: helps }) {
  const origin = at([0, 0]),
    pieces = [],
    labels = [],
    differ = distance(convex.direction, affine.direction) > 0.02;
  const beside = (v, words, more = {}, { towards = outward(v, ZERO), ...how } = {}) =>
    labels.push({ at: at(v), towards, words, more, ...how });
  const edge = (angle, r = REACH) => [r * Math.cos(angle), r * Math.sin(angle)],
    along = [H[1][0] - H[0][0], H[1][1] - H[0][1]];
  pieces.push(coneCircle(PLANE, REACH, 0.1, helps));
  const ends = length(along) > NONE ? clipped(H[0], along, Y - 0.03) : null;
  if (ends) pieces.push(line(at(ends[0]), at(ends[1]), { stroke: INK, "stroke-width": 1.4 }));
  pieces.push(
    line(at(H[0]), at(H[1]), {
      stroke: SOFT,
      "stroke-width": 7,
      "stroke-linecap": "round",
      opacity: 0.45,
    }),
  );
  if (ends && affine.length > 0.15 && length(along) > 0.02)
    pieces.push(square(affine.direction, along));
  G.forEach((g, k) => {
    if (distance(g, H[k]) > 0.02)
      pieces.push(arrow(origin, at(g), CLIENTS[k], 2.4, { opacity: 0.4 }));
  });
  H.forEach((h, k) => pieces.push(arrow(origin, at(h), CLIENTS[k], 3.2)));
  if (differ)
    pieces.push(arrow(origin, at(convex.direction), SOFT, 2.4, { "stroke-dasharray": "5 4" }));
  if (differ)
    pieces.push(
      disc(at(convex.direction), 11, {
        fill: "none",
        stroke: SOFT,
        "stroke-width": 2.5,
      }),
    );
  if (affine.length > 0.02) pieces.push(arrow(origin, at(affine.direction), INK, 4));
  else
    pieces.push(
      tag("rect", { x: origin[0] - 5, y: origin[1] - 5, width: 10, height: 10, fill: INK }),
    );
  G.forEach((g, k) =>
    beside(
      g,
      distance(g, H[k]) < 0.02
        ? length(g)
          ? `g${sub(k)} = h${sub(k)}`
          : `g${sub(k)}`
        : distance(g, H[k]) < 0.2
          ? `g${sub(k)}, h${sub(k)}`
          : `g${sub(k)}`,
      { class: "strong" },
      { away: affine.length < SHORT * convex.length ? 15 : 12 }, // nearly parallel: clear of the ring
    ),
  );
  beside(affine.direction, "AdaFed", { class: "strong" });
  if (differ) beside(convex.direction, "FedMGDA", { fill: SOFT }, { leader: SOFT });
  H.forEach((h, k) => {
    if (distance(G[k], h) >= 0.2) beside(h, `h${sub(k)}`, { class: "strong" });
  });
  if (helps) {
    const there = edge(0.8 * helps[0] + 0.2 * helps[1], REACH);
    beside(there, "helps both", { fill: GOOD }, { towards: [-there[0], there[1]] });
  }
  if (ends) {
    const free = ends.filter((p) => H.every((h) => distance(h, p) > 0.5)),
      end = free.length ? free.reduce((a, b) => (length(a) > length(b) ? a : b)) : ends[0];
    beside(
      end.map((v) => 0.85 * v),
      "affine hull",
      {},
      { towards: [-end[0], end[1]] },
    );
  }
  const trail = (a, b, r) =>
      Array.from({ length: 20 }, (_, i) => [
        ...at(a.map((v, n) => v + ((i + 0.5) / 20) * (b[n] - v))),
        r,
      ]),
    none = [0, 0];
  const drawn = [...G, ...H, affine.direction].flatMap((v) => trail(none, v, 3));
  const spots = [
    ...drawn,
    ...(ends ? trail(...ends, 2) : []),
    ...(differ ? [[...at(convex.direction), 13]] : []),
    ...G.map((g) => [...at(g), 9]),
    ...[...H, affine.direction, convex.direction].map((v) => [...at(v), 4]),
  ];
  pieces.push(placed(labels, spots, WIDE, HIGH));
  return pieces.join("");
}

/** The mark of a right angle between the direction and the line that it ends on. */
function square(foot, along) {
  const out = foot.map((v) => -v / length(foot)),
    side = along.map((v) => v / length(along)),
    r = 0.11;
  const corner = [
    foot.map((v, i) => v + r * side[i]),
    foot.map((v, i) => v + r * (side[i] + out[i])),
    foot.map((v, i) => v + r * out[i]),
  ];
  return tag("path", {
    d: `M${corner.map((p) => at(p).map(px).join(" ")).join("L")}`,
    fill: "none",
    stroke: INK,
    "stroke-width": 1,
  });
}

const rateBars = ({ convex, affine }) =>
  bars({
    width: WIDE,
    height: LOW,
    names: ["client 1", "client 2"],
    colours: CLIENTS,
    rates: affine.rates,
    ghosts: convex.rates,
    weights: affine.weights,
    low: 0,
    high: 4,
    ticks: [0, 1, 2, 3, 4],
  });

const handles = ({ G }) => tipHandles(G, { c: PLANE, reach: REACH, snap: 0.045 }); // less than a key's stride, so that a key leaves the origin

function words({ G, H, s, convex, affine }) {
  const absent = where(G, (g) => length(g) === 0),
    minus = where(affine.weights, (v) => v < -ZERO),
    lines = [];
  const asked = `${two(s[0])} to ${two(s[1])}`,
    possible = convex.length > NONE,
    one = distance(H[0], H[1]) < NONE;
  let tone = "good";
  if (absent.length) {
    tone = "soft";
    if (absent.length > 1)
      lines.push(
        "Both clients sent a zero gradient: nobody has anything to gain, and AdaFed stands still.",
      );
    else
      lines.push(
        `${named(absent)} sent a zero gradient, and the nearest point of both hulls is the origin.`,
        "This book's code, rules.AdaFed, sets that client aside and steps with the other one.",
      );
  } else if (!possible) {
    tone = "soft";
    lines.push("No direction lowers both losses: the nearest point of both hulls is the origin.");
  } else if (affine.length < NONE) {
    tone = "bad";
    lines.push(
      "AdaFed as its paper prints it stands still, although both losses could fall: the line through h₁ and h₂ contains the origin.",
      "The gradients are parallel, and their lengths are not in the ratio of the scales s. This book's code, rules.AdaFed, goes to FedMGDA's point instead and says so.",
    );
  } else if (affine.length < SHORT * convex.length) {
    tone = "bad";
    lines.push(
      "AdaFed hardly moves, although both losses could fall: the line passes close by the origin.",
    );
  } else if (minus.length)
    lines.push(`${named(minus)} has a negative weight, and still both losses fall.`);
  else
    lines.push(
      one
        ? "h₁ and h₂ are one point: both hulls agree, and both losses fall."
        : "The two hulls agree: no weight is negative, and both losses fall.",
    );
  if (!absent.length && possible && affine.length >= NONE) {
    lines.push(
      `AdaFed's rates ${affine.rates.map(two).join(" and ")} are in the ratio of the scales s, ${asked}.`,
    );
    if (minus.length)
      lines.push(
        `FedMGDA, at the segment's end, would give ${convex.rates.map(two).join(" and ")} (dashed).`,
      );
  }
  return {
    tone,
    lines,
    figures: `Weights ${affine.weights.map(two).join(", ")}. Rates ${affine.rates.map(two).join(", ")}; of the convex point ${convex.rates.map(two).join(", ")}.`,
  };
}

export const view = {
  title: "The affine hull and the convex one",
  about:
    "Left, two gradients as arrows, divided by their scales, with the segment between their tips, the whole line through them, and the points of both nearest to the origin; right, bars of both clients' weights and rates.",
  hint: "Drag the tips of the gradients g₁ and g₂. AdaFed goes to the point of the whole line that is nearest to the origin, FedMGDA to the grey segment's. Green: directions that lower both losses.",
  key: "Thick arrows: h = g / s, with the scale s = f to the power γ (at γ = 0 losses play no part: s is 1). Grey segment: the convex hull of h₁ and h₂; whole line: their affine hull. Ring, dashed arrow and dashed rates: FedMGDA, given h, where the two differ. Weights λ are those of the g's: AdaFed's arrow is λ₁g₁ + λ₂g₂, and they need not add to 1.",
  task: {
    ask: "AdaFed's direction and the convex hull's (dashed) differ. When are they sure to be the same, whatever γ and the losses are?",
    guesses: [
      "if the clients agree closely",
      "if the clients are in conflict",
      "if the gradients are equally long",
    ],
    right: 1,
    goal: "Drag the tip of g₂ until both directions are the same.",
    reached: (_, { convex, affine }) =>
      affine.length > 0.1 && distance(convex.direction, affine.direction) < 1e-9,
    explain:
      "The nearest point of the line lies between the tips of h₁ and h₂, so no weight is negative. In a conflict this is always so: the angle at the origin is obtuse, so those at the tips are acute. If the clients agree, the point can lie outside the segment.",
  },
  reach: REACH,
  panels: [
    { name: "plane", width: WIDE, height: HIGH, label: "gradients; drag their tips" },
    { name: "bars", width: WIDE, height: LOW, label: "weights and rates" },
  ],
  active: (state, name) => state.gamma > 0 || name === "gamma",
  compute,
  draw,
  handles,
  words,
};
