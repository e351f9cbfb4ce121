"""FedLF (Pan et al. 2024): one minimum-norm point per layer, as read in notes/algorithms.md."""

import numpy as np

from .minnorm import minimum_norm


class FedLF:
    """One server's memory and one call a round.

    layout: list of (start, stop), the columns of each parameter tensor; they tile 0..d.
    memory: tau, the number of past rounds whose absent clients count; "auto" takes
        tau = floor(seen / K), seen the number of different clients in rounds before t, K the
        participants of round t. (The released code has the same tau, and no memory at all when
        seen <= K, which also drops clients that are absent when seen = K.) 0 switches memory off.

    The reading, for round t with participants k = 1..K, gradients g_k, losses f:

    1. Absent clients a whose latest gradient is from round t_a >= t - tau are remembered rows.
    2. h = d(-cos(f, 1)) / df = (f.1) f / (||f||^3 sqrt K) - 1 / (||f|| sqrt K), and the fairness
       direction is F = sum_k h_k g_k of the *raw* gradients: the exact gradient of -cos(f(w), 1).
       (The released code combines the layer's *scaled* rows instead.) h is taken as zero, and there is no
       fairness row, if ||f|| ||h|| <= 1e-12: this is the sine of the angle between f and 1, so 0/0 cannot
       arise from equal losses or f = 0, and K = 1 has no fairness row.
    3. Per layer l, with [l] the layer's columns: mu_l = the mean of ||g_k[l]|| over the participants for
       which it is not zero. The hull's rows are g_k[l], then F[l], then the remembered g_a[l], each scaled
       to length mu_l. Rows that are zero in this layer are left out, and so is F[l] if
       ||F[l]|| <= 1e-12 sum_k |h_k| ||g_k[l]||, where it is rounding.
       d[l] = the minimum-norm point of the rows' convex hull; zero if no participant has a row.
    4. d = the layers' d[l] one after the other; dir = d ||mean_k g_k|| / ||d|| with the participants' raw
       gradients over all layers; zero if d is zero (||d|| <= 1e-12 max_l mu_l).
    5. Then the participants' gradients and t are remembered.

    The released code's last step, which halves dir while some -g_k . dir exceeds 1e-6, is left out:
    every participant has g_k . dir >= 0 by construction.
    """

    def __init__(self, layout, memory="auto"):
        self.layout = layout
        self.memory = memory
        self.history = {}  # client -> (t_k, its latest gradient)

    def direction(self, t, clients, G, losses):
        """dir (d,) for round t.  clients: (K,), lasting names.  G: (K, d).  losses: (K,)."""
        absent = self._absent(t, clients, len(G))
        h = fairness_coefficients(losses)
        parts, scales = [], [0.0]
        for start, stop in self.layout:
            part, mu = layer_point(G[:, start:stop], h, [g[start:stop] for g in absent])
            parts.append(part)
            scales.append(mu)
        d = np.concatenate(parts)

        mean = np.zeros(G.shape[1])
        for g in G:
            mean = mean + g / len(G)
        for row, client in enumerate(clients):
            self.history[client] = (t, np.array(G[row], dtype=float))
        length = np.linalg.norm(d)
        if length <= 1e-12 * max(scales):
            return np.zeros(G.shape[1])
        return d / length * np.linalg.norm(mean)

    def _absent(self, t, clients, K):
        tau = len(self.history) // K if self.memory == "auto" else self.memory
        present = set(clients)
        return [g for client, (seen, g) in self.history.items() if client not in present and seen >= t - tau]


def fairness_coefficients(losses):
    """h (K,), the gradient of -cos(f, 1) with respect to f; exact zeros when f is parallel to 1 or zero."""
    f = np.asarray(losses, dtype=float)
    K = len(f)
    norm = np.linalg.norm(f)
    if norm == 0:
        return np.zeros(K)
    h = np.array([f.sum() * f[k] / (norm**3 * np.sqrt(K)) - 1.0 / (norm * np.sqrt(K)) for k in range(K)])
    if norm * np.linalg.norm(h) <= 1e-12:
        return np.zeros(K)
    return h


def layer_point(rows, h, absent):
    """The layer's minimum-norm point and mu.

    rows: (K, n), the participants' raw gradients in this layer.  h: (K,).
    absent: list of (n,), the remembered gradients in this layer.
    """
    lengths = [np.linalg.norm(row) for row in rows]
    positive = [length for length in lengths if length > 0]
    if not positive:
        return np.zeros(rows.shape[1]), 0.0
    mu = sum(positive) / len(positive)

    hull = []
    for row, length in zip(rows, lengths):
        if length > 0:
            hull.append(row / length * mu)
    fairness = np.zeros(rows.shape[1])
    for k in range(len(rows)):
        fairness = fairness + h[k] * rows[k]
    size = np.linalg.norm(fairness)
    if size > 1e-12 * sum(abs(h[k]) * lengths[k] for k in range(len(rows))):
        hull.append(fairness / size * mu)
    for row in absent:
        length = np.linalg.norm(row)
        if length > 0:
            hull.append(row / length * mu)

    weights = minimum_norm(np.array(hull))
    point = np.zeros(rows.shape[1])
    for weight, row in zip(weights, hull):
        point = point + weight * row
    return point, mu
