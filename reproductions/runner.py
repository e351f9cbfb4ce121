"""``run``: train what is not trained yet. One file a job; a second runner on the same folder takes other jobs."""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import torch

from fairfl import models, partition
from fairfl.errors import Diverged, Refused
from reproductions import claims, provenance, references, unfinished
from reproductions.experiment import Experiment
from reproductions.jobs import Job, groups
from fairfl.federation import Federation
from fairfl.training import History, train


@dataclass
class Outcome:
    """What a call of ``run`` did: the files ``written``, and of these the runs that ``diverged`` (a finding); the jobs ``refused``, which
    have no file, each with the reason."""

    written: list[Path] = field(default_factory=list)
    diverged: list[Path] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)

    def __iadd__(self, other: "Outcome") -> "Outcome":
        self.written += other.written
        self.diverged += other.diverged
        self.refused += other.refused
        return self


def where(folder: Path, job: Job) -> Path:
    """The file that will hold ``job``'s history."""
    return Path(folder) / f"{job.key}.npz"


def federation_of(experiment: Experiment) -> Federation:
    """The experiment's split, with its data. Raises ``Refused`` saying what to do where they are not there."""
    try:
        if ":" not in experiment.federation:
            return partition.preset(experiment.federation, experiment.split_seed)
        made = references.find("federation", experiment.federation)(experiment.split_seed)
    except FileNotFoundError as error:
        raise Refused(f"{experiment.name} cannot run: {error}") from error
    if not isinstance(made, Federation):
        raise Refused(f"federation {experiment.federation!r} gives {type(made).__name__}, which is no fairfl.Federation; "
                      f"return what a function of fairfl.partition returns")
    return made


def run(jobs: list[Job], folder: Path, *, together: str | None = None, device: str | None = None, federation: Federation | None = None,
        report: Callable[[str], None] = print) -> Outcome:
    """Train the ``jobs`` (of one experiment) whose files are not in ``folder``.

    ``together``: the batches, "none", "seeds" or "rows" (default: the experiment's; on CUDA at least "seeds"). ``report`` is told a
    line a batch. A killed run continues from its last checkpoint; jobs that another runner holds are left to it. A run that diverges
    leaves its rounds and the reason in its file; a job that is refused leaves nothing; the others go on. Any other exception is
    somebody's bug and goes through: the files that are written stay.
    """
    outcome, folder = Outcome(), Path(folder)
    if not jobs:
        return outcome
    experiment = jobs[0].experiment
    device = device or ("cuda" if torch.cuda.is_available() else "cpu")
    together = together or (experiment.together if device == "cpu" or experiment.together == "rows" else "seeds")
    finished = lambda key: (folder / f"{key}.npz").exists()
    unfinished.sweep(folder, finished)
    batches = [b for b in groups(jobs, together) if not all(where(folder, job).exists() for job in b)]
    if not batches:
        return outcome
    federation = federation or federation_of(experiment)
    for number, batch in enumerate(_bar(batches, experiment), 1):
        with claims.take(folder / "locks", [job.key for job in batch]) as free:
            # Looked at only now: whoever held a job may have finished it meanwhile.
            mine = [job for job in batch if job.key in free and not finished(job.key)]
            if not mine:
                continue
            if held := unfinished.killed(folder, [job.key for job in mine], free, device):
                by_key = {job.key: job for job in batch}
                mine = [by_key[key] for key in held.keys]
            report(f"{experiment.name}: batch {number} of {len(batches)}, {_title(mine)}")
            outcome += _train(mine, federation, folder, device, report)
    unfinished.sweep(folder, finished)
    return outcome


def _bar(batches, experiment):
    """The batches behind a progress bar with the time left."""
    if os.environ.get("FAIRFL_PROGRESS", "1") == "0":
        return batches
    from tqdm.auto import tqdm

    return tqdm(batches, desc=experiment.name, unit="batch")


def _title(batch):
    return batch[0].title if len(batch) == 1 else f"{batch[0].title} and {len(batch) - 1} more"


def _train(jobs: list[Job], federation, folder, device, report) -> Outcome:
    started = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime())
    batch, outcome = unfinished.Batch(folder, tuple(job.key for job in jobs), device), Outcome()
    batch.begin()
    try:
        histories, failed = _histories(jobs, federation, batch.checkpoint, device), ""
    except Refused as error:
        if len(jobs) > 1:
            report(f"a run of the batch failed ({error}); its runs are tried one by one")
            batch.clear()
            for job in jobs:
                outcome += _train([job], federation, folder, device, report)
            return outcome
        if not isinstance(error, Diverged) or error.history is None:
            told = f"{error} (delete {batch.checkpoint} to start the run afresh)" if batch.checkpoint.exists() else str(error)
            report(f"{jobs[0].title} was refused: {told}")
            return Outcome(refused=[(jobs[0].title, told)])
        histories, failed = error.history, str(error)
        report(f"{jobs[0].title} diverged: {failed}")
    batch.finish_training()
    for job, history in zip(jobs, histories):
        if where(folder, job).exists():  # written before a kill
            continue
        history.parameters = None
        history.seconds /= len(jobs)
        history.settings |= {"job": job.settings, "key": job.key, "row": job.row.label, "started": started, "failed": failed,
                             "group": [[j.row.label, j.seed] for j in jobs], "versions": provenance.versions(),
                             "processor": provenance.processor()}
        history.save(where(folder, job))
        outcome.written.append(where(folder, job))
        if failed:
            outcome.diverged.append(where(folder, job))
    batch.clear()
    return outcome


def _histories(batch: list[Job], federation, checkpoint, device) -> list[History]:
    e, rows = batch[0].experiment, [job.row for job in batch]
    make = references.find("model", e.model) if ":" in e.model else models.MODELS[e.model]
    # One run is set up as one, so that its checkpoint and its bits are those of a plain call of train.
    one = len(batch) == 1
    each = lambda values: values[0] if one else values
    return train(
        federation, each([e.rule(row) for row in rows]), partial(make, **e.model_settings),
        rounds=e.rounds, local=e.local_of(rows[0]),
        server=each([e.server_of(row) for row in rows]), participation=e.participation, seed=[job.seed for job in batch],
        evaluate_every=e.evaluate_every, tamper=each([e.tamper_of(row) for row in rows]), personal=e.personal_of(rows[0]),
        device=device, checkpoint=checkpoint, checkpoint_every=e.checkpoint_every)
