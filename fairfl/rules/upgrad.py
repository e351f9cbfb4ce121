"""UPGrad: every update, projected until nobody objects to it, and then the mean."""

import torch

from fairfl._validation import one_of
from fairfl.rules.base import GramRule, Weights
from fairfl.rules.dualproj import projected
from fairfl.rules.fedavg import a_priori
from fairfl.updates import Updates


class UPGrad(GramRule):
    """``dir = Σ_k p_k π(g_k)`` with π the projection onto ``{x : G x ≥ 0}`` (Quinton & Rey 2024).

    Row k of V is the ``v ≥ e_k`` with the least ``vᵀ A v``, and ``λ = Vᵀ p``. No rate is negative: nobody's loss rises
    to first order. It is linear under scaling: c g_k is projected to c π(g_k), so who sends more, counts more.
    ``weighting="uniform"`` (p = 1/K, as published) or ``"shares"``. No state.

    All K quadratic programs are solved exactly, for dependent updates as well; TorchJD adds 1e-4 to the diagonal of
    the normalised A. At updates that no direction improves together the projections are zero, with ``exact=False``.
    """

    def __init__(self, weighting: str = "uniform"):
        self.weighting = one_of("weighting", weighting, "uniform", "shares")

    def weights(self, gram: torch.Tensor, updates: Updates) -> Weights:
        return projected(gram, updates, torch.diag(a_priori(self.weighting, updates)))
