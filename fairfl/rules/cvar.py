"""CVaR: the mean of the worst share of the clients, and nobody else."""

import torch

from fairfl._validation import number, one_of
from fairfl.rules.base import WeightRule
from fairfl.rules.fedavg import a_priori
from fairfl.updates import Updates


class CVaR(WeightRule):
    """``dir = Σ_k λ_k g_k`` with λ the worst mixture under ``λ_k ≤ p_k / α`` (Laguel et al. 2021, after
    Rockafellar & Uryasev 2000).

    It is a gradient of the mean loss of the worst share α of the clients, their superquantile: with the losses in
    falling order each client gets ``p_k / α`` until 1 is spent. ``alpha`` = α: 1 is FedAvg, and at the smallest share
    or below it is the largest loss alone. Clients of equal losses share what is left in proportion to p: of several
    gradients the one that does not depend on the rows' order. ``weighting="uniform"`` (p = 1/K: α K clients) or
    ``"shares"``. No state.

    The authors let the clients above the quantile train, the one at it as well, and average those; here the one at the
    quantile keeps its fraction, as in the definition.
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
