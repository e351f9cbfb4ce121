"""CAGrad: the direction near the mean update that maximises the worst client's rate."""

import numpy as np
import torch

from fairfl._validation import number
from fairfl.rules.base import GramRule, Weights, nonzero
from fairfl.rules.dualproj import projected
from fairfl.rules.gram import precise, precise_resolution
from fairfl.rules.solvers.cosines import NEAR
from fairfl.rules.solvers.min_norm import CERTIFIED, nearest
from fairfl.updates import Updates


class CAGrad(GramRule):
    """``dir = ḡ + c ‖ḡ‖ g_w / ‖g_w‖``: it maximises ``min_k g_k · dir`` over ``‖dir − ḡ‖ ≤ c ‖ḡ‖`` (Liu et al. 2021,
    Algorithm 1).

    ḡ is the mean update, and w the weights on the simplex that minimise ``g_w · ḡ + c ‖ḡ‖ ‖g_w‖``, with
    ``g_w = Gᵀ w``; so ``λ = 1/K + c (‖ḡ‖/‖g_w‖) w``. ``c`` = 0 is the mean, 0.5 the default of the authors' code (its
    scripts use 0.4 and 0.6), and for large c the direction tends to FedMGDA's. From c = 1 on, the mean loss may not
    fall. No state. Their code divides the result by ``1 + c²``, which is the server's η here.

    Solved exactly: dir is ``1/t`` times the point nearest to the origin in the hull of the rows ``g_k + t ḡ``, for the
    unique t with ``‖g_w‖ = t c ‖ḡ‖``. The worst rate is certified by the gap to the dual problem.

    At Pareto-stationary updates and for c large enough, ``g_w`` may be 0. Many directions then attain the best worst
    rate, zero; the one nearest to the mean is taken (DualProj's), with a ``reason``.
    """

    def __init__(self, c: float = 0.5):
        self.c = number("c", c, low=0)

    def weights(self, gram: torch.Tensor, updates: Updates) -> Weights:
        keep, reason = nonzero(gram, updates)
        weights = torch.full((len(gram),), 1 / len(gram), dtype=torch.float64)
        reasons = [reason] if reason else []
        if self.c == 0 or len(keep) == 0:
            return Weights(weights, reason=reason)
        largest, rows = float(gram.diagonal().max()), updates.gradients
        if float(torch.linalg.eigvalsh(gram / largest)[0]) < NEAR:
            gram = precise(gram, rows)
        A, tolerance = gram[keep][:, keep].numpy() / largest, precise_resolution(rows.dtype)
        along, square = A.sum(1) / len(gram), float(A.sum()) / len(gram) ** 2
        if square <= tolerance:
            reasons.append("the mean update is zero, and so is the ball around it")
            return Weights(torch.zeros_like(weights), reason="; ".join(reasons))
        reach = self.c * square**0.5
        w, length = _mixture(A, along, square, reach, tolerance**0.5)
        if length == 0:
            reasons.append("the updates are Pareto-stationary; took the mean's nearest direction that harms nobody")
            found = projected(gram, updates, weights[None])
            return Weights(found.values, reason="; ".join(reasons))
        rates = along + reach / length * (A @ w)
        gap = float(w @ along + reach * length - rates.min()) / (reach + square**0.5)
        if gap > CERTIFIED:
            reasons.append(f"the worst rate is {gap:.1e} short of the best")
        weights[keep] += reach / length * torch.from_numpy(w)
        return Weights(weights, reason="; ".join(reasons))


def _mixture(A: np.ndarray, along: np.ndarray, square: float, reach: float, still: float) -> tuple[np.ndarray, float]:
    """w (K,) on the simplex that minimises ``w · along + reach √(wᵀ A w)``, and ``√(wᵀ A w)``; ``along`` is ``G ḡ``.
    The length is zero if that is the minimum; lengths up to ``still`` count as zero.

    For any t > 0, the w of the hull of ``g_k + t ḡ`` is cheap to compute. Its ``‖g_w‖ − t reach`` falls with t, from
    ‖nearest point‖ ≥ 0 to below zero; the solution is its root (regula falsi, Illinois variant).
    """

    def at(t: float) -> tuple[np.ndarray, float]:
        shifted = A + t * along + t * along[:, None] + t * t * square
        w = nearest(torch.from_numpy(shifted)).weights.numpy()
        return w, float(max(w @ A @ w, 0.0)) ** 0.5

    low, high = 0.0, 1.0 / reach
    w, over = at(low)
    if over <= still:
        # The hull contains the origin, but for larger t its points may still be out of reach.
        low = 1e-4 * high
        w, length = at(low)
        over = length - low * reach
        if over <= 0:
            return w, 0.0
    under = at(high)[1] - 1.0
    side = 0
    for _ in range(100):
        t = (low * under - high * over) / (under - over) if under < 0 else high
        w, length = at(t)
        value = length - t * reach
        if abs(value) <= 1e-15 or high - low <= 1e-15 * high:
            break
        if value > 0:
            low, over, under, side = t, value, under / 2 if side > 0 else under, 1
        else:
            high, under, over, side = t, value, over / 2 if side < 0 else over, -1
    return w, length
