// Handles for points that a reader drags about a plane.
import { CLIENTS } from "./palette.js";
import { within } from "./plane.js";
import { whereabouts } from "./said.js";

/** The handle of point ``k`` of the control ``list``, which stands at ``place`` of the coordinates ``c`` in ``panel`` and goes no farther
 *  than ``reach`` from the origin; nearer than ``snap`` it is the origin. What else is given becomes the handle's: colour, label, stride … */
export function grip({ name, list, k = 0, place, c, panel = "plane", reach, snap = 0, ...more }) {
  const put = (state, point) => { state[list][k] = Math.hypot(...point) < snap ? [0, 0] : within(reach, point); return state; };
  return {
    name, panel, at: c.at(place), now: place[0], value: whereabouts(place),
    move: (state, point) => put(state, c.back(point)), step: (state, by) => put(state, state[list][k].map((v, i) => v + by[i])), ...more,
  };
}

/** Handles for the tips of gradients, the control ``tips``, a client each; ``more`` as for ``grip``. */
export const tipGrips = (G, more) => G.map((g, k) => grip({ name: `tip${k + 1}`, list: "tips", k, place: g, colour: CLIENTS[k], label: `tip of client ${k + 1}'s gradient`, ...more }));
