"""Multi-task rules that see the updates' geometry only, each on full vectors: singular values, least squares, faces.

All take `G` (K, d) and return a direction (d,). Where a paper sums over tasks, these functions take the mean, as the
package does.
"""

import itertools

import numpy as np
from scipy.optimize import minimize, nnls, root

from .minnorm import minimum_norm


def fairgrad(G, alpha):
    """d = sum_k (g_k.d)^(-alpha) g_k, which maximises sum_k (g_k.d)^(1-alpha)/(1-alpha) on its sphere (FairGrad).

    It minimises the convex ||d||^2/2 - sum_k U(g_k.d), U' = rate^-alpha: SciPy's trust region finds d, its hybrid
    method the last digits. At alpha = 1 it is Nash-MTL's. G: linearly independent rows. Raises ArithmeticError if an
    equation is off by more than 1e-9.
    """
    basis = np.linalg.qr(G.T)[0]
    rows = G @ basis
    x = rows.T @ minimum_norm(rows)

    def value(x):
        rates = rows @ x
        if rates.min() <= 0:
            return 1e300
        utility = np.log(rates) if alpha == 1 else rates ** (1 - alpha) / (1 - alpha)
        return x @ x / 2 - utility.sum()

    slope = lambda x: x - rows.T @ (rows @ x) ** -alpha
    curvature = lambda x: np.eye(len(x)) + (rows.T * (alpha * (rows @ x) ** (-alpha - 1))) @ rows
    x = minimize(value, x / (x @ x), jac=slope, hess=curvature, method="trust-exact", options={"gtol": 1e-9}).x
    x = root(slope, x, jac=curvature, tol=1e-14).x
    missing = np.abs(np.log(rows @ x) * alpha + np.log(np.linalg.lstsq(rows.T, x)[0])).max()
    if not missing < 1e-9:
        raise ArithmeticError(f"the equations are off by {missing:.1e}")
    return basis @ x


def dual_projection(G, x):
    """The nearest vector to `x` (d,) with g_k.y >= 0 for all k: x + G^T w, w = argmin_{w >= 0} ||x + G^T w||."""
    return x + G.T @ nnls(G.T, -x, maxiter=100 * len(G))[0]


def dualproj(G, p):
    """p (K,): the weights of the mean that is projected."""
    return dual_projection(G, p @ G)


def upgrad(G, p):
    """The projections of the rows, one by one, weighted by p (K,)."""
    return sum(p[k] * dual_projection(G, G[k]) for k in range(len(G)))


def cagrad(G, c):
    """mean + r g_w / ||g_w||, r = c ||mean||, w the best of all faces of the simplex (CAGrad, Algorithm 1). K <= 8.

    On a face with rows R the stationary w of w.(R mean) + r ||R^T w||, sum w = 1, is a multiple of
    (R R^T)^-1 (m 1 - R mean) for an m that makes the length of R^T w equal to r: a quadratic equation.
    """
    mean = G.mean(axis=0)
    r = c * np.linalg.norm(mean)
    best, least = None, np.inf
    for size in range(1, len(G) + 1):
        for face in itertools.combinations(range(len(G)), size):
            rows = G[list(face)]
            inverse, b, one = np.linalg.inv(rows @ rows.T), rows @ mean, np.ones(size)
            # (m 1 - b)^T inverse (m 1 - b) = r^2
            for m in np.roots([one @ inverse @ one, -2 * one @ inverse @ b, b @ inverse @ b - r * r]):
                if abs(m.imag) > 1e-9:
                    continue
                w = inverse @ (m.real * one - b)
                if w.sum() <= 0 or (w < 0).any():
                    continue
                w = w / w.sum()
                value = w @ b + r * np.linalg.norm(w @ rows)
                if value < least:
                    best, least = w @ rows, value
    return mean + r * best / np.linalg.norm(best)


def aligned_mtl(G, p):
    """sum_k p_k ghat_k, ghat the rows of sigma_r U V^T for G = U diag(sigma) V^T of rank r (Aligned-MTL)."""
    U, sigma, V = np.linalg.svd(G, full_matrices=False)
    rank = int((sigma > 1e-6 * sigma[0]).sum())
    return p @ (sigma[rank - 1] * U[:, :rank] @ V[:rank])


def imtl_g(G):
    """alpha_(2..K) = g_1 Us^T (D Us^T)^-1 with D = g_1 - g_k, Us = u_1 - u_k, alpha_1 = 1 - their sum (IMTL-G)."""
    units = G / np.linalg.norm(G, axis=1)[:, None]
    D, Us = G[:1] - G[1:], units[:1] - units[1:]
    rest = np.linalg.solve((D @ Us.T).T, Us @ G[0])
    return (1 - rest.sum()) * G[0] + rest @ G[1:]


def config(G):
    """(mean_k g_k.u) u, u the unit vector along pinv(units) 1 (ConFIG Eq. (2), with the mean for the sum)."""
    units = G / np.linalg.norm(G, axis=1)[:, None]
    u = np.linalg.pinv(units, rcond=1e-6) @ np.ones(len(G))
    u = u / np.linalg.norm(u)
    return np.mean(G @ u) * u


def pcgrad(G, orders):
    """mean_k g_k^PC: g_k meets the raw g_j in the order orders[k] (PCGrad Algorithm 1, with the mean for the sum)."""
    projected = []
    for k in range(len(G)):
        g = np.array(G[k], dtype=float)
        for j in orders[k]:
            if j != k and g @ G[j] < 0:
                g = g - (g @ G[j]) / (G[j] @ G[j]) * G[j]
        projected.append(g)
    return np.mean(projected, axis=0)
