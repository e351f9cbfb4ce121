"""The two passes over the clients' rows that no rule can avoid: ``A = G Gᵀ`` and ``Gᵀ λ``."""

import torch

# Rows are read in blocks of this many columns: large enough for one efficient product, small enough that
# float32 rounding inside a block stays near 1e-7 and a float64 copy of a block stays under 8 MB at K = 100.
BLOCK = 8192


def gram_matrix(rows: torch.Tensor) -> torch.Tensor:
    """``rows @ rows.T`` for rows (K, d), as a symmetric (K, K) float64 matrix on the CPU.

    Products are taken block by block and accumulated in float64, without a float64 copy of ``rows``.
    """
    K, d = rows.shape
    total = torch.zeros(K, K, dtype=torch.float64, device=rows.device)
    for start in range(0, d, BLOCK):
        block = rows[:, start:start + BLOCK].double()
        total += block @ block.T
    return ((total + total.T) / 2).cpu()


def combine(rows: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    """``rowsᵀ weights`` for rows (K, d) and weights (K,): a vector (d,) in the rows' dtype and device."""
    return weights.to(rows) @ rows
