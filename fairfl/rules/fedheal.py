"""FedHEAL: coordinates that a client rarely moves that way are dropped, and weights follow distances."""

import torch

from fairfl.errors import refuse
from fairfl.rules.gram import rates
from fairfl.rules.base import Direction, Rule
from fairfl.rules.settings import number, same_size

# Numbers worked on at a time: a few copies of so many stay far below 64 MB.
BLOCK = 2 ** 19


class FedHEAL(Rule):
    """``dir_j = Σ_k p_k m_kj g_kj / Σ_k p_k m_kj`` for every coordinate j, 0 where all masks are 0 (Chen et al. 2024).

    Masks: ``m_kj = 1`` if the sign of ``g_kj`` (zero counts as positive) had a frequency above ``threshold`` (τ = 0.3)
    among client k's earlier updates of coordinate j; a client's first update is not masked. Weights: with
    ``dist_k = ‖m_k ∘ g_k‖``, ``Δ_k ← (1 − β) Δ_k + β dist_k / Σ_j dist_j`` and ``q_k ← q_k + Δ_k`` for the participants,
    starting at Δ = 0, q = 1/K; then ``p = q / Σ q`` over them. ``beta`` = β = 0.4.

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

    def combine(self, updates):
        rows, who = updates.gradients, updates.clients
        self._prepare(updates)
        needed = self._needed(who)
        step = max(256, BLOCK // len(updates))
        starts = range(0, rows.shape[1], step)
        # Two passes, because weights need all distances; masks are made twice rather than kept.
        lengths = [torch.linalg.vector_norm(self._masked(rows, who, needed, start, step)[0], dim=1, dtype=torch.float64)
                   for start in starts]
        weights = self._weigh(torch.stack(lengths).norm(dim=0).cpu(), who).to(rows.device)
        vector = torch.empty_like(rows[0])
        for start in starts:
            masked, mask, up = self._masked(rows, who, needed, start, step)
            total = weights.to(masked) @ mask.to(masked)
            vector[start:start + step] = torch.where(total > 0, weights.to(masked) @ masked / total.clamp(min=1e-30), 0)
            self._positives[who.to(rows.device), start:start + step] += up
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

    def _needed(self, who):
        """How often, for each client, a sign must have been seen to count: the least n with n / taken > threshold."""
        least = []
        for taken in self._taken[who].tolist():
            least.append(next((n for n in range(taken + 1) if n / taken > self.threshold), taken + 1) if taken else 0)
        return torch.tensor(least, dtype=torch.int16)

    def _masked(self, rows, who, needed, start, step):
        """Columns start … start + step: the masked updates, the mask, and who is not negative."""
        block = rows[:, start:start + step]
        block = block if block.dtype == torch.float64 else block.float()
        taken, needed = (n.to(rows.device, torch.int16)[:, None] for n in (self._taken[who], needed))
        positives = self._positives[who.to(rows.device), start:start + step]
        up = block >= 0
        mask = (up & (positives >= needed)) | (~up & (positives <= taken - needed))
        return block * mask, mask, up

    def _weigh(self, distances, who):
        fresh = self._taken[who] == 0
        before = torch.where(fresh, 1 / len(who), self._mixture[who])
        total = distances.sum()
        share = distances / total if total > 0 else torch.full_like(distances, 1 / len(who))
        self._momentum[who] = (1 - self.beta) * self._momentum[who] + self.beta * share
        self._mixture[who] = before + self._momentum[who]
        return self._mixture[who] / self._mixture[who].sum()
