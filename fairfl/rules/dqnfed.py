"""DQN-Fed: every loss falls, to first order, by what its own Newton step would bring."""

import torch

from fairfl.rules.base import GramRule, Weights, nonzero
from fairfl.rules.prescribed import prescribed
from fairfl.rules.settings import column
from fairfl.updates import Updates


class DQNFed(GramRule):
    """``dir = Gᵀ A⁻¹ r`` with ``r_k = g_kᵀ B_k g_k``: the shortest vector with rates ``ρ_k = r_k`` (Hamidi et al., Thm
    4.1).

    ``B_k ≈ H_k⁻¹`` is the client's quasi-Newton matrix, and ``r_k`` the first-order fall of its own Newton step (on a
    quadratic the loss really falls by r_k/2). The paper orthogonalises as AdaFed does, with r_k for ``|f_k|^γ``, and
    steps by ``η = 1/‖dir‖²`` (17); both together are this vector, so the server's η is 1, or less to damp it.
    ``updates.extras["newton_rates"]`` (K,) holds r. No settings, no state.

    The formulas are missing in our copy of the paper: this is a reconstruction, from its proof of Theorem 4.1. On
    conflicting convex quadratics with exact Hessians the literal rule runs into a 2-cycle, and near the Pareto set
    ``‖dir‖ → ∞``; backtracking on the server stops the hopping, and may stall short of the Pareto set (chapter 9).

    Dependent updates with rates that no vector has: the convex hull's point, scaled to ``ρ_k ≥ r_k``, with
    ``exact=False``; at Pareto-stationary updates no such scale exists and the direction is zero. Zero updates are set
    aside. Negative r_k are refused: their B_k is not positive definite.
    """

    needs = frozenset({"newton_rates"})

    @property
    def name(self) -> str:
        return "DQN-Fed"

    def weights(self, gram: torch.Tensor, updates: Updates) -> Weights:
        rates = column(
            "newton_rates",
            updates.extras["newton_rates"],
            updates,
            low=0.0,
            remedy="r = gᵀBg is negative where B is not positive definite: skip the pair (s, y) that did "
            "it. It is inf or nan where the run has diverged: lower the server's step.",
        )
        keep, reason = nonzero(gram, updates)
        weights = torch.zeros(len(updates), dtype=torch.float64)
        if not bool(rates[keep].any()):
            return Weights(weights, False, reason or "every prescribed rate is zero")
        largest = rates[keep].max()
        point = prescribed(
            gram[keep][:, keep],
            rates[keep] / largest,
            updates.gradients if len(keep) == len(gram) else updates.gradients[keep],
        )
        if point.squared_norm > 0:
            weights[keep] = point.weights / point.squared_norm * largest
        reason = "; ".join(filter(None, (reason, point.reason)))
        return Weights(weights, not reason, reason)
