"""``min_norm``: the point of a hull of vectors that is nearest to the origin. Rules that fix rates are built on it."""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import ArrayLike

from fairfl._validation import number, tensor
from fairfl.errors import refuse
from fairfl.rules.given_gram import matrix, refuse_unlike_products
from fairfl.rules.solvers.box_qp import feasible_minimum, solve
from fairfl.rules.solvers.least_norm import least_norm

# Below this, relative to the largest squared norm, a duality gap counts as closed.
CERTIFIED = 1e-10


@dataclass(frozen=True)
class MinNorm:
    """The result of ``min_norm``. ``weights`` (K,) float64, summing to 1; ``squared_norm`` is ``‖dir‖² = λᵀ A λ``.

    ``gap`` certifies it: no feasible point has a squared norm below ``squared_norm − 2 · gap · max_k A_kk``.
    ``reason`` is empty if ``gap ≤ 1e-10`` (for an affine hull: if it does not contain the origin), and otherwise
    explains the result.
    """

    weights: torch.Tensor
    squared_norm: float
    gap: float
    reason: str = ""

    @property
    def exact(self) -> bool:
        """Whether the problem was solved as stated; if not, ``reason`` says why."""
        return not self.reason


def min_norm(
    gram: ArrayLike, hull: str = "convex", centre: ArrayLike | None = None, radius: float | None = None
) -> MinNorm:
    """The point ``dir = Gᵀ λ`` of a hull of the rows of G that is nearest to the origin, from ``gram = G Gᵀ``.

    ``hull="convex"``: ``min λᵀ A λ`` over ``λ ≥ 0, Σ λ = 1``; with ``centre`` λ0 (K,) on that simplex and ``radius`` ε
    also ``|λ_k − λ0_k| ≤ ε``. Then ``ρ_k = (A λ)_k ≥ ‖dir‖²`` for every k where no upper bound holds, with equality
    where λ_k is strictly inside its bounds: either the direction lowers every loss, or it is zero and the rows are
    Pareto-stationary (Désidéri 2012). ``gap`` is ``(‖dir‖² − min_k ρ_k) / max_k A_kk``, or in a box the difference to
    the least of all feasible ``Σ λ'_k ρ_k`` instead of ``min_k ρ_k``.

    ``hull="affine"``: only ``Σ λ = 1``, so λ may be negative and ``ρ_k = ‖dir‖²`` for every k. Independent rows give
    ``λ = A⁻¹ 1 / (1ᵀ A⁻¹ 1)``. If the hull contains the origin, the result is the origin, with a reason.
    ``gap`` is ``max_k |ρ_k − ‖dir‖²| / max_k A_kk``.

    ``gram`` (K, K), symmetric and positive semidefinite, in any scale; all computations are in float64 on the CPU.
    Convex hulls are solved up to rounding by an active-set method on the Gram matrix of unit rows. For scaled rows
    ``g_k / s_k`` pass ``gram / outer(s, s)``, and divide the weights by s.

    Raises ``Refused`` for a matrix that is not symmetric, or has an entry that exceeds the product of its rows' lengths
    (semidefiniteness is not checked further), for a centre that is not on the simplex or comes without a radius, and
    for bounds on an affine hull.
    """
    A = matrix(gram)
    refuse_unlike_products(A)
    if hull == "affine":
        if centre is not None or radius is not None:
            remedy = "An affine hull has no bounds on λ."
            raise refuse("hull", hull, "'convex' with a centre or a radius", remedy, "combination")
        return _affine(A)
    if hull != "convex":
        raise refuse(
            "hull", hull, "'convex' or 'affine'", "A convex hull has λ ≥ 0 and Σ λ = 1, an affine one only Σ λ = 1."
        )
    return _convex(A, *_bounds(len(A), centre, radius))


def nearest(gram: ArrayLike, centre: ArrayLike | None = None, radius: float | None = None) -> MinNorm:
    """``min_norm`` of a convex hull, without the checks of the matrix.

    For rules: their matrix is a Gram matrix by construction, and the rounding of rows that they added and scaled is no
    reason to refuse a round.
    """
    A = matrix(gram)
    return _convex(A, *_bounds(len(A), centre, radius))


def _bounds(K: int, centre: ArrayLike | None, radius: float | None) -> tuple[np.ndarray, np.ndarray]:
    if radius is None:
        if centre is not None:
            remedy = "A radius of 1 leaves the weights free."
            raise refuse("radius", None, "0 or more, if a centre is given", remedy, "combination")
        return np.zeros(K), np.ones(K)
    radius = number("radius", radius, 0, remedy="0 fixes the weights at the centre, 1 leaves them free.")
    middle = np.full(K, 1 / K) if centre is None else tensor("centre", centre).double().cpu().numpy()
    if middle.shape != (K,) or not (middle >= 0).all() or abs(middle.sum() - 1) > 1e-6:
        raise refuse(
            "centre",
            middle.tolist(),
            f"{K} non-negative numbers that sum to 1",
            "Pass the weights that the clients would have without the method.",
        )
    middle = middle / middle.sum()
    return np.maximum(middle - radius, 0), np.minimum(middle + radius, 1)


def _convex(A: np.ndarray, low: np.ndarray, high: np.ndarray) -> MinNorm:
    weights = solve(A, low, high)
    rates = A @ weights
    squared, largest = float(weights @ rates), float(A.diagonal().max())
    gap = max(0.0, squared - feasible_minimum(rates, low, high)) / largest if largest > 0 else 0.0
    open_gap = f"the quadratic program ended with a gap of {gap:.1e} instead of {CERTIFIED:.0e}"
    reason = "" if gap <= CERTIFIED else open_gap
    return MinNorm(torch.from_numpy(weights), max(0.0, squared), gap, reason)


def _affine(A: np.ndarray) -> MinNorm:
    ones = np.ones(len(A))
    weights = least_norm(A, ones, 1e-12) if (A.diagonal() > 0).all() else None
    reason = "" if weights is not None else "the affine hull contains the origin"
    if weights is None:
        # The shortest of the weights with ‖Gᵀ λ‖ = 0: the projection of 1 onto the null space.
        values, vectors = np.linalg.eigh(A / A.diagonal().max() if A.any() else A)
        null = vectors[:, values <= 1e-12 * len(A)]
        weights = null @ (null.T @ ones)
    weights = weights / weights.sum()
    rates = A @ weights
    squared = 0.0 if reason else max(0.0, float(weights @ rates))
    gap = float(np.abs(rates - squared).max()) / float(A.diagonal().max()) if A.any() else 0.0
    return MinNorm(torch.from_numpy(weights), squared, gap, reason)
