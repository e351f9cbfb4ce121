"""The coordinate-wise trimmed mean: the smallest and the largest values are left out."""

import torch

from fairfl._validation import number
from fairfl.errors import refuse
from fairfl.rules.base import Direction, Rule
from fairfl.rules.by_coordinate import sorted_columns
from fairfl.rules.gram import rates
from fairfl.updates import Updates


class TrimmedMean(Rule):
    """``dir_j``, the mean of the values ``g_kj`` without the ⌊βK⌋ smallest and the ⌊βK⌋ largest (Yin et al. 2018,
    Option II of Algorithm 1).

    ``beta`` = β, at least 0 (the plain mean) and below 1/2; 0.1 leaves out one of ten clients at either end of every
    coordinate. Every client counts the same, whatever its share. In every coordinate the result lies between the
    smallest and the largest honest value as long as at most ⌊βK⌋ clients lie. No state.

    Every coordinate has its own weights, so ``weights`` is ``None``. An honest client that differs from the majority
    can have a negative rate.
    """

    def __init__(self, beta: float = 0.1):
        self.beta = number("beta", beta, low=0)
        if self.beta >= 0.5:
            remedy = "It is the share that is left out at either end; 0.1 is the default."
            raise refuse("beta", beta, "from 0 to below 0.5", remedy)

    def combine(self, updates: Updates) -> Direction:
        rows, K = updates.gradients, len(updates)
        # 0.29 · 100 is 28.999999999999996 in floating point.
        cut = min(int(self.beta * K + 1e-9), (K - 1) // 2)
        vector = torch.empty_like(rows[0])
        for part, ordered in sorted_columns(rows):
            vector[part] = (ordered[cut : K - cut] / (K - 2 * cut)).sum(0).to(rows.dtype)
        return Direction(vector, None, rates(rows, vector))
