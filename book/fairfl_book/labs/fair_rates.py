"""α-fair rates: from the projection of the mean (α → 0) over the Nash bargain (α = 1) to FedMGDA's point (α → ∞)."""

import numpy as np
from scipy.optimize import bisect

from fairfl import rules
from fairfl_book.labs.controls import Placed, Points, Slider
from fairfl_book.labs.lab import Lab
from fairfl_book.labs.rounding import row

FAR = 4.0  # the slider's ends use 1e-4 and 1e4, which look like the limits of α
STATIONARY, PARALLEL = 1e-12, 1e-9


class FairRates(Lab):
    """Two or three clients and the weights with ``A λ = λ^(−1/α)``. The direction is drawn with length 1, and each
    client is a point (λ, ρ) of the curve ``ρ = λ^(−1/α)``. ``power``: log10 α. Its ends, −2 and 2, mean the limits α →
    0 and α → ∞."""

    view = "fair_rates"
    controls = {
        "clients": Slider("clients", 2, 3, 1, 3),
        "power": Slider("α, as a power of ten", -2.0, 2.0, 0.05, 0.0, shown=False),
        "tips": Points("tips of the gradients", 1.0, [[0.94, -0.16], [0.77, 0.21], [-0.15, 0.32]]),
    }
    tries = {
        "α → 0": {"power": -2.0},
        "α → ∞": {"power": 2.0},
        "right angle, lengths 1 : 8": {"clients": 2, "tips": [[0.12, 0.0], [0.0, 0.96], [-0.15, 0.32]]},
        "Pareto stationary": {"tips": [[0.94, -0.16], [-0.3, 0.6], [-0.35, -0.32]]},
    }
    also = {"zero": {"power": -2.0}, "infinity": {"power": 2.0}}

    def compute(self, clients: int, power: float, tips: Placed) -> dict:
        G = np.array(tips[:clients], dtype=float)
        alpha = 10 ** (np.sign(power) * FAR if abs(power) == 2 else power)
        heard, logs = G.any(1), None
        if heard.any():
            logs = _logarithms(G[heard], alpha)
        weights, rates = np.zeros(clients), np.zeros(clients)
        if logs is not None:
            weights[heard], rates[heard] = np.exp(-alpha * logs), np.exp(logs)
        vector = G.T @ weights
        return {
            "G": G,
            "alpha": float(alpha),
            "solved": logs is not None,
            "weights": weights,
            "rates": rates,
            # the step of length 1, and the position of each (λ, ρ) in the picture: v / (1 + v), so that ∞ fits
            "step": vector / np.linalg.norm(vector) if vector.any() else vector,
            "places": np.stack([weights / (1 + weights), rates / (1 + rates)], 1),
        }

    def words(self, numbers: dict) -> list[str]:
        alpha = numbers["alpha"]
        name = {10**-FAR: "α → 0", 10**FAR: "α → ∞"}.get(alpha, f"α = {alpha:.2f}")
        if not numbers["solved"]:
            return [f"{name}: no weights solve the equation"]
        return [f"{name:9} weights λ{row(numbers['weights'])}", f"{'':9} rates ρ  {row(numbers['rates'])}"]


def _logarithms(G, alpha):
    """log ρ (K,) of the rates ``ρ = A λ = λ^(−1/α)`` for rows G (K, 2), none of them zero. ``None`` if there is no
    solution.

    A direction in the plane is an angle. Over the angles that lower every loss, W_α is unimodal, so bisection of its
    derivative finds the maximum for every α. The angle is measured from the nearer edge of the cone and on a
    logarithmic scale that can represent 1e-4000, because for α near 0 a client whom the mean would harm has a rate like
    λ^(−1/α).
    """
    lengths, point = np.linalg.norm(G, axis=1), rules.min_norm(G @ G.T)
    if point.squared_norm <= STATIONARY * (point.weights.numpy() @ lengths**2):
        return None
    x, y = G.T @ point.weights.numpy()
    turns = np.arctan2(x * G[:, 1] - y * G[:, 0], G @ [x, y])
    first, last = G[turns.argmin()], G[turns.argmax()]
    width = np.arctan2(abs(_cross(first, last)), -(first @ last))  # of the cone of directions that lower every loss
    # Angles between each gradient and the last and the first one.
    before, after = (np.abs(np.arctan2(_cross(end, G.T), G @ end)) for end in (last, first))
    before, after = (np.where(turn < PARALLEL, 0, turn) for turn in (before, after))

    def rates(s):
        """log (g_k · u) and the derivatives of g_k · u, where u divides the width of the cone in the ratio e^s."""
        parts = [np.log(width) - np.logaddexp(0, -way * s) for way in (1, -1)]
        from_last, from_first = (np.exp(part) + turn for part, turn in zip(parts, (before, after)))
        near = from_last <= from_first
        angle = np.where(near, from_last, from_first)
        tiny = np.where(near, np.where(before == 0, parts[0], 0), np.where(after == 0, parts[1], 0))
        with np.errstate(divide="ignore"):
            sine = np.where((tiny < 0) & (angle < 1e-4), tiny - angle**2 / 6, np.log(np.sin(angle)))
        return np.log(lengths) + sine, lengths * np.cos(angle) * np.where(near, 1, -1)

    def slope(s):
        logs, slopes = rates(s)
        return np.exp(-alpha * (logs - logs.min())) @ slopes

    far = 50 + 50 / alpha
    logs, _ = rates(bisect(slope, -far, far, xtol=1e-15, rtol=1e-15, maxiter=200))
    top = ((1 - alpha) * logs).max()
    return logs + (top + np.log(np.exp((1 - alpha) * logs - top).sum())) / (1 + alpha)


def _cross(g, h):
    return g[0] * h[1] - g[1] * h[0]
