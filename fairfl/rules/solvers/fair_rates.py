"""``A λ = λ^(−1/α)``: weights whose rates are α-fair (Newton's method on the logarithms)."""

import numpy as np


def fair_rates(C: np.ndarray, sizes: np.ndarray, alpha: float, start: np.ndarray) -> tuple[np.ndarray, float]:
    """λ > 0 (K,) with ``A λ = λ^(−1/α)`` for ``A_ij = C_ij sizes_i sizes_j``, and what it misses of that, relatively.

    It minimises ``½ λᵀ A λ − Σ φ(λ_k)`` with ``φ' = λ^(−1/α)``, which is strictly convex, so there is one such λ at
    most; and one where the hull of the rows does not contain the origin. ``start`` (K,) ≥ 0 has rates ``C start > 0``.

    The unknowns are ``z = log y`` of ``y = λ sizes``: weights of unit rows, for rows of lengths 1e-30 to 1e30 and
    weights that a large α makes as small as 1e-300. Newton's step exists wherever rates are positive, and shortens the
    residuals ``log (C y) + z/α − b`` along it; where these are bounded, so are weights and rates, hence it arrives.
    """
    power = 1 / alpha
    b = (power - 1) * np.log(sizes)
    shift = b.mean() / (1 + power)
    b = b - b.mean()
    z = np.log(start)
    z = z - (_residual(C, z, power, b)).mean() / (1 + power)
    missed = _residual(C, z, power, b)
    for _ in range(300):
        y = np.exp(z)
        step = np.linalg.solve(np.diag(np.full(len(z), power)) + C * y / (C @ y)[:, None], -missed)
        size, part = np.linalg.norm(missed), 1.0
        while True:
            trial = _residual(C, z + part * step, power, b)
            if np.linalg.norm(trial) <= (1 - 1e-4 * part) * size:
                break
            part /= 2
            if part < 1e-12:
                return np.exp(z + shift) / sizes, float(np.abs(missed).max())
        z, missed = z + part * step, trial
        if np.abs(missed).max() <= 1e-14:
            break
    return np.exp(z + shift) / sizes, float(np.abs(missed).max())


def _residual(C: np.ndarray, z: np.ndarray, power: float, b: np.ndarray) -> np.ndarray:
    """Infinite where a rate is not positive."""
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        rates = C @ np.exp(z)
        return np.where(rates > 0, np.log(np.where(rates > 0, rates, 1.0)) + power * z - b, np.inf)
