"""IMTL-G: one vector in the updates' affine hull to which all of them have the same projection."""

import torch

from fairfl.rules.base import GramRule, Weights, joined, of_nonzero
from fairfl.rules.solvers.prescribed import prescribed
from fairfl.updates import Updates

# A sum of weights this small, beside the weights, is rounding.
NO_SUM = 1e-12


class IMTLG(GramRule):
    """``dir = Gᵀ λ`` with ``g_k · dir / ‖g_k‖`` the same for all k and ``Σ λ_k = 1`` (Liu et al. 2021, ICLR).

    So ``λ ∝ A⁻¹ ‖g‖``: every loss falls at the same rate per length of its gradient, and rates are those of DQN-Fed at
    ``r_k = ‖g_k‖``, up to a factor. This factor may be negative: where ``Σ (A⁻¹ ‖g‖)_k < 0``, which takes rows of
    unlike lengths and a negative entry, the one point of the affine hull with equal projections stands on the far
    side, and every loss *rises*. That is the formula, and not changed here; ConFIG has the same line and its right
    side. No settings, no state.

    Dependent updates to which no vector has equal projections: the hull's point, where they are at least equal, with
    ``exact=False``. (The authors' code adds 1e-8 to a matrix that cannot be inverted.) Where the sum is zero there is
    no such point, and at Pareto-stationary updates it is zero: so is the direction. Zero updates are set aside.
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
