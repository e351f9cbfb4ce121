"""``Attendance``: a sampler with clients that take part in every round, as an attacker does in FedMGDA+'s Figure 2."""

from dataclasses import dataclass

import torch

from fairfl._validation import integer
from fairfl.errors import refuse
from fairfl.training.samplers import UniformSampler


@dataclass(frozen=True)
class Attendance(UniformSampler):
    """A fixed number of clients a round: those in ``always``, and others drawn uniformly and without replacement.

    ``participation`` and ``population``: as in ``UniformSampler``; the clients in ``always`` are part of the number. Raises ``Refused``
    for a client that does not exist, and if a round has no room for all of ``always``.
    """

    always: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        for client in self.always:
            integer("a client in always", client, 0, "Name a client of the federation.", high=self.population - 1)
        if len(set(self.always)) < len(self.always) or len(self.always) > self.count:
            raise refuse("always", self.always, f"at most {self.count} clients, each once", "So many are in a round.")

    def sample(self, round: int, generator: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
        fixed = torch.tensor(self.always, dtype=torch.long)
        others = torch.tensor([k for k in range(self.population) if k not in self.always], dtype=torch.long)
        count = self.count - len(fixed)
        drawn = others[torch.randperm(len(others), generator=generator)[:count]]
        rate = count / len(others) if len(others) else 0.0
        inclusion = [1.0] * len(fixed) + [rate] * len(drawn)
        return torch.cat([fixed, drawn]), torch.tensor(inclusion, dtype=torch.float64)
