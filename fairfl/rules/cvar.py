"""CVaR: the mean over the worst share of the clients only."""

import torch

from fairfl._validation import number, one_of
from fairfl.rules.base import WeightRule
from fairfl.rules.fedavg import a_priori
from fairfl.updates import Updates


class CVaR(WeightRule):
    """``dir = Σ_k λ_k g_k`` with λ the worst mixture under ``λ_k ≤ p_k / α`` (Laguel et al. 2021, after
    Rockafellar & Uryasev 2000).

    It is a subgradient of the mean loss of the worst share α of the clients, their superquantile: in descending order
    of losses each client gets ``p_k / α``, until the weights sum to 1. ``alpha`` = α: 1 is FedAvg, and at or below the
    smallest share only the largest loss counts. Clients with equal losses divide the remaining weight in proportion to
    p, so the result does not depend on the rows' order. ``weighting="uniform"`` (p = 1/K: α K clients) or ``"shares"``.
    No state.

    The authors average all clients at or above the quantile. Here the client at the quantile counts with its fraction,
    as in the definition.
    """

    needs = frozenset({"losses"})

    def __init__(self, alpha: float = 0.5, weighting: str = "uniform"):
        self.alpha = number("alpha", alpha, 0, 1, above=True)
        self.weighting = one_of("weighting", weighting, "uniform", "shares")

    def weights(self, updates: Updates) -> torch.Tensor:
        p, left = a_priori(self.weighting, updates), 1.0
        weights = torch.zeros_like(p)
        for loss in updates.losses.unique().flip(0):
            tied = updates.losses == loss
            most = float(p[tied].sum()) / self.alpha
            weights[tied] = p[tied] / p[tied].sum() * min(most, left)
            left -= most
            if left <= 0:
                break
        return weights / weights.sum()
