"""Rerunning a recorded row from its provenance: are the numbers the recorded ones?"""

import tempfile
from pathlib import Path

from fairfl.errors import Refused
from fairfl.experiments import catalogue, results, runner
from fairfl.experiments.experiment import Experiment
from fairfl.experiments.jobs import Job


def again(experiment: Experiment, row: str, recorded: Path, *, seeds: list[int] | None = None, runs: Path | None = None, device: str = "cpu") -> list[str]:
    """Train the batches in which ``row`` was recorded once more, and return what differs, a line a number; empty means equal.

    ``recorded`` holds ``NAME.csv`` and ``NAME.json``. ``runs``: a folder for the new runs, so that a long check can continue (default: one
    that is thrown away). On a CPU of the same kind equal batches give equal bits, so that every printed digit must agree. Raises
    ``ValueError`` if the row is not recorded or was recorded under other settings.
    """
    lines = [line for line in results.load(experiment, recorded) if line["row"] == row and (seeds is None or line["seed"] in seeds)]
    if not lines:
        raise Refused(f"row {row!r} of {experiment.name} is not recorded; run it first, then report")
    told = results.provenance(experiment, recorded)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(runs or temporary)
        for line in lines:
            group = [_job(experiment, label, seed) for label, seed in told[line["key"]]["group"]]
            if line["key"] not in [job.key for job in group]:
                raise Refused(f"{row!r}, seed {line['seed']} was recorded under other settings than the declaration has now; run it again")
            runner.run(group, folder, together="rows", device=device, report=lambda said: None)
        results.compile(experiment, folder, Path(temporary) / "results")
        fresh = {line["key"]: line for line in results.load(experiment, Path(temporary) / "results")}
    out = []
    for line in lines:
        now = fresh[line["key"]]
        out += [f"{row}, seed {line['seed']}, {name}: {line[name]} recorded, {now[name]} now"
                for name in line if name != "seconds" and now[name] != line[name]]
    return out


def _job(experiment, label, seed):
    # The readings of one table may have trained as one batch; a row that this one lacks is then the table's own.
    if experiment.reading_of and label not in [row.label for row in experiment.rows]:
        experiment = catalogue.load(experiment.reading_of)
    return Job(experiment, experiment.row(label), seed)
