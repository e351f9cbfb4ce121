"""FairGrad and Nash-MTL: rates that are α-fair to one another, at α = 1 the Nash bargaining solution."""

import numpy as np
import torch

from fairfl._validation import number
from fairfl.rules.base import GramRule, Weights, of_nonzero
from fairfl.rules.gram import precise_resolution
from fairfl.rules.solvers.cosines import cosines
from fairfl.rules.solvers.fair_rates import fair_rates
from fairfl.rules.solvers.min_norm import MinNorm, nearest
from fairfl.updates import Updates

# Residuals of logarithms beyond which the equations do not count as solved.
SHORT = 1e-6


class FairGrad(GramRule):
    """``dir = Gᵀ λ`` with ``A λ = λ^(−1/α)``, so that ``λ_k = ρ_k^(−α)`` (Ban & Ji 2024).

    On a sphere of directions it maximises the α-fair utility ``Σ ρ_k^(1−α) / (1−α)`` of the rates. ``alpha`` = α from
    0.5 to 1e4: 1 is Nash-MTL's product of rates (the default of the authors' code), 2 the least sum of ``1/ρ_k``
    (default here), and for ever larger α the direction tends to FedMGDA's, the max-min. Below 0.5 rates
    ``λ^(−1/α)`` can be too small for sums of products in float64 (towards 0 the rule is DualProj's).
    Scaling all updates by c scales dir by ``c^((1−α)/(1+α))``: length and η belong together. No state.

    λ is the minimiser of a strictly convex function, and exact: ``log(A λ) + log(λ)/α`` vanishes to rounding. It is
    unique and positive, and everybody's loss falls, whenever the hull of the updates does not contain the origin; the
    paper asks for independent updates, which this does not need. The authors' code looks for a least square with bounds
    from 1/K on, multiplies by K, and clips the length at 1.

    Pareto-stationary updates, two opposite ones among them, leave no positive rates: the direction is zero, with
    ``exact=False``. Zero updates are set aside and named.
    """

    def __init__(self, alpha: float = 2.0):
        self.alpha = number("alpha", alpha, 0.5, 1e4, "Beyond, FedMGDA is as near; below, DualProj.")

    def weights(self, gram: torch.Tensor, updates: Updates) -> Weights:
        return of_nonzero(gram, updates, self._fair)

    def _fair(self, gram: torch.Tensor, rows: torch.Tensor, _: torch.Tensor) -> Weights:
        C, sizes = cosines(gram, rows)
        point, weights = _hull_point(C)
        if point.squared_norm <= precise_resolution(rows.dtype):
            stationary = "the updates are Pareto-stationary: no direction has a positive rate for everybody"
            return Weights(torch.zeros(len(gram), dtype=torch.float64), reason=stationary)
        # From the hull's point, whose rates are all positive, a little way towards equal weights.
        little = min(0.5, point.squared_norm / 4)
        found, missed = fair_rates(C, sizes, self.alpha, (1 - little) * weights + little / len(C))
        short = "rounding hides the weights of this alpha; took those of the one nearest to it on the way from 1"
        reason = short if missed > SHORT else ""
        return Weights(torch.from_numpy(np.maximum(found, 0)), reason=reason)


def _hull_point(C: np.ndarray) -> tuple[MinNorm, np.ndarray]:
    """The point of the rows' hull that is nearest to the origin, and weights (K,) of all the rows that lead to it.

    Of equal rows only the first takes part: copies add nothing to the hull, but faces that hold several of them have
    no single minimiser, and where they nearly oppose other rows the search crept along them for 600 steps.
    """
    first = np.sort(np.unique(C, axis=0, return_index=True)[1])
    point, weights = nearest(torch.from_numpy(C[np.ix_(first, first)])), np.zeros(len(C))
    weights[first] = point.weights.numpy()
    return point, weights
