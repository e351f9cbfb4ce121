// Handles for points that a reader drags about a plane, and for numbers that slide along a line.
import { CLIENTS } from "./palette.js";
import { stepped, within } from "./plane.js";
import { whereabouts } from "./wording.js";
import { tr } from "./i18n.js";

/** The handle of point ``k`` of the control ``list``, which stands at ``place`` of the coordinates ``c`` in ``panel`` and goes no farther
 *  than ``reach`` from the origin; nearer than ``snap`` it is the origin. What else is given becomes the handle's: colour, label, stride … */
export function pointHandle({
  name,
  list,
  k = 0,
  place,
  c,
  panel = "plane",
  reach,
  snap = 0,
  ...more
}) {
  const put = (state, point) => {
    state[list][k] = Math.hypot(...point) < snap ? [0, 0] : within(reach, point);
    return state;
  };
  return {
    name,
    panel,
    at: c.at(place),
    now: place[0],
    value: whereabouts(place),
    move: (state, point) => put(state, c.back(point)),
    step: (state, by) =>
      put(
        state,
        state[list][k].map((v, i) => v + by[i]),
      ),
    ...more,
  };
}

/** Handles for the tips of gradients, the control ``tips``, a client each; ``more`` as for ``grip``. */
export const tipHandles = (G, more) =>
  G.map((g, k) =>
    pointHandle({
      name: `tip${k + 1}`,
      list: "tips",
      k,
      place: g,
      colour: CLIENTS[k],
      label: tr("tip of client {k}'s gradient", { k: k + 1 }),
      ...more,
    }),
  );

/** The handle of the number ``control``, which is ``now`` and goes through its ``limits`` { low, high, step } along a straight line:
 *  ``place(v)`` is where v stands, in pixels. What else is given becomes the handle's: panel, colour, value, label, stride … */
export function lineHandle({ control, name = control, limits, now, place, ...more }) {
  const { low, high } = limits,
    [from, to] = [low, high].map(place),
    way = to.map((v, i) => v - from[i]),
    long = way[0] * way[0] + way[1] * way[1];
  const put = (state, v) => ({ ...state, [control]: stepped(limits, v) });
  // Where the line has shrunk to a point no finger tells one number from another.
  const under = (point) =>
    long > 1
      ? low +
        ((high - low) * ((point[0] - from[0]) * way[0] + (point[1] - from[1]) * way[1])) / long
      : now;
  return {
    name,
    at: place(now),
    now,
    range: [low, high],
    track: [from, to],
    move: (state, point) => put(state, under(point)),
    step: (state, by) => put(state, state[control] + by[0] + by[1]),
    ...more,
  };
}
