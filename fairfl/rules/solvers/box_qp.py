"""The quadratic program behind ``min_norm``: ``min ½ λᵀ A λ`` over ``low ≤ λ ≤ high, Σ λ = 1``."""

import numpy as np

EPS = np.finfo(float).eps
CLOSED = 1e-13  # gap, relative to the largest squared norm, at which the search ends
STALLED = 1e-11  # above this gap the active sets have stalled, and steps along pairs follow; below it is rounding
PATIENCE = 400  # steps along pairs per client
CHECKED = 64  # steps along pairs between two checks of the gap


def solve(A: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """λ (K,), feasible, for a positive semidefinite A (K, K) and bounds with ``Σ low ≤ 1 ≤ Σ high``.

    Works on unit rows: ``y_k = λ_k D_k`` with ``D_k ∝ √A_kk`` turns A into a matrix C of cosines and ``Σ λ = 1`` into
    ``aᵀ y = 1`` with ``a = 1/D``, so updates of very different lengths are solved to the same relative accuracy. If
    bounds force weight onto the longest rows, these alone decide, and A is only divided by its trace.
    """
    sizes = np.sqrt(A.diagonal())
    if len(A) == 1 or sizes.max() == 0 or (high - low).max() == 0:
        return into_bounds(low, low, high)
    sizes = np.where(sizes > 0, sizes, sizes[sizes > 0].min())
    found = []
    for scale in (sizes, np.full(len(A), np.sqrt(A.trace()))):
        C, D = A / scale / scale[:, None], scale / scale.min()
        point = into_bounds(_active_set(C, D, low, high) / D, low, high)
        rates = A @ point
        found.append((point @ rates - feasible_minimum(rates, low, high), point))
        if found[-1][0] <= CLOSED * A.diagonal().max():
            return point
    excess, point = min(found, key=lambda pair: pair[0])
    return point if excess <= STALLED * A.diagonal().max() else _along_pairs(A, point, low, high)


def _along_pairs(A: np.ndarray, point: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """The minimum, from a ``point`` at which the active-set method has stalled.

    At a vertex the one free coordinate is at its bound as well, and perhaps no face that contains the vertex leads
    down. Some pair of clients does, as long as the point is not optimal: weight moves from a client with a large rate
    to one with a small rate, as far as the bounds or an exact line search allow. The client with the smallest rate
    whose weight may still rise receives it, from the client that lowers the objective most (sequential minimal
    optimisation; Fan, Chen and Lin 2005, JMLR 6, working set selection 2).
    """
    point, largest = point.copy(), A.diagonal().max()
    curvature = A.diagonal()[:, None] + A.diagonal() - 2 * A
    curvature = np.maximum(curvature, EPS * largest)
    for step in range(PATIENCE * len(A)):
        if step % CHECKED == 0:  # the updated rates accumulate rounding
            rates = A @ point
            if point @ rates - feasible_minimum(rates, low, high) <= CLOSED * largest:
                break
        rising = np.argmin(np.where(point < high, rates, np.inf))
        excess = np.where(point > low, rates - rates[rising], 0.0)
        falling = np.argmax(np.where(excess > 0, excess**2 / curvature[rising], 0.0))
        if excess[falling] <= 0:
            break
        room = min(high[rising] - point[rising], point[falling] - low[falling])
        move = min(room, excess[falling] / curvature[rising, falling])
        point[rising], point[falling] = (
            min(point[rising] + move, high[rising]),
            max(point[falling] - move, low[falling]),
        )
        rates += move * (A[:, rising] - A[:, falling])
    return into_bounds(point, low, high)


def feasible_minimum(rates: np.ndarray, low: np.ndarray, high: np.ndarray) -> float:
    """``min Σ λ_k ρ_k`` over the box with ``Σ λ = 1``: clients with the smallest rates are filled up first."""
    return float(_filled(rates, low, high) @ rates)


def _filled(rates: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    order = np.argsort(rates)
    room = (high - low)[order]
    point = low.copy()
    point[order] += np.clip(1 - low.sum() - (np.cumsum(room) - room), 0, room)
    return point


def into_bounds(point: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """``point`` (K,) clipped to the box, and then shifted to sum 1 in proportion to the slack."""
    point = np.clip(point, low, high)
    missing = 1 - point.sum()
    room = high - point if missing > 0 else point - low
    # Small weights get small corrections: for a row 1e60 times longer than the others, 1e-15 is not a small weight.
    if (modest := np.minimum(room, point)).sum() > abs(missing):
        room = modest
    return np.clip(point + missing * room / room.sum(), low, high) if room.sum() > 0 else point


def _active_set(C: np.ndarray, D: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """``y = λ D`` by a primal active-set method: guess the active bounds, minimise over the free coordinates, correct
    the guess.

    It starts with the largest possible weights on the shortest rows, and releases 1, 2, 4, … bounds at once. So faces
    stay small if the solution is sparse, and few if it is not. A step may stop at several bounds at once, if that gives
    a lower value than stopping at the first.
    """
    # With λ ≥ 0 and Σ λ = 1, an upper bound of 1 is never active.
    a, lower, upper = 1 / D, low * D, np.where(high < 1, high * D, np.inf)
    y = D * _filled(C.diagonal() * D**2, low, high)
    at = np.where(y <= lower, -1, np.where(y >= upper, 1, 0))
    at[np.argmax(np.minimum(y - lower, upper - y))] = 0
    slope, batch, before = C @ y, 1, np.inf
    for _ in range(3 * len(C) + 30):
        free = np.flatnonzero(at == 0)
        step, multiplier = _face_step(C, a, y, slope, free)
        edge = np.where(step < 0, lower[free], upper[free])
        with np.errstate(divide="ignore", invalid="ignore"):
            reach = np.where(step == 0, np.inf, (edge - y[free]) / step)
        first = np.argmin(reach)
        if reach[first] >= 1:
            y[free] += step
        else:
            y = _bounded_step(C, D, y, free, step, reach, edge, low, high)
            hit = (y[free] <= lower[free]) | (y[free] >= upper[free])
            if hit.all() and len(free) > 1:
                # The next step needs a free coordinate.
                hit[np.argmax(reach)] = False
            at[free[hit]] = np.where(y[free[hit]] <= lower[free[hit]], -1, 1)
            if not hit.all():
                slope = C @ y
                continue
        slope = C @ y
        pull = at * (slope - multiplier * a)
        missing = 1 - a @ y
        if abs(missing) > 1e-14:
            # Every coordinate is at a bound: release one that can restore the sum.
            pull = np.where(at * missing < 0, pull, -np.inf)
        elif pull.max() <= 16 * EPS * np.abs(y).sum():
            break
        value = y @ slope
        batch, before = (2 * batch if value < before else 1), value
        order = np.argsort(-pull)[:batch]
        at[order[pull[order] >= min(16 * EPS * np.abs(y).sum(), pull.max())]] = 0
    return y


def _bounded_step(
    C: np.ndarray,
    D: np.ndarray,
    y: np.ndarray,
    free: np.ndarray,
    step: np.ndarray,
    reach: np.ndarray,
    edge: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
) -> np.ndarray:
    """``y`` after a step that leaves the box: up to the first bound, or bent at several bounds if that is lower."""
    part = max(reach.min(), 0.0)
    straight, first = y.copy(), reach <= part
    straight[free] += part * step
    straight[free[first]] = edge[first]
    value, fixed = straight @ C @ straight, np.ones(len(y), dtype=bool)
    fixed[free] = False
    low, high = np.where(fixed, y / D, low), np.where(fixed, y / D, high)
    for far in 4.0 ** -np.arange(5):
        if far > part:
            bent = y.copy()
            bent[free] += far * step
            bent[free] = (D * into_bounds(bent / D, low, high))[free]
            if bent @ C @ bent < value:
                return bent
    return straight


def _face_step(
    C: np.ndarray, a: np.ndarray, y: np.ndarray, slope: np.ndarray, free: np.ndarray
) -> tuple[np.ndarray, float]:
    """The step to the minimiser over the free coordinates with ``aᵀ y = 1``, and the multiplier of that equation.

    If A is singular (duplicates, K > d), there may be no such minimiser, only a descent direction towards the bounds.
    """
    n, slope = len(free), slope[free]
    system = np.zeros((n + 1, n + 1))
    system[:n, :n], system[:n, n], system[n, :n] = C[np.ix_(free, free)], a[free], a[free]
    right = np.append(-slope, 1 - a @ y)
    try:
        answer = np.linalg.solve(system, right)
        step = answer[:n]
        if step @ slope > 0 and np.abs(step).max() > 1e-6 * np.abs(y).max() and abs(right[n]) < 1e-14:
            # Rows of a short type give A eigenvalues around -1e-8. Along one of them, the equations found a maximum.
            step = -1e9 * step
    except np.linalg.LinAlgError:
        answer = np.linalg.lstsq(system, right, rcond=None)[0]
        step, unmet = answer[:n], (right - system @ answer)[:n]
        if np.abs(unmet).max() > 1e-12 * np.abs(y).max():
            # The residual of the equations is a descent direction without curvature.
            step = 1e9 * unmet
    return step, -answer[n]
