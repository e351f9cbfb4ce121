"""PCGrad: every update loses, one after the other, what conflicts with each of the others."""

import torch

from fairfl._randomness import generator
from fairfl._validation import integer, one_of
from fairfl.rules.base import GramRule, Weights
from fairfl.rules.gram import resolution
from fairfl.updates import Updates


class PCGrad(GramRule):
    """``dir = (1/K) Σ_k g_k^PC``: g_k meets the raw ``g_j``, j ≠ k, and where ``g · g_j < 0`` loses the component along
    it, ``g ← g − (g · g_j / ‖g_j‖²) g_j`` (Yu et al. 2020, Algorithm 1).

    ``order="random"`` (default, the paper's): each client meets the others in an order of its own, drawn anew every
    round by ``seed``, round and client, whatever the order of the rows. ``"fixed"``: all meet them in the order of the
    clients' numbers. The result depends on it as soon as three clients conflict. The paper takes the sum, K times this
    mean; the authors' code shuffles once more for every client. No state.

    FedFV is this rule with everybody's targets in the order of their losses, keepers, a memory and the length of the
    mean update. An early target may be in conflict again at the end. If all projections cancel, the direction is zero,
    with ``exact=False``.
    """

    def __init__(self, order: str = "random", seed: int = 0):
        self.order = one_of("order", order, "random", "fixed")
        self.seed = integer("seed", seed)

    def weights(self, gram: torch.Tensor, updates: Updates) -> Weights:
        K, everybody = len(gram), torch.arange(len(gram))
        targets = torch.argsort(torch.stack([self._ranks(int(client), updates) for client in updates.clients]), dim=1)
        C = torch.eye(K, dtype=torch.float64)
        for meets in targets.T:  # a column: whom each client meets next
            products = (C * gram[:, meets].T).sum(1)
            conflicts = (products < 0) & (meets != everybody)
            C[everybody[conflicts], meets[conflicts]] -= (products / gram.diagonal()[meets])[conflicts]
        weights = C.mean(0)
        size, typical = weights @ gram @ weights, weights.abs() @ gram.diagonal().sqrt()
        if float(size) <= resolution(updates.gradients.dtype) * float(typical) ** 2:
            return Weights(torch.zeros_like(weights), reason="the projected updates cancel, so the direction is zero")
        return Weights(weights)

    def _ranks(self, client: int, updates: Updates) -> torch.Tensor:
        """When ``client`` meets each of the participants: numbers to sort by, (K,)."""
        if self.order == "fixed":
            return updates.clients
        draw = generator(self.seed, "pcgrad-order", updates.round, client)
        return torch.randperm(updates.population, generator=draw)[updates.clients]
