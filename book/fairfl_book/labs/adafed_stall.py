"""Two quadratics with the same minimiser, and the paths of AdaFed and FedMGDA from one start: where AdaFed stops too
early."""

from functools import partial

import numpy as np

from fairfl_book import toy
from fairfl_book.labs.controls import Placed, Points
from fairfl_book.labs.lab import Lab

_BOWLS = toy.Quadratics([[0.0, 0.0], [0.0, 0.0]], [np.diag([1.0, 4.0]), np.diag([4.0, 1.0])])
_STEP, _STEPS = 0.1, 60


class Wall(Lab):
    """The losses ½ (x² + 4 y²) and ½ (4 x² + y²), with a start point that the reader drags. Two paths of 60 steps of
    size 0.1 begin there: AdaFed at γ = 0 follows the point of the affine hull nearest to the origin, FedMGDA that of
    the convex hull.

    On both axes the gradients are parallel and of different lengths, so the affine point is zero. This is a
    counterexample to Theorem 5.5 of Hamidi and Yang 2024. The lab uses the affine point as printed. On an axis,
    ``fairfl.rules.AdaFed`` uses the convex point instead.
    """

    view = "adafed_stall"
    controls = {"start": Points("start of both walks", 2.0, [[1.0, 1.6]])}
    tries = {
        "on the wall": {"start": [[0.0, 1.6]]},
        "on the diagonal": {"start": [[1.3, 1.3]]},
        "beside the diagonal": {"start": [[1.3, 1.15]]},
    }

    def compute(self, start: Placed) -> dict:
        numbers = {}
        for rule, whole_line in (("AdaFed", True), ("FedMGDA", False)):
            path = toy.descend(partial(_direction, whole_line=whole_line), start[0], _STEP, _STEPS)
            numbers[rule] = {"path": path, "losses": _BOWLS.losses(path), "away": float(np.linalg.norm(path[-1]))}
        return numbers

    def words(self, numbers: dict) -> list[str]:
        return [
            f"{rule:8} ends {of['away']:.2f} from the minimiser; losses {of['losses'][-1][0]:.2f} and {of['losses'][-1][1]:.2f}"
            for rule, of in numbers.items()
        ]


def _direction(w: np.ndarray, whole_line: bool) -> np.ndarray:
    """The point nearest to the origin on the line through the two gradients, or on the segment between them."""
    one, other = _BOWLS.gradients(w)
    along = other - one
    square = along @ along
    share = -(one @ along) / square if square > 0 else 0.5
    if not whole_line:
        share = min(1.0, max(0.0, share))
    return one + share * along
