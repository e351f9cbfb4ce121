"""The Gram matrix of unit rows: what rules that must not depend on the rows' lengths work on."""

import numpy as np
import torch

from fairfl.rules.gram import precise

# Cosines with a smaller eigenvalue are taken from float64 products: float32 ones are off by up to 1e-6.
NEAR = 1e-4


def cosines(gram: torch.Tensor, rows: torch.Tensor) -> tuple[np.ndarray, np.ndarray]:
    """``C`` (K, K) with ``C_ij = A_ij / √(A_ii A_jj)``, and the lengths ``√A_kk`` (K,).

    ``gram`` A of ``rows`` (K, d), with a positive diagonal, as ``trusted`` takes it.
    """
    gram = trusted(gram, rows)
    sizes = gram.diagonal().sqrt()
    return (gram / sizes / sizes[:, None]).numpy(), sizes.numpy()


def trusted(gram: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
    """``gram`` (K, K) of ``rows`` (K, d), with a positive diagonal; in float64 from the rows where they are nearly
    dependent.
    """
    sizes = gram.diagonal().sqrt()
    return precise(gram, rows) if float(torch.linalg.eigvalsh(gram / sizes / sizes[:, None])[0]) < NEAR else gram
