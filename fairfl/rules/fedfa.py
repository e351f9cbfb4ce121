"""FedFA: weights from accuracies and participation counts, with momentum on the server."""

import torch

from fairfl._validation import number
from fairfl.rules.base import Direction, Rule
from fairfl.rules.gram import combine, rates
from fairfl.rules.inputs import column, same_size
from fairfl.updates import Updates

# Smaller shares of the accuracies count as this one: a client with accuracy 0 would carry infinite information.
SMALLEST_SHARE = 1e-6


def information(shares: torch.Tensor) -> torch.Tensor:
    """``−log₂`` of shares (K,), divided by its sum; uniform if every share is 1."""
    bits = -torch.log2(shares.clamp(SMALLEST_SHARE, 1))
    return bits / bits.sum() if float(bits.sum()) > 0 else torch.full_like(bits, 1 / len(bits))


class FedFA(Rule):
    """``m ← γ m + Σ_k λ_k g_k``, ``dir = m``, with λ from information quantities (Huang et al. 2020):

        λ_k = α · norm(−log₂(acc_k / Σ_j acc_j)) + β · norm(−log₂(1 − n_k / Σ_j n_j)),   norm(x) = x / Σ x

    Sums are over the participants. ``acc`` are their accuracies at w_t, and ``n`` the number of rounds in which each
    has taken part, including this one. ``alpha`` = α, β = 1 − α; ``momentum`` = γ, 0.5 on the server as in the paper
    (whose clients use 0.9, which is a setting of local training). Weights sum to 1.

    This is an interpretation: released versions contradict one another (one subtracts the progress, one normalises
    accuracies instead of their logarithms, one scales dir by 1 − γ). Guards: accuracy shares below 1e-6 count as
    1e-6; if all accuracies are zero, or there is a single client, weights are equal.

    State: ``counts`` (N,) and ``memory`` m (d,). With a memory there is no λ with ``dir = Gᵀ λ``, so ``weights`` is
    ``None`` from the second round on, unless γ = 0.
    """

    needs = frozenset({"accuracies"})
    remembers = ("counts", "memory")
    _counts: torch.Tensor | None
    _memory: torch.Tensor | None

    def __init__(self, alpha: float = 0.5, momentum: float = 0.5):
        self.alpha = number("alpha", alpha, 0, 1)
        self.momentum = number("momentum", momentum, 0, 1)

    def combine(self, updates: Updates) -> Direction:
        accuracies = column("accuracies", updates.extras["accuracies"], updates, low=0.0)
        if self._counts is None:
            self._counts = torch.zeros(updates.population, dtype=torch.int64)
        same_size(self, "clients", updates.population, len(self._counts))
        self._counts[updates.clients] += 1
        weights: torch.Tensor | None
        weights = mixed = self.mix(accuracies, self._counts[updates.clients].double())
        vector = combine(updates.gradients, mixed)
        if self._memory is not None and self.momentum > 0:
            same_size(self, "parameters", len(vector), len(self._memory))
            vector, weights = self.momentum * self._memory.to(vector) + vector, None
        self._memory = vector.clone()
        return Direction(vector, weights, rates(updates.gradients, vector))

    def mix(self, accuracies: torch.Tensor, counts: torch.Tensor) -> torch.Tensor:
        """λ (K,) for accuracies (K,) and counts (K,)."""
        total = accuracies.sum()
        accurate = information(accuracies / total if float(total) > 0 else torch.ones_like(accuracies))
        frequent = information(1 - counts / counts.sum())
        return self.alpha * accurate + (1 - self.alpha) * frequent
