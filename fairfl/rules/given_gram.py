"""A Gram matrix that a caller passes instead of the rows: its validation, and rows that have it."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike

from fairfl._validation import tensor
from fairfl.errors import refuse
from fairfl.updates import Updates, Vector

# Products of float32 rows that were added and scaled are not more accurate than that.
ROUNDING = 1e-6
REMEDY = "Pass G @ G.T for rows G of shape (K, d)."


def matrix(gram: ArrayLike) -> np.ndarray:
    """``gram`` as float64 (K, K). Raises ``Refused`` for another shape, non-finite entries and a negative diagonal."""
    A = tensor("gram", gram).double().cpu().numpy()
    K = len(A) if A.ndim else 0
    if A.ndim != 2 or A.shape != (K, K) or K == 0:
        raise refuse("the shape of gram", A.shape, "(K, K) with K ≥ 1", REMEDY, "shape")
    if not np.isfinite(A).all() or (A.diagonal() < 0).any():
        raise refuse(
            "gram",
            "a matrix with non-finite entries or a negative diagonal",
            "products of finite rows",
            "Drop the clients whose updates are not finite.",
        )
    return A


def refuse_unlike_products(A: np.ndarray) -> None:
    """Raise ``Refused`` unless A is symmetric, and no entry exceeds the product of its rows' lengths."""
    lengths = np.sqrt(A.diagonal())
    largest = np.outer(lengths, lengths)
    slack = 1e-3 * largest + ROUNDING * largest.max()
    for wrong, bad in (("not symmetric", abs(A - A.T) > slack), ("not semidefinite", abs(A) > largest + slack)):
        if bad.any():
            i, j = np.argwhere(bad)[0].tolist()
            raise refuse(
                "gram",
                f"a matrix that is {wrong}: A[{i}, {j}] = {A[i, j]:g}, A[{j}, {i}] = {A[j, i]:g}, "
                f"A[{i}, {i}] = {A[i, i]:g}, A[{j}, {j}] = {A[j, j]:g}",
                "the products of rows with one another",
                REMEDY,
            )


def rows_of(gram: ArrayLike) -> tuple[torch.Tensor, torch.Tensor]:
    """``gram`` as a symmetric float64 (K, K), and rows (K, K) that have this Gram matrix up to rounding.

    Raises ``Refused`` for a matrix that is not symmetric, finite and positive semidefinite up to rounding. This is
    looked at relative to the lengths of the rows, so that a short row counts as much as a long one.
    """
    A = matrix(gram)
    refuse_unlike_products(A)
    A = (A + A.T) / 2
    lengths = np.sqrt(A.diagonal())
    scale = np.where(lengths > 0, lengths, 1.0)
    values, vectors = np.linalg.eigh(A / scale / scale[:, None])
    if values[0] < -ROUNDING * len(A):
        raise refuse(
            "the smallest eigenvalue of gram, with its rows scaled to length 1,",
            float(values[0]),
            f"at least {-ROUNDING * len(A):.0e}, because a Gram matrix is positive semidefinite",
            REMEDY,
        )
    rows = vectors * np.sqrt(np.maximum(values, 0)) * scale[:, None]
    return torch.from_numpy(A), torch.from_numpy(rows)


def with_gram(
    gram: ArrayLike, losses: Vector | None, shares: Vector | None, extras: Mapping[str, Any], others: dict
) -> tuple[torch.Tensor, Updates]:
    """``gram`` as ``rows_of`` returns it, and ``Updates`` with this Gram matrix and these numbers."""
    A, rows = rows_of(gram)
    return A, Updates(rows, losses=losses, shares=shares, extras=extras, **others)
