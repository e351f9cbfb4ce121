"""``run``: train what is not trained yet. One file a job; a second runner on the same folder takes other jobs."""

import os
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import torch

from fairfl import models, partition
from fairfl.experiments import claims, provenance, references
from fairfl.experiments.experiment import Experiment
from fairfl.experiments.jobs import Job, groups
from fairfl.federation import Federation
from fairfl.training import History, train


def where(folder: Path, job: Job) -> Path:
    """The file that will hold ``job``'s history."""
    return Path(folder) / f"{job.key}.npz"


def federation_of(experiment: Experiment) -> Federation:
    """The experiment's split, with its data. Raises ``FileNotFoundError`` saying what to do where they are not there."""
    if ":" in experiment.federation:
        return references.find("federation", experiment.federation)(experiment.split_seed)
    return partition.preset(experiment.federation, experiment.split_seed)


def run(jobs: list[Job], folder: Path, *, together: str | None = None, device: str | None = None, federation: Federation | None = None,
        report: Callable[[str], None] = print) -> list[Path]:
    """Train the ``jobs`` (of one experiment) whose files are not in ``folder``, and return the files written now.

    ``together``: the batches, "none", "seeds" or "rows" (default: the experiment's; on CUDA at least "seeds"). ``report`` is told a
    line a batch. A killed run continues from its last checkpoint; jobs that another runner holds are left to it. A job that fails
    leaves its rounds and its error in its file, and the others go on.
    """
    experiment, folder = jobs[0].experiment, Path(folder)
    device = device or ("cuda" if torch.cuda.is_available() else "cpu")
    together = together or (experiment.together if device == "cpu" or experiment.together == "rows" else "seeds")
    batches = [b for b in groups(jobs, together) if not all(where(folder, job).exists() for job in b)]
    if not batches:
        return []
    federation = federation or federation_of(experiment)
    written = []
    for number, batch in enumerate(_bar(batches, experiment), 1):
        with claims.take(folder / "locks", [job.key for job in batch]) as free:
            # Looked at only now: whoever held a job may have finished it meanwhile.
            mine = [job for job in batch if job.key in free and not where(folder, job).exists()]
            if not mine:
                continue
            report(f"{experiment.name}: batch {number} of {len(batches)}, {_title(mine)}")
            written += _train(mine, federation, folder, device, report)
    return written


def _bar(batches, experiment):
    """The batches behind a progress bar with the time left."""
    if os.environ.get("FAIRFL_PROGRESS", "1") == "0":
        return batches
    from tqdm.auto import tqdm

    return tqdm(batches, desc=experiment.name, unit="batch")


def _title(batch):
    return batch[0].title if len(batch) == 1 else f"{batch[0].title} and {len(batch) - 1} more"


def _train(batch: list[Job], federation, folder, device, report) -> list[Path]:
    started = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime())
    checkpoint = folder / f"{'-'.join(sorted(job.key for job in batch)[:2])}-{len(batch)}.pt"
    try:
        histories, failed = _histories(batch, federation, checkpoint, device), ""
    except ValueError as error:
        if not hasattr(error, "history"):
            raise
        if len(batch) > 1:
            report(f"a run of the batch failed ({error}); its runs are tried one by one")
            checkpoint.unlink(missing_ok=True)
            return [path for job in batch for path in _train([job], federation, folder, device, report)]
        histories, failed = error.history, str(error)
        report(f"{batch[0].title} failed: {failed}")
    paths = []
    for job, history in zip(batch, histories):
        history.weights = None
        history.seconds /= len(batch)
        history.settings |= {"job": job.settings, "key": job.key, "row": job.row.label, "started": started, "failed": failed,
                             "group": [[j.row.label, j.seed] for j in batch], "versions": provenance.versions()}
        history.save(where(folder, job))
        paths.append(where(folder, job))
    checkpoint.unlink(missing_ok=True)
    return paths


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
