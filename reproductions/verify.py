"""Rerunning a recorded row from its provenance: are the numbers the recorded ones?"""

import tempfile
from dataclasses import dataclass
from pathlib import Path

from fairfl.errors import Refused
from reproductions import catalogue, results, runner
from reproductions.experiment import Experiment
from reproductions.jobs import Job


@dataclass(frozen=True)
class Comparison:
    """How many recorded numbers were ``compared`` with new ones, and a line for each that is different."""

    compared: int
    differences: list[str]


def again(
    experiment: Experiment,
    row: str,
    recorded: Path,
    *,
    seeds: list[int] | None = None,
    runs: Path | None = None,
    device: str = "cpu",
) -> Comparison:
    """Train the batches in which ``row`` was recorded once more, and compare every number of ``NAME.csv`` but the seconds.

    ``recorded`` holds ``NAME.csv`` and ``NAME.json``. ``runs``: a folder for the new runs, so that a long check can continue (default: one
    that is thrown away). On a CPU of the same kind equal batches give equal bits, so that every printed digit must agree. Raises
    ``Refused`` if the row is not recorded, was recorded without its batch or under other settings, or cannot run.
    """
    lines = [
        line
        for line in results.load(experiment, recorded)
        if line["row"] == row and (seeds is None or line["seed"] in seeds)
    ]
    if not lines and any(line["row"].startswith(row) for line in results.earlier(experiment, recorded)):
        raise Refused(
            f"row {row!r} of {experiment.name} was recorded under other settings than the declaration has now; run it again"
        )
    if not lines:
        raise Refused(f"row {row!r} of {experiment.name} is not recorded; run it first, then report")
    told = results.provenance(experiment, recorded)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(runs or temporary)
        for line in lines:
            if "group" not in told.get(line["key"], {}):
                raise Refused(
                    f"{experiment.name}.json does not say in which batch {row!r}, seed {line['seed']} trained; run it again"
                )
            group = [_job(experiment, label, seed) for label, seed in told[line["key"]]["group"]]
            if line["key"] not in [job.key for job in group]:
                raise Refused(
                    f"{row!r}, seed {line['seed']} was recorded under other settings than the declaration has now; run it again"
                )
            outcome = runner.run(group, folder, together="rows", device=device, report=lambda said: None)
            if outcome.refused:
                raise Refused(f"{outcome.refused[0][0]} cannot run: {outcome.refused[0][1]}")
        results.compile(experiment, folder, Path(temporary) / "results")
        fresh = {line["key"]: line for line in results.load(experiment, Path(temporary) / "results")}
    pairs = [
        (line, fresh[line["key"]], name)
        for line in lines
        for name in line
        if name not in ("row", "seed", "key", "seconds")
    ]
    return Comparison(
        sum(isinstance(line[name], float) for line, _, name in pairs),
        [
            f"{row}, seed {line['seed']}, {name}: {line[name]} recorded, {now.get(name)} now"
            for line, now, name in pairs
            if now.get(name) != line[name]
        ],
    )


def _job(experiment, label, seed):
    # The readings of one table may have trained as one batch; a row that this one lacks is then the table's own.
    if experiment.reading_of and label not in [row.label for row in experiment.rows]:
        experiment = catalogue.load(experiment.reading_of)
    return Job(experiment, experiment.row(label), seed)
