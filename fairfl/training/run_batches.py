"""``train_jobs``: train many runs in batches where possible, and one by one if a run of a batch ends early."""

import copy
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

import torch

from fairfl.clients import Ditto, LocalMethod, LocalSGD, PerClient, SecondOrder
from fairfl.errors import Diverged, Refused
from fairfl.federation import Federation
from fairfl.rules import Rule
from fairfl.training.history import History
from fairfl.training.loop import train
from fairfl.training.server_optimiser import Server


@dataclass(frozen=True)
class Job:
    """One run. ``name`` is an identifier for the caller."""

    rule: Rule
    seed: int
    local: LocalMethod | PerClient | SecondOrder = LocalSGD()
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
    """Train ``jobs``; consecutive jobs whose clients do the same form one batch, of at most ``together`` jobs.

    ``record(jobs, histories, error)`` is called at the end of every batch, with its histories and ``None``. If a run of
    several was refused or diverged, it is called with ``None`` and the error, and then each job is trained alone. A
    single job that diverges is recorded with its finished rounds and the ``Diverged``, and one that is refused with
    ``None`` and the ``Refused``. Exceptions raised by ``record``, and all others, end the training of all jobs.
    ``checkpoint(jobs)`` gives a batch's file before it trains. ``settings`` are those of ``train``.
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
    # A single run is passed without lists, so its checkpoint and its bits are those of a plain call of train. Attacks
    # are copied: one that counts or draws must not see other runs, nor a batch that was abandoned.
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
