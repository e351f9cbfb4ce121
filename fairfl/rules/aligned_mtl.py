"""Aligned-MTL: the mean of updates that were made orthogonal and equally long, by the smallest change."""

import torch

from fairfl._validation import one_of
from fairfl.rules.base import GramRule, Weights, nonzero
from fairfl.rules.fedavg import a_priori
from fairfl.rules.gram import precise, precise_resolution
from fairfl.rules.solvers.cosines import NEAR
from fairfl.updates import Updates


class AlignedMTL(GramRule):
    """``dir = √σ · Gᵀ A^(−1/2) p`` with σ the smallest eigenvalue of A (Senushkin et al. 2023, Algorithm 1).

    ``√σ A^(−1/2) G`` has orthogonal rows of one length, the smallest singular value of G, and is of all such matrices
    the nearest to G: the condition number of the mixture becomes 1. Where rows are dependent, σ is the smallest
    eigenvalue that is not zero, and the power is the pseudo-inverse's. So the length jumps where rows become
    dependent; eigenvalues below 1e-12 of the largest count as zero (the authors' code: K times float32's rounding).
    Rates are ``√σ A^(1/2) p``, and a client can have a negative one.

    ``weighting="uniform"`` (p = 1/K; the authors' code takes the sum) or ``"shares"``. No state. A zero update is set
    aside and named.
    """

    def __init__(self, weighting: str = "uniform"):
        self.weighting = one_of("weighting", weighting, "uniform", "shares")

    @property
    def name(self) -> str:
        return "Aligned-MTL"

    def weights(self, gram: torch.Tensor, updates: Updates) -> Weights:
        _, reason = nonzero(gram, updates)
        largest = gram.diagonal().max()
        if not largest > 0:
            return Weights(torch.zeros(len(gram), dtype=torch.float64), reason=reason)
        values, vectors = torch.linalg.eigh(gram / largest)
        if float(values[0]) < NEAR * float(values[-1]):
            gram = precise(gram, updates.gradients)
            values, vectors = torch.linalg.eigh(gram / largest)
        there = values > precise_resolution(updates.gradients.dtype) * values[-1]
        values, vectors = values[there], vectors[:, there]
        weights = vectors @ ((values[0] / values).sqrt() * (vectors.T @ a_priori(self.weighting, updates)))
        return Weights(weights, reason=reason)
