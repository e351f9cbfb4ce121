"""FedFV, Algorithms 1 to 3 of Wang et al. 2021, on full vectors, with its gradient history."""

import math

import numpy as np


class FedFV:
    """One server's memory and one call a round.

    alpha: in [0, 1], the share of clients that keep their gradients.  tau: how many past rounds count.
    order: the projection targets' order when a call gives none: "ascending" (the paper's, by loss) or
        "descending" (FedFVReverse, Table 4).
    """

    def __init__(self, alpha, tau, order="ascending"):
        self.alpha = alpha
        self.tau = tau
        self.order = order
        self.history = {}  # client -> (t_k, its latest gradient g_k^{t_k})

    def direction(self, t, clients, G, losses, order=None):
        """The combined update g^t, Algorithm 1 lines 4 to 10; the server steps w <- w - g^t.

        t: the round, from 0.  clients: (m,), names that stay the same between rounds.
        G: (m, d).  losses: (m,).
        order: "ascending", "descending", or the rows' numbers 0..m-1 in the order in which they are
            targets (one draw of FedFVRandom). Whatever the order, the clients with the largest losses
            are the ones that keep their gradients.
        A combined update shorter than 1e-12 of the longest g_k is rounding left by projections that
        cancel, and is returned as exact zeros, not rescaled.
        """
        for row, client in enumerate(clients):  # line 4: the latest updates
            self.history[client] = (t, np.array(G[row], dtype=float))
        ascending = ascending_order(losses)
        combined = mitigate_internal(
            self._targets(order, ascending), G, keepers(ascending, self.alpha)
        )  # lines 5 and 6
        if t >= self.tau:  # line 7
            combined = mitigate_external(combined, self.history, t, self.tau)  # line 8

        mean = np.zeros(G.shape[1])
        for row in range(len(G)):
            mean = mean + G[row] / len(G)
        length = np.linalg.norm(combined)
        if length <= 1e-12 * max(np.linalg.norm(g) for g in G):
            return np.zeros(G.shape[1])
        return combined / length * np.linalg.norm(mean)  # line 10

    def _targets(self, order, ascending):
        order = self.order if order is None else order
        if isinstance(order, str):
            return {"ascending": ascending, "descending": ascending[::-1]}[order]
        if sorted(order) != sorted(ascending):
            raise ValueError("order must name every row once")
        return [int(row) for row in order]


def ascending_order(losses):
    """The rows in ascending order of their losses (Algorithm 1 line 5); equal losses keep row order."""
    return sorted(range(len(losses)), key=lambda row: (losses[row], row))


def keepers(ascending, alpha):
    """S^alpha: the rows with the largest losses, `ascending[ceil((m - 1)(1 - alpha)):]`, none at alpha = 0.

    Algorithm 2 line 1 says "the top alpha clients" and its line 3 projects them; the text says that alpha m
    clients with large losses keep their gradients. The index is the released code's: m = 11, alpha = 0.1
    keeps two. 1e-9 is taken off before the ceiling, so that (m - 1)(1 - alpha) = 3.0000000000000004, which
    is 10 (1 - 0.7) in floating point, counts as 3.
    """
    if alpha == 0:
        return []
    return ascending[math.ceil((len(ascending) - 1) * (1 - alpha) - 1e-9) :]


def mitigate_internal(targets, G, keep):
    """Algorithm 2, with line 3 over the clients outside `keep`; returns the mean of g_k^PC (d,)."""
    projected = []
    for k in range(len(G)):
        g = np.array(G[k], dtype=float)  # line 2
        if k not in keep:  # line 3, as the text means it
            for j in targets:  # line 4
                if j != k and np.dot(g, G[j]) < 0:  # line 5: against the raw g_j
                    g = g - np.dot(G[j], g) / np.dot(G[j], G[j]) * G[j]  # line 6
        projected.append(g)
    mean = np.zeros(G.shape[1])
    for g in projected:  # line 10: every client counts 1/m
        mean = mean + g / len(G)
    return mean


def mitigate_external(combined, history, t, tau):
    """Algorithm 3: project off the remembered conflicts of rounds t-tau, ..., t-1, the oldest first."""
    for i in range(tau, 0, -1):  # line 1
        conflict = np.zeros(len(combined))  # line 2
        for client_round, g in history.values():  # line 3
            if client_round == t - i and np.dot(combined, g) < 0:  # lines 4 and 5
                conflict = conflict + g  # line 6
        if np.dot(combined, conflict) < 0:  # line 10
            share = np.dot(combined, conflict) / np.dot(conflict, conflict)
            combined = combined - share * conflict  # line 11
    return combined
