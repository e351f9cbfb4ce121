"""Aligned-MTL: the mean of the nearest updates that are orthogonal and equally long."""

import torch

from fairfl._validation import one_of
from fairfl.rules.base import GramRule, Weights, nonzero
from fairfl.rules.fedavg import a_priori
from fairfl.rules.gram import precise, precise_resolution
from fairfl.rules.solvers.cosines import NEAR
from fairfl.updates import Updates


class AlignedMTL(GramRule):
    """``dir = √σ · Gᵀ A^(−1/2) p`` with σ the smallest eigenvalue of A (Senushkin et al. 2023, Algorithm 1).

    ``√σ A^(−1/2) G`` has orthogonal rows of equal length, the smallest singular value of G, and is the nearest such
    matrix to G: the condition number of the mixture becomes 1. If rows are dependent, σ is the smallest nonzero
    eigenvalue, and the power is the pseudo-inverse's, so the length jumps when rows become dependent. Eigenvalues below
    1e-12 of the largest count as zero (in the authors' code: K times float32's rounding). The rates are
    ``√σ A^(1/2) p``, and may be negative.

    ``weighting="uniform"`` (p = 1/K; the authors' code takes the sum) or ``"shares"``. No state. A zero update is set
    aside, with a ``reason`` that names the client.
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
