"""Two scaled gradients: the points of their convex and affine hulls nearest to the origin, and the resulting rates."""

import numpy as np

from fairfl_book.labs.controls import Placed, Points, Slider
from fairfl_book.labs.lab import Lab
from fairfl_book.labs.rounding import row

_NEARLY = [[1.0, 0.0], [1.99, 0.17]]  # chapter 8: lengths 1 and 2, five degrees apart
_PARALLEL = [[0.8, 0.4], [1.6, 0.8]]


class AffineHull(Lab):
    """Two gradients that the reader drags, losses f₁ and f₂, and AdaFed's scales s_k = f_k^γ. The rows are h_k = g_k /
    s_k, and the lab shows the points of their convex and affine hulls nearest to the origin.

    Losses are at least 1, so no h_k is longer than g_k. (Multiplying all losses by the same number changes no
    direction.) The affine point is AdaFed's as printed; for parallel gradients, ``fairfl.rules.AdaFed`` uses the convex
    point instead. A zero gradient gets the weight zero.
    """

    view = "affine"
    controls = {
        "gamma": Slider("γ, the losses' power", 0.0, 2.0, 0.25, 1.0),
        "loss_1": Slider("client 1's loss f₁", 1.0, 2.0, 0.1, 1.0),
        "loss_2": Slider("client 2's loss f₂", 1.0, 2.0, 0.1, 1.2),
        "tips": Points("tips of the gradients", 2.0, [[0.62, 0.99], [0.56, 1.76]]),
    }
    tries = {
        "open the angle": {"tips": [[0.62, 0.99], [-1.6, 0.5]]},
        "nearly parallel, γ = 0": {"gamma": 0.0, "tips": _NEARLY},
        "parallel, γ = 0": {"gamma": 0.0, "tips": _PARALLEL},
        "parallel, γ = 1, f₂ = 2": {"loss_2": 2.0, "tips": _PARALLEL},
    }
    also = {"parallel": {"gamma": 0.0, "tips": _NEARLY}}

    def compute(self, gamma: float, loss_1: float, loss_2: float, tips: Placed) -> dict:
        G = np.array(tips, dtype=float)
        s = np.array([loss_1, loss_2]) ** gamma
        H = G / s[:, None]
        share = _share(H)
        numbers = {"G": G, "s": s, "H": H}
        for hull, second in (("convex", min(1.0, max(0.0, share))), ("affine", share)):
            nu = np.array([1 - second, second]) * H.any(axis=1)
            direction = nu @ H
            numbers[hull] = {
                "weights": nu / s,
                "direction": direction,
                "length": float(np.linalg.norm(direction)),
                "rates": G @ direction,
            }
        return numbers

    def words(self, numbers: dict) -> list[str]:
        lines = [f"scales s        {row(numbers['s'])}"]
        for hull in ("convex", "affine"):
            of = numbers[hull]
            lines.append(
                f"{hull} hull:    weights {row(of['weights'])}   rates {row(of['rates'])}   length {of['length']:.2f}"
            )
        outside = numbers["affine"]["weights"].min() < -5e-3
        return [
            *lines,
            "the affine point lies outside the segment: a weight is negative"
            if outside
            else "the two points agree: no weight is negative",
        ]


def _share(H: np.ndarray) -> float:
    """ν₂ of the point (1 − ν₂) h₁ + ν₂ h₂ nearest to the origin on the line through the rows of H (2, 2). It agrees
    with ``rules.min_norm``, but stays precise for nearly parallel rows. ½ if the rows are equal."""
    along = H[1] - H[0]
    square = along @ along
    return float(-(H[0] @ along) / square) if square > 1e-24 * (H**2).sum(1).max() else 0.5
