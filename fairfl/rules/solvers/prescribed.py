"""Rates in prescribed proportions: the core of AdaFed, DQN-Fed and IMTL-G."""

from dataclasses import replace

import numpy as np
import torch

from fairfl.rules.gram import precise_resolution
from fairfl.rules.solvers.cosines import trusted
from fairfl.rules.solvers.least_norm import least_norm
from fairfl.rules.solvers.min_norm import MinNorm, nearest


def prescribed(gram: torch.Tensor, s: torch.Tensor, rows: torch.Tensor) -> MinNorm:
    """The direction with rates ``ρ_k = s_k ‖dir‖²``: the point nearest to the origin in the hull of ``g_k / s_k``.

    ``gram`` (K, K) of ``rows`` (K, d) with a positive diagonal, ``s`` (K,) non-negative and not all zero. The weights
    belong to the rows as given: ``dir = Gᵀ λ`` and ``Σ s_k λ_k = 1``, so that ``λ = A⁻¹ s / (sᵀ A⁻¹ s)`` for
    independent rows.

    If no vector has these rates (more clients than parameters, duplicates with different rates), the convex hull
    replaces the affine one: ``ρ_k ≥ s_k ‖dir‖²``, with a reason. All weights are zero if that hull contains the origin.
    """
    A, wanted, tolerance = trusted(gram, rows).numpy(), s.numpy(), precise_resolution(rows.dtype)
    weights = least_norm(A, wanted, tolerance, rows)
    if weights is not None:
        squared = 1 / float(wanted @ weights)
        weights = weights * squared
        gap = float(np.abs(A @ weights - wanted * squared).max() / A.diagonal().max())
        return MinNorm(torch.from_numpy(weights), squared, gap)
    # A rate of zero would make g/s infinite. A tiny rate instead keeps the client in the hull.
    wanted = np.maximum(wanted, 1e-100 * wanted.max())
    point = nearest(A / wanted / wanted[:, None])
    reason = (
        "the updates are linearly dependent and no direction has the prescribed rates; took the convex hull's point"
    )
    squared = point.squared_norm
    if squared <= tolerance * float(point.weights.numpy() @ (A.diagonal() / wanted**2)):
        squared, reason = 0.0, reason + ", which is zero: the updates are Pareto-stationary"
        point = replace(point, weights=torch.zeros_like(point.weights))
    reason = "; ".join(filter(None, (reason, point.reason)))
    return MinNorm(point.weights / torch.from_numpy(wanted), squared, point.gap, reason)
