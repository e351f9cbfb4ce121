"""FedFV: conflicts between updates are removed by projection before the updates are averaged."""

import math

import torch

from fairfl._randomness import generator
from fairfl._validation import integer, number, one_of
from fairfl.rules.base import Direction, too_short
from fairfl.rules.gram import combine, resolution
from fairfl.rules.latest_updates import FREE, KeepsLatest
from fairfl.updates import Updates


class FedFV(KeepsLatest):
    """Average of the updates after projecting away their conflicts (Wang et al. 2021, Algorithms 1 to 3).

    Internal conflicts: with the clients ordered by loss, smallest first, each client's gradient g (except the
    keepers') meets every other client's *raw* ``g_j`` in that order and, where ``g · g_j < 0``, loses the component
    along it: ``g ← g − (g · g_j / ‖g_j‖²) g_j``. The result is averaged uniformly. External conflicts (from round τ
    on): for the rounds t−τ to t−1, oldest first, the average loses its component along the *sum* of those remembered
    gradients that conflict with it. It is rescaled to ``‖mean_k g_k‖``.

    The projections are computed on coefficients: row k of C (K, K) holds ``g_k^PC = C_k G``, one Gram matrix gives all
    conflicts, and the vectors are only combined once, at the end.

    ``alpha`` = α: the share of clients, those with the largest losses, that keep their gradients:
    ``order[⌈(K−1)(1−α)⌉:]`` as in the authors' code (two of 11 clients at α = 0.1), none at 0. Line 3 of Algorithm 2
    loops over the wrong set, but the paper's text is clear. ``tau`` = τ: rounds of memory, 0 for none. The newest code
    uses rounds t−τ+1 to t, which would project onto this round's own clients; this class follows the paper. ``order``:
    ``"ascending"``, or ``"random"`` and ``"reversed"`` for the paper's Table 4; keepers have the largest losses in any
    case. ``seed`` determines the random order.

    State: the latest update of every client that took part in the last τ rounds (at most τ K d numbers), with its
    client, its round and their products; round −1 marks a slot whose row no longer counts. If remembered updates take
    part in the direction, ``weights`` is ``None``. If all projections cancel, the direction is zero, with a ``reason``.
    """

    needs = frozenset({"losses"})

    def __init__(self, alpha: float = 0.1, tau: int = 0, order: str = "ascending", seed: int = 0):
        self.alpha = number("alpha", alpha, 0, 1)
        self.tau = integer("tau", tau, low=0)
        self.order = one_of("order", order, "ascending", "random", "reversed")
        self.seed = integer("seed", seed)

    def combine(self, updates: Updates) -> Direction:
        K, rows = len(updates), updates.gradients
        memory, rounds = self.recall(updates, self.tau)
        grams = self.grams(updates, memory, rounds, [slice(None)])
        gram = grams[0] if updates.round >= self.tau else grams[0][:K, :K].contiguous()
        coefficients = torch.zeros(len(gram), dtype=torch.float64)
        coefficients[:K] = self._without_conflicts(gram[:K, :K], updates).mean(0)
        if len(gram) > K:
            for t in range(updates.round - self.tau, updates.round):
                coefficients = _without_past(gram, coefficients, torch.cat([torch.full((K,), FREE), rounds]) == t)
        size, typical = coefficients @ gram @ coefficients, coefficients.abs() @ gram.diagonal().sqrt()
        reason = ""
        if float(size) <= resolution(rows.dtype) * float(typical) ** 2:
            coefficients = torch.zeros_like(coefficients)
            reason = "the projected updates cancel, so the direction is zero"
        else:
            square = gram[:K, :K].mean().clamp(min=0)
            coefficients = coefficients * (square / size).sqrt()
            reason = too_short(math.sqrt(float(square)), rows.dtype)
        weights: torch.Tensor | None = coefficients[:K]
        vector = combine(rows, coefficients[:K], gram.diagonal()[:K].sqrt())
        if bool(coefficients[K:].any()):
            vector, weights = vector + combine(memory, coefficients[K:], gram.diagonal()[K:].sqrt()), None
        if self.tau > 0:
            self.remember(updates, memory, torch.where(rounds > updates.round - self.tau, rounds, FREE), grams)
        return Direction(vector, weights, gram[:K] @ coefficients, reason=reason)

    def _without_conflicts(self, gram: torch.Tensor, updates: Updates) -> torch.Tensor:
        K = len(gram)
        # Ties are broken by the client's number, so the rows' order does not matter.
        by_loss = sorted(range(K), key=lambda k: (float(updates.losses[k]), int(updates.clients[k])))
        movable = torch.ones(K, dtype=torch.bool)
        if self.alpha > 0:
            # 10 · (1 − 0.7) is 3.0000000000000004 in floating point, but should be 3.
            movable[by_loss[math.ceil((K - 1) * (1 - self.alpha) - 1e-9) :]] = False
        targets = by_loss
        if self.order == "reversed":
            targets = by_loss[::-1]
        elif self.order == "random":
            draw = torch.randperm(updates.population, generator=generator(self.seed, "fedfv-order", updates.round))
            targets = sorted(range(K), key=lambda k: int(draw[updates.clients[k]]))
        C = torch.eye(K, dtype=torch.float64)
        for j in targets:
            products = C @ gram[:, j]
            conflicts = movable & (products < 0)
            conflicts[j] = False
            C[conflicts, j] -= products[conflicts] / gram[j, j]
        return C


def _without_past(gram: torch.Tensor, c: torch.Tensor, members: torch.Tensor) -> torch.Tensor:
    """``c`` without its component along the sum of those ``members`` (a mask of rows) that conflict with ``Gᵀ c``."""
    conflicting = (members & (gram @ c < 0)).double()
    products = gram @ conflicting
    along, square = c @ products, conflicting @ products
    return c - along / square * conflicting if along < 0 < square else c
