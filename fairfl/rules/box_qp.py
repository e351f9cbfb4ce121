"""The quadratic program behind ``min_norm``: ``min ½ λᵀ A λ`` over ``low ≤ λ ≤ high, Σ λ = 1``."""

import clarabel
import numpy as np
from scipy import sparse

EPS = np.finfo(float).eps


def solve(A: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """λ (K,), feasible, for a positive semidefinite A (K, K) and bounds with ``Σ low ≤ 1 ≤ Σ high``.

    Works on unit rows: ``y_k = λ_k D_k`` with ``D_k ∝ √A_kk`` turns A into a matrix C of cosines and ``Σ λ = 1`` into
    ``aᵀ y = 1`` with ``a = 1/D``, so that clients of very different sizes are solved to the same relative accuracy.
    Where bounds force weight onto the largest rows these alone decide, and A is only divided by its trace.
    """
    sizes = np.sqrt(A.diagonal())
    if len(A) == 1 or sizes.max() == 0 or (high - low).max() == 0:
        return into_bounds(low, low, high)
    sizes = np.where(sizes > 0, sizes, sizes[sizes > 0].min())
    found = []
    for scale in (sizes, np.full(len(A), np.sqrt(A.trace()))):
        C, D = A / scale / scale[:, None], scale / scale.min()
        # With λ ≥ 0 and Σ λ = 1 an upper bound of 1 says nothing.
        lower, upper = low * D, np.where(high < 1, high * D, np.inf)
        start = into_bounds(_clarabel(C, 1 / D, lower, upper) / D, low, high)
        point = into_bounds(_polish(C, 1 / D, lower, upper, start * D) / D, low, high)
        rates = A @ point
        found.append((point @ rates - feasible_minimum(rates, low, high), point))
        if found[-1][0] <= 1e-13 * A.diagonal().max():
            return point
    return min(found, key=lambda pair: pair[0])[1]


def feasible_minimum(rates: np.ndarray, low: np.ndarray, high: np.ndarray) -> float:
    """``min Σ λ_k ρ_k`` over the same box and sum: whoever has the smallest rate is filled up first."""
    order = np.argsort(rates)
    room = (high - low)[order]
    fill = np.clip(1 - low.sum() - (np.cumsum(room) - room), 0, room)
    return float(low @ rates + fill @ rates[order])


def into_bounds(point: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """``point`` (K,) moved into the box, and along the room that is left there to sum 1."""
    point = np.clip(point, low, high)
    missing = 1 - point.sum()
    room = high - point if missing > 0 else point - low
    # Small weights get small corrections: beside a row 1e60 times larger, 1e-15 is no small weight.
    if (modest := np.minimum(room, point)).sum() > abs(missing):
        room = modest
    return np.clip(point + missing * room / room.sum(), low, high) if room.sum() > 0 else point


def _clarabel(C, a, lower, upper):
    K = len(C)
    bounded = np.isfinite(upper)
    rows = np.vstack([a, -np.eye(K), np.eye(K)[bounded]])
    right = np.concatenate([[1.0], -lower, upper[bounded]])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    cones = [clarabel.ZeroConeT(1), clarabel.NonnegativeConeT(len(rows) - 1)]
    problem = sparse.csc_matrix(np.triu(C)), np.zeros(K), sparse.csc_matrix(rows), right
    y = np.array(clarabel.DefaultSolver(*problem, cones, settings).solve().x)
    # It fails on no problem known; the polish can start anywhere.
    return y if np.isfinite(y).all() else np.ones(K)


def _polish(C, a, lower, upper, y):
    """From an interior-point solution to the exact one, by primal active-set steps from the feasible ``y``.

    An interior point is off by its tolerance in every coordinate. Guess which bounds hold, minimise over the other
    coordinates, and correct the guess, one bound at a time, until the optimality conditions hold to rounding.
    """
    near = 1e-6 * y.max()
    at = np.where(y - lower <= near, -1, np.where(upper - y <= near, 1, 0))
    at[np.argmax(np.minimum(y - lower, upper - y))] = 0
    y = np.where(at < 0, lower, np.where(at > 0, upper, y))
    for _ in range(3 * len(C) + 30):
        free = np.flatnonzero(at == 0)
        step, multiplier = _face_step(C, a, y, free)
        edge = np.where(step < 0, lower[free], upper[free])
        with np.errstate(divide="ignore", invalid="ignore"):
            reach = np.where(step == 0, np.inf, (edge - y[free]) / step)
        first = np.argmin(reach)
        y[free] += min(1.0, max(reach[first], 0.0)) * step
        if reach[first] < 1:
            at[free[first]], y[free[first]] = np.sign(step[first]), edge[first]
            if len(free) > 1:
                continue
        pull = at * (C @ y - multiplier * a)
        missing = 1 - a @ y
        if abs(missing) > 1e-14:
            # Every coordinate ran into a bound: let one go that can make up the sum.
            pull = np.where(at * missing < 0, pull, -np.inf)
        elif pull.max() <= 16 * EPS * np.abs(y).sum():
            break
        at[np.argmax(pull)] = 0
    return y


def _face_step(C, a, y, free):
    """The step to the minimiser over the free coordinates with ``aᵀ y = 1``, and the multiplier of that equation.

    Where A is singular (duplicates, K > d) there may be no such minimiser, only a way down to the bounds.
    """
    n, slope = len(free), C[free] @ y
    system = np.zeros((n + 1, n + 1))
    system[:n, :n], system[:n, n], system[n, :n] = C[np.ix_(free, free)], a[free], a[free]
    right = np.append(-slope, 1 - a @ y)
    try:
        answer = np.linalg.solve(system, right)
        step = answer[:n]
        if step @ slope > 0 and np.abs(step).max() > 1e-6 * np.abs(y).max() and abs(right[n]) < 1e-14:
            # Short types leave A with eigenvalues around -1e-8, and along one the equations found a maximum.
            step = -1e9 * step
    except np.linalg.LinAlgError:
        answer = np.linalg.lstsq(system, right, rcond=None)[0]
        step, unmet = answer[:n], (right - system @ answer)[:n]
        if np.abs(unmet).max() > 1e-12 * np.abs(y).max():
            # What the equations could not meet has no curvature along it, and leads down.
            step = 1e9 * unmet
    return step, -answer[n]
