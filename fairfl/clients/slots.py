"""What engines work on: ``Examples``, and ``Slot``, one client of one run."""

from dataclasses import dataclass

import torch

from fairfl.clients.uint8_images import Coded


@dataclass(frozen=True)
class Examples:
    """A dataset's ``inputs`` and ``targets`` where the model is; ``inputs[rows]`` are floats or symbols."""

    inputs: torch.Tensor | Coded
    targets: torch.Tensor


@dataclass(frozen=True)
class Slot:
    """``run``: which start weights; ``seed``: that run's seed; ``client``: its number; ``rows``: its training rows
    (int64, on the data's device).
    """

    run: int
    seed: int
    client: int
    rows: torch.Tensor
