"""DualProj: the mean update, projected onto the directions that raise no client's loss."""

import numpy as np
import torch

from fairfl._validation import one_of
from fairfl.rules.base import GramRule, Weights, of_nonzero
from fairfl.rules.fedavg import a_priori
from fairfl.rules.gram import precise_resolution
from fairfl.rules.solvers.cosines import cosines
from fairfl.rules.solvers.dual_cone import project, violation
from fairfl.rules.solvers.min_norm import CERTIFIED
from fairfl.updates import Updates


class DualProj(GramRule):
    """``dir = π(Σ_k p_k g_k)``: the nearest direction to the mean in ``{x : G x ≥ 0}`` (Lopez-Paz & Ranzato 2017).

    λ is the ``v ≥ p`` with the smallest ``vᵀ A v``. No rate is negative, and if the mean conflicts with no update, dir
    is the mean. The paper (GEM) projects the newest task's gradient to remove its conflicts with earlier tasks; the
    name for the projection of the mean update is Quinton & Rey's (2024). ``weighting="uniform"`` (p = 1/K) or
    ``"shares"``. No state.

    Exact for dependent updates as well. If no direction lowers one loss without raising another, it is zero, with a
    ``reason``.
    """

    def __init__(self, weighting: str = "uniform"):
        self.weighting = one_of("weighting", weighting, "uniform", "shares")

    def weights(self, gram: torch.Tensor, updates: Updates) -> Weights:
        return projected(gram, updates, a_priori(self.weighting, updates)[None])


def projected(gram: torch.Tensor, updates: Updates, mixtures: torch.Tensor) -> Weights:
    """λ (K,) of the sum of the projections of ``Gᵀ p`` onto the dual cone, over the rows p of ``mixtures`` (n, K)."""
    return of_nonzero(gram, updates, lambda part, rows, keep: _projected(part, rows, mixtures[:, keep].numpy()))


def _projected(gram: torch.Tensor, rows: torch.Tensor, mixtures: np.ndarray) -> Weights:
    C, sizes = cosines(gram, rows)
    # Relative to the longest row: lengths of 1e30 fit, sums of their squares would not.
    U = mixtures * (sizes / sizes.max())
    V = project(C, U)
    missed = max(violation(C, u, v) for u, v in zip(U, V))
    v, reason = V.sum(0), ""
    if v @ C @ v <= precise_resolution(rows.dtype) * v.sum() ** 2:
        v = np.zeros(len(v))
        reason = "no direction helps anybody without harming others, so it is zero"
    elif missed > CERTIFIED:
        reason = f"the projection ended {missed:.1e} short of its conditions"
    return Weights(torch.from_numpy(v * sizes.max() / sizes), reason=reason)
