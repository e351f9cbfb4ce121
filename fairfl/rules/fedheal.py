"""FedHEAL: coordinates that a client rarely moves in this direction are masked, and weights follow distances."""

import math

import torch

from fairfl._validation import number
from fairfl.errors import refuse
from fairfl.rules.base import Direction, Rule
from fairfl.rules.gram import rates
from fairfl.rules.inputs import same_size
from fairfl.updates import Updates

# Numbers processed at a time: a few copies of a block stay far below 64 MB.
BLOCK = 2**19


class FedHEAL(Rule):
    """``dir_j = Σ_k p_k m_kj g_kj / Σ_k p_k m_kj`` for every coordinate j, 0 where all masks are 0 (Chen et al. 2024).

    Masks: ``m_kj = 1`` if the sign of ``g_kj`` (zero counts as positive) had a frequency above ``threshold`` (τ = 0.3)
    among client k's earlier updates of coordinate j; a client's first update is not masked. Weights: with
    ``dist_k = ‖m_k ∘ g_k‖``, ``Δ_k ← (1 − β) Δ_k + β dist_k / Σ_j dist_j`` and ``q_k ← q_k + Δ_k`` for the
    participants, starting at Δ = 0, q = 1/K; then ``p = q / Σ q`` over them. ``beta`` = β = 0.4.

    In the authors' code, dist is the sum of the lengths of a model's tensors, and its sum also runs over clients of
    earlier rounds; here it is the length of the whole row, and the sum is over the participants. Their code needs every
    client in round 0; here each client has its own first round. Every coordinate has its own weights, so ``weights`` is
    ``None``.

    State: ``positives`` (N, d) int16, how often each coordinate of each client was not negative (half the size of all
    clients' float32 updates), ``taken`` (N,), the rounds of each client, ``mixture`` q (N,) and ``momentum`` Δ (N,).
    """

    remembers = ("positives", "taken", "mixture", "momentum")
    _positives: torch.Tensor
    _taken: torch.Tensor
    _mixture: torch.Tensor
    _momentum: torch.Tensor

    def __init__(self, threshold: float = 0.3, beta: float = 0.4):
        self.threshold = number("threshold", threshold, 0, 1)
        self.beta = number("beta", beta, 0, 1)

    def combine(self, updates: Updates) -> Direction:
        rows, who = updates.gradients, updates.clients
        self._prepare(updates)
        step = max(256, BLOCK // len(updates))
        parts = [slice(start, start + step) for start in range(0, rows.shape[1], step)]
        # Weights need all distances, so the rows are passed twice. The masks, one byte per number, are kept in between.
        masks = self._masks(rows, who, parts)
        distances = _lengths(rows, masks, parts)
        if not 1e-140 < float(distances.max()) < 1e150:
            # Squares vanish or overflow in float64. Only ratios of distances count, so all rows may be scaled alike.
            largest = max(float(rows[:, part].abs().max()) for part in parts)
            # 2^1024 overflows float64. 2^1000 scales its smallest number to 5e-23, whose square does not vanish.
            scale = 2.0 ** min(1000, -math.frexp(largest)[1])
            distances = _lengths(rows, masks, parts, scale) if largest > 0 else distances
        weights = self._weigh(distances, who).to(rows.device)
        vector = torch.empty_like(rows[0])
        for part, mask in zip(parts, masks):
            masked, counted = _masked(rows[:, part], mask)
            total = weights.to(masked).sum() if counted is None else weights.to(masked) @ counted
            vector[part] = torch.where(total > 0, weights.to(masked) @ masked / total.clamp(min=1e-30), 0)
        self._taken[who] += 1
        return Direction(vector, None, rates(rows, vector))

    def _prepare(self, updates: Updates) -> None:
        N, d = updates.population, updates.gradients.shape[1]
        if self._positives is None:
            self._positives = torch.zeros(N, d, dtype=torch.int16, device=updates.gradients.device)
            self._taken = torch.zeros(N, dtype=torch.int64)
            self._mixture, self._momentum = torch.zeros(N, dtype=torch.float64), torch.zeros(N, dtype=torch.float64)
        same_size(self, "clients and parameters", (N, d), tuple(self._positives.shape))
        if int(self._taken[updates.clients].max()) >= 2**15 - 1:
            raise refuse(
                "the number of rounds of one client", 2**15, "up to 32767", "Start with a fresh rule.", "state"
            )
        self._positives = self._positives.to(updates.gradients.device)

    def _needed(self, who: torch.Tensor) -> torch.Tensor:
        """For each client the smallest count n with n / taken > threshold, from which on a sign is not masked."""
        least = []
        for taken in self._taken[who].tolist():
            least.append(next((n for n in range(taken + 1) if n / taken > self.threshold), taken + 1) if taken else 0)
        return torch.tensor(least, dtype=torch.int16)

    def _masks(self, rows: torch.Tensor, who: torch.Tensor, parts: list[slice]) -> list[torch.Tensor | None]:
        """For each part of d the mask (K, ...), ``None`` if all clients send their first update.

        Also counts the signs of this round.
        """
        taken, needed = (n.to(rows.device, torch.int16)[:, None] for n in (self._taken[who], self._needed(who)))
        everyone, masks = torch.equal(who, torch.arange(len(self._taken))), []
        fresh, who = not bool(self._taken[who].any()), who.to(rows.device)
        for part in parts:
            counts, up = self._positives[:, part], rows[:, part] >= 0
            positives = counts if everyone else counts.index_select(0, who)
            masks.append(None if fresh else (up & (positives >= needed)) | (~up & (positives <= taken - needed)))
            # For memory that was not written before, adding takes twice as long as writing.
            positives.copy_(up) if fresh else positives.add_(up)
            if not everyone:
                counts.index_copy_(0, who, positives)
        return masks

    def _weigh(self, distances: torch.Tensor, who: torch.Tensor) -> torch.Tensor:
        fresh = self._taken[who] == 0
        before = torch.where(fresh, 1 / len(who), self._mixture[who])
        total = distances.sum()
        share = distances / total if total > 0 else torch.full_like(distances, 1 / len(who))
        self._momentum[who] = (1 - self.beta) * self._momentum[who] + self.beta * share
        self._mixture[who] = before + self._momentum[who]
        return self._mixture[who] / self._mixture[who].sum()


def _masked(block: torch.Tensor, mask: torch.Tensor | None) -> tuple[torch.Tensor, torch.Tensor | None]:
    """The masked updates and the mask, both in float32 or float64; a mask of ``None`` masks nothing."""
    block = block if block.dtype == torch.float64 else block.float()
    if mask is None:
        return block, None
    mask = mask.to(block)
    return block * mask, mask


def _lengths(
    rows: torch.Tensor, masks: list[torch.Tensor | None], parts: list[slice], scale: float = 1.0
) -> torch.Tensor:
    """The lengths of the masked rows, times ``scale``, (K,) float64 on the CPU."""
    blocks = (rows[:, part] if scale == 1 else rows[:, part] * scale for part in parts)
    norm = lambda block, mask: torch.linalg.vector_norm(_masked(block, mask)[0], dim=1, dtype=torch.float64)
    return torch.stack([norm(block, mask) for block, mask in zip(blocks, masks)]).norm(dim=0).cpu()
