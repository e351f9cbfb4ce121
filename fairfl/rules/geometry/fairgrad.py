"""FairGrad and Nash-MTL: rates that are α-fair to one another, at α = 1 the Nash bargaining solution."""

import numpy as np
import torch

from fairfl.rules.base import GramRule, Weights, nonzero
from fairfl.rules.gram import precise_resolution
from fairfl.rules.settings import number
from fairfl.rules.solvers.cosines import cosines
from fairfl.rules.solvers.fair_rates import fair_rates
from fairfl.rules.solvers.min_norm import CERTIFIED, min_norm
from fairfl.updates import Updates


class FairGrad(GramRule):
    """``dir = Gᵀ λ`` with ``A λ = λ^(−1/α)``, so that ``λ_k = ρ_k^(−α)`` (Ban & Ji 2024).

    On a sphere of directions it maximises the α-fair utility ``Σ ρ_k^(1−α) / (1−α)`` of the rates. ``alpha`` = α from
    0.01 to 1e4: towards 0 the mean of the updates, 1 Nash-MTL's product of rates (the default of the authors' code),
    2 the least sum of ``1/ρ_k`` (default here), and ever larger the max-min of FedMGDA, to whose direction it tends.
    Scaling all updates by c scales dir by ``c^((1−α)/(1+α))``: length and η belong together. No state.

    λ is the minimiser of a strictly convex function, and exact: the residuals of ``log(A λ) + log(λ)/α`` are at
    rounding. It is unique and positive, and everybody's loss falls, whenever the hull of the updates does not contain
    the origin; the paper asks for independent updates, which this does not need. The authors' code looks for a least
    square with bounds from 1/K on, multiplies by K, and clips the length at 1.

    Pareto-stationary updates, two opposite ones among them, leave no positive rates: the direction is zero, with
    ``exact=False``. Zero updates are set aside and named.
    """

    def __init__(self, alpha: float = 2.0):
        self.alpha = number("alpha", alpha, 0.01, 1e4, "From 1e4 on FedMGDA is as near.")

    def weights(self, gram: torch.Tensor, updates: Updates) -> Weights:
        keep, reason = nonzero(gram, updates)
        weights = torch.zeros(len(updates), dtype=torch.float64)
        if len(keep) == 0:
            return Weights(weights, False, reason)
        rows = updates.gradients if len(keep) == len(gram) else updates.gradients[keep]
        C, sizes = cosines(gram[keep][:, keep], rows)
        nearest = min_norm(C)
        if nearest.squared_norm <= precise_resolution(rows.dtype):
            stationary = "the updates are Pareto-stationary: no direction has a positive rate for everybody"
            return Weights(weights, False, "; ".join(filter(None, (reason, stationary))))
        # From the hull's point, whose rates are all positive, a little way towards equal weights.
        little = min(0.5, nearest.squared_norm / 4)
        found, missed = fair_rates(C, sizes, self.alpha, (1 - little) * nearest.weights.numpy() + little / len(C))
        weights[keep] = torch.from_numpy(np.maximum(found, 0))
        if missed > CERTIFIED:
            reason = "; ".join(filter(None, (reason, f"Newton's method ended {missed:.1e} short of its equations")))
        return Weights(weights, not reason, reason)
