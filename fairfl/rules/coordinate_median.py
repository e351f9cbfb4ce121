"""The coordinate-wise median of the clients' updates."""

import torch

from fairfl.rules.base import Direction, Rule
from fairfl.rules.by_coordinate import sorted_columns
from fairfl.rules.gram import rates
from fairfl.updates import Updates


class CoordinateMedian(Rule):
    """``dir_j = median_k g_kj`` for every coordinate j (Yin et al. 2018, Option I of Algorithm 1).

    For an even number of clients the median is the mean of the two middle values. Every client counts the same,
    whatever its share, so that nobody gains weight by claiming more data. If more than half of the clients send the
    same update, the direction is this update, whatever the others send. No state, and no settings.

    Every coordinate has its own weights, so ``weights`` is ``None``. An honest client that differs from the majority
    can have a negative rate.
    """

    def combine(self, updates: Updates) -> Direction:
        rows, K = updates.gradients, len(updates)
        vector = torch.empty_like(rows[0])
        for part, ordered in sorted_columns(rows):
            # Halves are added, because the sum of two large entries can overflow.
            vector[part] = (ordered[(K - 1) // 2] / 2 + ordered[K // 2] / 2).to(rows.dtype)
        return Direction(vector, None, rates(rows, vector))
