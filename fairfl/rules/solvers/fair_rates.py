"""``A λ = λ^(−1/α)``: weights whose rates are α-fair, by Newton's method."""

import numpy as np

# Residual of the logarithms that counts as solved, and the residual from which Newton's method converges to it.
SOLVED, NEAR = 1e-14, 1e-3
# Length of a step, in the norm of the second derivative, up to which a full step is safe; and the largest number of
# steps: the hardest of 5,760 random problems took 17.
FULL, MOST = 0.25, 60
# Above this residual, rounding has ended the search, and TRIES more steps are taken.
ROUND, TRIES = 1e-12, 8


def fair_rates(C: np.ndarray, sizes: np.ndarray, alpha: float, start: np.ndarray) -> tuple[np.ndarray, float]:
    """λ > 0 (K,) with ``A λ = λ^(−1/α)`` for ``A_ij = C_ij sizes_i sizes_j``, and its relative residual.

    λ minimises ``½ λᵀ A λ − Σ φ(λ_k)`` with ``φ' = λ^(−1/α)``, which is strictly convex. So there is at most one such
    λ, and there is one if the hull of the rows does not contain the origin. ``start`` (K,) > 0: weights of unit rows.
    The residual is infinite if rounding ended the path before α was reached; λ then belongs to the exponent reached.

    At α = 1 the function is self-concordant, and Newton's method with a line search converges from anywhere. From
    there the exponent moves to 1/α, in steps as large as Newton's method can follow. It works on ``z = log y`` with
    y = λ sizes, so lengths from 1e-30 to 1e30, and weights of 1e-300 for a large α, are as exact as others.
    """
    z, logs = np.log(_product(C, start)), np.log(sizes)
    z, missed = _newton(C, z, 1.0, 0 * logs)
    at, stride, power, bend = 0.0, 1.0, 1.0, -np.log(alpha)
    while at < 1 and bend != 0 and stride > 1e-4:
        # Along the tangent of t = log(λ)/α, the logarithms of the rates: vanishing weights no longer move them.
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
    """y (K,) > 0 near the minimum of ``½ yᵀ C y − Σ log y_k``, by Newton's method from ``1 / (C y)``.

    At the minimum, y is one over its rates. The weights of a hull's nearest point are a poor start, because most are
    almost zero; its rates all have the same order of magnitude. Theory guarantees a step damped by ``1 / (1 +
    length)`` for the worst such function. With many clients most steps can be much longer, and finding out how long
    costs a hundredth of another step.
    """
    rates = C @ y
    # If the hull nearly contains the origin, its rates may be lost in rounding.
    y = 1 / rates if (rates > 0).all() else y
    y = y * np.sqrt(len(y) / (y @ C @ y))
    before = np.inf
    for _ in range(MOST):
        slope, scale = C @ y - 1 / y, np.outer(y, y)
        # In units of y itself: the second derivative is diag(1/y²) + C.
        step = np.linalg.solve(np.eye(len(y)) + C * scale, -slope * y)
        length = np.sqrt(max(-slope @ (step * y), 0.0))
        # A length up to 1/4 more than halves in a full step, unless it is only rounding.
        if before <= FULL and length > before / 2:
            break
        y = y * (1 + step * (1.0 if length <= FULL else _reach(C, y, step)))
        if length < NEAR:
            break
        before = length
    return y


def _reach(C: np.ndarray, y: np.ndarray, step: np.ndarray) -> float:
    """t > 0 that minimises ``½ yᵀ C y − Σ log y_k`` along ``y (1 + t step)``, to 1 %."""
    rising = C @ (y * step)
    linear, square = y @ rising, (y * step) @ rising
    low, high = 0.0, 1 / max(-step.min(), 1e-3)
    t = min(1.0, 0.9 * high)
    for _ in range(60):
        part = step / (1 + t * step)
        slope, bend = linear + square * t - part.sum(), square + part @ part
        low, high = (low, t) if slope > 0 else (t, high)
        last, t = t, t - slope / bend
        if not low < t < high:
            t = (low + high) / 2
        if abs(t - last) <= 0.01 * t:
            break
    return t


def _newton(C: np.ndarray, z: np.ndarray, power: float, b: np.ndarray) -> tuple[np.ndarray, float]:
    """z with ``log (C e^z) + power z = b``, and the largest residual. Steps are taken while they shorten the residuals.

    If rounding ends that early, the remaining residual is a matter of luck, and a few more steps are tried.
    """
    missed = _residual(C, z, power, b)
    if not np.isfinite(missed).all():
        return z, np.inf
    for _ in range(40):
        size = np.abs(missed).max()
        if size <= SOLVED:
            break
        step = _step(C, z, power, missed)
        for part in (1.0, 0.5, 0.25, 0.125):
            trial = z + part * step
            left = _residual(C, trial, power, b)
            if np.abs(left).max() < size:
                break
        else:
            break
        z, missed = trial, left
    best, least = z, float(np.abs(missed).max())
    for _ in range(TRIES if ROUND < least < NEAR else 0):
        z = z + _step(C, z, power, missed)
        missed = _residual(C, z, power, b)
        if not np.isfinite(missed).all():
            break
        if np.abs(missed).max() < least:
            best, least = z, float(np.abs(missed).max())
    return best, least


def _step(C: np.ndarray, z: np.ndarray, power: float, missed: np.ndarray) -> np.ndarray:
    y = np.exp(z)
    return np.linalg.solve(np.diag(np.full(len(z), power)) + C * y / (C @ y)[:, None], -missed)


def _residual(C: np.ndarray, z: np.ndarray, power: float, b: np.ndarray) -> np.ndarray:
    """The residual of each equation; infinite if its rate is not positive."""
    with np.errstate(over="ignore", invalid="ignore"):
        rates = C @ np.exp(z)
        return np.where(rates > 0, np.log(np.where(rates > 0, rates, 1.0)) + power * z - b, np.inf)
