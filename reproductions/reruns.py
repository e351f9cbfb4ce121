"""Rerunning a recorded row from its provenance: are the numbers the recorded ones, and is the verdict?"""

import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from fairfl.errors import Refused
from reproductions import catalogue, provenance, report, results, runner
from reproductions.experiment import Experiment
from reproductions.jobs import Job, select

ALIKE = ("model", "capability", "torch_blas", "numpy_blas")


@dataclass(frozen=True)
class Comparison:
    """A row's runs once more: ``seeds`` of them.

    How many recorded numbers were ``compared`` with new ones, and a line for each that is different (``differences``; the ``largest`` of
    them in the numbers' own units, points of accuracy for most). How many published ``cells`` the row has, and a line for each whose
    verdict the new numbers change (``verdicts``). ``same_machine``: whether all ran where bits repeat, on a processor and libraries like the
    recorded ones and in the recorded batches; None where the record, an early one, does not say.
    """

    seeds: int
    compared: int
    differences: list[str]
    largest: float = 0.0
    cells: int = 0
    verdicts: list[str] = field(default_factory=list)
    same_machine: bool | None = None

    @property
    def refuted(self) -> bool:
        """Another digit on the same machine, or another verdict anywhere."""
        return bool(self.verdicts or self.same_machine and self.differences)


def again(
    experiment: Experiment,
    row: str,
    recorded: Path,
    *,
    seeds: list[int] | None = None,
    runs: Path | None = None,
    device: str = "cpu",
    papers: Path | None = None,
    together: str | None = None,
) -> Comparison:
    """Train the batches in which ``row`` was recorded once more, and compare every number of ``NAME.csv`` but the seconds.

    ``recorded`` holds ``NAME.csv`` and ``NAME.json``. ``runs``: a folder for the new runs, so that a long check can continue (default: one
    that is thrown away). ``papers``: the folder of the published numbers; with it, the row's cells are judged by the record and again with
    the new numbers of ``seeds`` in their place. ``together``: "none" or "seeds" trains the row's runs one by one or as one batch, whatever the
    recorded ones were: cheaper where many rows trained together, and the digits may then differ anywhere. On a CPU of the same kind equal batches give equal bits, so that every printed digit must
    agree; elsewhere the verdicts should. Raises ``Refused`` if the row is not recorded, was recorded without its batch or under other
    settings, or cannot run.
    """
    held = results.load(experiment, recorded)
    lines = [line for line in held if line["row"] == row and (seeds is None or line["seed"] in seeds)]
    if not lines and any(line["row"].startswith(row) for line in results.earlier(experiment, recorded)):
        raise Refused(
            f"row {row!r} of {experiment.name} was recorded under other settings than the declaration has now; run it again"
        )
    if not lines:
        raise Refused(f"row {row!r} of {experiment.name} is not recorded; run it first, then report")
    told = results.provenance(experiment, recorded)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(runs or temporary)
        for group in [select(experiment, [row], seeds)] if together else _groups(experiment, row, lines, told):
            outcome = runner.run(group, folder, together=together or "rows", device=device, report=lambda said: None)
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
    other = [(line, now, name) for line, now, name in pairs if now.get(name) != line[name]]
    sizes = [abs(now[name] - line[name]) for line, now, name in other if isinstance(now.get(name), float)]
    cells, verdicts = _judged(experiment, row, held, fresh, papers) if papers else (0, [])
    return Comparison(
        len(lines),
        sum(isinstance(line[name], float) for line, _, name in pairs),
        [
            f"{row}, seed {line['seed']}, {name}: {line[name]} recorded, {now.get(name)} now"
            for line, now, name in other
        ],
        max(sizes, default=0.0),
        cells,
        verdicts,
        not together and _same_machine([told[line["key"]] for line in lines], device),
    )


def _groups(experiment, row, lines, told) -> list[list[Job]]:
    """The batches in which ``lines`` of ``row`` were recorded."""
    groups = []
    for line in lines:
        if "group" not in told.get(line["key"], {}):
            raise Refused(
                f"{experiment.name}.json does not say in which batch {row!r}, seed {line['seed']} trained; run it again"
            )
        batch = told[line["key"]]["group"]
        # A job that trained alone may have been recorded for another table, where its row has another name.
        alone = [Job(experiment, experiment.row(row), line["seed"])] if len(batch) == 1 else None
        group = alone or [_job(experiment, label, seed) for label, seed in batch]
        if line["key"] not in [job.key for job in group]:
            raise Refused(
                f"{row!r}, seed {line['seed']} was recorded under other settings than the declaration has now; run it again"
            )
        groups.append(group)
    return groups


def _judged(experiment, row, held, fresh, papers) -> tuple[int, list[str]]:
    """How many cells the row has, and what the numbers of ``fresh`` say otherwise of them than those of ``held``."""
    was = [cell for cell in report.cells(experiment, held, papers) if cell.row == row]
    renewed = [line | fresh[line["key"]] | {"row": line["row"]} if line["key"] in fresh else line for line in held]
    now = [cell for cell in report.cells(experiment, renewed, papers) if cell.row == row]
    return len(was), [
        f"{row}, {before.metric}: {before.equivalence.word} by the record, {after.equivalence.word} with the new numbers "
        f"(ours - theirs {before.equivalence.difference:+.2f}, {after.equivalence.difference:+.2f}; margin {before.equivalence.margin:g})"
        for before, after in zip(was, now)
        if before.equivalence.word != after.equivalence.word
    ]


def _same_machine(told: list[dict], device: str) -> bool | None:
    if any("processor" not in one for one in told):
        return None
    here = provenance.processor()
    return device == "cpu" and all(
        one["machine"]["device"] == "cpu" and all(one["processor"].get(name) == here[name] for name in ALIKE)
        for one in told
    )


def _job(experiment, label, seed):
    # The readings of one table may have trained as one batch; a row that this one lacks is then the table's own.
    if experiment.reading_of and label not in [row.label for row in experiment.rows]:
        experiment = catalogue.load(experiment.reading_of)
    return Job(experiment, experiment.row(label), seed)
