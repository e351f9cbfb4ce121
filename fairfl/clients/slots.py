"""The inputs of the engines: ``Examples``, and ``Slot``, one client of one run."""

from dataclasses import dataclass

import torch

from fairfl.clients.uint8_images import Coded


@dataclass(frozen=True)
class Examples:
    """A dataset's ``inputs`` and ``targets`` on the model's device; ``inputs[rows]`` are floats or symbols."""

    inputs: torch.Tensor | Coded
    targets: torch.Tensor


@dataclass(frozen=True)
class Slot:
    """One client of one run.

    ``run``: the index of its start model; ``seed``: the run's seed; ``client``: the client's number; ``rows``: its
    training rows (int64, on the data's device).
    """

    run: int
    seed: int
    client: int
    rows: torch.Tensor
