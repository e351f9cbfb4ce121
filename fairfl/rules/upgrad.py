"""UPGrad: the mean of the updates, each projected onto the directions that raise no client's loss."""

import torch

from fairfl._validation import one_of
from fairfl.rules.base import GramRule, Weights
from fairfl.rules.dualproj import projected
from fairfl.rules.fedavg import a_priori
from fairfl.updates import Updates


class UPGrad(GramRule):
    """``dir = Σ_k p_k π(g_k)`` with π the projection onto ``{x : G x ≥ 0}`` (Quinton & Rey 2024).

    Row k of V is the ``v ≥ e_k`` with the smallest ``vᵀ A v``, and ``λ = Vᵀ p``. No rate is negative: no loss rises to
    first order. The rule is linear under scaling: c g_k is projected to c π(g_k), so longer updates count more.
    ``weighting="uniform"`` (p = 1/K, as published) or ``"shares"``. No state.

    All K quadratic programs are solved exactly, for dependent updates as well; TorchJD adds 1e-4 to the diagonal of the
    normalised A. If no direction lowers one loss without raising another, the result is zero, with a ``reason``.
    """

    def __init__(self, weighting: str = "uniform"):
        self.weighting = one_of("weighting", weighting, "uniform", "shares")

    def weights(self, gram: torch.Tensor, updates: Updates) -> Weights:
        return projected(gram, updates, torch.diag(a_priori(self.weighting, updates)))
