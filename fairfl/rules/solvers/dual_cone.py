"""Projection onto the dual cone ``{x : G x ≥ 0}``, the directions that raise no client's loss, in Gram coordinates."""

import numpy as np

# Tolerances, relative to the lengths involved: for a violated inequality, and for a linearly dependent row.
VIOLATED, DEPENDENT = 1e-13, 1e-10


def project(C: np.ndarray, U: np.ndarray) -> np.ndarray:
    """V (n, K): for every row u of ``U`` (n, K) the v whose ``Gᵀ v`` is the point of the dual cone nearest to ``Gᵀ u``.

    ``C`` (K, K) is the Gram matrix of unit rows G, and u ≥ 0. The projection is ``Gᵀ (u + w)`` with ``w ≥ 0``,
    ``C (u + w) ≥ 0`` and ``w · C (u + w) = 0``: of all ``v ≥ u`` it has the least ``vᵀ C v`` (Quinton & Rey 2024,
    Proposition 1). If rows are dependent, the point is unique, but v need not be.
    """
    solve = _by_exchanges if np.linalg.eigvalsh(C)[0] > DEPENDENT else _one_by_one
    V = U.copy()
    for u, v, slope in zip(U, V, U @ C):
        if slope.min() < 0:
            scale = u.sum()
            w = solve(C, slope / scale)
            v += scale * (_one_by_one(C, slope / scale) if w is None else w)
    return V


def violation(C: np.ndarray, u: np.ndarray, v: np.ndarray) -> float:
    """The largest violation by v of the conditions of ``project``, relative to the lengths of u and v."""
    rates, w = C @ v, v - u
    scale = max(np.abs(u).sum(), np.abs(v).sum())
    return max(float(-rates.min()), float(np.abs(w * rates).max()) / scale, 0.0) / scale if scale > 0 else 0.0


def _by_exchanges(C: np.ndarray, slope: np.ndarray) -> np.ndarray | None:
    """w by block principal pivoting, for a positive definite C (Júdice & Pires 1994).

    All coordinates that violate their condition are exchanged at once while that helps, and only the last of them after
    three exchanges that did not. Returns ``None`` if even that takes too long.
    """
    K = len(C)
    free, w, rates = np.zeros(K, dtype=bool), np.zeros(K), slope
    fewest, patience = K + 1, 3
    for _ in range(20 * K):
        wrong = np.where(free, w, rates) < -VIOLATED
        count = int(wrong.sum())
        if count == 0:
            return np.maximum(w, 0)
        fewest, patience = (count, 3) if count < fewest else (fewest, patience - 1)
        if patience < 0:
            wrong[: np.flatnonzero(wrong)[-1]] = False
        free = free ^ wrong
        columns = C[:, free]
        part = np.linalg.solve(columns[free], -slope[free])
        w = np.zeros(K)
        w[free] = part
        rates = slope + columns @ part
    return None


def _one_by_one(C: np.ndarray, slope: np.ndarray) -> np.ndarray:
    """w for dependent rows (Lawson & Hanson 1974): rows join one by one, and leave if their weight would turn negative.

    A row that depends on the free ones is skipped: up to rounding, its rate is zero because theirs are.
    """
    K = len(C)
    free, w = np.zeros(K, dtype=bool), np.zeros(K)
    for _ in range(10 * K + 50):
        rates = slope + C @ w
        wrong = np.flatnonzero(~free & (rates < -VIOLATED))
        wrong = wrong[np.argsort(rates[wrong])]
        # Usually the first row may join. Only if it may not, all others are tested, at once.
        joins = next(
            (part[able] for part in (wrong[:1], wrong[1:]) if (able := _independent(C, free, part)).any()), None
        )
        if joins is None:
            break
        free[joins[0]] = True
        while True:
            aim = np.zeros(K)
            aim[free] = np.linalg.solve(C[np.ix_(free, free)], -slope[free])
            low = free & (aim <= 0)
            if not low.any():
                break
            part = np.min(w[low] / np.maximum(w[low] - aim[low], 1e-300))
            w = w + part * (aim - w)
            gone = low & (w <= 1e-15 * np.abs(w).max())
            gone[np.flatnonzero(low)[np.argmin(w[low])]] = True
            w[gone], free = 0.0, free & ~gone
        w = aim
    return w


def _independent(C: np.ndarray, free: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """A mask of the ``rows`` that do not depend on the free ones. One solve serves all of them."""
    beside = C[np.ix_(free, rows)]
    return C[rows, rows] - (beside * np.linalg.solve(C[np.ix_(free, free)], beside)).sum(0) > DEPENDENT
