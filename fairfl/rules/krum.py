"""Krum: the update of the client that is closest to its neighbours."""

import torch

from fairfl._validation import integer
from fairfl.rules.base import GramRule, Weights
from fairfl.rules.gram import precise
from fairfl.updates import Updates

# Scores that differ by less, relative to the square of the best client's row, are ties: rounding would decide them. The
# longest row would be the wrong measure, because a liar could make everything a tie.
TIED = 1e-12


class Krum(GramRule):
    """``dir = g_k`` for the k with the smallest score ``Σ_{j near k} ‖g_k − g_j‖²``, a sum over k's K − f − 2 nearest
    other updates (Blanchard et al. 2017, section 4).

    ``liars`` = f, the number of clients that may lie. The promise needs ``K ≥ 2f + 3``. With fewer clients the same
    score is used, with one neighbour or more, and a ``reason`` says so. Of clients with the same score, the one with
    the smallest number is taken, as in the paper. Every client counts the same, whatever its share. No state.

    All other clients have the weight 0, so an honest client that differs from the others is never chosen.
    """

    def __init__(self, liars: int = 1):
        self.liars = integer("liars", liars, 0, "It is the number of clients that may send false updates.")

    def weights(self, gram: torch.Tensor, updates: Updates) -> Weights:
        K, weights = len(gram), torch.zeros(len(gram), dtype=torch.float64)
        A = precise(gram, updates.gradients)
        squares = A.diagonal()
        distances = (squares + squares[:, None] - 2 * A).clamp(min=0)
        near = min(max(K - self.liars - 2, 1), K - 1)
        # The smallest of a row is the client's distance from itself, zero.
        distances.fill_diagonal_(-1)
        scores = distances.sort(dim=1).values[:, 1 : near + 1].sum(1)
        best = (scores <= scores.min() + TIED * float(squares[scores.argmin()])).nonzero().flatten()
        weights[best[updates.clients[best].argmin()]] = 1
        needed = 2 * self.liars + 3
        return Weights(
            weights,
            reason="" if needed <= K else f"against {self.liars} liars Krum needs {needed} clients, and {K} took part",
        )
