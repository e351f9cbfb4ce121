"""Two clients and one direction: the effect of a weight on each client."""

import numpy as np

from fairfl_book.labs.controls import Placed, Points, Slider
from fairfl_book.labs.lab import Lab
from fairfl_book.translation.sentences import tr


class TwoClients(Lab):
    """Two gradients, and the server's direction λ₁ g₁ + (1 − λ₁) g₂ between their tips. The reader drags all three
    points."""

    view = "two_clients"
    controls = {
        "weight": Slider("weight λ₁ of client 1", 0.0, 1.0, 0.01, 0.5, shown=False),
        "tips": Points("tips of the gradients", 2.0, [[1.0, 0.0], [-1.6, 1.2]]),
    }
    tries = {
        "a weight that hurts nobody": {"weight": 0.66},
        "gradients that agree": {"tips": [[1.5, 0.2], [0.4, 1.5]]},
        "gradients that oppose each other": {"tips": [[1.0, -0.5], [-1.6, 0.8]]},
    }

    def compute(self, weight: float, tips: Placed) -> dict:
        G, lam = np.array(tips, dtype=float), np.array([weight, 1 - weight])
        A = G @ G.T
        return {"G": G, "weights": lam, "A": A, "direction": G.T @ lam, "rates": A @ lam, "harmless": harmless(A)}

    def words(self, numbers: dict) -> list[str]:
        lam, rates = numbers["weights"], numbers["rates"]
        losers = [tr("client {k} pays: its loss rises", k=k + 1) for k in range(2) if rates[k] < -5e-3]
        return [
            f"{tr('weights  ')}{lam[0]:5.2f} {lam[1]:5.2f}",
            f"{tr('rates    ')}{rates[0]:5.2f} {rates[1]:5.2f}",
            *(losers or [tr("nobody pays")]),
        ]


def harmless(A: np.ndarray) -> tuple[float, float]:
    """The smallest and the largest weight λ₁ in [0, 1] at which no rate of A (λ₁, 1 − λ₁) is negative.

    ``A`` (2, 2): the Gram matrix. ρ₁ = A₁₁ λ₁ + A₁₂ (1 − λ₁) and ρ₂ = A₁₂ λ₁ + A₂₂ (1 − λ₁) are lines in λ₁. By the Cauchy–Schwarz
    inequality, the zero of the second is not below that of the first. They are equal if the gradients point in opposite directions.
    """
    (a, c), (_, b) = A
    if c >= 0:
        return 0.0, 1.0
    return float(-c / (a - c)), float(b / (b - c))
