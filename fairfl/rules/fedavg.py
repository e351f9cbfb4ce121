"""FedAvg: the weighted mean of the clients' updates."""

import torch

from fairfl.errors import refuse
from fairfl.rules.base import GramRule


class FedAvg(GramRule):
    """``dir = Σ_k p_k g_k`` (McMahan et al. 2017, Algorithm 1).

    ``weighting="shares"`` takes ``p_k = n_k / Σ n``; ``"uniform"`` takes ``1/K``, as the authors of FedMGDA+ do.
    No state. Rates are ``A p``: a client whose gradient conflicts with the others' can have a negative one.
    """

    def __init__(self, weighting: str = "shares"):
        if weighting not in ("shares", "uniform"):
            raise refuse("weighting", weighting, "'shares' or 'uniform'", "Shares follow the clients' data sizes.")
        self.weighting = weighting

    def weights(self, gram, updates):
        if self.weighting == "uniform":
            return torch.full((len(updates),), 1 / len(updates), dtype=torch.float64)
        return updates.shares
