"""DQN-Fed: to first order, every loss falls by as much as its own Newton step would lower it."""

import torch

from fairfl._validation import boolean
from fairfl.rules.base import GramRule, Weights, joined, nonzero, part
from fairfl.rules.inputs import column
from fairfl.rules.solvers.prescribed import prescribed
from fairfl.updates import Updates


class DQNFed(GramRule):
    """``dir = Gᵀ A⁻¹ r`` with ``r_k = g_kᵀ B_k g_k``: the shortest vector with rates ``ρ_k = r_k`` (Hamidi et al., Thm
    4.1).

    ``B_k ≈ H_k⁻¹`` is the client's quasi-Newton matrix, and ``r_k`` the first-order fall of its own Newton step (on a
    quadratic, the actual fall is r_k/2). The paper orthogonalises like AdaFed, with r_k in place of ``|f_k|^γ``, and
    takes the step size ``η = 1/‖dir‖²`` (17). Together they are this vector, so the server's η is 1, or less to damp
    it. ``updates.extras["newton_rates"]`` (K,) holds r. No state.

    ``capped=True`` is an interpretation that stays stable where the literal rule jumps. No loss is asked to fall by
    more than a non-negative quadratic can, ``r_k ≤ 2 f_k``, and the step size is that of the paper's Theorem 4.2,
    ``min(1/‖𝔡‖², (2/L) min r_k)`` for ``𝔡`` with rates ``r_k ‖𝔡‖²``. L is the largest of ``extras["smoothness"]`` (K,),
    the largest ``‖y‖ / ‖s‖`` among each client's pairs. Both bounds are stated for gradients, but a row is about
    ``ℓ_k ∇f_k``, where ℓ_k is the sum of the client's local step sizes, ``extras["pseudo_lr"]`` (K,), and the rates
    that the rule reads have the same factor: it caps them at ``2 ℓ_k f_k``, and divides them by ``ℓ_k`` for the step.
    That losses are bounded below by 0 is our assumption. Where it was counted (three classes of clothing, 300 rounds,
    one seed), the cap was active in 99 % of all cases: the direction is then AdaFed's with γ = 1, and curvature only
    acts through L.

    The formulas are missing in our copy of the paper; this is a reconstruction from its proof of Theorem 4.1. On
    conflicting convex quadratics with exact Hessians the steps of the literal rule do not tend to zero (with K = d
    independent gradients they form a 2-cycle from the start), and they grow without bound towards the Pareto set.
    Backtracking on the server stops the jumps, but may stall before the Pareto set (chapter 9).

    If updates are dependent and no vector has these rates, the rule takes the convex hull's point, scaled to
    ``ρ_k ≥ r_k``, with a ``reason``. At Pareto-stationary updates no such scale exists, and the direction is zero. Zero
    updates are set aside. Negative r_k raise an error: their B_k is not positive definite.
    """

    def __init__(self, capped: bool = False) -> None:
        self.capped = boolean("capped", capped)
        self.needs = frozenset({"newton_rates"} | ({"losses", "smoothness", "pseudo_lr"} if capped else set()))

    @property
    def name(self) -> str:
        return "DQN-Fed"

    def weights(self, gram: torch.Tensor, updates: Updates) -> Weights:
        rates = column(
            "newton_rates",
            updates.extras["newton_rates"],
            updates,
            low=0.0,
            remedy="r = gᵀBg is negative if B is not positive definite: skip the pair (s, y) that caused "
            "it. It is inf or nan if the run has diverged: lower the server's step size.",
        )
        if self.capped:
            remedy = "The cap needs losses that are never negative."
            losses = column("losses", updates.losses, updates, low=0.0, remedy=remedy)
            remedy = "It is the sum of the local step sizes behind a row; 1 for a plain gradient."
            lengths = column("pseudo_lr", updates.extras["pseudo_lr"], updates, low=1e-30, remedy=remedy)
            rates = torch.minimum(rates, 2 * lengths * losses)
        keep, reason = nonzero(gram, updates)
        weights = torch.zeros(len(updates), dtype=torch.float64)
        if not bool(rates[keep].any()):
            return Weights(weights, reason=reason or "every prescribed rate is zero")
        largest = rates[keep].max()
        live, rows = part(gram, updates, keep)
        point = prescribed(live, rates[keep] / largest, rows)
        if point.squared_norm > 0:
            weights[keep] = point.weights / point.squared_norm * largest
            if self.capped:
                # Rates are measured on the rows: the gradient's rate is the row's, divided by its ``ℓ_k``.
                least = float((rates[keep] / largest / lengths[keep]).min())
                weights *= self._damping(least, float(largest) / point.squared_norm, updates)
        return Weights(weights, reason=joined(reason, point.reason))

    @staticmethod
    def _damping(least: float, full: float, updates: Updates) -> float:
        """The factor by which Theorem 4.2's bound shortens the step ``1/‖𝔡‖²``.

        ``least`` is the smallest prescribed fall divided by ``max r``, and ``full`` the step times ``max r``.
        """
        steepest = float(column("smoothness", updates.extras["smoothness"], updates, low=0.0).max())
        return min(1.0, 2 * least / steepest / full) if steepest > 0 else 1.0
