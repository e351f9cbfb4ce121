"""TERM: weights that grow exponentially with the losses."""

import torch

from fairfl._validation import number, one_of
from fairfl.rules.base import WeightRule
from fairfl.rules.fedavg import a_priori
from fairfl.updates import Updates


class TERM(WeightRule):
    """``dir = Σ_k λ_k g_k`` with ``λ_k ∝ p_k exp(t f_k)``, summing to 1 (Li et al. 2021, gradient of the tilted loss).

    ``t > 0`` favours clients with large losses, ``t < 0`` those with small losses, and ``t = 0`` is FedAvg.
    ``weighting="uniform"`` (p = 1/K, as in the federated papers) or ``"shares"``. The papers' grid is
    t ∈ {0.1, 0.5, 1, 2, 5}. No state. A constant added to all losses changes nothing.

    These are also the weights of FedEBA+ (Wang et al. 2023: the weights of largest entropy for a given mean loss):
    ``exp(f/τ)`` over its sum is TERM with ``t = 1/τ``.

    One released code smooths the normaliser over rounds, and divides by the number of clients twice. This class follows
    the paper's formula. The largest exponent is subtracted first, so no loss is too large.
    """

    needs = frozenset({"losses"})

    def __init__(self, t: float = 1.0, weighting: str = "uniform"):
        self.t = number("t", t)
        self.weighting = one_of("weighting", weighting, "uniform", "shares")

    def weights(self, updates: Updates) -> torch.Tensor:
        worst = updates.losses.max() if self.t > 0 else updates.losses.min()
        tilted = a_priori(self.weighting, updates) * torch.exp(self.t * (updates.losses - worst))
        if not bool(tilted.any()):
            return a_priori(self.weighting, updates)
        return tilted / tilted.sum()
