"""FedNL and FedNew as printed, and the derivatives of softmax regression by hand, one client and row at a time."""

import numpy as np


def softmax_regression(w, x, y, classes, ridge):
    """Gradient and Hessian at ``w`` = (W row by row, b) of the mean cross-entropy on ``x`` (n, m), ``y`` (n,), plus ridge/2 ‖w‖²."""
    n, m = x.shape
    W, b = w[: classes * m].reshape(classes, m), w[classes * m :]
    g, H = ridge * w, ridge * np.eye(len(w))
    for xi, yi in zip(x, y):
        z = W @ xi + b
        p = np.exp(z - z.max())
        p /= p.sum()
        J = np.zeros((classes, len(w)))
        for c in range(classes):
            J[c, c * m : (c + 1) * m] = xi
            J[c, classes * m + c] = 1
        g = g + J.T @ (p - np.eye(classes)[yi]) / n
        H = H + J.T @ (np.diag(p) - np.outer(p, p)) @ J / n
    return g, H


def rank(R):
    """Keep the R largest singular values."""

    def compress(M):
        U, s, V = np.linalg.svd(M)
        return sum((s[i] * np.outer(U[:, i], V[i]) for i in range(min(R, len(s)))), np.zeros_like(M))

    return compress


def top(K):
    """Keep the K entries of the upper triangle with the largest absolute values, and their mirror images."""

    def compress(M):
        d = len(M)
        entries = sorted(((abs(M[i, j]), i, j) for i in range(d) for j in range(i, d)), reverse=True)
        out = np.zeros_like(M)
        for _, i, j in entries[:K]:
            out[i, j] = out[j, i] = M[i, j]
        return out

    return compress


def fednl(look, w, p, rounds, compress, step=1.0, option=2, mu=None, warm=False):
    """The models w_0 … w_rounds. ``look(w)``: a list of (gradient, Hessian), one per client; ``p``: their weights."""
    d, path = len(w), [w]
    H = [h.copy() if warm else np.zeros((d, d)) for _, h in look(w)]
    for _ in range(rounds):
        g, total, error, new = np.zeros(d), np.zeros((d, d)), 0.0, []
        for k, (gradient, hessian) in enumerate(look(w)):
            g += p[k] * gradient
            total += p[k] * H[k]
            error += p[k] * np.sqrt(((hessian - H[k]) ** 2).sum())
            new.append(H[k] + step * compress(hessian - H[k]))
        if option == 1:
            values, Q = np.linalg.eigh(total)
            total = Q @ np.diag([max(v, mu) for v in values]) @ Q.T
        else:
            total = total + error * np.eye(d)
        w, H = w - np.linalg.inv(total) @ g, new
        path.append(w)
    return path


def fednew(look, w, p, rounds, alpha, rho, every=1, lr=1.0):
    """The models w_0 … w_rounds, and the multipliers at the end; ``lr``: the server's step size."""
    d, path = len(w), [w]
    y, multipliers, held = np.zeros(d), [np.zeros(d) for _ in p], None
    for t in range(rounds):
        looked = look(w)
        if t == 0 or every is not None and t % every == 0:
            held = [h for _, h in looked]
        own = [
            np.linalg.inv(held[k] + alpha * np.eye(d) + rho * np.eye(d)) @ (g - multipliers[k] + rho * y)
            for k, (g, _) in enumerate(looked)
        ]
        y = sum(weight * answer for weight, answer in zip(p, own))
        multipliers = [m + rho * (answer - y) for m, answer in zip(multipliers, own)]
        w = w - lr * y
        path.append(w)
    return path, multipliers
