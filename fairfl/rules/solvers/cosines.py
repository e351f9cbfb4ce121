"""The Gram matrix of unit rows, for rules that must not depend on the rows' lengths."""

import numpy as np
import torch

from fairfl.rules.gram import precise

# With a smaller eigenvalue, cosines are computed from float64 products: in float32 their errors are up to 1e-6.
NEAR = 1e-4


def cosines(gram: torch.Tensor, rows: torch.Tensor) -> tuple[np.ndarray, np.ndarray]:
    """``C`` (K, K) with ``C_ij = A_ij / √(A_ii A_jj)``, and the lengths ``√A_kk`` (K,).

    ``gram`` A of ``rows`` (K, d), with a positive diagonal, as ``trusted`` takes it.
    """
    gram = trusted(gram, rows)
    sizes = gram.diagonal().sqrt()
    return (gram / sizes / sizes[:, None]).numpy(), sizes.numpy()


def trusted(gram: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
    """``gram`` (K, K) of ``rows`` (K, d), with a positive diagonal; recomputed in float64 if the rows are nearly
    dependent.
    """
    sizes = gram.diagonal().sqrt()
    return precise(gram, rows) if float(torch.linalg.eigvalsh(gram / sizes / sizes[:, None])[0]) < NEAR else gram
