"""Plots of two-client problems: parameter space and objective space, side by side."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from fairfl_book.figures import COLOURS
from fairfl_book.toy import Toy

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def backdrop(axes: "Iterable[Axes]", problem: Toy, window: ArrayLike | None = None) -> None:
    """Draw a two-client problem into ``axes`` = (parameters, losses).

    Left: contours of both losses and the Pareto set. Right: the Pareto front, with the points on or dominated by it shaded.
    ``window`` (f₁ high, f₂ high): upper limits of the right panel; by default just large enough for the front.
    """
    plane, losses = axes
    x, y, f = problem.grid(41)
    pareto = problem.pareto_set(201)
    front = problem.losses(pareto)
    window = np.array(1.08 * front.max(0) if window is None else window)
    for k, colour in enumerate(("blue", "orange")):
        levels = np.quantile(f[..., k], (0.03, 0.1, 0.2, 0.35, 0.5))
        # Without antialiasing an image has few colours and a third of the size.
        plane.contour(x, y, f[..., k], levels=levels, colors=COLOURS[colour], linewidths=0.5, antialiased=False)
        above = pareto[-k][1] > pareto[k - 1][1]
        plane.annotate(
            f"client {k + 1}",
            pareto[-k],
            xytext=(0, 8 if above else -16),
            textcoords="offset points",
            color=COLOURS[colour],
            ha="center",
            bbox={"color": "white", "pad": 1},
            zorder=3,
        )
    plane.plot(*pareto.T, color=COLOURS["black"], linewidth=1.2)
    plane.set(xlabel="w₁", ylabel="w₂", aspect="equal", title="parameters", xlim=problem.box[:2], ylim=problem.box[2:])
    far = 10 * window
    losses.fill(*np.transpose([*front, [far[0], 0], far, [0, far[1]]]), color="#EDEDED", linewidth=0)
    losses.plot(*front.T, color=COLOURS["black"], linewidth=1.2)
    losses.set(
        xlabel="f₁: loss of client 1",
        ylabel="f₂: loss of client 2",
        title="losses",
        xlim=(-0.05 * window[0], window[0]),
        ylim=(-0.05 * window[1], window[1]),
    )


def level(axis: "Axes", method: str, setting: float | np.ndarray, f: np.ndarray) -> None:
    """Plot the losses ``f`` (2,) of a method's solution, and the level set that the method pushes towards the lower left.

    ``setting``: the weights (2,), the bound ε on f₂, or the reference point s (2,).
    """
    reach = 10 * max(1.0, *f)
    strong = {"color": COLOURS["vermilion"], "linewidth": 1.2}
    axis.plot(*f, "o", color=COLOURS["vermilion"], markersize=9, zorder=4)
    if method == "weighted sum":
        along = np.array([setting[1], -setting[0]])
        axis.plot(*np.transpose([f - reach * along, f + reach * along]), **strong)
    elif method == "ε-constraint":
        axis.axhline(setting, linestyle="--", **strong)
        axis.plot([f[0], f[0]], [-reach, setting], **strong)
    else:
        corner = setting + max(f - setting)
        axis.plot(*np.transpose([setting, corner]), linestyle="--", **strong)
        axis.plot([-reach, corner[0], corner[0]], [corner[1], corner[1], -reach], **strong)
        axis.plot(*setting, "x", color=COLOURS["vermilion"], markersize=8, markeredgewidth=2, clip_on=False)
