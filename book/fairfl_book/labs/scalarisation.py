"""Three scalarisations of two losses, and the points of the Pareto front that they find."""

import functools

import numpy as np

from fairfl_book import toy
from fairfl_book.labs.controls import Choice, Placed, Points, Slider
from fairfl_book.labs.lab import Lab

_PROBLEMS = {"dented": toy.FonsecaFleming(), "convex": toy.two_valleys()}
METHODS = ("weighted sum", "ε-constraint", "Chebyshev")
_FARTHEST = {"dented": (1.1, 1.1), "convex": (5.5, 1.2)}  # bounds of s, in losses
_KNOB = np.linspace(0, 1, 51)
_TIE = 1e-12  # scores this close are ties, and the first point wins, so rounding does not matter


class Scalarisation(Lab):
    """Two losses with a front that is not convex (Fonseca–Fleming) or convex (the two valleys). The reader turns a
    line, moves a bound, drags a reference point, and drags a model w for comparison.

    ``weight``: λ₁ of the weighted sum. ``bound``: ε, the upper bound on f₂. ``goal_1``, ``goal_2``: the reference point
    s of the Chebyshev problem, kept inside the picture. ``mine``: a model w (2,).

    Solutions are global, found by search along the known Pareto set. A point that is not found is missed by the method,
    not by an optimiser.
    """

    view = "scalarisation"
    controls = {
        "problem": Choice("front", tuple(_PROBLEMS), "dented"),
        "method": Choice("method", METHODS, "weighted sum"),
        "weight": Slider("λ₁, the price of client 1's loss", 0.0, 1.0, 0.01, 0.35, shown=False),
        "bound": Slider("ε, the wall", 0.0, 1.2, 0.01, 0.6, shown=False),
        "goal_1": Slider("s₁, the goal for client 1", 0.0, 5.5, 0.01, 0.4, shown=False),
        "goal_2": Slider("s₂, the goal for client 2", 0.0, 1.2, 0.01, 0.0, shown=False),
        "mine": Points("a model w", 1.3, [[0.55, -0.6]]),
    }
    tries = {
        "turn the line past the middle": {"weight": 0.6},
        "reach the middle: Chebyshev from s = 0": {"method": "Chebyshev", "goal_1": 0.0, "goal_2": 0.0},
        "the line on a convex front": {"problem": "convex", "weight": 0.3, "mine": [[0.2, -0.75]]},
    }

    def compute(
        self, problem: str, method: str, weight: float, bound: float, goal_1: float, goal_2: float, mine: Placed
    ) -> dict:
        path, front = _front(problem)
        setting = {
            "weighted sum": np.array([weight, 1 - weight]),
            "ε-constraint": bound,
            "Chebyshev": np.minimum([goal_1, goal_2], _FARTHEST[problem]),
        }[method]
        image = _PROBLEMS[problem].losses(mine[0])
        landed, trail = _lands(method, setting, front), path[list(_elsewhere(problem, method))]
        return {
            "problem": problem,
            "method": method,
            "setting": setting,
            "trail": trail,
            "w": path[landed],
            "f": front[landed],
            "jump": np.linalg.norm(np.diff(trail, axis=0), axis=1).max(),
            "mine": np.array(mine[0]),
            "image": image,
            # by how much both losses can be below the reference point at once
            "gain": -(front - image).max(1).min(),
        }

    def words(self, numbers: dict) -> list[str]:
        rows = {
            {"weighted sum": "weights λ", "ε-constraint": "bound ε on f₂", "Chebyshev": "reference s"}[
                numbers["method"]
            ]: np.atleast_1d(numbers["setting"]),
            "solution w": numbers["w"],
            "losses f": numbers["f"],
            "largest jump": [numbers["jump"]],
        }
        # + 0.0 turns −0 into 0
        return [f"{label:14}" + " ".join(f"{round(v, 2) + 0.0:6.2f}" for v in values) for label, values in rows.items()]


@functools.cache
def _front(problem):
    """2,001 points (n, 2) along a problem's Pareto set, and their losses (n, 2)."""
    path = _PROBLEMS[problem].pareto_set(2001)
    return path, _PROBLEMS[problem].losses(path)


@functools.cache
def _elsewhere(problem, method) -> tuple[int, ...]:
    """The solutions for a method's other settings: λ₁ from 0 to 1, ε from the lowest to the highest point of the front,
    or the reference point from the top of the f₂-axis down to (0, 0), AFL's choice, and out along the f₁-axis."""
    _, front = _front(problem)
    settings = {
        "weighted sum": [np.array([k, 1 - k]) for k in _KNOB],
        "ε-constraint": front[:, 1].max() * _KNOB,
        "Chebyshev": [np.maximum([2 * k - 1, 1 - 2 * k], 0) * front.max(0) for k in _KNOB],
    }[method]
    return tuple(_lands(method, setting, front) for setting in settings)


def _lands(method, setting, front) -> int:
    """The row of ``front`` (n, 2) that minimises a method's objective."""
    if method == "weighted sum":
        score = front @ setting
    elif method == "ε-constraint":
        score = np.where(front[:, 1] <= setting + 1e-9, front[:, 0], np.inf)
    else:
        score = (front - setting).max(-1)
    return int(np.argmax(score <= score.min() + _TIE))
