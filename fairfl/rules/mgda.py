"""FedMGDA and FedMGDA+: the hull's point nearest to the origin, a direction that raises no client's loss."""

import torch
from numpy.typing import ArrayLike

from fairfl._validation import boolean, number, tensor
from fairfl.errors import refuse
from fairfl.rules.base import GramRule, Weights, joined, nonzero
from fairfl.rules.fedavg import a_priori
from fairfl.rules.gram import precise, precise_resolution
from fairfl.rules.solvers.min_norm import MinNorm, nearest
from fairfl.updates import Updates


class FedMGDA(GramRule):
    """``dir = Σ_k μ_k h_k``, ``μ = argmin ‖Σ μ_k h_k‖²`` over ``μ ≥ 0, Σ μ = 1, |μ_k − λ0_k| ≤ ε`` (Hu et al. 2022,
    (25)).

    ``normalise=False``: ``h_k = g_k`` (FedMGDA). ``normalise=True``: ``h_k = g_k / ‖g_k‖`` (FedMGDA+), so
    ``λ_k = μ_k / ‖g_k‖``. Rates: ``h_k · dir ≥ ‖dir‖²``, with equality where ``μ_k > 0``, as long as the box is
    inactive. So every loss falls to first order, or the updates are Pareto-stationary: the direction is then zero, with
    a ``reason`` (at lengths up to 1e-6 of the updates that take part; below that, rounding would decide). No state.

    ``epsilon`` = ε from 0 (the weights stay at λ0) to 1 (free, the default). An active box can cut off the nearest
    point, and the direction may then raise a loss. ``lambda0``: ``"uniform"`` (default), ``"shares"``, or one weight
    per client of the population, renormalised over the participants.

    Clients with a zero update are set aside, and λ0 is renormalised over the others: a zero row would itself be the
    nearest point, and the model would not move.
    """

    normalise = False

    def __init__(self, epsilon: float = 1.0, lambda0: str | ArrayLike = "uniform", normalise: bool | None = None):
        self.epsilon = number("epsilon", epsilon, 0, 1)
        if isinstance(lambda0, str):
            if lambda0 not in ("uniform", "shares"):
                raise refuse(
                    "lambda0",
                    lambda0,
                    "'uniform', 'shares' or a weight per client",
                    "'shares' follows the sizes of the data.",
                )
        else:
            lambda0 = tensor("lambda0", lambda0).double().cpu()
            if lambda0.ndim != 1 or not bool((lambda0 >= 0).all()) or not 0 < float(lambda0.sum()) < float("inf"):
                raise refuse(
                    "lambda0",
                    lambda0.tolist(),
                    "non-negative weights with a positive sum",
                    "Give one weight per client of the population.",
                )
        self.lambda0 = lambda0
        if normalise is not None:
            self.normalise = boolean("normalise", normalise)

    def weights(self, gram: torch.Tensor, updates: Updates) -> Weights:
        keep, reason = nonzero(gram, updates)
        weights = torch.zeros(len(updates), dtype=torch.float64)
        if len(keep) == 0:
            return Weights(weights, reason=reason)
        point, sizes, relative = self._nearest(gram, keep, updates)
        if relative <= 1e-4:
            # Errors of float32 products, up to 1e-6, would soon decide the result.
            point, sizes, relative = self._nearest(precise(gram, updates.gradients), keep, updates)
        reason = joined(reason, point.reason)
        if relative <= precise_resolution(updates.gradients.dtype):
            stationary = "the updates are Pareto-stationary: the nearest point of their hull is the origin"
            return Weights(weights, reason=joined(reason, stationary))
        weights[keep] = point.weights / sizes
        return Weights(weights, reason=reason)

    def _nearest(self, gram: torch.Tensor, keep: torch.Tensor, updates: Updates) -> tuple[MinNorm, torch.Tensor, float]:
        """The hull's point, the lengths by which rows were divided, and ``‖dir‖²`` over ``Σ μ_k ‖h_k‖²``."""
        sizes = gram.diagonal()[keep].sqrt() if self.normalise else torch.ones(len(keep), dtype=torch.float64)
        cosines = gram[keep][:, keep] / sizes / sizes[:, None]
        if self.epsilon < 1:
            centre = self._centre(updates)[keep]
            centre = centre / centre.sum() if float(centre.sum()) > 0 else torch.full_like(centre, 1 / len(centre))
            point = nearest(cosines, centre=centre, radius=self.epsilon)
        else:
            point = nearest(cosines)
        return point, sizes, point.squared_norm / float(point.weights @ cosines.diagonal())

    def _centre(self, updates: Updates) -> torch.Tensor:
        if isinstance(self.lambda0, str):
            return a_priori(self.lambda0, updates)
        if len(self.lambda0) != updates.population:
            raise refuse(
                "the length of lambda0",
                len(self.lambda0),
                f"{updates.population}, the population",
                "Give one weight per client, or 'uniform' or 'shares'.",
                "shape",
            )
        return self.lambda0[updates.clients]


class FedMGDAPlus(FedMGDA):
    """FedMGDA+: ``FedMGDA`` on unit updates (Hu et al. 2022, Algorithm 1).

    A client that multiplies its loss, and with it its gradient, changes nothing. MGDA-Prox is this rule with clients
    that train with the proximal term (μ = 0.1 in the paper).

    The defaults are those of the authors' code, λ0 = 1/m and ε = 1; FLGo has data shares and ε = 0.1. The step size
    ``η β^⌊t/100⌋`` of the authors' code (1.5 and decay 1/10 for batches of 10), and its momentum of 0.5, which is
    hard-coded and in no table, are settings of the server optimiser.
    """

    normalise = True

    @property
    def name(self) -> str:
        return "FedMGDA+"
