"""Rules as the code released with FedFV implements them, where it differs from the papers.

Source: the public repository WwZzz/easyFL at commit b40c6fa, read but not copied. FedFV's tables print the logs that come with it.
"""

from dataclasses import replace

import torch

from fairfl._validation import number
from fairfl.rules import Direction, QFedAvg, Rule, Weights
from fairfl.updates import Updates


class QFedAvgAfter(QFedAvg):
    """q-FedAvg with each client's loss *after* its local step, plus 1e-10; Li et al. 2020 use the loss at w_t."""

    needs = frozenset({"losses_after"})

    def weights(self, gram: torch.Tensor, updates: Updates) -> torch.Tensor | Weights:
        return super().weights(gram, replace(updates, losses=updates.extras["losses_after"] + 1e-10))


class UniformFedFA(Rule):
    """``dir = g − η m``, ``m ← γ m − (1 − γ) g`` with the *plain* mean g of the rows: that code's aggregation ignores its weights.

    In that code's notation, with w′ the mean of the clients' models: ``m ← γ m + (1 − γ)(w′ − w)`` and ``w ← w′ − η m``.
    ``momentum``: γ; ``lr``: η, the clients' step size, 0.1 in FedFV's tables. State: ``memory``, m (d,).
    """

    remembers = ("memory",)

    def __init__(self, momentum: float = 0.5, lr: float = 0.1) -> None:
        self.momentum = number("momentum", momentum, 0, 1)
        self.lr = number("lr", lr, low=0)

    def combine(self, updates: Updates) -> Direction:
        mean = updates.gradients.mean(0)
        past = torch.zeros_like(mean) if self._memory is None else self._memory.to(mean)
        self._memory = self.momentum * past - (1 - self.momentum) * mean
        return Direction(mean + self.lr * self._memory)
