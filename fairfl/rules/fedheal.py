"""FedHEAL: coordinates that a client rarely moves that way are dropped, and weights follow distances."""

import torch

from fairfl.errors import refuse
from fairfl.gram import rates
from fairfl.rules.base import Direction, Rule
from fairfl.rules.settings import number, same_size

# Columns worked on at a time, for K = 100 clients: a few float64 copies of such a block stay far below 64 MB.
BLOCK = 2 ** 13


class FedHEAL(Rule):
    """``dir_j = Σ_k p_k m_kj g_kj / Σ_k p_k m_kj`` for every coordinate j, 0 where all masks are 0 (Chen et al. 2024).

    Masks: ``m_kj = 1`` if the sign of ``g_kj`` (zero counts as positive) had a frequency above ``threshold`` (τ = 0.3) among
    client k's earlier updates of coordinate j; a client's first update is not masked. Weights: with
    ``dist_k = ‖m_k ∘ g_k‖``, ``Δ_k ← (1 − β) Δ_k + β dist_k / Σ_j dist_j`` and ``q_k ← q_k + Δ_k`` for the participants, starting at
    Δ = 0, q = 1/K; then ``p = q / Σ q`` over them. ``beta`` = β = 0.4.

    The authors' code adds up the lengths of a model's tensors for dist, and sums it over clients of earlier rounds too;
    here it is the length of the whole row, over the participants. It needs every client in round 0; here each client
    has its own first round. Coordinates have their own weights, so ``weights`` is ``None``.

    State: ``positives`` (N, d) int16, how often each coordinate of each client was not negative (half the size of
    everybody's float32 updates), ``taken`` (N,) rounds, ``mixture`` q (N,) and ``momentum`` Δ (N,).
    """

    remembers = ("positives", "taken", "mixture", "momentum")

    def __init__(self, threshold: float = 0.3, beta: float = 0.4):
        self.threshold = number("threshold", threshold, 0, 1)
        self.beta = number("beta", beta, 0, 1)
        self._positives = self._taken = self._mixture = self._momentum = None

    def combine(self, updates):
        rows, who = updates.gradients, updates.clients
        self._prepare(updates)
        step = max(256, BLOCK * 100 // len(updates))
        starts = range(0, rows.shape[1], step)
        # Two passes, because weights need all distances; masks are made twice rather than kept.
        squares = sum(self._masked(rows, who, start, step)[0].square().sum(1) for start in starts).cpu()
        weights = self._weigh(squares.sqrt(), who).to(rows.device)
        vector = torch.empty_like(rows[0])
        for start in starts:
            masked, mask = self._masked(rows, who, start, step)
            total = weights @ mask.to(weights)
            vector[start:start + step] = torch.where(total > 0, weights @ masked / total.clamp(min=1e-300), 0.0)
            self._positives[who.to(rows.device), start:start + step] += (rows[:, start:start + step] >= 0).to(torch.int16)
        self._taken[who] += 1
        return Direction(vector, None, rates(rows, vector))

    def _prepare(self, updates):
        N, d = updates.population, updates.gradients.shape[1]
        if self._positives is None:
            self._positives = torch.zeros(N, d, dtype=torch.int16, device=updates.gradients.device)
            self._taken = torch.zeros(N, dtype=torch.int64)
            self._mixture, self._momentum = torch.zeros(N, dtype=torch.float64), torch.zeros(N, dtype=torch.float64)
        same_size(self, "clients and parameters", (N, d), tuple(self._positives.shape))
        if int(self._taken[updates.clients].max()) >= 2 ** 15 - 1:
            raise refuse("rounds of one client", 2 ** 15, "up to 32767", "Start with a fresh rule.")
        self._positives = self._positives.to(updates.gradients.device)

    def _masked(self, rows, who, start, step):
        """Columns start … start + step: the masked updates in float64, and the mask."""
        block, who = rows[:, start:start + step].double(), who.to(rows.device)
        positives = self._positives[who, start:start + step]
        taken = self._taken.to(rows.device)[who][:, None]
        same = torch.where(block >= 0, positives, taken - positives)
        mask = (same.double() / taken > self.threshold) | (taken == 0)
        return block * mask, mask

    def _weigh(self, distances, who):
        fresh = self._taken[who] == 0
        before = torch.where(fresh, 1 / len(who), self._mixture[who])
        total = distances.sum()
        share = distances / total if total > 0 else torch.full_like(distances, 1 / len(who))
        self._momentum[who] = (1 - self.beta) * self._momentum[who] + self.beta * share
        self._mixture[who] = before + self._momentum[who]
        return self._mixture[who] / self._mixture[who].sum()
