"""Which engine runs: a fixed function of model, batch and slots, so that equal settings give equal bits."""

import torch

from fairfl.clients import batched, sequential
from fairfl.clients.flat import FlatModel
from fairfl.clients.local import LocalSGD
from fairfl.clients.slots import Slot
from fairfl.errors import unknown

ENGINES = {"sequential": sequential.run, "batched": batched.run}

# Stacked work a step (slots × parameters × rows a batch) above which two CPU cores are busy without stacking.
CPU_STACK_LIMIT = 2e8


def choose(flat: FlatModel, sizes: list[int], slots: int, local: LocalSGD) -> str:
    """"batched" or "sequential" for ``slots`` slots a round of clients of these sizes.

    Dropout and recurrent layers always run one by one: the first draws random numbers that stacking would change, the
    second has no batched gradient. Everything else is stacked on a GPU; on a CPU where many small models wait for one
    another.
    """
    if flat.has_dropout or flat.has_recurrence or slots == 1:
        return "sequential"
    if flat.device.type != "cpu":
        return "batched"
    if flat.has_convolutions:
        return "sequential"
    batch = max(sizes) if local.batch_size is None else min(local.batch_size, max(sizes))
    return "batched" if flat.vector.numel() * batch < CPU_STACK_LIMIT / 100 else "sequential"


def train_slots(flat: FlatModel, data, slots: list[Slot], starts: torch.Tensor, local: LocalSGD, round: int, loss,
                engine: str) -> torch.Tensor:
    """Pseudo-gradients (S, d) of ``slots`` by the engine of that name."""
    if engine not in ENGINES:
        raise unknown("engine", engine, ENGINES)
    return ENGINES[engine](flat, data, slots, starts, local, round, loss)
