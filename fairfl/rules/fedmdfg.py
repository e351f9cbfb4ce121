"""FedMDFG: the point nearest to the origin in the hull of the updates and an additional row for fairness."""

import math

import torch

from fairfl import metrics
from fairfl._validation import number
from fairfl.rules.base import Direction, nonzero, too_short
from fairfl.rules.fedlf import towards_equality
from fairfl.rules.gram import combine, resolution
from fairfl.rules.inputs import same_size
from fairfl.rules.latest_updates import FREE, KeepsLatest
from fairfl.rules.solvers.min_norm import nearest
from fairfl.updates import Updates


class FedMDFG(KeepsLatest):
    """The min-norm point of the updates, each scaled to their mean length μ, and of the fairness row (Pan et al. 2023).

    The fairness row is ``Σ_k h_k ĝ_k``, with h of length 1 along ``cos φ f/‖f‖ − 1/√K``, the scaled updates ĝ, and the
    angle φ between the losses f and the vector of ones. Stepping against it makes the losses more equal. It takes part
    if φ exceeds ``theta`` degrees (11.25, π/16, in the authors' code), or if the losses of some, but not all,
    participants exceed their usual loss: the running mean of the first loss and of all later ones that did not exceed
    that mean. Updates from the round before, of clients that are absent now, take part as they were scaled then. dir is
    the point, rescaled to the length of ``mean_k ĝ_k``.

    The authors then search for a step size by asking all clients for their losses (up to 2^5 η); here the step size is
    the server's η. Losses are those at w_t. Their code halves the result while rounding makes it conflict, which is
    left out because the point is exact. Guards: equal losses have no fairness row (0/0); a zero update is set aside.
    For that, and for a point of length zero, there is a ``reason``.

    State: the rows of the last round, with their clients, round and products, their mean length, and per client the
    usual loss and the number of its rounds. ``weights`` is ``None`` if a remembered row takes part.
    """

    needs = frozenset({"losses"})
    remembers = (*KeepsLatest.remembers, "length", "usual", "taken")
    _length: float
    _usual: torch.Tensor
    _taken: torch.Tensor

    def __init__(self, theta: float = 11.25):
        self.theta = number("theta", theta, 0, 90)

    def combine(self, updates: Updates) -> Direction:
        K, rows = len(updates), updates.gradients
        memory, rounds = self.recall(updates, 1)
        worse = self._worse(updates)
        grams = self.grams(updates, memory, rounds, [slice(None)])
        gram = grams[0]
        live, aside = nonzero(gram[:K, :K], updates)
        norms, reasons = gram.diagonal().sqrt(), [aside] if aside else []
        x, mean = torch.zeros_like(norms), float(norms[live].mean()) if len(live) else 0.0
        if mean > 0:
            counts = torch.cat([torch.ones(K, dtype=torch.bool), rounds != FREE])[: len(gram)] & (norms > 0)
            aims = torch.full_like(norms, self._length or 0.0)
            aims[:K] = mean
            unit = torch.where(counts, aims / norms, 0.0)
            table, h = torch.diag(unit)[counts], towards_equality(updates.losses[live])
            if h is not None and (worse or _angle(updates.losses[live]) > self.theta):
                row = torch.zeros_like(unit)
                row[live] = h / torch.linalg.vector_norm(h) * unit[live]
                table = torch.cat([table, row[None]])
            point = nearest(table @ gram @ table.T)
            x = table.T @ point.weights
            even = torch.zeros_like(unit)
            even[live] = unit[live] / len(live)
            size, wanted = float(x @ gram @ x), float(even @ gram @ even)
            if size <= resolution(rows.dtype) * mean**2:
                x = torch.zeros_like(x)
                reasons.append("the nearest point is the origin, so the direction is zero")
            else:
                x = x * math.sqrt(max(wanted, 0.0) / size)
                reasons += filter(None, [too_short(math.sqrt(max(wanted, 0.0)), rows.dtype)])
            reasons += filter(None, [point.reason])
        vector = combine(rows, x[:K], norms[:K])
        weights: torch.Tensor | None = x[:K]
        if bool(x[K:].any()):
            vector, weights = vector + combine(memory, x[K:], norms[K:]), None
        self.remember(updates, memory, torch.full_like(rounds, FREE), grams)
        self._length = mean
        return Direction(vector, weights, gram[:K] @ x, reason="; ".join(reasons))

    def _worse(self, updates: Updates) -> bool:
        """Whether some losses, but not all, exceed the usual ones. Also counts this round's losses."""
        if self._usual is None:
            self._usual = torch.zeros(updates.population, dtype=torch.float64)
            self._taken = torch.zeros(updates.population, dtype=torch.int64)
        same_size(self, "clients", updates.population, len(self._usual))
        who, losses = updates.clients, updates.losses
        taken, usual = self._taken[who], self._usual[who]
        higher = (taken > 0) & (losses > usual)
        self._usual[who] = torch.where(higher, usual, usual + (losses - usual) / (taken + 1))
        self._taken[who] = taken + 1
        return 0 < int(higher.sum()) < len(updates)


def _angle(losses: torch.Tensor) -> float:
    """The angle between the losses and the vector of ones, in degrees. Losses are scaled so their squares fit."""
    return float(metrics.angle((losses / losses.abs().max()).numpy()))
