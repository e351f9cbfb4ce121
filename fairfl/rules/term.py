"""TERM: weights that grow exponentially with the losses."""

import torch

from fairfl._validation import number, one_of
from fairfl.rules.base import WeightRule
from fairfl.rules.fedavg import a_priori
from fairfl.updates import Updates


class TERM(WeightRule):
    """``dir = Σ_k λ_k g_k`` with ``λ_k ∝ p_k exp(t f_k)``, summing to 1 (Li et al. 2021, gradient of the tilted loss).

    ``t > 0`` turns to the clients with large losses, ``t < 0`` away from them, ``t = 0`` is FedAvg.
    ``weighting="uniform"`` (p = 1/K, as the federated papers have it) or ``"shares"``. Papers' grid:
    t ∈ {0.1, 0.5, 1, 2, 5}. No state. A constant added to everybody's loss changes nothing.

    These are FedEBA+'s weights as well (Wang et al. 2023: of all weights whose mean loss is given, those of the largest
    entropy): ``exp(f/τ)`` over its sum is TERM at ``t = 1/τ``.

    A released code smooths the normaliser over rounds and divides by the number of clients twice; this is the
    formula of the paper, evaluated after subtracting the largest exponent so that no loss is too large.
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
