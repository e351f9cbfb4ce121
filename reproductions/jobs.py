"""Jobs (one row under one seed), and groups of jobs that train as one batch."""

import json
from dataclasses import dataclass
from functools import cached_property

from fairfl._validation import integer
from fairfl.errors import refuse
from fairfl.training.description import describe, describe_rule
from reproductions import job_identity
from reproductions.experiment import Experiment, Row


@dataclass(frozen=True)
class Job:
    """One row under one seed."""

    experiment: Experiment
    row: Row
    seed: int

    @cached_property
    def identity(self) -> dict:
        """The settings that distinguish this job from others (``job_identity.identity``)."""
        return job_identity.identity(self.experiment, self.row, self.seed)

    @cached_property
    def key(self) -> str:
        """Twelve hexadecimal digits that identify the job (``job_identity.key``)."""
        return job_identity.key(self.identity)

    @property
    def settings(self) -> dict:
        """All settings, including defaults, for the job's provenance."""
        e, row = self.experiment, self.row
        return {name: getattr(e, name) for name in job_identity.DECIDES} | {
            "rule": {"class": row.rule} | describe_rule(e.rule(row)),
            "local": describe(e.local_of(row)),
            "server": describe(e.server_of(row)),
            "tamper": describe(e.tamper_of(row)),
            "personal": describe(e.personal_of(row)),
            "seed": self.seed,
        }

    @property
    def title(self) -> str:
        """The job's name in messages."""
        return f"{self.row.label}, seed {self.seed}"

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Job) and self.key == other.key


def select(
    experiment: Experiment, rows: list[str] | None = None, seeds: list[int] | None = None, best: bool = False
) -> list[Job]:
    """The jobs of ``experiment``, or of the given ``rows`` and ``seeds``; ``best`` keeps one row per method.

    Rows that reprint another table's have no jobs. Seeds need not be declared. Raises ``Refused`` for an unknown row, a seed below 0,
    and a row or seed that is given twice.
    """
    for what, given in (("rows", rows or []), ("seeds", seeds or [])):
        if twice := [one for one in given if given.count(one) > 1]:
            raise refuse(what, given, "each once", f"Leave out the second {twice[0]!r}.")
    for seed in seeds or ():
        integer("a seed", seed, 0, "The declared seeds start at 0; to add one, take the next number.")
    chosen = [experiment.row(label) for label in rows] if rows else list(experiment.rows)
    if best:
        chosen = [row for row in chosen if row.best]
    return [
        Job(experiment, row, seed)
        for row in chosen
        if not row.reprints
        for seed in (experiment.seeds if seeds is None else seeds)
    ]


def groups(jobs: list[Job], together: str) -> list[list[Job]]:
    """``jobs`` in batches. Jobs with different splits never share one.

    ``together``: "none" (each job alone), "seeds" (those of a row), or "rows" (all with the same local training and personal models).
    """
    if together == "none":
        return [[job] for job in jobs]
    batches: dict = {}
    for job in jobs:
        shared = ("local", "personal") if together == "rows" else job.identity
        common = {name: job.identity.get(name) for name in shared if name != "seed"}
        common |= {"split": job.seed} if job.experiment.split_per_seed else {}
        batches.setdefault(json.dumps(common, sort_keys=True), []).append(job)
    return list(batches.values())
