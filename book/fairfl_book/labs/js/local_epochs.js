// Chapter 1's lab: nine alike offices and a tenth that differs, on one parameter; where FedAvg rests, by local epochs and shares.
import { CLIENTS, INK, SOFT, worded } from "./palette.js";
import { lineHandle } from "./handles.js";
import { coordinates, curve, grid, ticks } from "./plane.js";
import { arrow, disc, label, line } from "./svg.js";
import { tr } from "./i18n.js";

const WIDE = 360,
  HIGH = 276,
  NINE = CLIENTS[0],
  TENTH = CLIENTS[5],
  PART = 0.1, // ℓh of the nine
  WISH = 100, // the tenth office's minimum; the nine have theirs at 0
  EPOCHS = { low: 1, high: 50, step: 1 },
  LANES = [198, 224];
const LOSSES = coordinates({
  x: [0, WISH],
  y: [0, 5000],
  left: 16,
  right: 344,
  top: 30,
  bottom: 172,
});
const RESTS = coordinates({
  x: [EPOCHS.low, EPOCHS.high],
  y: [0, WISH],
  left: 40,
  right: 344,
  top: 30,
  bottom: 206,
});
const RAIL = RESTS.bottom + 6;
const covered = (part, epochs) => 1 - (1 - part) ** epochs;
const one = (v) => v.toFixed(1);

function rest(epochs, share, steepness) {
  const nine = covered(PART, epochs),
    tenth = covered(PART * steepness, epochs);
  return (WISH * share * tenth) / (share * tenth + (1 - share) * nine);
}

function compute({ epochs, share, steepness }) {
  const rests = Array.from({ length: EPOCHS.high }, (_, i) => rest(i + 1, share, steepness)),
    here = rests[epochs - 1],
    steps = Array.from({ length: epochs + 1 }, (_, i) => i);
  return {
    epochs,
    share,
    steepness,
    rests,
    rest: here,
    limit: WISH * share,
    nine: steps.map((i) => here * (1 - PART) ** i),
    tenth: steps.map((i) => WISH + (here - WISH) * (1 - PART * steepness) ** i),
  };
}

const draw = (numbers) => ({ round: round(numbers), rests: rests(numbers) });

/** A parabola as far as it stays below the panel's top. */
function parabola(height, minimum, colour) {
  const reach = Math.min(WISH, Math.sqrt((2 * LOSSES.y[1]) / height)),
    way = minimum ? -1 : 1;
  const points = Array.from({ length: 41 }, (_, i) => {
    const away = (reach * i) / 40;
    return [minimum + way * away, (height * away * away) / 2];
  });
  return curve(LOSSES, points, { stroke: colour, "stroke-width": 2.5 });
}

function round({ rest, steepness, nine, tenth }) {
  const x = LOSSES.across(rest),
    deep = LANES[1] + 14,
    pieces = [
      grid(LOSSES, [0, 25, 50, 75, 100], [0]),
      ticks({ ...LOSSES, bottom: deep }, [0, 25, 50, 75, 100], []),
      label(WIDE - 2, HIGH - 4, "w", { fill: SOFT, "text-anchor": "end" }),
    ];
  pieces.push(parabola(1, 0, NINE), parabola(steepness, WISH, TENTH));
  pieces.push(line([x, LOSSES.top], [x, deep], { stroke: INK, "stroke-width": 2 }));
  for (const [walk, colour, lane] of [
    [nine, NINE, LANES[0]],
    [tenth, TENTH, LANES[1]],
  ]) {
    const from = [x, lane],
      to = [LOSSES.across(walk[walk.length - 1]), lane];
    pieces.push(arrow(from, to, colour, 3));
    for (const w of walk.slice(1, -1))
      pieces.push(
        line([LOSSES.across(w), lane - 5], [LOSSES.across(w), lane + 5], {
          stroke: colour,
          "stroke-width": 1.5,
        }),
      );
  }
  pieces.push(
    label(Math.min(300, Math.max(52, x)), HIGH - 4, tr("rests at {rest}", { rest: one(rest) }), {
      "text-anchor": "middle",
      class: "strong",
    }),
    label(2, 16, tr("the nine want 0"), { class: "strong", fill: worded(NINE) }),
    label(WIDE - 2, 16, tr("the tenth wants 100"), {
      class: "strong",
      fill: worded(TENTH),
      "text-anchor": "end",
    }),
  );
  return pieces.join("");
}

