"""Which engine runs: a fixed function of model, batch and slots, so that equal settings give equal bits."""

import torch

from fairfl.clients import batched, sequential
from fairfl.clients.flat import FlatModel
from fairfl.clients.local import LocalSGD
from fairfl.clients.slots import Slot
from fairfl.errors import unknown

ENGINES = {"sequential": sequential.run, "batched": batched.run}

# Above this many parameters one model alone keeps two CPU cores busy, and a stack gains nothing.
CPU_LIMIT = 100_000


def choose(flat: FlatModel, slots: int) -> str:
    """"batched" or "sequential" for ``slots`` slots a round.

    Dropout and recurrent layers always run one by one: the first draws random numbers that stacking would change, the
    second has no batched gradient. So does a single slot. Everything else is stacked on a GPU. On a CPU stacking pays
    for small dense models (measured on two cores: 10 to 14 times faster for 100 clients of 18 digits, 2 to 2.5 times
    for ten clients of 180). For MLPs of 200,000 parameters it gains 1.2 to 2.5 times on two threads and loses a
    quarter on one, and convolutions lose (0.6 to 0.9): ``benchmarks/training.py`` prints these ratios.
    """
    if flat.has_dropout or flat.has_recurrence or slots == 1:
        return "sequential"
    if flat.device.type != "cpu":
        return "batched"
    if flat.has_convolutions:
        return "sequential"
    return "batched" if flat.vector.numel() <= CPU_LIMIT else "sequential"


def train_slots(flat: FlatModel, data, slots: list[Slot], starts: torch.Tensor, local: LocalSGD, round: int, loss,
                engine: str, anchors: torch.Tensor | None = None) -> torch.Tensor:
    """Pseudo-gradients (S, d) of ``slots`` by the engine of that name; arguments as in ``sequential.run``."""
    if engine not in ENGINES:
        raise unknown("engine", engine, ENGINES)
    return ENGINES[engine](flat, data, slots, starts, local, round, loss, anchors)
