"""How do I write a rule of my own that keeps a state, and test it?

Derive from `WeightRule` (losses and shares decide) or `GramRule` (the Gram matrix decides as well), return weights, and name the state in `remembers`, so that checkpoints save it (here `self._means`). `check_rule` runs the property tests of the package's own rules on it.
"""

import torch

from fairfl import LocalSGD, Updates, WeightRule, data, partition, train
from fairfl.testing import check_rule


class SlowTERM(WeightRule):
    """TERM on running means of the losses: λ ∝ exp(t m_k), with m_k ← β m_k + (1 − β) f_k when client k takes part."""

    needs = frozenset({"losses"})
    remembers = ("means",)

    def __init__(self, t: float = 1.0, beta: float = 0.9):
        self.t, self.beta = t, beta
        self._means = None  # before the first round

    def weights(self, updates):
        k, losses = updates.clients, updates.losses
        means = torch.zeros(updates.population, dtype=torch.float64) if self._means is None else self._means.clone()
        means[k] = self.beta * means[k] + (1 - self.beta) * losses
        self._means = means
        return torch.softmax(self.t * means[k], 0)


print(SlowTERM().direction(Updates([[1.0, 0.0], [0.0, 2.0]], losses=[0.2, 0.9])))
# It promises weights ≥ 0 with sum 1. A promise of "descent" would fail: it may sacrifice a client.
check_rule(SlowTERM, promises={"convex"})

federation = partition.dirichlet(data.load("digits"), 10, 0.3, test=0.3)
local = LocalSGD(lr=0.1, epochs=2, batch_size=16)
history = train(federation, SlowTERM(), rounds=10, local=local, participation=5)
print(history)
