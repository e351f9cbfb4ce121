"""Rules that fix the clients' weights: FedAvg, FedAvg-n, q-FedAvg, TERM, AFL, FedFA, PropFair, CVaR.

All take `G` (K, d), the pseudo-gradients as rows, and return a direction (d,).
"""

import math

import numpy as np
from scipy.optimize import linprog


def fedavg(G, shares):
    """sum_k p_k g_k with p_k = n_k / sum_S n (FedFV, section 2, under Eq. (1)).

    shares: (K,), data shares or sample counts; they are divided by their sum.
    """
    direction = np.zeros(G.shape[1])
    for k in range(len(G)):
        direction = direction + shares[k] / np.sum(shares) * G[k]
    return direction


def fedavg_n(G, p=None):
    """sum_k p_k g_k / ||g_k|| (FedMGDA+, section 6.1: FedAvg with gradient normalisation).

    p: (K,), by default 1/K for each, as the authors have it; used as given.
    A zero gradient has no unit vector: it adds nothing, and the other weights stay as they are.
    """
    direction = np.zeros(G.shape[1])
    for k in range(len(G)):
        weight = 1.0 / len(G) if p is None else p[k]
        length = np.linalg.norm(G[k])
        if length > 0:
            direction = direction + weight * G[k] / length
    return direction


def qfedavg(G, losses, q, L):
    """The step sum_k Delta_k / sum_k h_k of q-FedAvg (Li et al. 2020, Algorithm 2).

    losses: (K,), F_k(w_t) >= 0.  q >= 0.  L > 0, the Lipschitz estimate (1 / local step size).
    A client with F_k = 0 gets Delta_k = h_k = 0 when q > 0. That is the limit for a smooth loss that is
    never negative: there ||dw_k||^2 <= 2 L F_k (one step of size 1/L), so both vanish with F_k^q.
    If every h_k is zero, so is the step.
    """
    numerator = np.zeros(G.shape[1])
    denominator = 0.0
    for k in range(len(G)):
        dw = L * G[k]  # dw_k = L (w_t - w_k)
        if q == 0:
            delta = dw  # F^0 = 1, also at F = 0
            h = L
        elif losses[k] == 0:
            delta = np.zeros(G.shape[1])
            h = 0.0
        else:
            delta = losses[k] ** q * dw  # Delta_k = F_k^q dw_k
            # h_k = q F_k^(q-1) ||dw_k||^2 + L F_k^q
            h = q * losses[k] ** (q - 1) * np.dot(dw, dw) + L * losses[k] ** q
        numerator = numerator + delta
        denominator = denominator + h
    if denominator == 0:
        return np.zeros(G.shape[1])
    return numerator / denominator  # w <- w - sum Delta / sum h


def term(G, losses, t, shares=None):
    """sum_k lambda_k g_k, lambda_k = p_k exp(t f_k) / sum_j p_j exp(t f_j) (Li et al. 2021, TERM).

    This is the gradient of (1/t) log sum_k p_k exp(t f_k).
    shares: p (K,), by default 1/K for each, as in the federated papers.
    """
    p = np.full(len(G), 1.0 / len(G)) if shares is None else shares
    # Subtracting the largest exponent changes no weight and cannot overflow.
    largest = max(t * f for f in losses)
    tilts = [p[k] * math.exp(t * losses[k] - largest) for k in range(len(G))]
    direction = np.zeros(G.shape[1])
    for k in range(len(G)):
        direction = direction + tilts[k] / sum(tilts) * G[k]
    return direction


def project_simplex(v):
    """The point of {x >= 0, sum x = 1} nearest to `v` (K,): x_k = max(v_k - theta, 0).

    theta is found by bisection on sum_k max(v_k - theta, 0) = 1, which falls in theta, then computed once
    more from the entries that stayed positive, so that the sum is 1 to rounding.
    """
    low, high = np.min(v) - 1.0, np.max(v)  # the sum is >= 1 at low and 0 at high
    for _ in range(200):
        theta = 0.5 * (low + high)
        if sum(max(x - theta, 0.0) for x in v) >= 1.0:
            low = theta
        else:
            high = theta
    # At `low` the sum is at least 1, so at least one entry is positive there.
    positive = [x for x in v if x > low]
    theta = (sum(positive) - 1.0) / len(positive)
    return np.array([max(x - theta, 0.0) for x in v])


def afl_step(G, losses, lam, gamma):
    """One round of stochastic AFL with every client present (Mohri et al. 2019, Figure 1).

    lam: (K,), the weights of *all* clients, on the simplex.  gamma: the step size of lambda.
    Returns (sum_k lam_k g_k with the old lam, proj_simplex(lam + gamma f)): both players step from the
    same point.
    """
    direction = np.zeros(G.shape[1])
    for k in range(len(G)):
        direction = direction + lam[k] * G[k]
    return direction, project_simplex(np.array([lam[k] + gamma * losses[k] for k in range(len(G))]))


def fedfa(G, accuracies, counts, alpha=0.5, beta=0.5, floor=1e-6):
    """FedFA's weighted sum (Huang et al. 2022, read as in notes/algorithms.md).

    accuracies: (K,), the participants' training accuracies.
    counts: (K,), in how many rounds each participant has taken part, this one included.

        a_k = acc_k / sum acc,  u_k = -log2(max(a_k, floor))          low accuracy: large weight
        b_k = count_k / sum count,  v_k = -log2(max(1 - b_k, floor))  often present: large weight
        lambda_k = alpha u_k / sum u + beta v_k / sum v

    All sums run over the participants. Shares of a zero sum are 1/K (all accuracies zero), and so is
    u / sum u or v / sum v where that sum is zero or K = 1 (a single client: lambda = alpha + beta).
    """
    a = _share(accuracies)
    b = _share(counts)
    u = _share([-math.log2(max(x, floor)) for x in a])
    v = _share([-math.log2(max(1.0 - x, floor)) for x in b])
    direction = np.zeros(G.shape[1])
    for k in range(len(G)):
        direction = direction + (alpha * u[k] + beta * v[k]) * G[k]
    return direction


def momentum(m, direction, gamma):
    """FedFA's server momentum m <- gamma m + direction; the server steps against the new m."""
    return gamma * m + direction


def _share(values):
    total = float(sum(values))
    if total == 0.0 or len(values) == 1:
        return [1.0 / len(values)] * len(values)
    return [float(x) / total for x in values]


def propfair(G, losses, M, epsilon, p):
    """sum_k lambda_k g_k, lambda proportional to minus the gradient of sum_k p_k log_[eps](M - f_k) (PropFair).

    log_[eps](u) = log u for u >= eps, and its tangent there, log eps + (u - eps) / eps, below.
    """
    slopes = [p[k] / (M - losses[k]) if M - losses[k] >= epsilon else p[k] / epsilon for k in range(len(G))]
    direction = np.zeros(G.shape[1])
    for k in range(len(G)):
        direction = direction + slopes[k] / sum(slopes) * G[k]
    return direction


def cvar(G, losses, alpha, p):
    """sum_k lambda_k g_k, lambda = argmax lambda.f over 0 <= lambda_k <= p_k / alpha, sum lambda = 1 (distinct losses)."""
    found = linprog(
        [-f for f in losses],
        A_eq=np.ones((1, len(G))),
        b_eq=[1.0],
        bounds=[(0.0, x / alpha) for x in p],
        method="highs",
    )
    return found.x @ G
