"""``Slot``: one client of one run, the unit of work of an engine."""

from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class Slot:
    """``run``: which start weights; ``seed``: that run's seed; ``client``: its number; ``rows``: its training rows
    (int64, on the data's device).
    """

    run: int
    seed: int
    client: int
    rows: torch.Tensor
