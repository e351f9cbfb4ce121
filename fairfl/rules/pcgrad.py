"""PCGrad: from every update its conflicts with the others are removed, one after the other."""

import torch

from fairfl._randomness import generator
from fairfl._validation import integer, one_of
from fairfl.rules.base import GramRule, Weights
from fairfl.rules.gram import resolution
from fairfl.updates import Updates


class PCGrad(GramRule):
    """``dir = (1/K) Σ_k g_k^PC``: g_k meets the raw ``g_j``, j ≠ k, and where ``g · g_j < 0`` loses the component along
    it, ``g ← g − (g · g_j / ‖g_j‖²) g_j`` (Yu et al. 2020, Algorithm 1).

    ``order="random"`` (the default, as in the paper): each client meets the others in its own random order, which
    depends on ``seed``, round and client, but not on the order of the rows. ``"fixed"``: all clients meet them in the
    order of the clients' numbers. The order matters as soon as three clients conflict. The paper takes the sum, K times
    this mean; the authors' code shuffles again for every client. No state.

    FedFV is this rule with targets in the order of their losses, with keepers, a memory, and the length of the mean
    update. The result may still conflict with an early target. If all projections cancel, the direction is zero, with a
    ``reason``.
    """

    def __init__(self, order: str = "random", seed: int = 0):
        self.order = one_of("order", order, "random", "fixed")
        self.seed = integer("seed", seed)

    def weights(self, gram: torch.Tensor, updates: Updates) -> Weights:
        K, everybody = len(gram), torch.arange(len(gram))
        targets = torch.argsort(torch.stack([self._ranks(int(client), updates) for client in updates.clients]), dim=1)
        C = torch.eye(K, dtype=torch.float64)
        for meets in targets.T:  # a column: the next target of each client
            products = (C * gram[:, meets].T).sum(1)
            conflicts = (products < 0) & (meets != everybody)
            C[everybody[conflicts], meets[conflicts]] -= (products / gram.diagonal()[meets])[conflicts]
        weights = C.mean(0)
        size, typical = weights @ gram @ weights, weights.abs() @ gram.diagonal().sqrt()
        if float(size) <= resolution(updates.gradients.dtype) * float(typical) ** 2:
            return Weights(torch.zeros_like(weights), reason="the projected updates cancel, so the direction is zero")
        return Weights(weights)

    def _ranks(self, client: int, updates: Updates) -> torch.Tensor:
        """Sort keys (K,) for the order in which ``client`` meets the participants."""
        if self.order == "fixed":
            return updates.clients
        draw = generator(self.seed, "pcgrad-order", updates.round, client)
        return torch.randperm(updates.population, generator=draw)[updates.clients]
