"""``train_jobs``: many runs as batches where they can be one, and one by one where a run of a batch ends early."""

import copy
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

import torch

from fairfl.clients import Ditto, LocalSGD, SecondOrder
from fairfl.errors import Diverged, Refused
from fairfl.federation import Federation
from fairfl.rules import Rule
from fairfl.training.history import History
from fairfl.training.loop import train
from fairfl.training.server_optimiser import Server


@dataclass(frozen=True)
class Job:
    """One run. ``name`` is the caller's own, by which it knows the job again."""

    rule: Rule
    seed: int
    local: LocalSGD | SecondOrder = LocalSGD()
    server: Server = Server()
    tamper: Callable | None = None
    personal: Ditto | None = None
    name: Any = field(default=None, compare=False)


Record = Callable[[Sequence[Job], list[History] | None, Refused | None], None]


def train_jobs(
    federation: Federation,
    model: str | torch.nn.Module | Callable,
    jobs: Sequence[Job],
    record: Record,
    *,
    together: int | None = None,
    checkpoint: Callable[[Sequence[Job]], os.PathLike] | None = None,
    **settings: Any,
) -> None:
    """Train ``jobs``; neighbours whose clients do the same are one batch, of at most ``together`` where that is given.

    ``record(jobs, histories, error)`` hears of every batch when it has ended: its histories and ``None``; or ``None``
    and why, if a run of several was refused or diverged, and then each of them is trained alone. A job alone that
    diverges is recorded with the rounds that it finished and the ``Diverged``, one that is refused with ``None`` and
    the ``Refused``. What ``record`` raises ends it all, and so does any other exception. ``checkpoint(jobs)`` is asked
    for a batch's file before it trains. ``settings`` are those of ``train``.
    """
    for _, group in groupby(jobs, lambda job: (job.local, job.personal)):
        alike = list(group)
        for first in range(0, len(alike), together or len(alike)):
            batch = alike[first : first + (together or len(alike))]
            error = _train(federation, model, batch, record, checkpoint, settings)
            for job in batch if error and len(batch) > 1 else ():
                _train(federation, model, [job], record, checkpoint, settings)


def _train(
    federation: Federation,
    model: str | torch.nn.Module | Callable,
    jobs: Sequence[Job],
    record: Record,
    checkpoint: Callable[[Sequence[Job]], os.PathLike] | None,
    settings: dict[str, Any],
) -> Refused | None:
    # One run is set up as one, so that its checkpoint and its bits are those of a plain call of train. Attacks are
    # copied: one that counts or draws must not hear of other runs, nor of a batch that was given up.
    each = lambda values: values if len(jobs) > 1 else values[0]
    file = checkpoint(jobs) if checkpoint else None
    done: History | list[History] | None
    caught: Refused | None = None
    try:
        done = train(
            federation,
            model=model,
            local=jobs[0].local,
            personal=jobs[0].personal,
            checkpoint=file,
            rule=each([job.rule for job in jobs]),
            server=each([job.server for job in jobs]),
            tamper=each([copy.deepcopy(job.tamper) for job in jobs]),
            seed=each([job.seed for job in jobs]),
            **settings,
        )
    except Refused as error:
        done, caught = error.history if isinstance(error, Diverged) and len(jobs) == 1 else None, error
    record(jobs, done if done is None or isinstance(done, list) else [done], caught)
    return caught
