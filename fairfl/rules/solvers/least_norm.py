"""The shortest ``u`` with ``G u = s``, in Gram coordinates, and what to do where there is none."""

import numpy as np
import torch

from fairfl.rules.gram import rates

# Below this eigenvalue of the cosines the squared condition of A costs more than four digits, and the rows are asked
# again.
CLOSE = 1e-4


def least_norm(A: np.ndarray, s: np.ndarray, tolerance: float, rows: torch.Tensor | None = None) -> np.ndarray | None:
    """λ (K,) with ``A λ = s``, so that ``u = Gᵀ λ`` is the shortest vector with rates ``G u = s``.

    Works on the matrix of cosines ``C_ij = A_ij / √(A_ii A_jj)`` (all ``A_kk > 0``), so that one client 1e8 times
    larger does not hide the others behind rounding. Eigenvalues of C up to ``tolerance`` count as zero: then λ is the
    pseudo-inverse's if s lies in the range of A (duplicates that ask for equal rates), and ``None`` if not.

    ``rows`` (K, d): G itself. Nearly parallel rows lose twice the digits in A that they lose in G; the corrected
    seminormal equations (Björck 1987) measure what ``G u`` misses of s on the rows and solve for that once more.
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
    # Rows within √tolerance of dependence count as dependent, and rates as near to one another as equal.
    if np.linalg.norm(along[null]) > max(10 * tolerance, 1e-6) * np.linalg.norm(along):
        return None
    y = vectors[:, ~null] @ (along[~null] / values[~null])
    if rows is not None and values[~null].min() < CLOSE:
        for _ in range(2):
            missing = a - rates(rows, _in_float64(rows, y / sizes)).numpy() / sizes
            y = y + vectors[:, ~null] @ (vectors[:, ~null].T @ missing / values[~null])
    return y * largest / sizes


def least_squares(A: np.ndarray, s: np.ndarray, tolerance: float) -> np.ndarray:
    """λ (K,) where ``A λ = s`` has no answer: the shortest ``u = Gᵀ λ`` of those whose ``g_k · u / ‖g_k‖`` come
    nearest to ``s_k / ‖g_k‖`` in the sense of least squares.
    """
    sizes = np.sqrt(A.diagonal())
    values, vectors = np.linalg.eigh(A / sizes / sizes[:, None])
    there = values > tolerance
    return vectors[:, there] @ (vectors[:, there].T @ (s / sizes) / values[there]) / sizes


def _in_float64(rows: torch.Tensor, weights: np.ndarray) -> torch.Tensor:
    step = max(256, 2**19 // len(rows))
    u = torch.from_numpy(weights).to(rows.device)
    return torch.cat([u @ part.double() for part in rows.split(step, 1)])
