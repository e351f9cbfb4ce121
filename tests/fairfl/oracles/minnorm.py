"""The minimum-norm point of a convex hull, with bounds on the weights (FedMGDA+ Eq. (25), FedLF)."""

import itertools

import numpy as np
from scipy.optimize import minimize

ENUMERATE_UP_TO = 8


def minimum_norm(rows, lower=None, upper=None):
    """argmin ||rows^T lambda||^2 over sum lambda = 1, lower <= lambda <= upper.

    rows: (K, d).  lower, upper: (K,), by default 0 and 1.
    Returns lambda (K,). It need not be unique; rows^T lambda is.
    """
    K = len(rows)
    lower = np.zeros(K) if lower is None else np.asarray(lower, dtype=float)
    upper = np.ones(K) if upper is None else np.asarray(upper, dtype=float)
    reduced = _reduce(rows)
    if K <= ENUMERATE_UP_TO:
        return enumerate_faces(reduced, lower, upper)
    return slsqp_and_polish(reduced, lower, upper)


def gap(rows, weights, lower, upper):
    """An upper bound on ||rows^T weights||^2 minus its minimum: 2 (w - z)^T A w, z the best corner.

    The objective is convex, so its linearisation at `weights`, minimised over the feasible set (greedily:
    fill the entries with the smallest slope first), bounds the minimum from below.
    """
    slope = rows @ (rows.T @ weights)
    corner = np.array(lower, dtype=float)
    left = 1.0 - corner.sum()
    for k in np.argsort(slope):
        step = min(left, upper[k] - lower[k])
        corner[k] += step
        left -= step
    return 2.0 * float(np.dot(weights - corner, slope))


def enumerate_faces(rows, lower, upper):
    """Try every split of the clients into 'at the lower bound', 'free' and 'at the upper bound'.

    Some optimum is a corner of the set of optima; there the free rows are affinely independent and the
    weights solve the equality-constrained problem on that face. So the best feasible solution of all
    faces is an optimum, and no multipliers are needed.
    """
    states = []
    for k in range(len(rows)):
        if upper[k] <= lower[k]:
            states.append("L")
        elif upper[k] >= 1.0:  # lambda_k = 1 is the face 'k free, the others at 0'
            states.append("LF")
        else:
            states.append("LFU")
    best, best_value = None, np.inf
    for state in itertools.product(*states):
        free = [k for k in range(len(rows)) if state[k] == "F"]
        weights = np.where(np.array(state) == "U", upper, lower)
        if not free and abs(weights.sum() - 1.0) > 1e-12:
            continue
        if free:
            weights[free] = _solve_face(rows, weights, free)
            if np.any(weights[free] < lower[free]) or np.any(weights[free] > upper[free]):
                continue
        value = np.sum((rows.T @ weights) ** 2)
        if value < best_value:
            best, best_value = weights, value
    return best


def slsqp_and_polish(rows, lower, upper):
    """SciPy's SLSQP, then a primal active-set method from its answer until no pair of weights can trade.

    Raises ArithmeticError unless `gap` proves the answer optimal to 1e-12 of the largest squared row.
    """
    K = len(rows)
    gram = rows @ rows.T
    start = minimize(
        lambda x: x @ gram @ x,
        np.clip(np.full(K, 1.0 / K), lower, upper),
        jac=lambda x: 2.0 * gram @ x,
        method="SLSQP",
        bounds=list(zip(lower, upper)),
        constraints={"type": "eq", "fun": lambda x: x.sum() - 1.0, "jac": lambda x: np.ones(K)},
        options={"ftol": 1e-15, "maxiter": 500},
    ).x
    weights = np.clip(start, lower, upper)
    weights = np.where(weights - lower < 1e-7, lower, weights)
    weights = np.where(upper - weights < 1e-7, upper, weights)
    for k in range(K):  # correct rounding in the sum, in entries that are not at a bound
        weights[k] = np.clip(weights[k] + 1.0 - weights.sum(), lower[k], upper[k])

    free = [k for k in range(K) if lower[k] < weights[k] < upper[k]]
    for _ in range(50 * K):
        if free:
            target = _solve_face(rows, weights, free)
            step, blocking = 1.0, None
            for k, goal in zip(free, target):
                move = goal - weights[k]
                bound = lower[k] if move < 0 else upper[k]
                if (goal < lower[k] or goal > upper[k]) and (bound - weights[k]) / move < step:
                    step, blocking = (bound - weights[k]) / move, (k, bound)
            weights[free] += step * (target - weights[free])
            if blocking is not None:
                weights[blocking[0]] = blocking[1]
                free.remove(blocking[0])
                continue
        slope = rows @ (rows.T @ weights)
        givers = [k for k in range(K) if weights[k] > lower[k]]
        takers = [k for k in range(K) if weights[k] < upper[k]]
        if not givers or not takers:
            break  # the box holds a single point
        give = max(givers, key=lambda k: slope[k])
        take = min(takers, key=lambda k: slope[k])
        if slope[give] - slope[take] <= 1e-14:
            break
        if give in free and take in free:
            break  # the face is solved: what is left between them is rounding
        free = sorted({*free, give, take})
    if gap(rows, weights, lower, upper) > 1e-12:
        raise ArithmeticError("the active-set method did not reach the optimum")
    return weights


def _reduce(rows):
    """Rows with the same Gram matrix up to a common scale, in at most K dimensions, largest length 1."""
    rows = np.asarray(rows, dtype=float)
    largest = max(np.linalg.norm(row) for row in rows)
    reduced = np.linalg.qr(rows.T, mode="r").T
    return reduced / largest if largest > 0 else reduced


def _solve_face(rows, weights, free):
    """The free weights that minimise ||rows^T lambda|| with the others as they are and sum lambda = 1."""
    fixed = [k for k in range(len(rows)) if k not in free]
    rest = rows[fixed].T @ weights[fixed]
    total = 1.0 - weights[fixed].sum()
    if len(free) == 1:
        return np.array([total])
    # lambda_first = total - the others: what is left is ordinary least squares in the others.
    first, others = free[0], free[1:]
    matrix = (rows[others] - rows[first]).T
    solution = np.linalg.lstsq(matrix, -(rest + total * rows[first]), rcond=None)[0]
    return np.concatenate([[total - solution.sum()], solution])
