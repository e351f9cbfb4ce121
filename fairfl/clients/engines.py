"""The choice of an engine: a function of model, device and number of slots, so equal settings give equal bits."""

from collections.abc import Sequence
from dataclasses import replace

import torch

from fairfl.clients import batched, sequential
from fairfl.clients.correction import Bound, Stacks
from fairfl.clients.flat_model import FlatModel
from fairfl.clients.round_work import RoundWork
from fairfl.errors import Refused, unknown

ENGINES = {"sequential": sequential.run, "batched": batched.run}

# With more parameters than this, one model alone keeps two CPU cores busy, and stacking gains nothing.
CPU_LIMIT = 100_000


def choose(flat: FlatModel, slots: int) -> str:
    """The engine for ``slots`` slots per round: "batched" or "sequential".

    Models with dropout or recurrent layers always train one slot at a time: dropout draws random numbers that stacking
    would change, and recurrent layers have no batched gradient. A single slot is sequential too. Everything else is
    stacked on a GPU. On a CPU, stacking pays for small dense models (measured on two cores: 10 to 14 times faster for
    100 clients with 18 digits each, 2 to 2.5 times for ten clients with 180). For MLPs with 200,000 parameters it is
    1.2 to 2.5 times faster on two threads and a quarter slower on one. Convolutions are slower (0.6 to 0.9 times the
    speed). ``benchmarks/training.py`` prints these ratios.
    """
    if flat.has_dropout or flat.has_recurrence or slots == 1:
        return "sequential"
    if flat.device.type != "cpu":
        return "batched"
    if flat.has_convolutions:
        return "sequential"
    return "batched" if flat.vector.numel() <= CPU_LIMIT else "sequential"


def train_slots(flat: FlatModel, work: RoundWork, engine: str, kept: Sequence[Stacks] | None = None) -> torch.Tensor:
    """The pseudo-gradients (S, d) of ``work``'s slots, computed by the named engine.

    ``kept``: for each run, what its N clients keep for ``local.correct``, by name, (N, d); it is changed in place.
    """
    if engine not in ENGINES:
        raise unknown("engine", engine, ENGINES)
    if work.local.correct is None:
        return ENGINES[engine](flat, work)
    if kept is None:
        raise Refused(
            "local.correct needs the vectors that clients keep between rounds, and kept is None; use fairfl.train",
            "missing",
        )
    bound = Bound.of(work.local.correct, work.slots, work.starts, kept)
    deltas = ENGINES[engine](flat, replace(work, bound=bound))
    sizes = [len(slot.rows) for slot in work.slots]
    steps = [work.local.steps_of(n) for n in sizes]
    step_sizes = [work.local.pseudo_lr(n, work.round) for n in sizes]
    return bound.close(deltas, work.slots, steps, step_sizes, kept)
