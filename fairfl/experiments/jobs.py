"""Rows × seeds are jobs; jobs that may train as one batch are a group."""

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property

from fairfl.experiments.experiment import Experiment, Row
from fairfl.training.settings import describe, describe_rule

# What decides a job's numbers; all else in a declaration is about the published table or the way it is run.
DECIDES = ("federation", "split_seed", "model", "model_settings", "rounds", "participation", "evaluate_every")


@dataclass(frozen=True)
class Job:
    """One row under one seed."""

    experiment: Experiment
    row: Row
    seed: int

    @cached_property
    def settings(self) -> dict:
        """Everything that decides this job's numbers, as plain values."""
        e, row = self.experiment, self.row
        return {name: getattr(e, name) for name in DECIDES} | {
            "rule": {"class": row.rule} | describe_rule(e.rule(row)), "local": describe(e.local_of(row)), "server": describe(e.server_of(row)),
            "tamper": describe(e.tamper_of(row)), "personal": describe(e.personal_of(row)), "seed": self.seed}

    @cached_property
    def key(self) -> str:
        """Twelve hexadecimal digits that equal settings, and no others, share."""
        told = json.dumps(self.settings, sort_keys=True, default=str)
        return hashlib.blake2b(told.encode(), digest_size=6).hexdigest()

    @property
    def title(self) -> str:
        return f"{self.row.label}, seed {self.seed}"

    def __hash__(self):
        return hash(self.key)

    def __eq__(self, other):
        return isinstance(other, Job) and self.key == other.key


def select(experiment: Experiment, rows: list[str] | None = None, seeds: list[int] | None = None, best: bool = False) -> list[Job]:
    """The jobs of ``experiment``, or of these rows and seeds; ``best`` keeps one row a method."""
    chosen = [experiment.row(label) for label in rows] if rows else list(experiment.rows)
    if best:
        chosen = [row for row in chosen if row.best]
    return [Job(experiment, row, seed) for row in chosen for seed in (experiment.seeds if seeds is None else seeds)]


def groups(jobs: list[Job], together: str) -> list[list[Job]]:
    """``jobs`` in batches: every job alone, the seeds of a row, or all whose clients do the same."""
    if together == "none":
        return [[job] for job in jobs]
    batches: dict = {}
    for job in jobs:
        common = ("local", "personal") if together == "rows" else tuple(k for k in job.settings if k != "seed")
        told = {name: job.settings[name] for name in common}
        batches.setdefault(json.dumps(told, sort_keys=True, default=str), []).append(job)
    return list(batches.values())
