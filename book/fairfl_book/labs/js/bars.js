// A bar a client: its rate, g_k · dir, to the right where its loss falls; beside it, if given, the weight.
import { label, line, polygon, tag } from "./svg.js";
import { BAD, INK, LINE, SOFT } from "./palette.js";
import { ZERO, two } from "./wording.js";
import { tr } from "./i18n.js";

const TOP = 46,
  FOOT = 22,
  COLUMN = 118,
  NOTHING = 84,
  ONE = 32,
  POINT = 6;

/** ``rates``: one a client; ``ghosts``: rates to compare with, as dashed outlines; ``weights``: numbers with small bars below them, under
 *  ``weighed``; ``bound``: { at, words }, a dashed line across; ``low`` … ``high``: what the bars' axis shows, with ``ticks``. A bar
 *  that is longer than its room ends in a point. */
export function bars({
  width,
  height,
  names,
  colours,
  rates,
  ghosts,
  weights,
  weighed = tr("weight λ"),
  heading = tr("rate g · dir: how fast the loss falls"),
  bound,
  low,
  high,
  ticks: at,
}) {
  const left = weights ? 128 : 84,
    right = width - 52,
    bottom = height - FOOT,
    row = (bottom - TOP - 2) / rates.length,
    half = Math.min(13, 0.25 * row);
  const across = (v) =>
      left + ((Math.min(high, Math.max(low, v)) - low) / (high - low)) * (right - left),
    zero = across(0);
  const pieces = [
    label(width - 1, 16, heading, { fill: SOFT, "text-anchor": "end" }),
    weights ? label(60, 36, weighed, { fill: SOFT }) : "",
  ];
  for (const tick of at) {
    pieces.push(
      line([across(tick), TOP - 4], [across(tick), bottom], {
        stroke: tick ? LINE : SOFT,
        "stroke-width": tick ? 0.7 : 1.2,
      }),
    );
    pieces.push(
      label(across(tick), height - 5, String(tick).replace("-", "−"), {
        fill: SOFT,
        "text-anchor": "middle",
      }),
    );
  }
  if (bound && bound.at <= high) {
    const [side, anchor] = across(bound.at) > (left + right) / 2 ? [-6, "end"] : [6, "start"];
    pieces.push(
      line([across(bound.at), TOP - 8], [across(bound.at), bottom], {
        stroke: INK,
        "stroke-width": 1.2,
        "stroke-dasharray": "5 4",
      }),
    );
    pieces.push(label(across(bound.at) + side, TOP - 10, bound.words, { "text-anchor": anchor }));
  }
  rates.forEach((rate, k) => {
    const middle = TOP + row * (k + 0.5),
      over = rate > high ? 1 : rate < low ? -1 : 0;
    pieces.push(label(0, middle + 5, names[k], { class: "strong" }));
    if (weights) {
      const end = NOTHING + Math.min(1, Math.max(-0.5, weights[k])) * ONE,
        thin = Math.min(6, row - 16);
      pieces.push(
        label(COLUMN + (weights[k] < 0 ? 6 : 0), middle + 2, two(weights[k]), {
          "text-anchor": "end",
        }),
        line([NOTHING, middle + 5], [NOTHING, middle + 7 + thin], { stroke: SOFT }),
      );
      pieces.push(
        bar(
          NOTHING,
          end,
          middle + 6 + thin / 2,
          thin / 2,
          weights[k] > 1 ? 1 : weights[k] < -0.5 ? -1 : 0,
          { fill: colours[k] },
        ),
      );
    }
    pieces.push(bar(zero, across(rate), middle, half, over, { fill: colours[k] }));
    if (ghosts)
      pieces.push(
        bar(zero, across(ghosts[k]), middle, half + 4, 0, {
          fill: "none",
          stroke: SOFT,
          "stroke-width": 1.3,
          "stroke-dasharray": "3 3",
        }),
      );
    pieces.push(
      label(width - 1, middle + 5, two(rate), {
        "text-anchor": "end",
        class: "strong",
        ...(rate < -ZERO ? { fill: BAD } : {}),
      }),
    );
  });
  return pieces.join("");
}

/** ``over``: 1 or −1 where it is longer than there is room, to the right or to the left. */
function bar(zero, to, middle, half, over, more) {
  if (!over)
    return tag("rect", {
      x: Math.min(zero, to),
      y: middle - half,
      width: Math.abs(to - zero),
      height: 2 * half,
      rx: 2,
      ...more,
    });
  const neck = to - over * POINT;
  return polygon(
    [
      [zero, middle - half],
      [neck, middle - half],
      [to, middle],
      [neck, middle + half],
      [zero, middle + half],
    ],
    more,
  );
}
