"""PropFair: weights that grow as a client's loss approaches an upper limit M."""

import torch

from fairfl._validation import number, one_of
from fairfl.rules.base import WeightRule
from fairfl.rules.fedavg import a_priori
from fairfl.updates import Updates


class PropFair(WeightRule):
    """``dir = Σ_k λ_k g_k`` with ``λ_k ∝ p_k / max(M − f_k, ε)``, summing to 1 (Zhang et al. 2022).

    The paper maximises ``Σ p_k log(M − f_k)``, a Nash bargain over utilities ``M − f_k``, where M is the loss at which
    the utility is zero. Below ε the logarithm continues as its tangent, so losses above M have the largest weight.
    ``M`` (2, the default of the authors' code; the papers' grids go up to 5) must exceed the losses that matter:
    classification with C classes starts at log C. ``epsilon`` = ε = 0.2. ``weighting="shares"`` (p = n_k/n, as
    published) or ``"uniform"``. For large M the rule tends to FedAvg. No state.

    The authors' clients train on ``−log(1 − f/M)``, batch by batch, so the unnormalised ``1/(M − f)`` scales their
    steps. Here f is the mean training loss at w_t, and weights sum to 1: local training keeps its step sizes.
    """

    needs = frozenset({"losses"})

    def __init__(self, M: float = 2.0, epsilon: float = 0.2, weighting: str = "shares"):
        self.M = number("M", M, 0, above=True)
        self.epsilon = number("epsilon", epsilon, 0, above=True)
        self.weighting = one_of("weighting", weighting, "shares", "uniform")

    def weights(self, updates: Updates) -> torch.Tensor:
        weights = a_priori(self.weighting, updates) / (self.M - updates.losses).clamp(min=self.epsilon)
        return weights / weights.sum()