function rests({ epochs, rest: here, rests: all, limit }) {
  const pieces = [
    grid(RESTS, [1, 10, 20, 30, 40, 50], [0, 25, 50, 75, 100]),
    ticks({ ...RESTS, bottom: RAIL + 8 }, [1, 10, 20, 30, 40, 50], [0, 25, 50, 75, 100]),
    label(2, 14, tr("where the model rests"), { fill: SOFT }),
    label(WIDE - 2, HIGH - 4, tr("local epochs"), { fill: SOFT, "text-anchor": "end" }),
  ];
  pieces.push(
    line([RESTS.left, RAIL], [RESTS.right, RAIL], {
      stroke: SOFT,
      "stroke-width": 3,
      "stroke-linecap": "round",
    }),
    line([RESTS.left, RESTS.up(limit)], [RESTS.right, RESTS.up(limit)], {
      stroke: TENTH,
      "stroke-width": 1.5,
      "stroke-dasharray": "6 4",
    }),
    curve(
      RESTS,
      all.map((v, i) => [i + 1, v]),
      { stroke: INK, "stroke-width": 3 },
    ),
  );
  const x = RESTS.across(epochs),
    y = RESTS.up(here);
  pieces.push(
    line([x, RAIL], [x, y], { stroke: INK, "stroke-width": 1.2, "stroke-dasharray": "2 4" }),
    disc([x, y], 5.5, { fill: INK }),
    label(RESTS.right - 2, RESTS.up(limit) + (limit < 15 ? -8 : 18), tr("100 times the share"), {
      "text-anchor": "end",
      fill: SOFT,
    }),
  );
  return pieces.join("");
}

const handles = ({ epochs }) => [
  lineHandle({
    control: "epochs",
    limits: EPOCHS,
    now: epochs,
    place: (v) => [RESTS.across(v), RAIL],
    panel: "rests",
    colour: INK,
    stride: 1,
    value:
      Math.round(epochs) > 1
        ? tr("{epochs} local epochs", { epochs: Math.round(epochs) })
        : tr("1 local epoch"),
    label: tr("local epochs"),
  }),
];

function words({ epochs, rest: here, rests: all, limit, share, steepness }) {
  const first = all[0],
    lines = [
      epochs > 1
        ? tr("With {epochs} local epochs the model rests at {rest}.", {
            epochs,
            rest: one(here),
          })
        : tr("With 1 local epoch the model rests at {rest}.", { rest: one(here) }),
    ];
  if (steepness > 1)
    lines.push(
      tr(
        "With one epoch, influence is share times curvature, which leads to {first}; with very many only the share counts, which leads to {limit}.",
        { first: one(first), limit: one(limit) },
      ),
    );
  else
    lines.push(
      tr("The losses are equally curved, so local epochs change nothing: only the share counts."),
    );
  return {
    tone: "soft",
    lines,
    figures: tr("Share {share}, the tenth {steepness} times as curved.", {
      share: share.toFixed(2),
      steepness: one(steepness),
    }),
  };
}

export const view = {
  title: tr("Nine offices, a tenth, and local epochs"),
  about: tr(
    "Left, the losses of nine alike offices and of a tenth as two parabolas over one parameter, a line where the model rests, and below it the steps that each side walks in a round. Right, where the model rests against the number of local epochs: the curve falls towards 100 times the tenth office's share.",
  ),
  hint: tr(
    "Drag the knob on the right picture's axis to change the local epochs, and move the sliders for the tenth office's share of the data and the curvature of its loss. In a round each side walks from the line as its arrow shows, a mark per step, and the server's average leads back to the line.",
  ),
  task: {
    ask: tr(
      "The offices take more local epochs. Does the tenth office's wish for 100 then count for more?",
    ),
    guesses: [tr("yes, for more"), tr("no, for less"), tr("no, for as much as before")],
    right: 1,
    goal: tr(
      "Leave the sliders alone. Drag the knob below the right picture to where the model rests below 22.",
    ),
    reached: ({ share, steepness }, { rest }) => share === 0.2 && steepness === 3 && rest < 22,
    explain: tr(
      "With many epochs, each office walks nearly all the way to its own minimum, however curved its loss is. Then only the shares of the data count, and the tenth office has one fifth.",
    ),
  },
  reach: 1,
  panels: [
    { name: "round", width: WIDE, height: HIGH, label: tr("the losses, and a round at rest") },
    {
      name: "rests",
      width: WIDE,
      height: HIGH,
      label: tr("where the model rests, by local epochs; drag the knob"),
    },
  ],
  compute,
  draw,
  handles,
  words,
};
