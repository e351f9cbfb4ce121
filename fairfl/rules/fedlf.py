"""FedLF: a min-norm direction for every layer, with an additional objective for fairness."""

import torch

from fairfl.rules.base import Direction, too_short
from fairfl.rules.gram import combine, resolution
from fairfl.rules.latest_updates import FREE, KeepsLatest
from fairfl.rules.solvers.min_norm import nearest
from fairfl.updates import Updates


class FedLF(KeepsLatest):
    """For each parameter tensor l the nearest point to the origin, then one rescaling (Pan et al. 2024, LMGDA).

    The rows of a layer, each scaled to the participants' mean length μ_l there, are the participants' fragments
    ``g_k,l``, the fairness row ``Σ_k h_k g_k,l``, and remembered fragments of absent clients. ``h`` (K,) is the
    gradient of *minus* the cosine between the losses f and the vector of ones,
    ``h = (f · 1) f / (√K ‖f‖³) − 1 / (√K ‖f‖)``, so the fairness row is the gradient of ``−cos(f(w), 1)``, and stepping
    against it makes the losses more equal. (The authors' code uses the scaled fragments in this sum.) ``dir`` is the
    concatenation of the layers' min-norm points, rescaled to ``‖mean_k g_k‖``.

    No settings. Needs ``updates.layout``. The method uses one full gradient per client and round, no local epochs. It
    remembers absent clients whose last update is at most ``⌊N_t / K⌋`` rounds old, where N_t is the number of different
    clients in the rounds before t.

    Guards: equal losses have no fairness row (0/0); a fragment of length 0 is left out of its layer. The authors' code
    halves the result while rounding makes it conflict with an update by more than 1e-6. That loop is left out, because
    the points here are exact. If the points of all layers are zero, the direction is zero, with a ``reason``.

    State: the latest update of each client that ever took part (at most N d numbers), with its client, its round and
    their products. ``weights`` is ``None``, because each layer has its own.
    """

    needs = frozenset({"losses", "layout"})

    def combine(self, updates: Updates) -> Direction:
        K, rows = len(updates), updates.gradients
        memory, rounds = self.recall(updates)
        counts = (rounds != FREE) & (updates.round - rounds <= len(rounds) // K)
        fairness, tolerance = towards_equality(updates.losses), resolution(rows.dtype)
        parts = updates.layout.slices
        whole = self.grams(updates, memory, rounds, parts)
        chosen = torch.cat([torch.arange(K), K + counts.nonzero().flatten()])
        grams = [gram[chosen][:, chosen] for gram in whole]
        solved = [_layer(gram, fairness, K, tolerance) for gram in grams]
        size = sum(float(x @ gram @ x) for gram, (x, _) in zip(grams, solved))
        typical = sum(float(gram.diagonal()[:K].sqrt().mean()) ** 2 for gram in grams)
        reasons = {reason for _, reason in solved} - {""}
        scale = 0.0
        if size > tolerance * typical:
            square = max(sum(float(gram[:K, :K].mean()) for gram in grams), 0.0)
            scale = (square / size) ** 0.5
            reasons |= {too_short(square**0.5, rows.dtype)} - {""}
        else:
            reasons.add("the min-norm points of all layers are zero, so the direction is zero")
        pieces, felt = [], torch.zeros(K, dtype=torch.float64)
        for part, gram, (x, _) in zip(parts, grams, solved):
            norms = gram.diagonal().sqrt()
            piece = combine(rows[:, part], scale * x[:K], norms[:K])
            if len(x) > K:
                past, lengths = torch.zeros(2, len(memory), dtype=torch.float64)
                past[counts], lengths[counts] = scale * x[K:], norms[K:]
                piece = piece + combine(memory[:, part], past, lengths)
            pieces.append(piece)
            felt += scale * gram[:K] @ x
        self.remember(updates, memory, rounds, whole)
        return Direction(torch.cat(pieces), None, felt, reason="; ".join(sorted(reasons)))


def towards_equality(losses: torch.Tensor) -> torch.Tensor | None:
    """h (K,) up to a positive factor; ``None`` if the losses are equal, all zero, or those of a single client."""
    largest = losses.abs().max()
    if not largest > 0:
        return None
    u = losses / largest / torch.linalg.vector_norm(losses / largest)
    p = torch.full_like(u, len(u) ** -0.5)
    h = (u @ p) * u - p
    return h if torch.linalg.vector_norm(h) > 1e-12 else None


def _layer(gram: torch.Tensor, fairness: torch.Tensor | None, K: int, tolerance: float) -> tuple[torch.Tensor, str]:
    """The layer's min-norm point as coefficients (K + M,) of its unscaled rows, and a reason."""
    norms = gram.diagonal().sqrt()
    if not norms[:K].any():
        return torch.zeros_like(norms), ""
    mean = norms[:K][norms[:K] > 0].mean()
    unit = torch.where(norms > 0, mean / norms, 0.0)
    table = torch.diag(unit)[norms > 0]
    if fairness is not None:
        row = torch.zeros_like(norms)
        row[:K] = fairness
        length = (row @ gram @ row).clamp(min=0).sqrt()
        if length > tolerance**0.5 * (row.abs() @ norms):
            table = torch.cat([table, (row * mean / length)[None]])
    point = nearest(table @ gram @ table.T)
    return table.T @ point.weights, point.reason
