"""FedMGDA+'s box: how far the weights may move from equal weights, and whose loss rises if that is not far enough."""

import numpy as np

from fairfl.rules import min_norm
from fairfl_book.labs.controls import Choice, Placed, Points, Slider
from fairfl_book.labs.lab import Lab
from fairfl_book.labs.rounding import row

_CROWDS = {"three": (1, 1, 1), "ten: client 1 and seven like it": (8, 1, 1)}


class Box(Lab):
    """Three gradients that the reader drags, and the box ``|μ_k − 1/K| ≤ ε`` around equal weights μ, resized by an
    edge.

    The direction is the point ``Σ μ_k h_k`` nearest to the origin, with μ in the box and the simplex (Hu et al. 2022,
    (25)) and rows h_k = g_k or g_k / ‖g_k‖. With ten clients, seven more have client 1's gradient, and its weight is
    the sum of all eight. A client with a zero gradient is left out, as in FedMGDA+.
    """

    view = "epsilon_box"
    controls = {
        "crowd": Choice("clients", tuple(_CROWDS), "three"),
        "rows": Choice("gradients count as", ("unit", "raw"), "unit"),
        "epsilon": Slider("ε, half the box's width", 0.0, 1.0, 0.01, 0.05),
        "tips": Points("tips of the gradients", 1.4, [[1.25, 0.55], [1.15, 0.1], [-1.15, 0.68]]),
    }
    tries = {
        "open the box: ε = 0.3": {"epsilon": 0.3},
        "g₃ shouts, and rows are raw": {
            "rows": "raw",
            "epsilon": 0.3,
            "tips": [[0.6, 0.26], [0.5, 0.04], [-1.2, 0.71]],
        },
        "nine against one: ten clients, ε = 0.2": {
            "crowd": "ten: client 1 and seven like it",
            "epsilon": 0.2,
            "tips": [[1.38, 0.0], [1.0, 0.0], [-1.15, 0.68]],
        },
    }

    def compute(self, crowd: str, rows: str, epsilon: float, tips: Placed) -> dict:
        G, sizes = np.array(tips, dtype=float), np.array(_CROWDS[crowd])
        lengths = np.linalg.norm(G, axis=1)
        H = G / np.where(lengths > 0, lengths, 1)[:, None] if rows == "unit" else G
        sizes = np.where(lengths > 0, sizes, 0)
        equal = sizes / sizes.sum() if sizes.any() else np.array(_CROWDS[crowd]) / sum(_CROWDS[crowd])
        weights, free = (_weights(H, sizes, radius) if sizes.any() else equal for radius in (epsilon, 1.0))
        direction = H.T @ weights
        return {
            "H": H,
            "equal": equal,
            "weights": weights,
            "direction": direction,
            "rates": H @ direction,
            "free": free,
            "best": H.T @ free,
            # the smallest ε whose box contains the unconstrained weights
            "enough": float(np.abs((free - equal) / np.where(sizes > 0, sizes, 1)).max()),
        }

    def words(self, numbers: dict) -> list[str]:
        squared = numbers["direction"] @ numbers["direction"]
        return [
            f"weights  {row(numbers['weights'])}   the box matters below ε = {numbers['enough']:.2f}",
            f"rates    {row(numbers['rates'])}   squared length of dir {squared:.2f}",
        ]


def _weights(H, sizes, radius):
    """Weights (3,) of rows that represent ``sizes`` (3,) clients each. No client's weight differs from an equal share
    by more than ``radius``."""
    everybody = np.repeat(np.arange(3), sizes)
    R, K = H[everybody], len(everybody)
    return np.bincount(everybody, min_norm(R @ R.T, centre=np.full(K, 1 / K), radius=float(radius)).weights, 3)
