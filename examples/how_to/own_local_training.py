"""How do I use another local optimiser, a schedule, weight decay, clipping, and unequal work per client?

Pass an optimiser of `torch.optim` to `LocalOptimiser`, and a function of the round as `lr`. A function from a client's number to a `LocalSGD` gives clients unequal work. For a step that `torch.optim` does not have, derive from `fairfl.clients.LocalMethod`, whose docstring has an example.
"""

import functools

import torch

from fairfl import LocalSGD, data, partition, train
from fairfl.clients import LocalOptimiser

federation = partition.dirichlet(data.load("digits"), 5, 0.5, test=0.3)


def warm_up(round):
    return 0.01 * min(1, (1 + round) / 3)


adamw = functools.partial(torch.optim.AdamW, weight_decay=0.01)
scheduled = train(federation, rounds=6, local=LocalOptimiser(adamw, lr=warm_up, epochs=2, batch_size=16, clip=1.0))
print("AdamW, warm-up, clipping:", scheduled.summary()["mean"])


def work(client):  # clients 0 and 1 are slow
    return LocalSGD(lr=0.1, epochs=1 if client < 2 else 4, batch_size=16, weight_decay=1e-4, clip=5.0)


unequal = train(federation, rounds=6, local=work)
print("unequal epochs:", unequal.summary()["mean"])
