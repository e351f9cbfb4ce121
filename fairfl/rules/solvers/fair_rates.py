"""``A λ = λ^(−1/α)``: weights whose rates are α-fair (Newton's method)."""

import numpy as np

# Residuals of logarithms that count as solved, and those that further steps of Newton's method make so.
SOLVED, NEAR = 1e-14, 1e-3
# Lengths of steps, in the norm of the second derivative, up to which a full one is safe; and how many steps there are
# at most: of 5,760 random problems the hardest took 17.
FULL, MOST = 0.25, 60
# Above this residual rounding is what ended the search, and so many more steps are tried.
ROUND, TRIES = 1e-12, 8


def fair_rates(C: np.ndarray, sizes: np.ndarray, alpha: float, start: np.ndarray) -> tuple[np.ndarray, float]:
    """λ > 0 (K,) with ``A λ = λ^(−1/α)`` for ``A_ij = C_ij sizes_i sizes_j``, and what it misses of that, relatively.

    It minimises ``½ λᵀ A λ − Σ φ(λ_k)`` with ``φ' = λ^(−1/α)``, which is strictly convex, so there is one such λ at
    most; and one where the hull of the rows does not contain the origin. ``start`` (K,) > 0 are weights of unit rows.
    What is missed is infinite where rounding ended the way before α: then λ belongs to where it ended.

    At α = 1 the function is self-concordant, and Newton steps with a line search arrive from anywhere. From there the
    exponent moves to 1/α, as far at a time as Newton's method follows: on ``z = log y``, y = λ sizes, so that lengths
    from 1e-30 to 1e30, and weights of 1e-300 for a large α, are as exact as others.
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
    """y (K,) > 0 near the minimum of ``½ yᵀ C y − Σ log y_k``, by Newton's method from ``1 / (C y)``.

    At the minimum y is one over its rates. The weights of a hull's point are no good start, since most of them are next
    to zero; its rates are all of one size. A step damped by ``1 / (1 + length)`` is as far as theory promises for the
    worst of such functions. With many clients most steps may go much further, and to find out how far costs a hundredth
    of another step.
    """
    rates = C @ y
    # Rounding may hide the rates of a hull that nearly contains the origin.
    y = 1 / rates if (rates > 0).all() else y
    y = y * np.sqrt(len(y) / (y @ C @ y))
    before = np.inf
    for _ in range(MOST):
        slope, scale = C @ y - 1 / y, np.outer(y, y)
        # In units of y itself: the second derivative is diag(1/y²) + C.
        step = np.linalg.solve(np.eye(len(y)) + C * scale, -slope * y)
        length = np.sqrt(max(-slope @ (step * y), 0.0))
        # A length up to 1/4 more than halves in a full step, unless rounding is all that is left of it.
        if before <= FULL and length > before / 2:
            break
        y = y * (1 + step * (1.0 if length <= FULL else _reach(C, y, step)))
        if length < NEAR:
            break
        before = length
    return y


def _reach(C: np.ndarray, y: np.ndarray, step: np.ndarray) -> float:
    """t > 0 where ``½ yᵀ C y − Σ log y_k`` is least along ``y (1 + t step)``, to a hundredth."""
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
    """z with ``log (C e^z) + power z = b``, and the largest residual, while steps shorten the residuals.

    Where rounding ends that early, what is left is a matter of luck, and a few more steps are tried for a better one.
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
    """Infinite where a rate is not positive."""
    with np.errstate(over="ignore", invalid="ignore"):
        rates = C @ np.exp(z)
        return np.where(rates > 0, np.log(np.where(rates > 0, rates, 1.0)) + power * z - b, np.inf)
