"""The Pareto front of three clients as a surface, with the solutions of a weighted sum and of the minimax problem."""

import itertools

import numpy as np

from fairfl_book import toy
from fairfl_book.labs.controls import Placed, Points, Slider
from fairfl_book.labs.lab import Lab
from fairfl_book.labs.rounding import row


class ThreeFronts(Lab):
    """Three clients with the losses ``½ ‖w − c_k‖²``. The reader drags the minimisers c_k, rotates the front and
    chooses weights.

    The Pareto set is the triangle of the minimisers, and the minimiser of the weighted sum is its point ``Σ λ_k c_k``.
    The model that minimises the largest loss, AFL's goal, is the centre of the smallest circle around the minimisers.
    ``weights``: λ as a point in a triangle around the origin with corners (clients 1, 2, 3) at −150°, −30° and 90° and
    distance 1. A point outside is replaced by the nearest point of the triangle.
    """

    view = "three_fronts"
    controls = {
        "turn": Slider("turn (°)", -180, 180, 1, 30, shown=False),
        "weights": Points("weights", 1.0, [[0.0, 0.0]]),
        "centres": Points("the clients' best models", 1.0, [[-0.8, -0.35], [0.35, -0.75], [0.5, 0.8]]),
    }
    tries = {
        "all the weight to client 3": {"weights": [[0.0, 1.0]]},
        "two clients that agree": {"centres": [[-0.7, -0.55], [-0.6, -0.72], [0.6, 0.75]]},
        "three on a line: the front is a curve": {"centres": [[-0.8, -0.6], [-0.2, -0.15], [0.8, 0.6]]},
    }

    def compute(self, turn: int, weights: Placed, centres: Placed) -> dict:
        problem = toy.Quadratics(centres)
        shares = _shares(np.array(weights[0]))
        w, fair = problem.minimiser(shares), _middle(problem.centres)
        return {"shares": shares, "w": w, "f": problem.losses(w), "fair": fair, "fairest": problem.losses(fair)}

    def words(self, numbers: dict) -> list[str]:
        return [
            f"weights λ               {row(numbers['shares'])}",
            f"losses of weighted sum  {row(numbers['f'])}",
            f"least largest loss      {row(numbers['fairest'])}",
        ]


_CORNERS = np.array([[-(0.75**0.5), -0.5], [0.75**0.5, -0.5], [0.0, 1.0]])


def _shares(point):
    """Weights (3,) of the simplex nearest to a ``point`` (2,) of the triangle's plane."""
    raw = 1 / 3 + 2 / 3 * _CORNERS @ point
    down = np.sort(raw)[::-1]
    over = (np.cumsum(down) - 1) / np.arange(1, 4)
    return np.maximum(raw - over[np.flatnonzero(down > over)[-1]], 0)


def _middle(points):
    """The centre (2,) of the smallest circle around three points (3, 2)."""
    sides = [(np.linalg.norm(a - b), i, j) for (i, a), (j, b) in itertools.combinations(enumerate(points), 2)]
    longest, i, j = max(sides, key=lambda side: side[0])
    middle, other = (points[i] + points[j]) / 2, points[3 - i - j]
    if np.linalg.norm(other - middle) <= longest / 2 + 1e-12:
        return middle
    A = 2 * (points[1:] - points[0])
    return np.linalg.solve(A, (points[1:] ** 2).sum(1) - points[0] @ points[0])
