"""The ledger: every recorded table's cells with their verdicts."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from math import isnan, nan

import numpy as np

from reproductions import agreement, catalogue, report, results
from reproductions.equivalence import LACKS, WORDS, in_points
from reproductions.report import Cell
from reproductions.result_folders import Records


def ledger(records: Records) -> dict[str, list[Cell]]:
    """The judged cells of each declared table that has recorded runs, by the table's name; without tables of rows that no paper prints."""
    out = {}
    for name in catalogue.names():
        experiment = catalogue.load(name)
        if recorded := results.load(experiment, records.results):
            out[name] = report.cells(experiment, recorded, records.papers)
    return {name: cells for name, cells in out.items() if cells}


def distinct(cells: Iterable[Cell]) -> list[Cell]:
    """The ``cells`` that have runs, each once.

    Two cells with the same runs, metric and printed value are one cell, printed in two tables. If only one of them has a
    printed ±, that one is kept.
    """
    kept: dict[tuple, Cell] = {}
    for cell in cells:
        same = cell.keys, cell.metric, cell.value
        if cell.keys and (same not in kept or cell.spread and not kept[same].spread):
            kept[same] = cell
    return list(kept.values())


Judged = dict[str, list[Cell]]


def counted(records: Records, judged: Judged | None = None) -> Judged:
    """``ledger`` without the second readings of a table, by the printed table's name. ``judged``: the result of ``ledger``, if it has been computed.

    A row that its paper reprints is judged as in a reading that has the reprinted row's runs under the same label, if
    such a reading is recorded. A cell without runs is judged as in a reading that fills in (``Experiment.fills_in``).
    """
    judged = ledger(records) if judged is None else judged
    readings = {name: catalogue.load(name) for name in catalogue.names()}
    out: dict[str, dict[tuple[str, str], Cell]] = {}
    for name in judged:
        out.setdefault(readings[name].reading_of if readings[name].fills_in else name, {})
    out = {name: out[name] for name in out if not readings[name].reading_of}
    for name in out:
        out[name] = {(cell.row, cell.metric): cell for cell in judged.get(name, [])}
    for name, cells in judged.items():
        reading = readings[name]
        main = out.get(reading.reading_of, {})
        for cell in cells if reading.reading_of in out else ():
            held = main.get((cell.row, cell.metric))
            again = bool(cell.keys) and bool(reading.row(cell.row).reprints)
            if again or reading.fills_in and (held is None or not held.keys):
                main[cell.row, cell.metric] = cell
    return {name: list(cells.values()) for name, cells in out.items()}


@dataclass(frozen=True)
class Outcome:
    """How a published table came out: its counted cells that have runs, and the numbers of ``agreement`` computed from them.

    ``miss``: the median of |ours − printed| in points, NaN without such a cell. ``order``: the rank correlations of its columns.
    """

    name: str
    cells: tuple[Cell, ...]
    miss: float
    order: tuple[float, ...]

    @property
    def near(self) -> bool:
        """Whether half of the numbers are within a point of print."""
        return self.miss <= 1

    @property
    def ordered(self) -> bool:
        """Whether the rows are in the printed order: a rank correlation of 0.8 or more in every column."""
        return bool(self.order) and min(self.order) >= 0.8 - 1e-9


def outcomes(records: Records, judged: Judged | None = None) -> list[Outcome]:
    """The ``Outcome`` of each published table with runs, one for each, whatever the number of its readings; ``judged`` as in ``counted``."""
    out = []
    for name, cells in counted(records, judged).items():
        run = tuple(cell for cell in cells if not isnan(cell.equivalence.difference))
        columns = {column.metric: column.of for column in catalogue.load(name).columns}
        misses = [abs(cell.equivalence.difference) for cell in run if in_points(columns[cell.metric])]
        order = [agreement.order([cell for cell in run if cell.metric == metric]) for metric in columns]
        miss = float(np.median(misses)) if misses else nan
        out.append(Outcome(name, run, miss, tuple(value for value in order if not isnan(value))))
    return out


def headline(records: Records, judged: Judged | None = None) -> str:
    """The ledger in one sentence, which counts published tables and not their cells; ``judged`` as in ``counted``."""
    told = outcomes(records, judged)
    near = sum(one.near for one in told)
    both = sum(one.near and one.ordered for one in told)
    return (
        f"{len(told)} published tables rerun: in {near}, half of the numbers are within a point of print; in {both} of these, "
        "the rows are also in the printed order (rank correlation 0.8 or more in every column)"
    )


def cells_headline(records: Records, judged: Judged | None = None) -> str:
    """The verdicts on single cells in one sentence; a cell that several tables print counts once (``counted``, ``distinct``)."""
    tables = counted(records, judged)
    once = distinct(cell for cells in tables.values() for cell in cells)
    counts = Counter(cell.equivalence.word for cell in once)
    lacking = Counter(cell.equivalence.lacks for cell in once)
    reasons = report.counted(lacking, LACKS, LACKS)
    return f"{len(once)} published cells rerun, in {len(tables)} tables: {report.counted(counts, WORDS)} ({reasons})"
