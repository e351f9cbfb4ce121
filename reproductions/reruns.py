"""Rerun a recorded row from its provenance, and compare the numbers and the verdicts."""

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
    """A row's recorded runs compared with new ones.

    - ``seeds``: the number of runs.
    - ``compared``: the number of recorded numbers that were compared. ``differences``: a line for each that differs; ``largest``: the
      largest difference, in the number's own unit (mostly points of accuracy).
    - ``cells``: the number of published cells in the row. ``verdicts``: a line for each whose verdict changes with the new numbers.
    - ``same_machine``: whether bits should be equal, because the processor, the libraries and the batches are as recorded; ``None`` for
      early records, which do not say.
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
        """Whether a digit differs on the same machine, or a verdict on any machine."""
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
    """Train the batches in which ``row`` was recorded again, and compare every number in ``NAME.csv`` except the seconds.

    On a CPU of the same kind, equal batches give equal bits, so every printed digit must agree. On other machines the verdicts should.

    - ``recorded``: the folder of ``NAME.csv`` and ``NAME.json``.
    - ``runs``: a folder for the new runs, so a long check can be continued (default: a temporary one).
    - ``papers``: the folder of the published numbers. If given, the row's cells are judged by the record, and again with the new
      numbers of ``seeds`` in it.
    - ``together``: "none" or "seeds" trains the row's runs one by one or as one batch, instead of in the recorded batches. This costs less
      if many rows trained together, but the digits may then differ on any machine.

    Raises ``Refused`` if the row is not recorded, was recorded without its batch or under other settings, or cannot run.
    """
    held = results.load(experiment, recorded)
    lines = [line for line in held if line["row"] == row and (seeds is None or line["seed"] in seeds)]
    if not lines and any(line["row"].startswith(row) for line in results.earlier(experiment, recorded)):
        raise Refused(
            f"row {row!r} of {experiment.name} was recorded under other settings than the declaration has now; run it again",
            "state",
        )
    if not lines:
        raise Refused(f"row {row!r} of {experiment.name} is not recorded; run it first, then report", "missing")
    origin = results.provenance(experiment, recorded)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(runs or temporary)
        batches = [select(experiment, [row], seeds)] if together else _groups(experiment, row, lines, origin)
        for line, batch in zip(lines, batches):
            outcome = runner.run(
                batch,
                folder,
                together=together or "rows",
                device=device,
                precision=_precision(origin.get(line["key"], {}), device),
                report=lambda line: None,
            )
            if outcome.refused:
                raise Refused(f"{outcome.refused[0][0]} cannot run: {outcome.refused[0][1]}", "state")
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
        not together and _same_machine([origin[line["key"]] for line in lines], device),
    )


def _groups(experiment, row, lines, origin) -> list[list[Job]]:
    """The batches in which ``lines`` of ``row`` were recorded."""
    groups = []
    for line in lines:
        if "group" not in origin.get(line["key"], {}):
            raise Refused(
                f"{experiment.name}.json does not say in which batch {row!r}, seed {line['seed']} trained; run it again",
                "missing",
            )
        batch = origin[line["key"]]["group"]
        # A job that trained alone may have been recorded for another table, in which its row has another label.
        alone = [Job(experiment, experiment.row(row), line["seed"])] if len(batch) == 1 else None
        group = alone or [_job(experiment, label, seed) for label, seed in batch]
        if line["key"] not in [job.key for job in group]:
            raise Refused(
                f"{row!r}, seed {line['seed']} was recorded under other settings than the declaration has now; run it again",
                "state",
            )
        groups.append(group)
    return groups


def _judged(experiment, row, held, fresh, papers) -> tuple[int, list[str]]:
    """The number of cells in the row, and a line for each verdict that differs between the ``fresh`` and the ``held`` numbers."""
    was = [cell for cell in report.cells(experiment, held, papers) if cell.row == row]
    renewed = [line | fresh[line["key"]] | {"row": line["row"]} if line["key"] in fresh else line for line in held]
    now = [cell for cell in report.cells(experiment, renewed, papers) if cell.row == row]
    return len(was), [
        f"{row}, {before.metric}: {before.equivalence.word} by the record, {after.equivalence.word} with the new numbers "
        f"(ours - printed {before.equivalence.difference:+.2f}, {after.equivalence.difference:+.2f}; margin {before.equivalence.margin:g})"
        for before, after in zip(was, now)
        if before.equivalence.word != after.equivalence.word
    ]


def _same_machine(origins: list[dict], device: str) -> bool | None:
    if any("processor" not in one for one in origins):
        return None
    here = provenance.processor()
    return device == "cpu" and all(
        one["machine"]["device"] == "cpu" and all(one["processor"].get(name) == here[name] for name in ALIKE)
        for one in origins
    )


def _precision(origin: dict, device: str) -> str:
    """The recorded precision on CUDA; a CPU has only float32."""
    return origin.get("precision", "float32") if device.startswith("cuda") else "float32"


def _job(experiment, label, seed):
    # The readings of one table may have trained as one batch. A row that this reading does not have is then one of the table itself.
    if experiment.reading_of and label not in [row.label for row in experiment.rows]:
        experiment = catalogue.load(experiment.reading_of)
    return Job(experiment, experiment.row(label), seed)
