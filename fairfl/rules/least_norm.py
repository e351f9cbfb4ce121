"""The shortest ``u`` with ``G u = s``, in Gram coordinates, and what to do where there is none."""

import numpy as np


def least_norm(A: np.ndarray, s: np.ndarray, tolerance: float) -> np.ndarray | None:
    """λ (K,) with ``A λ = s``, so that ``u = Gᵀ λ`` is the shortest vector with rates ``G u = s``.

    Works on the matrix of cosines ``C_ij = A_ij / √(A_ii A_jj)`` (all ``A_kk > 0``), so that one client 1e8 times larger
    does not hide the others behind rounding. Eigenvalues of C up to ``tolerance`` count as zero: then λ is the
    pseudo-inverse's if s lies in the range of A (duplicates that ask for equal rates), and ``None`` if not.
    """
    sizes = np.sqrt(A.diagonal())
    C, a = A / sizes / sizes[:, None], s / sizes
    largest = np.abs(a).max()
    if largest == 0:
        return np.zeros(len(A))
    values, vectors = np.linalg.eigh(C)
    along = vectors.T @ (a / largest)
    null = values <= tolerance
    if np.linalg.norm(along[null]) > 10 * tolerance * np.linalg.norm(along):
        return None
    y = vectors[:, ~null] @ (along[~null] / values[~null])
    return y * largest / sizes
