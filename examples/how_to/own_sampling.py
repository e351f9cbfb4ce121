"""How do I decide who takes part in a round: by size, by availability, with stragglers?

`participation` is a fraction, a number of clients, or an object with `sample(round, generator)`. Return client numbers, and if you know them the probabilities with which each was included, for rules that correct for them.
"""

import torch

from fairfl import LocalSGD, data, partition, train
from fairfl.training import SizeSampler

federation = partition.dirichlet(data.load("digits"), 20, 0.5, test=0.3)
local = LocalSGD(lr=0.2, epochs=2, batch_size=16)
by_size = train(federation, rounds=6, local=local, participation=SizeSampler(5, federation.sizes))
print("by size:", by_size.participants[0])


class DayAndNight:
    """Clients 0 to 9 are awake by day, the others by night. Of those awake, each answers in time with probability q."""

    def __init__(self, q=0.6):
        self.q = q

    def sample(self, round, generator):
        awake = torch.arange(10) + 10 * (round % 2)
        in_time = torch.rand(10, generator=generator) < self.q
        return awake[in_time], torch.full((int(in_time.sum()),), self.q)


history = train(federation, "FedAvg", rounds=6, local=local, participation=DayAndNight())
print("who took part, −1 where nobody did:", history.participants, sep="\n")
