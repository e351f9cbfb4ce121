"""Three ways to turn two losses into one, and where on the front each of them lands."""

import numpy as np

from fairfl_book import toy
from fairfl_book.figures import COLOURS
from fairfl_book.labs.lab import Choice, Lab, Slider

# Each problem with the part of the plane of losses that is drawn: up to (f₁, f₂).
PROBLEMS = {
    "two valleys (convex)": (toy.two_valleys(), (5.6, 1.3)),
    "Fonseca–Fleming": (toy.FonsecaFleming(), (1.08, 1.08)),
}
METHODS = ("weighted sum", "ε-constraint", "Chebyshev")
KNOB = np.linspace(0, 1, 51)


def backdrop(axes, problem, window=None) -> None:
    """A two-client problem in its two spaces, drawn into ``axes`` = (parameters, losses).

    Left: contours of both losses and the Pareto set. Right: the front, and shaded all that is on it or worse.
    ``window`` (f₁ high, f₂ high) of the right panel; by default it just holds the front.
    """
    plane, losses = axes
    x, y, f = problem.grid(41)
    pareto = problem.pareto_set(201)
    front = problem.losses(pareto)
    window = np.array(1.08 * front.max(0) if window is None else window)
    for k, colour in enumerate(("blue", "orange")):
        levels = np.quantile(f[..., k], (0.03, 0.1, 0.2, 0.35, 0.5))
        # Without smoothed edges a picture has few colours and a third of the size: a chapter holds several.
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


def level(axis, method: str, setting, f) -> None:
    """The losses ``f`` (2,) of a method's solution, and the line or corner that it pushes towards the lower left.

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


class Scalarisation(Lab):
    """One knob from 0 to 1: the weight λ₁, the bound ε on f₂ from its lowest to its highest value on the front, or the
    reference point s, which runs down the f₂-axis to (0, 0), AFL's choice, at 0.5, and then out along the f₁-axis.

    Global solutions, by search along the known Pareto set: what is missed is missed by the method, not by an optimiser.
    """

    controls = {
        "problem": Choice("problem", tuple(PROBLEMS), "Fonseca–Fleming"),
        "method": Choice("method", METHODS, "weighted sum"),
        "knob": Slider("knob (λ₁, ε or s)", 0.0, 1.0, 0.02, 0.4),
    }

    def compute(self, problem, method, knob):
        toy_problem, window = PROBLEMS[problem]
        path = toy_problem.pareto_set(2001)
        front = toy_problem.losses(path)
        settings = [self._setting(method, k, front, window) for k in (*KNOB, knob)]
        landed = np.array([path[_score(method, setting, front).argmin()] for setting in settings])
        trail, w = landed[:-1], landed[-1]
        jumps = np.linalg.norm(np.diff(trail, axis=0), axis=1)
        return {
            "problem": problem,
            "method": method,
            "setting": settings[-1],
            "trail": trail,
            "w": w,
            "f": toy_problem.losses(w),
            "jump": jumps.max(),
        }

    def _setting(self, method, knob, front, window):
        if method == "weighted sum":
            return np.array([knob, 1 - knob])
        if method == "ε-constraint":
            return front[:, 1].min() + knob * (front[:, 1].max() - front[:, 1].min())
        return np.maximum([2 * knob - 1, 1 - 2 * knob], 0) * np.minimum(front.max(0), window)

    def axes(self):
        from matplotlib import pyplot as plt

        figure, axes = plt.subplots(1, 2, figsize=(8.0, 3.7), layout="none")
        figure.subplots_adjust(
            left=0.07, right=0.98, bottom=0.13, top=0.92, wspace=0.22
        )  # laying out anew costs a redraw
        return figure, axes

    def draw(self, axes, numbers):
        problem, window = PROBLEMS[numbers["problem"]]
        backdrop(axes, problem, window)
        for axis, trail in zip(axes, (numbers["trail"], problem.losses(numbers["trail"]))):
            axis.plot(*trail.T, "o", color=COLOURS["green"], markersize=5)
        axes[0].plot(*numbers["w"], "o", color=COLOURS["vermilion"], markersize=9, zorder=4)
        level(axes[1], numbers["method"], numbers["setting"], numbers["f"])

    def words(self, numbers):
        setting = np.atleast_1d(numbers["setting"])
        name = {"weighted sum": "weights λ", "ε-constraint": "bound ε on f₂", "Chebyshev": "reference s"}[
            numbers["method"]
        ]
        rows = {name: setting, "solution w": numbers["w"], "losses f": numbers["f"], "largest jump": [numbers["jump"]]}
        # + 0.0 turns a rounded −0 into 0
        return [f"{label:14}" + " ".join(f"{round(v, 2) + 0.0:6.2f}" for v in values) for label, values in rows.items()]

    def alt(self, numbers):
        f = numbers["f"]
        return (
            f"Contours of two losses with the Pareto set, and the front in the plane of losses: the {numbers['method']} lands at "
            f"losses {f[0]:.2f} and {f[1]:.2f}; green dots show where its other settings land"
        )


def _score(method, setting, front):
    """What the method minimises, for many losses (n, 2) at once."""
    if method == "weighted sum":
        return front @ setting
    if method == "ε-constraint":
        return np.where(front[:, 1] <= setting + 1e-9, front[:, 0], np.inf)
    return (front - setting).max(-1)
