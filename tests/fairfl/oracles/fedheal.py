"""FedHEAL (Chen et al. 2024): masks by sign history, weights by distance, as read in notes/algorithms.md."""

import numpy as np


class FedHEAL:
    """One server's memory and one call a round.

    threshold: 0.3, keep an entry if its sign's past frequency is larger.  beta: 0.4.

    The reading, for a round with participants k = 1..K and pseudo-gradients g_k:

    1. Masks. Client k has taken part n_k times before, and in P_ki of them its entry i was >= 0 (zero counts
       as positive). Entry i has the past frequency P_ki / n_k if g_ki >= 0 now, else (n_k - P_ki) / n_k;
       the mask m_ki is 1 if that is > threshold, else 0. At n_k = 0, a client's first round, all masks
       are 1. Then the entry's sign now (masked or not) is counted. Counts are integers, and of the client's
       own rounds. (The released code divides by the server's rounds, the same under full participation.)
    2. Distances: dist_k = ||m_k g_k||, Euclidean over the whole vector; share_k = dist_k / sum dist over
       this round's participants, 1/K if that sum is zero. (The released code adds up the norms of the
       parameter tensors, and its sum includes the last known distances of absent clients.)
    3. Weights: Delta_k <- (1 - beta) Delta_k + beta share_k, p_k <- p_k + Delta_k, from Delta_k = 0 and
       p_k = 1/K in the client's first round. p_k is kept as it is, not normalised; only this round's
       q_k = p_k / sum p over the participants is.
    4. dir_i = sum_k q_k m_ki g_ki / sum_k q_k m_ki, and 0 where every participant is masked.
    """

    def __init__(self, threshold=0.3, beta=0.4):
        self.threshold = threshold
        self.beta = beta
        self.rounds = {}  # client -> n_k
        self.positives = {}  # client -> P_k (d,)
        self.delta = {}
        self.p = {}

    def direction(self, clients, G):
        """dir (d,).  clients: (K,), lasting names.  G: (K, d)."""
        K, d = G.shape
        masks = [self._mask(client, g) for client, g in zip(clients, G)]
        distances = [np.linalg.norm(mask * g) for mask, g in zip(masks, G)]
        total = sum(distances)
        for k, client in enumerate(clients):
            share = distances[k] / total if total > 0 else 1.0 / K
            self.delta[client] = (1 - self.beta) * self.delta.get(client, 0.0) + self.beta * share
            self.p[client] = self.p.get(client, 1.0 / K) + self.delta[client]
        weights = [self.p[client] / sum(self.p[c] for c in clients) for client in clients]

        direction = np.zeros(d)
        for i in range(d):
            numerator = denominator = 0.0
            for k in range(K):
                numerator += weights[k] * masks[k][i] * G[k, i]
                denominator += weights[k] * masks[k][i]
            if denominator > 0:
                direction[i] = numerator / denominator
        return direction

    def _mask(self, client, g):
        n = self.rounds.get(client, 0)
        positives = self.positives.get(client, np.zeros(len(g), dtype=int))
        mask = np.ones(len(g))
        counted = positives.copy()
        for i in range(len(g)):
            same = positives[i] if g[i] >= 0 else n - positives[i]
            if n > 0 and same / n <= self.threshold:
                mask[i] = 0.0
            if g[i] >= 0:
                counted[i] += 1
        self.rounds[client] = n + 1
        self.positives[client] = counted
        return mask
