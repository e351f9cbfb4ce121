"""Rules that fix the rates g_k . dir at which the losses fall: FedMGDA, FedMGDA+, AdaFed, DQN-Fed."""

import numpy as np

from .minnorm import minimum_norm


def fedmgda(G, epsilon=1.0, lambda0=None, normalise=True):
    """lambda* = argmin ||J lambda||^2, lambda on the simplex, |lambda_k - lambda0_k| <= epsilon.

    FedMGDA+ Eq. (25). G: (K, d).  epsilon: 0 gives lambda0, 1 gives MGDA, Eq. (23).
    lambda0: (K,), on the simplex; by default 1/K for each.
    normalise: True divides each g_k by its length first (FedMGDA+, Algorithm 1).
    Returns (weights (K,) of the rows used, objective ||sum_k lambda_k row_k||^2).
    """
    K = len(G)
    lambda0 = np.full(K, 1.0 / K) if lambda0 is None else np.asarray(lambda0, dtype=float)
    rows = used_rows(G, normalise)
    lower = np.maximum(lambda0 - epsilon, 0.0)
    upper = np.minimum(lambda0 + epsilon, 1.0)
    weights = minimum_norm(rows, lower, upper)
    point = np.zeros(G.shape[1])
    for k in range(K):
        point = point + weights[k] * rows[k]
    return weights, float(np.dot(point, point))


def used_rows(G, normalise):
    """The rows whose hull FedMGDA searches: G, or G with unit rows. A zero row cannot be normalised."""
    if not normalise:
        return np.array(G, dtype=float)
    rows = []
    for k in range(len(G)):
        length = np.linalg.norm(G[k])
        if length == 0:
            raise ValueError(f"row {k} is zero and has no unit vector; set this client aside")
        rows.append(G[k] / length)
    return np.array(rows)


def adafed(G, losses, gamma):
    """AdaFed's direction d_t, Eqs. (5) to (14), by the scaled Gram-Schmidt process in the rows' order.

    G: (K, d), linearly independent rows.  losses: (K,), not zero where gamma > 0.  gamma >= 0.
    """
    scales = [abs(f) ** gamma for f in losses]
    orthogonal = scaled_gram_schmidt(G, scales)
    weights = orthogonal_weights(orthogonal)
    direction = np.zeros(G.shape[1])
    for k in range(len(G)):  # Algorithm 1 line 15: d_t = sum_k lambda*_k gtilde_k
        direction = direction + weights[k] * orthogonal[k]
    return direction


def dqnfed(G, r):
    """DQN-Fed's whole server step u = eta_t d_t, for which g_k . u = r_k (Eqs. (7) to (17)).

    The formulas are missing in our copy; they are AdaFed's with r_k in place of |f_k|^gamma: its Eqs. (7),
    (8) are AdaFed's (5), (6), its (12) is AdaFed's (14), and (17) is the step.

    G: (K, d), linearly independent rows.  r: (K,), the Newton rates g_k^T B_k g_k, positive.
    d_t satisfies g_k . d_t = r_k ||d_t||^2 (Theorem 4.1), hence eta_t = 1 / ||d_t||^2.
    """
    orthogonal = scaled_gram_schmidt(G, r)
    weights = orthogonal_weights(orthogonal)
    direction = np.zeros(G.shape[1])
    for k in range(len(G)):
        direction = direction + weights[k] * orthogonal[k]
    return direction / np.dot(direction, direction)


def scaled_gram_schmidt(G, scales):
    """AdaFed Eqs. (5) and (6): the vectors gtilde_k (K, d), for scales phi_k (there |f_k|^gamma).

    gtilde_1 = g_1 / phi_1, and for k > 1
    gtilde_k = (g_k - sum_{i<k} proj_{gtilde_i}(g_k)) / (phi_k - sum_{i<k} g_k.gtilde_i / gtilde_i.gtilde_i)
    The divisor may be negative. Zero is not excluded by the paper and is an error here.
    """
    orthogonal = []
    for k in range(len(G)):
        numerator = np.array(G[k], dtype=float)
        divisor = float(scales[k])
        for i in range(k):
            ratio = np.dot(G[k], orthogonal[i]) / np.dot(orthogonal[i], orthogonal[i])
            numerator = numerator - ratio * orthogonal[i]
            divisor = divisor - ratio
        if divisor == 0:
            raise ZeroDivisionError(f"Eq. (6) divides by zero for row {k}")
        orthogonal.append(numerator / divisor)
    return np.array(orthogonal)


def orthogonal_weights(orthogonal):
    """AdaFed Eq. (14): lambda*_k = (1 / ||gtilde_k||^2) / sum_j 1 / ||gtilde_j||^2, shape (K,)."""
    total = 0.0
    for row in orthogonal:
        total = total + 1.0 / np.dot(row, row)
    return np.array([1.0 / np.dot(row, row) / total for row in orthogonal])


def newton_rate_bfgs(s_list, y_list, g, b0, eps=1e-8):
    """r = g^T B g with B built from B_0 = b0 I by BFGS updates of the inverse Hessian (DQN-Fed Eq. (18)).

    s_list, y_list: equally long lists of (d,), steps and gradient differences, the oldest first.
    g: (d,).  b0: scalar > 0.  Pairs with s.y <= eps ||s|| ||y|| are skipped (Nocedal & Wright,
    Numerical Optimization, Eq. (6.17): B <- (I - rho s y^T) B (I - rho y s^T) + rho s s^T, rho = 1/s.y).
    """
    identity = np.eye(len(g))
    B = b0 * identity
    for s, y in zip(s_list, y_list, strict=True):
        curvature = np.dot(s, y)
        if curvature <= eps * np.linalg.norm(s) * np.linalg.norm(y):
            continue
        rho = 1.0 / curvature
        left = identity - rho * np.outer(s, y)
        B = left @ B @ left.T + rho * np.outer(s, s)
    return float(g @ B @ g)
