"""The passes over the clients' rows that rules share: ``A = G Gᵀ``, ``Gᵀ λ`` and ``G v``.

Rows may have any floating-point type, with entries from 1e-30 to 1e30. Sums over d are accumulated in float64, results
of size K are float64 on the CPU, and no pass copies the rows: beyond them it needs a few MB.
"""

import math

import torch

from fairfl.errors import Diverged, refuse

# A float32 sum of n equal terms can drift by n · 1.5e-8 of its value (measured); 64 terms keep it below 1e-6.
BLOCK = 64
# From this many clients on, the products of CHAIN blocks are accumulated as they are computed. That saves most of the
# summation afterwards, which costs nothing for few clients, and its rounding is no worse.
MANY, CHAIN = 64, 4
# Rows up to this length are multiplied in float64, so that a singular A comes out singular up to rounding.
SHORT = 2**14
# Bytes of one chunk's copies and products: small enough for the cache, and far below the promised 64 MB.
CHUNK = 2**22
# A combination this much shorter than its parts has lost two of float32's seven digits, and is recomputed in float64.
CANCELS = 1e-2


def resolution(dtype: torch.dtype) -> float:
    """The smallest meaningful eigenvalue of a Gram matrix of unit rows of this type.

    Entries of A have errors of about 1e-15 for float64 rows and 1e-7 for shorter types. Below this value such errors
    would decide the result, so rules treat the matrix as singular.
    """
    return 1e-11 if dtype == torch.float64 else 1e-5


def precise_resolution(dtype: torch.dtype) -> float:
    """The same for a matrix from ``precise``, whose only error is the rounding of the rows themselves (for 16-bit types
    1e-3 of their length).
    """
    return 1e-12 if dtype in (torch.float64, torch.float32) else 1e-5


