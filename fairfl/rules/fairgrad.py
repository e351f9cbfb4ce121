"""FairGrad: α-fair rates. At α = 1 they are the Nash bargaining solution, Nash-MTL."""

import numpy as np
import torch

from fairfl._validation import number
from fairfl.rules.base import GramRule, Weights, of_nonzero
from fairfl.rules.gram import precise_resolution
from fairfl.rules.solvers.cosines import cosines
from fairfl.rules.solvers.fair_rates import fair_rates
from fairfl.rules.solvers.min_norm import MinNorm, nearest
from fairfl.updates import Updates

# Residual of the logarithms above which the equations do not count as solved.
SHORT = 1e-6


class FairGrad(GramRule):
    """``dir = Gᵀ λ`` with ``A λ = λ^(−1/α)``, so that ``λ_k = ρ_k^(−α)`` (Ban & Ji 2024).

    On a sphere of directions it maximises the α-fair utility ``Σ ρ_k^(1−α) / (1−α)`` of the rates. ``alpha`` = α from
    0.5 to 1e4: 1 maximises the product of rates like Nash-MTL (the default of the authors' code), 2 minimises the sum
    of ``1/ρ_k`` (the default here), and for α → ∞ the direction tends to FedMGDA's, the max-min. Below 0.5, rates
    ``λ^(−1/α)`` can be too small for sums of products in float64 (for α → 0 the rule tends to DualProj). Scaling all
    updates by c scales dir by ``c^((1−α)/(1+α))``, so tune η together with α. No state.

    λ is the minimiser of a strictly convex function, and exact: ``log(A λ) + log(λ)/α`` vanishes up to rounding. It is
    unique and positive, and every loss falls, if the hull of the updates does not contain the origin; the independent
    updates that the paper assumes are not needed. The authors' code solves least squares with lower bounds 1/K,
    multiplies by K, and clips the length at 1.

    At Pareto-stationary updates, such as two opposite ones, no direction has positive rates only: the direction is
    zero, with a ``reason``. Zero updates are set aside.
    """

    def __init__(self, alpha: float = 2.0):
        self.alpha = number("alpha", alpha, 0.5, 1e4, "Beyond, take FedMGDA; below, DualProj.")

    def weights(self, gram: torch.Tensor, updates: Updates) -> Weights:
        return of_nonzero(gram, updates, self._fair)

    def _fair(self, gram: torch.Tensor, rows: torch.Tensor, _: torch.Tensor) -> Weights:
        C, sizes = cosines(gram, rows)
        point, weights = _hull_point(C)
        if point.squared_norm <= precise_resolution(rows.dtype):
            stationary = "the updates are Pareto-stationary: no direction has a positive rate for everybody"
            return Weights(torch.zeros(len(gram), dtype=torch.float64), reason=stationary)
        # Start near the hull's point, whose rates are all positive, a little towards equal weights.
        little = min(0.5, point.squared_norm / 4)
        found, missed = fair_rates(C, sizes, self.alpha, (1 - little) * weights + little / len(C))
        short = "the weights for this alpha are lost in rounding; took those for the nearest alpha on the path from 1"
        reason = short if missed > SHORT else ""
        return Weights(torch.from_numpy(np.maximum(found, 0)), reason=reason)


def _hull_point(C: np.ndarray) -> tuple[MinNorm, np.ndarray]:
    """The point of the rows' hull that is nearest to the origin, and its weights (K,).

    Only the first of equal rows is used. Copies add nothing to the hull, but faces with several of them have no unique
    minimiser, and if they were nearly opposed to other rows, the search took 600 steps.
    """
    first = np.sort(np.unique(C, axis=0, return_index=True)[1])
    point, weights = nearest(torch.from_numpy(C[np.ix_(first, first)])), np.zeros(len(C))
    weights[first] = point.weights.numpy()
    return point, weights
