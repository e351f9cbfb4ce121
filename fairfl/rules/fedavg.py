"""FedAvg: the weighted mean of the clients' updates."""

import torch

from fairfl._validation import one_of
from fairfl.rules.base import WeightRule
from fairfl.updates import Updates


def a_priori(weighting: str, updates: Updates) -> torch.Tensor:
    """The weights (K,) of clients before their updates are considered: data shares, or 1/K."""
    if weighting == "uniform":
        return torch.full((len(updates),), 1 / len(updates), dtype=torch.float64)
    return updates.shares


class FedAvg(WeightRule):
    """``dir = Σ_k p_k g_k`` (McMahan et al. 2017, Algorithm 1).

    ``weighting="shares"`` takes ``p_k = n_k / Σ n``; ``"uniform"`` takes ``1/K``, as the authors of FedMGDA+ do.
    No state. Rates are ``A p``: a client whose gradient conflicts with the others' can have a negative one.
    """

    def __init__(self, weighting: str = "shares"):
        self.weighting = one_of("weighting", weighting, "shares", "uniform")

    def weights(self, updates: Updates) -> torch.Tensor:
        return a_priori(self.weighting, updates)
