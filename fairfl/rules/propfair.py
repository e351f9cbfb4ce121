"""PropFair: weights that grow as a client's loss comes near the worst that counts."""

import torch

from fairfl._validation import number, one_of
from fairfl.rules.base import WeightRule
from fairfl.rules.fedavg import a_priori
from fairfl.updates import Updates


class PropFair(WeightRule):
    """``dir = Σ_k λ_k g_k`` with ``λ_k ∝ p_k / max(M − f_k, ε)``, summing to 1 (Zhang et al. 2022).

    The paper maximises ``Σ p_k log(M − f_k)``, a Nash bargaining over utilities ``M − f_k`` with M the loss of a client
    that is no use; below ε the logarithm goes on as its tangent, so that losses beyond M keep the largest weight.
    ``M`` (2, the default of the authors' code, where papers' grids reach 5) must exceed the losses that matter:
    classification in C classes begins at log C. ``epsilon`` = ε = 0.2. ``weighting="shares"`` (p = n_k/n, as published)
    or ``"uniform"``. A large M is FedAvg. No state.

    The authors' clients train on ``−log(1 − f/M)``, batch by batch, so that the unnormalised ``1/(M − f)`` scales their
    steps; here f is the mean training loss at w_t, and weights sum to 1: the steps stay those of local training.
    """

    needs = frozenset({"losses"})

    def __init__(self, M: float = 2.0, epsilon: float = 0.2, weighting: str = "shares"):
        self.M = number("M", M, 0, above=True)
        self.epsilon = number("epsilon", epsilon, 0, above=True)
        self.weighting = one_of("weighting", weighting, "shares", "uniform")

    def weights(self, updates: Updates) -> torch.Tensor:
        weights = a_priori(self.weighting, updates) / (self.M - updates.losses).clamp(min=self.epsilon)
        return weights / weights.sum()