def precise(gram: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
    """``gram`` (K, K) of ``rows`` (K, d) with float64 rounding only: recomputed if ``gram_matrix`` used float32
    products.
    """
    return gram_matrix(rows, work=torch.float64) if in_float32(rows) else gram


def gram_matrix(*blocks: torch.Tensor, work: torch.dtype | None = None) -> torch.Tensor:
    """``A = G Gᵀ``, a symmetric (K, K) float64 matrix on the CPU, for rows (K, d).

    Several blocks of rows are treated as stacked, without being copied into one tensor. For types shorter than float64,
    ``|ΔA_ij| ≤ 1e-6 √(A_ii A_jj)``; for float64 rows, and with ``work=torch.float64``, the errors are float64 rounding.
    Raises ``Refused`` of kind "diverged" if a product of two rows overflows float64.
    """
    held = [rows for rows in blocks if len(rows)]
    work = work or (torch.float32 if in_float32(held[0]) else torch.float64)
    total = _gram(held, work)
    if work is torch.float32:
        shifts = _shifts(held, total.diagonal())
        if bool(shifts.any()):
            total = torch.ldexp(_gram(held, work, shifts), shifts[:, None] + shifts)
    if not bool(torch.isfinite(total).all()):
        raise refuse(
            "the largest product of two updates",
            float("inf"),
            "up to 1.8e308, the largest float64",
            "Such updates have diverged; lower the local learning rate.",
            "diverged",
        )
    return (total + total.T) / 2


def combine(
    rows: torch.Tensor, weights: torch.Tensor, norms: torch.Tensor | None = None, *, look: bool = True
) -> torch.Tensor:
    """``Gᵀ λ`` for rows (K, d) and weights (K,): a vector (d,) in the rows' dtype and device.

    ``norms`` (K,): the rows' lengths ``√A_kk``, if the caller has them; they save a check of the result. With
    ``look=False`` there is no check: the caller checks the result, and calls again with the default if an entry is not
    finite. Raises ``Diverged`` if the vector overflows the rows' dtype and is checked, and ``Refused`` for weights that
    are not finite.
    """
    weights = torch.as_tensor(weights, dtype=torch.float64).cpu()
    norms = None if norms is None else torch.as_tensor(norms, dtype=torch.float64).cpu()
    sizes = weights.abs()
    largest = float(sizes.max())
    if not math.isfinite(largest):
        raise refuse(
            "the weights", weights.tolist(), "finite numbers", "Bring the losses and the rule's settings closer to 1."
        )
    work = torch.float64 if rows.dtype == torch.float64 else torch.float32
    fits = torch.finfo(work)
    exact = largest < fits.max and not bool(((sizes > 0) & (sizes <= fits.tiny)).any())
    if norms is not None and exact and float(sizes @ norms) < torch.finfo(rows.dtype).max:
        vector = _combine(rows, weights, work)
        if work is torch.float32 and float(torch.linalg.vector_norm(vector)) < CANCELS * float(sizes @ norms):
            vector = _combine(rows, weights, torch.float64)
        return vector
    if norms is None and exact:
        vector = _combine(rows, weights, work)
        if not look or bool(torch.isfinite(vector).all()):
            return vector
    return _combine_scaled(rows, weights, work)


def rates(rows: torch.Tensor, vector: torch.Tensor) -> torch.Tensor:
    """``ρ = G v`` for rows (K, d) and a vector (d,): (K,) float64 on the CPU, summed in float64."""
    step = max(256, CHUNK // (8 * len(rows)))
    parts = zip(rows.split(step, 1), vector.split(step))
    return sum(part.double() @ piece.double() for part, piece in parts).cpu()


def in_float32(rows: torch.Tensor) -> bool:
    """Whether the products of ``rows`` are computed in float32, block by block."""
    # Otherwise in float64. Accelerators are fast in float64 and may silently round float32 products to TF32. A lowered
    # matmul precision (for training) makes float32 products less precise on the CPU too. And short rows are cheap.
    return (
        rows.dtype != torch.float64
        and rows.device.type == "cpu"
        and rows.shape[1] > SHORT
        and torch.get_float32_matmul_precision() == "highest"
    )


def _gram(blocks: list[torch.Tensor], work: torch.dtype, shifts: torch.Tensor | None = None) -> torch.Tensor:
    K, d = sum(map(len, blocks)), blocks[0].shape[1]
    total = torch.zeros(K, K, dtype=torch.float64, device=blocks[0].device)
    # With many clients, chunks are larger: otherwise the calls would wait for one another on two threads.
    chain, wide = (CHAIN, CHUNK) if K >= MANY and work is torch.float32 else (1, CHUNK // 8)
    count = max(1, wide // (K * max(K // chain, BLOCK)))
    step = BLOCK * (count - count % (8 * chain) if count > 8 * chain else count)
    if total.device.type != "cpu":
        # A few large products rather than many small ones; still at most 32 MB.
        step *= 8
    for start in range(0, d, step):
        pieces = [rows[:, start : start + step].to(work) for rows in blocks]
        chunk = pieces[0] if len(pieces) == 1 else torch.cat(pieces)
        if shifts is not None:
            chunk = chunk * torch.exp2(-shifts.to(chunk))[:, None]
        if work is torch.float32:
            whole = chunk.shape[1] // (BLOCK * chain) * BLOCK * chain
            stack = chunk[:, :whole].reshape(K, -1, chain, BLOCK).permute(2, 1, 0, 3)
            # For many clients only the blocks on and above the diagonal, in two halves, which takes a fifth less time.
            half = K // 2 if K >= 32 else 0
            total[half:, half:] += _products(stack[:, :, half:], stack[:, :, half:])
            if half:
                upper = _products(stack[:, :, :half], stack)
                total[:half] += upper
                total[half:, :half] += upper[:, half:].T
            chunk = chunk[:, whole:]
        if chunk.shape[1]:
            total += chunk @ chunk.T
    return total.cpu()


def _products(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    """``Σ left rightᵀ`` over the first two axes, of shape (chain, n, rows, BLOCK). The first axis is summed in float32,
    the second by ``_sum``.
    """
    parts = torch.bmm(left[0], right[0].transpose(1, 2))
    for a, b in zip(left[1:], right[1:]):
        parts.baddbmm_(a, b.transpose(1, 2))
    return _sum(parts)


def _sum(parts: torch.Tensor) -> torch.Tensor:
    """The sum over the first axis in float64.

    Up to eight terms each are first added in pairs in their own type, which is much cheaper than converting all of them
    to float64, and exact if they are equal.
    """
    for _ in range(3):
        if len(parts) % 2 == 0:
            half = len(parts) // 2
            parts = parts[:half].add_(parts[half:])
    return parts.sum(0, dtype=torch.float64)


def _shifts(blocks: list[torch.Tensor], squares: torch.Tensor) -> torch.Tensor:
    """For each row the power of two that scales it to about 1; 0 if its squares are safe in float32.

    Squares of float32 entries vanish below 1e-19 and overflow above 1e19. Either shows in the row's own squared norm,
    so K numbers are enough to clear nearly every call.
    """
    safe = (squares > 1e-30 * blocks[0].shape[1]) & torch.isfinite(squares)
    shifts = torch.zeros(len(squares), dtype=torch.int64)
    if not bool(safe.all()):
        largest = torch.cat([_largest(rows) for rows in blocks])
        shifts[~safe] = torch.frexp(largest[~safe]).exponent.long()
    return shifts.clamp(-126, 126)


def _largest(rows: torch.Tensor) -> torch.Tensor:
    """The largest absolute entry of each row, (K,) float64 on the CPU."""
    step = max(256, CHUNK // (8 * len(rows)))
    return torch.stack([part.abs().amax(1) for part in rows.split(step, 1)]).amax(0).double().cpu()


def _combine(rows: torch.Tensor, weights: torch.Tensor, work: torch.dtype) -> torch.Tensor:
    weights = weights.to(rows.device, work)
    if rows.dtype == work:
        return weights @ rows
    step = max(256, CHUNK // (work.itemsize * len(rows)))
    vector = torch.empty_like(rows[0])
    for part, piece in zip(rows.split(step, 1), vector.split(step)):
        piece.copy_(weights @ part.to(work))
    return vector


def _combine_scaled(rows: torch.Tensor, weights: torch.Tensor, work: torch.dtype) -> torch.Tensor:
    """``_combine`` where weights or products leave the range of ``work``: both are scaled to about 1 and back."""
    row_exponents = torch.frexp(_largest(rows)).exponent.long().clamp(-1000, 1000)
    down = torch.exp2(-row_exponents.double()).to(rows.device)
    mantissas, exponents = torch.frexp(weights)
    exponents = exponents.long() + row_exponents
    top = int(exponents[weights != 0].max()) if bool(weights.any()) else 0
    near = torch.ldexp(mantissas, (exponents - top).clamp(-1000, 0)).to(rows.device)
    step = max(256, CHUNK // (8 * len(rows)))
    scaled = torch.empty_like(rows[0], dtype=torch.float64)
    for part, piece in zip(rows.split(step, 1), scaled.split(step)):
        piece.copy_(near @ (part.double() * down[:, None]))
    half = max(-1000, min(1000, top // 2))
    vector = (scaled * 2.0**half * 2.0 ** max(-1000, min(1000, top - half))).to(rows.dtype)
    if not bool(torch.isfinite(vector).all()):
        digits = int((top + float(scaled.abs().max().log2())) * 0.30103)
        raise Diverged(
            f"the direction's largest entry is about 1e{digits}; allowed: up to "
            f"{torch.finfo(rows.dtype).max:.1e} in {rows.dtype}. Use float64 updates, or bring the losses and the "
            "rule's settings closer to 1."
        )
    return vector
