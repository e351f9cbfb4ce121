"""``GaussianNoise``: noise on every client's update."""

from dataclasses import dataclass, replace

import torch

from fairfl._randomness import generator
from fairfl._validation import integer, number
from fairfl.updates import Updates


@dataclass(frozen=True)
class GaussianNoise:
    """Add independent normal noise with standard deviation ``std`` to every entry of every client's update.

    The draw is keyed by (``seed``, round, client), so it needs no state, and a client's noise does not depend on who
    else takes part. Runs of several seeds share the noise unless each gets its own:
    ``tamper=[GaussianNoise(0.1, seed=s) for s in seeds]``.

    For differential privacy, clip first: ``Chain(Clip(C), GaussianNoise(z * C))`` gives every client the noise
    multiplier z (local model). In the mean of K clients the noise has standard deviation ``z C / √K``; for the central
    model with multiplier z, pass ``z * C / K ** 0.5``. This class computes no privacy budget. Raises ``Refused`` for a
    negative ``std`` and for a seed that is not an integer.
    """

    std: float
    seed: int = 0

    def __post_init__(self) -> None:
        number("std", self.std, 0, remedy="It is the standard deviation of each entry's noise; 0 adds none.")
        integer("seed", self.seed, remedy="Every seed is another draw of the noise.")

    def __call__(self, updates: Updates) -> Updates:
        rows = updates.gradients.clone()
        for row, client in zip(rows, updates.clients.tolist()):
            chance = generator(self.seed, "gaussian noise", updates.round, client)
            row += self.std * torch.randn(len(row), dtype=row.dtype, generator=chance).to(row.device)
        return replace(updates, gradients=rows)
