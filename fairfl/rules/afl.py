"""AFL: a descent step for the worst mixture of clients, and an ascent step of the mixture towards larger losses."""

import torch

from fairfl._validation import number
from fairfl.rules.base import WeightRule
from fairfl.rules.inputs import same_size
from fairfl.updates import Updates


def project_to_simplex(v: torch.Tensor) -> torch.Tensor:
    """The point of ``{λ ≥ 0, Σ λ = 1}`` nearest to ``v`` (K,): ``max(v − θ, 0)`` with the θ that makes it sum to 1."""
    v = v - v.max()
    down = v.sort(descending=True).values
    excess = down.cumsum(0) - 1
    count = (down * torch.arange(1, len(v) + 1) > excess).sum()
    point = (v - excess[count - 1] / count).clamp(min=0)
    return point / point.sum()


class AFL(WeightRule):
    """``dir = Σ_k λ_k g_k``, then ``λ ← proj(λ + γ_λ f)`` on the simplex (Mohri et al. 2019, Algorithm 1).

    The method solves ``min_w max_λ Σ λ_k f_k(w)``. λ covers *all* clients, starts at 1/N, and is projected exactly, in
    the Euclidean norm. ``step`` is γ_λ; FedFV's grid is {0.01, 0.1, 0.5}. Full participation only: a version that
    samples would have to draw clients by λ for the step, and others uniformly for the losses.

    State: ``mixture`` (N,), and the running mean of the iterates, ``average`` (d,), with its ``count``. The mean is the
    model that the method reports and that is evaluated. Released code projects off by one index (λ does not sum to 1),
    or samples clients and ignores λ.
    """

    needs = frozenset({"losses"})
    needs_everyone = True
    remembers = ("mixture", "average", "count")
    _mixture: torch.Tensor | None
    _average: torch.Tensor
    _count: int | None

    def __init__(self, step: float = 0.1):
        self.step = number("step", step, low=0)

    def weights(self, updates: Updates) -> torch.Tensor:
        if self._mixture is None:
            self._mixture = torch.full((updates.population,), 1 / updates.population, dtype=torch.float64)
        same_size(self, "clients", updates.population, len(self._mixture))
        weights = self._mixture[updates.clients]
        moved = self._mixture.clone()
        moved[updates.clients] += self.step * updates.losses
        self._mixture = project_to_simplex(moved)
        return weights

    def observe(self, w: torch.Tensor) -> None:
        """Add the iterate ``w`` (d,) to the mean. Raises ``Refused`` for a model of another size."""
        self._count = 1 if self._count is None else self._count + 1
        if self._count == 1:
            self._average = w.clone()
        else:
            same_size(self, "parameters", len(w), len(self._average))
            average = self._average.to(w.device)
            self._average = average + (w - average) / self._count

    def report(self, w: torch.Tensor) -> torch.Tensor:
        """The mean of all iterates so far, w_1 to w_t; ``w`` itself before the first."""
        return w if self._count is None else self._average.clone()
