"""``A λ = λ^(−1/α)``: weights whose rates are α-fair (Newton's method)."""

import numpy as np

# Residuals of logarithms that count as solved, and those that further steps of Newton's method make so.
SOLVED, NEAR = 1e-14, 1e-3


def fair_rates(C: np.ndarray, sizes: np.ndarray, alpha: float, start: np.ndarray) -> tuple[np.ndarray, float]:
    """λ > 0 (K,) with ``A λ = λ^(−1/α)`` for ``A_ij = C_ij sizes_i sizes_j``, and what it misses of that, relatively.

    It minimises ``½ λᵀ A λ − Σ φ(λ_k)`` with ``φ' = λ^(−1/α)``, which is strictly convex, so there is one such λ at
    most; and one where the hull of the rows does not contain the origin. ``start`` (K,) > 0 are weights of unit rows.
    What is missed is infinite where rounding ended the way before α: then λ belongs to where it ended.

    At α = 1 the function is self-concordant, and damped Newton steps arrive from anywhere. From there the exponent
    moves to 1/α, as far at a time as Newton's method follows: on ``z = log y``, y = λ sizes, so that lengths from 1e-30
    to 1e30, and weights of 1e-300 for a large α, are as exact as others.
    """
    z, logs = np.log(_product(C, start)), np.log(sizes)
    z, missed = _newton(C, z, 1.0, 0 * logs)
    at, stride, power, bend = 0.0, 1.0, 1.0, -np.log(alpha)
    while at < 1 and bend != 0 and stride > 1e-4:
        # Along the tangent of t = log(λ)/α, the rates' own logarithms: weights that vanish move them no more.
        t, y = power * (z - logs), np.exp(z)
        felt = C * y / (C @ y)[:, None] / power
        goal = np.exp(bend * min(1.0, at + stride))
        t = t + np.linalg.solve(np.eye(len(t)) + felt, felt @ t) * np.log(goal / power)
        found, left = _newton(C, logs + t / goal, goal, (goal - 1) * logs)
        if left < NEAR**2:
            at, z, missed, stride, power = at + stride, found, left, 2 * stride, goal
        else:
            stride /= 4
    return np.exp(z - logs), missed if at >= 1 or bend == 0 else np.inf


def _product(C: np.ndarray, y: np.ndarray) -> np.ndarray:
    """y (K,) > 0 near the minimum of ``½ yᵀ C y − Σ log y_k``."""
    y = y * np.sqrt(len(y) / (y @ C @ y))
    for _ in range(200):
        slope, scale = C @ y - 1 / y, np.outer(y, y)
        # In units of y itself: the second derivative is diag(1/y²) + C.
        step = np.linalg.solve(np.eye(len(y)) + C * scale, -slope * y)
        length = np.sqrt(max(-slope @ (step * y), 0.0))
        y = y * (1 + step / (1 + length if length > 0.25 else 1.0))
        if length < NEAR:
            break
    return y


def _newton(C: np.ndarray, z: np.ndarray, power: float, b: np.ndarray) -> tuple[np.ndarray, float]:
    """z with ``log (C e^z) + power z = b``, and the largest residual, while steps shorten the residuals."""
    missed = _residual(C, z, power, b)
    if not np.isfinite(missed).all():
        return z, np.inf
    for _ in range(40):
        size = np.abs(missed).max()
        if size <= SOLVED:
            break
        y = np.exp(z)
        step = np.linalg.solve(np.diag(np.full(len(z), power)) + C * y / (C @ y)[:, None], -missed)
        for part in (1.0, 0.5, 0.25, 0.125):
            trial = z + part * step
            left = _residual(C, trial, power, b)
            if np.abs(left).max() < size:
                break
        else:
            break
        z, missed = trial, left
    return z, float(np.abs(missed).max())


def _residual(C: np.ndarray, z: np.ndarray, power: float, b: np.ndarray) -> np.ndarray:
    """Infinite where a rate is not positive."""
    with np.errstate(over="ignore", invalid="ignore"):
        rates = C @ np.exp(z)
        return np.where(rates > 0, np.log(np.where(rates > 0, rates, 1.0)) + power * z - b, np.inf)
