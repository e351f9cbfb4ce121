"""The choice of an engine: a function of model, device and number of slots, so equal settings give equal bits."""

from collections.abc import Sequence
from dataclasses import replace

import torch

from fairfl._validation import known
from fairfl.clients import batched, sequential
from fairfl.clients.correction import Bound, Stacks
from fairfl.clients.flat_model import FlatModel
from fairfl.clients.per_client import Local, PerClient, methods_of
from fairfl.clients.round_work import RoundWork
from fairfl.errors import Refused, refuse

ENGINES = {"sequential": sequential.run, "batched": batched.run}

# With more parameters than this, one model alone keeps two CPU cores busy, and stacking gains nothing.
CPU_LIMIT = 100_000


def choose(flat: FlatModel, slots: int, local: Local | None = None) -> str:
    """The engine for ``slots`` slots per round: "batched" or "sequential".

    Models with dropout or recurrent layers, or with a part that has two names, always train one slot at a time: dropout
    draws random numbers that stacking would change, recurrent layers have no batched gradient, and parts with two names
    would keep the stacked parameters. A local method that cannot be stacked, such as
    ``LocalOptimiser``, is sequential, and so is a single slot, or one client per method on average. Everything else is
    stacked on a GPU. On a CPU, stacking pays for small dense models (measured on two cores: 10 to 14 times faster for
    100 clients with 18 digits each, 2 to 2.5 times for ten clients with 180). For MLPs with 200,000 parameters it is
    1.2 to 2.5 times faster on two threads and a quarter slower on one. Convolutions are slower (0.6 to 0.9 times the
    speed). ``benchmarks/training.py`` prints these ratios.
    """
    kinds = 1 if local is None else len(methods_of(local))
    stacks = local is None or all(method.stacks for method in methods_of(local))
    if flat.has_dropout or flat.has_recurrence or flat.has_shared_modules or not stacks or slots // kinds <= 1:
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
    known("engine", engine, ENGINES)
    if work.local.correct is None:
        return _run(flat, work, engine)
    if kept is None:
        raise Refused(
            "local.correct needs the vectors that clients keep between rounds, and kept is None; use fairfl.train",
            "missing",
        )
    bound = Bound.of(work.local.correct, work.slots, work.starts, kept)
    deltas = _run(flat, replace(work, bound=bound), engine)
    steps = [work.local_of(slot).steps_of(len(slot.rows)) for slot in work.slots]
    step_sizes = [work.local_of(slot).pseudo_lr(len(slot.rows), work.round) for slot in work.slots]
    return bound.close(deltas, work.slots, steps, step_sizes, kept)


def refuse_unstacked(engine: str, local: Local) -> None:
    """Raise ``Refused`` if ``engine`` cannot train the clients of ``local``."""
    for method in methods_of(local):
        if engine == "batched" and not method.stacks:
            raise refuse(
                "engine",
                engine,
                f"'sequential' for local {type(method).__name__}",
                "It has no step for stacked clients; leave engine out to get one that fits.",
                "combination",
            )


def _run(flat: FlatModel, work: RoundWork, engine: str) -> torch.Tensor:
    """The pseudo-gradients (S, d) before corrections. The batched engine trains clients with one method at a time."""
    refuse_unstacked(engine, work.local)
    if engine != "batched" or not isinstance(work.local, PerClient):
        return ENGINES[engine](flat, work)
    deltas = torch.empty(len(work.slots), flat.vector.numel(), dtype=flat.vector.dtype, device=flat.device)
    for number, places in work.local.groups(work.slots).items():
        part = replace(work.part(places), local=work.local.methods[number])
        deltas[torch.tensor(places, device=deltas.device)] = batched.run(flat, part)
    return deltas
