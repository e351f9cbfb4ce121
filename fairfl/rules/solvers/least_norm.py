"""The shortest ``u`` with ``G u = s``, in Gram coordinates, and least squares if there is none."""

import numpy as np
import torch

from fairfl.rules.gram import rates

# Below this eigenvalue of the cosines, the squared condition number of A costs more than four digits, and the solution
# is refined on the rows.
CLOSE = 1e-4


def least_norm(A: np.ndarray, s: np.ndarray, tolerance: float, rows: torch.Tensor | None = None) -> np.ndarray | None:
    """λ (K,) with ``A λ = s``, so that ``u = Gᵀ λ`` is the shortest vector with rates ``G u = s``.

    Works on the matrix of cosines ``C_ij = A_ij / √(A_ii A_jj)`` (all ``A_kk > 0``), so the others are not lost in
    rounding if one client's update is 1e8 times longer. Eigenvalues of C up to ``tolerance`` count as zero: λ is then
    the pseudo-inverse's if s lies in the range of A (as for duplicates with equal rates), and otherwise ``None``.

    ``rows`` (K, d): G itself. Nearly parallel rows lose twice as many digits in A as in G. The corrected seminormal
    equations (Björck 1987) compute the residual ``s − G u`` from the rows, and solve for it once more.
    """
    sizes = np.sqrt(A.diagonal())
    C, a = A / sizes / sizes[:, None], s / sizes
    largest = np.abs(a).max()
    if largest == 0:
        return np.zeros(len(A))
    a = a / largest
    values, vectors = np.linalg.eigh(C)
    along = vectors.T @ a
    null = values <= tolerance
    # Rows within √tolerance of dependence count as dependent, and rates that differ as little as equal.
    if np.linalg.norm(along[null]) > max(10 * tolerance, 1e-6) * np.linalg.norm(along):
        return None
    y = vectors[:, ~null] @ (along[~null] / values[~null])
    if rows is not None and values[~null].min() < CLOSE:
        for _ in range(2):
            missing = a - rates(rows, _in_float64(rows, y / sizes)).numpy() / sizes
            y = y + vectors[:, ~null] @ (vectors[:, ~null].T @ missing / values[~null])
    return y * largest / sizes


def least_squares(A: np.ndarray, s: np.ndarray, tolerance: float) -> np.ndarray:
    """λ (K,) if ``A λ = s`` has no solution: ``u = Gᵀ λ`` is the shortest of the vectors whose ``g_k · u / ‖g_k‖`` are
    nearest to ``s_k / ‖g_k‖`` in least squares.
    """
    sizes = np.sqrt(A.diagonal())
    values, vectors = np.linalg.eigh(A / sizes / sizes[:, None])
    there = values > tolerance
    return vectors[:, there] @ (vectors[:, there].T @ (s / sizes) / values[there]) / sizes


def _in_float64(rows: torch.Tensor, weights: np.ndarray) -> torch.Tensor:
    step = max(256, 2**19 // len(rows))
    u = torch.from_numpy(weights).to(rows.device)
    return torch.cat([u @ part.double() for part in rows.split(step, 1)])
