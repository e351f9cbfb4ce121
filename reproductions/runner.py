"""``run``: train the jobs that are not finished. Each job has a file; a second runner on the same folder takes other jobs."""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path

import torch

from fairfl import models, partition
from fairfl.errors import Refused
from fairfl.federation import Federation
from fairfl.training import History
from fairfl.training import run_batches as training
from reproductions import locks, own_code, provenance, unfinished
from reproductions.attendance import Attendance
from reproductions.experiment import Experiment
from reproductions.jobs import Job, groups


@dataclass
class Outcome:
    """What a call of ``run`` did.

    ``written``: the new files; ``diverged``: those of them whose runs diverged, which is a result; ``refused``: (title, reason) of the jobs
    that could not run and have no file.
    """

    written: list[Path] = field(default_factory=list)
    diverged: list[Path] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)

    def __iadd__(self, other: "Outcome") -> "Outcome":
        self.written += other.written
        self.diverged += other.diverged
        self.refused += other.refused
        return self


def where(folder: Path, job: Job) -> Path:
    """The path of ``job``'s history."""
    return Path(folder) / f"{job.key}.npz"


def load_run(folder: Path, job: Job) -> History:
    """``job``'s history. Raises ``Refused`` if its file is damaged, or holds another job's run, as after renaming a file."""
    file = where(folder, job)
    history = History.load(file)
    if (key := history.settings.get("key")) != job.key:
        found = f"the run of job {key}" if key else "a History without a job's key"
        allowed = f"the run of job {job.key} ({job.title}), as the file's name says"
        raise Refused(f"{file} holds {found}; allowed: {allowed}. Move the file, and run the job again", "file")
    return history


def federation_of(experiment: Experiment, seed: int = 0) -> Federation:
    """The experiment's split for the run ``seed``, with its data. Raises ``Refused``, which says what to do, if the data are missing."""
    split = experiment.split_seed + (seed if experiment.split_per_seed else 0)
    try:
        if ":" not in experiment.federation:
            return partition.preset(experiment.federation, split)
        made = own_code.find("federation", experiment.federation)(split)
    except FileNotFoundError as error:
        raise Refused(f"{experiment.name} cannot run: {error}", "missing") from error
    if not isinstance(made, Federation):
        raise Refused(
            f"federation {experiment.federation!r} returned a {type(made).__name__}; allowed: a fairfl.Federation. Return the result of a "
            "function in fairfl.partition",
            "type",
        )
    made.dataset.check_classes(f"{experiment.name}: a table of accuracies")
    return made


def run(
    jobs: list[Job],
    folder: Path,
    *,
    together: str | None = None,
    device: str | None = None,
    precision: str = "float32",
    federation: Federation | None = None,
    report: Callable[[str], None] = print,
) -> Outcome:
    """Train the ``jobs`` (of one experiment) whose files are not in ``folder``.

    ``together``: the batches, "none", "seeds" or "rows" (default: the experiment's; on CUDA at least "seeds"). ``report`` is called with a
    line for each batch. ``precision``: as in ``fairfl.train``. A killed run continues from its last checkpoint; jobs that another runner
    holds are left to it. The file of a diverged run has its rounds and the reason; a refused job has no file; the other jobs continue. Any
    other exception is a bug and passes through; files that are already written stay.
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
    split = lru_cache(maxsize=1)(lambda seed: federation or federation_of(experiment, seed))
    split_of = lambda batch: split(batch[0].seed if experiment.split_per_seed else 0)
    split_of(batches[0])  # missing data are reported before anything is written
    for number, batch in enumerate(_bar(batches, experiment), 1):
        with locks.take(folder / "locks", [job.key for job in batch]) as free:
            # Checked only now, because the runner that held a job may have finished it in the meantime.
            todo = [job for job in batch if job.key in free and not finished(job.key)]
            if not todo:
                continue
            if held := unfinished.killed(folder, [job.key for job in todo], free, device):
                by_key = {job.key: job for job in batch}
                todo = [by_key[key] for key in held.keys]
            report(f"{experiment.name}: batch {number} of {len(batches)}, {_title(todo)}")
            outcome += _train(todo, split_of(todo), folder, device, precision, report)
    unfinished.sweep(folder, finished)
    return outcome


def _bar(batches, experiment):
    """The batches, with a progress bar that shows the remaining time."""
    if os.environ.get("FAIRFL_PROGRESS", "1") == "0":
        return batches
    from tqdm.auto import tqdm

    return tqdm(batches, desc=experiment.name, unit="batch")


def _title(batch):
    return batch[0].title if len(batch) == 1 else f"{batch[0].title} and {len(batch) - 1} more"


def _train(jobs: list[Job], federation, folder, device, precision, report) -> Outcome:
    outcome, e, started = Outcome(), jobs[0].experiment, []
    make = own_code.find("model", e.model) if ":" in e.model else models.MODELS[e.model]
    batch_of = lambda runs: unfinished.Batch(folder, tuple(run.name.key for run in runs), device)

    def begin(runs):
        started.append((time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime()), time.process_time()))
        batch_of(runs).begin()
        return batch_of(runs).checkpoint

    def record(runs, histories, error):
        batch, title = batch_of(runs), runs[0].name.title
        if histories is None and len(runs) > 1:
            report(f"a run of the batch failed ({error}); its runs are now tried one by one")
            batch.clear()
            return
        if histories is None:
            reason = (
                f"{error} (delete {batch.checkpoint} to start the run again from round 0)"
                if batch.checkpoint.exists()
                else str(error)
            )
            report(f"{title} was refused: {reason}")
            outcome.refused.append((title, reason))
            return
        if error:
            report(f"{title} diverged: {error}")
        batch.finish_training()
        group, (when, at) = [[run.name.row.label, run.seed] for run in runs], started[-1]
        work = round((time.process_time() - at) / len(runs), 1)
        for run, history in zip(runs, histories):
            job, file = run.name, where(folder, run.name)
            if file.exists():  # written before a kill
                continue
            history.parameters = None
            history.seconds /= len(runs)
            history.settings |= {
                "job": job.settings,
                "key": job.key,
                "row": job.row.label,
                "started": when,
                "cpu_seconds": work,
                "group": group,
                "failed": str(error or ""),
                "versions": provenance.versions(),
                "processor": provenance.processor(),
            }
            history.save(file)
            outcome.written.append(file)
            if error:
                outcome.diverged.append(file)
        batch.clear()

    runs = [
        training.Job(
            e.rule(job.row),
            job.seed,
            e.local_of(job.row),
            e.server_of(job.row),
            e.tamper_of(job.row),
            e.personal_of(job.row),
            job,
        )
        for job in jobs
    ]
    training.train_jobs(
        federation,
        partial(make, **e.model_settings),
        runs,
        record,
        checkpoint=begin,
        rounds=e.rounds,
        device=device,
        precision=precision,
        participation=Attendance(e.participation, len(federation), e.always) if e.always else e.participation,
        evaluate_every=e.evaluate_every,
        score=("test", "train") if e.training_losses else ("test",),
        checkpoint_every=e.checkpoint_every,
    )
    return outcome
