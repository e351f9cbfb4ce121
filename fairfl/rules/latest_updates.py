"""``KeepsLatest``: the state of rules that remember their clients' latest updates, with their Gram matrix."""

from collections.abc import Sequence

import torch

from fairfl.rules.base import Rule
from fairfl.rules.gram import BLOCK, CHUNK, gram_matrix, in_float32
from fairfl.rules.inputs import same_size
from fairfl.updates import Updates

# The round of a slot whose row no longer counts.
FREE = -1


class KeepsLatest(Rule):
    """Base class of rules that remember their clients' latest updates.

    State: ``rows`` (M, d), their ``clients`` (M,) and ``rounds`` (M,), and ``products`` (L, M, M) float64, their Gram
    matrix in each of L slices of d. A round then only needs the products of its own rows with one another and with the
    remembered ones.
    """

    remembers: tuple[str, ...] = ("rows", "clients", "rounds", "products")
    _rows: torch.Tensor
    _clients: torch.Tensor
    _rounds: torch.Tensor
    _products: torch.Tensor

    def recall(self, updates: Updates, age: float = float("inf")) -> tuple[torch.Tensor, torch.Tensor]:
        """The remembered rows and their rounds; ``FREE`` if a row is more than ``age`` rounds old, or its client takes
        part now.
        """
        if self._rows is None:
            return updates.gradients[:0], torch.zeros(0, dtype=torch.int64)
        same_size(self, "parameters", updates.gradients.shape[1], self._rows.shape[1])
        stale = torch.isin(self._clients, updates.clients) | (updates.round - self._rounds > age)
        return self._rows.to(updates.gradients), torch.where(stale, FREE, self._rounds)

    def grams(
        self, updates: Updates, memory: torch.Tensor, rounds: torch.Tensor, parts: Sequence[slice]
    ) -> list[torch.Tensor]:
        """For each slice of d the Gram matrix (K + M, K + M) of the round's rows followed by the remembered ones, or
        (K, K) of the round's alone if no other row counts.
        """
        out = []
        for i, part in enumerate(parts):
            rows = updates.gradients[:, part]
            own = gram_matrix(rows)
            if bool((rounds != FREE).any()):
                kept = self._products[i]
                beside = _products(rows, memory[:, part], own.diagonal(), kept.diagonal())
                own = torch.cat([torch.cat([own, beside], dim=1), torch.cat([beside.T, kept], dim=1)])
            out.append(own)
        return out

    def remember(self, updates: Updates, memory: torch.Tensor, rounds: torch.Tensor, grams: list[torch.Tensor]) -> None:
        """Write the round's rows into the slots that are ``FREE``, and update the products."""
        # Every row is written once: copying the whole memory took longer than its part of the Gram matrix.
        K, clients = len(updates), updates.clients[:0] if self._clients is None else self._clients
        free = torch.nonzero(rounds == FREE)[:K, 0]
        if len(free) > 0:
            memory[free.to(memory.device)] = updates.gradients[: len(free)]
        if (missing := K - len(free)) > 0:
            memory = torch.cat([memory, updates.gradients[len(free) :]])
            clients = torch.cat([clients, updates.clients[:missing]])
            rounds = torch.cat([rounds, torch.full((missing,), FREE)])
        places = torch.nonzero(rounds == FREE)[:K, 0]
        self._rows = memory
        self._clients = clients.index_copy(0, places, updates.clients)
        self._rounds = rounds.index_fill(0, places, updates.round)
        order = (K + torch.arange(len(rounds))).index_copy(0, places, torch.arange(K))
        padded = (torch.nn.functional.pad(gram, (0, K + len(rounds) - len(gram)) * 2) for gram in grams)
        self._products = torch.stack([gram[order][:, order] for gram in padded])


def _products(
    rows: torch.Tensor, others: torch.Tensor, squares: torch.Tensor, other_squares: torch.Tensor
) -> torch.Tensor:
    """``rows @ others.T`` (K, M), as accurate as ``gram_matrix``, given the squared lengths of all rows."""
    d, total = rows.shape[1], torch.zeros(len(rows), len(others), dtype=torch.float64, device=rows.device)
    lengths = torch.cat([squares, other_squares])
    # Products of very short or very long rows underflow or overflow in float32, but not in float64.
    fast = in_float32(rows) and bool(((lengths > 1e-30 * d) & (lengths < 1e30)).all())
    step = BLOCK * max(1, CHUNK // (8 * BLOCK * (len(rows) + len(others))))
    if total.device.type != "cpu":
        # A few large products rather than many small ones, as in ``gram_matrix``. Float32 blocks took twice as long.
        step *= 32
    for start in range(0, d, step):
        left, right = rows[:, start : start + step], others[:, start : start + step]
        if fast and left.shape[1] == step:
            left, right = (side.float().unflatten(1, (-1, BLOCK)).transpose(0, 1) for side in (left, right))
            total += torch.bmm(left, right.transpose(1, 2)).sum(0, dtype=torch.float64)
        else:
            total += left.double() @ right.double().T
    return total.cpu()
