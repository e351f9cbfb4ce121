"""FedMDFG (Pan et al. 2023), as its authors' code computes a round's direction, without the search for a step size."""

import numpy as np

from .minnorm import minimum_norm


class FedMDFG:
    """One server's memory and one call a round. theta: degrees.

    For round t with participants k = 1..K:

    1. expected[k] is f_k in k's first round; later, f_k <= expected[k] enters the running mean over all of k's
       rounds so far, and f_k > expected[k] only counts the round. Some but not all k above: the row is forced.
    2. mu = mean ||g_k||, ghat_k = mu g_k / ||g_k||.
    3. phi = angle(f, 1). If phi > theta or the row is forced: h = cos(phi) f / ||f|| - 1 / sqrt(K), of length 1, and
       the row sum_k h_k ghat_k. None where f is parallel to 1.
    4. The ghat_a of the last round's participants that are absent are rows too.
    5. d = the minimum-norm point of the rows' hull, dir = d ||mean_k ghat_k|| / ||d||.
    """

    def __init__(self, theta):
        self.theta = theta
        self.expected, self.count, self.last = {}, {}, {}

    def direction(self, clients, G, losses):
        """dir (d,).  clients: (K,), lasting names.  G: (K, d).  losses: (K,)."""
        above = 0
        for k, client in enumerate(clients):
            seen = self.count.get(client, 0)
            if seen == 0:
                self.expected[client] = losses[k]
            elif losses[k] <= self.expected[client]:
                self.expected[client] = (self.expected[client] * seen + losses[k]) / (seen + 1)
            else:
                above += 1
            self.count[client] = seen + 1

        lengths = [np.linalg.norm(g) for g in G]
        mu = np.mean(lengths)
        scaled = [mu * g / length for g, length in zip(G, lengths)]
        rows = list(scaled)

        f = np.asarray(losses, dtype=float)
        unit, even = f / np.linalg.norm(f), np.full(len(f), 1 / np.sqrt(len(f)))
        cosine = min(1.0, unit @ even)
        h = cosine * unit - even
        if np.linalg.norm(h) > 1e-12 and (np.degrees(np.arccos(cosine)) > self.theta or 0 < above < len(G)):
            rows.append(h / np.linalg.norm(h) @ np.array(scaled))
        rows += [row for client, row in self.last.items() if client not in set(clients)]

        d = np.array(rows).T @ minimum_norm(np.array(rows))
        self.last = dict(zip(clients, scaled))
        return d / np.linalg.norm(d) * np.linalg.norm(np.mean(scaled, axis=0))
