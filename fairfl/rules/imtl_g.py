"""IMTL-G: the vector in the affine hull of the updates on which all of them have equal projections."""

import torch

from fairfl.rules.base import GramRule, Weights, joined, of_nonzero
from fairfl.rules.solvers.prescribed import prescribed
from fairfl.updates import Updates

# A sum of weights this small, relative to the largest weight, is rounding.
NO_SUM = 1e-12


class IMTLG(GramRule):
    """``dir = Gᵀ λ`` with ``g_k · dir / ‖g_k‖`` the same for all k and ``Σ λ_k = 1`` (Liu et al. 2021, ICLR).

    So ``λ ∝ A⁻¹ ‖g‖``: all losses change at the same rate per length of their gradient, and up to a factor the rates
    are DQN-Fed's with ``r_k = ‖g_k‖``. This factor may be negative. If ``Σ (A⁻¹ ‖g‖)_k < 0``, which requires rows of
    different lengths and a negative entry, the only point of the affine hull with equal projections is on the far side
    of the origin, and every loss *rises*. That is what the formula says, and it is not changed here; ConFIG takes the
    same line in the descending direction. No settings, no state.

    If updates are dependent and no vector has equal projections, the rule takes the convex hull's point, with
    ``ρ_k ≥ ‖g_k‖`` times a common factor, and a ``reason``. (The authors' code adds 1e-8 to a singular matrix.) If the
    sum is zero there is no such point, and at Pareto-stationary updates the point is zero: the direction is then zero.
    Zero updates are set aside.
    """

    @property
    def name(self) -> str:
        return "IMTL-G"

    def weights(self, gram: torch.Tensor, updates: Updates) -> Weights:
        return of_nonzero(gram, updates, self._equal)

    @staticmethod
    def _equal(gram: torch.Tensor, rows: torch.Tensor, _: torch.Tensor) -> Weights:
        sizes = gram.diagonal().sqrt()
        point = prescribed(gram, sizes / sizes.max(), rows)
        total = point.weights.sum()
        if not abs(float(total)) > NO_SUM * float(point.weights.abs().max()):
            none = "the weights of equal projections sum to zero, and no multiple sums to one"
            reason = joined(point.reason, none if point.squared_norm > 0 else "")
            return Weights(torch.zeros_like(point.weights), reason=reason)
        return Weights(point.weights / total, reason=point.reason)
