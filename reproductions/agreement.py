"""How well a whole table was reproduced, in one line: the typical difference, the order of the rows, and whether wrong rows would pass as well."""

from collections import Counter
from dataclasses import dataclass
from math import isnan, nan
from pathlib import Path

import numpy as np
from scipy import stats

from reproductions import report
from reproductions.equivalence import WORDS, margin_of
from reproductions.experiment import Column, Experiment

HEAD = f"{'table':33} {'n':>5} {'cells':>5} {'=':>3} {'≠':>3} {'?':>3}  {'miss':>5}  {'order':12} {'wrong':>6}"
LEGEND = (
    "n: seeds; =, ≠, ?: cells equivalent, different, undecided; miss: median difference in points of accuracy;\n"
    "order: rank correlation of the rows, per column; wrong: share of the other rows' printed cells to which a\n"
    "row's runs would be equivalent (compare with =/cells). Without --short, every cell is printed."
)


@dataclass(frozen=True)
class Agreement:
    """A summary of a table's judged cells.

    - ``seeds``: the smallest and the largest number of runs behind a row.
    - ``words``: the number of cells with each verdict.
    - ``miss``: the median of |ours − printed| over the cells in points of accuracy, including spreads in points; NaN without one.
    - ``order``: the smallest and the largest of Spearman's rank correlations between printed and our means over the rows, one per
      column with three rows or more; empty without such a column.
    - ``wrong``: of all pairs of a row's runs and another row's printed cell in the same column, the fraction that ``report.beside``
      calls *equivalent*. A table of interchangeable rows would have this rate. NaN with one row.
    """

    name: str
    seeds: tuple[int, int]
    words: Counter
    miss: float
    order: tuple[float, ...]
    wrong: float

    def line(self) -> str:
        """The summary in at most 100 characters, with the columns of ``HEAD``."""
        seeds = "–".join(map(str, dict.fromkeys(self.seeds)))
        counts = " ".join(f"{self.words[word]:3}" for word in ("equivalent", "different", "undecided"))
        order = " to ".join(f"{value:.2f}" for value in dict.fromkeys(self.order))
        wrong = "" if isnan(self.wrong) else f"{100 * self.wrong:.0f} %"
        miss = "" if isnan(self.miss) else f"{self.miss:.2f}"
        cells = sum(self.words[word] for word in WORDS if word != "not run")
        return f"{self.name:33} {seeds:>5} {cells:5} {counts}  {miss:>5}  {order:12} {wrong:>6}".rstrip()


def agreement(experiment: Experiment, recorded: list[dict], papers: Path) -> Agreement | None:
    """The agreement of the ``recorded`` lines (``results.load``) with the published numbers; ``None`` if no printed cell has a run."""
    judged = [cell for cell in report.cells(experiment, recorded, papers) if not isnan(cell.equivalence.difference)]
    if not judged:
        return None
    columns = {column.metric: column for column in experiment.columns}
    seeds = [sum(line["row"] == row and not line["failed"] for line in recorded) for row in {c.row for c in judged}]
    misses = [abs(c.equivalence.difference) for c in judged if margin_of(columns[c.metric].of) in (1.0, 2.0)]
    orders = [value for metric in columns if not isnan(value := _order([c for c in judged if c.metric == metric]))]
    wrong = [word for metric in columns for word in _wrong_rows(experiment, columns[metric], judged, recorded)]
    return Agreement(
        experiment.name,
        (min(seeds), max(seeds)),
        Counter(cell.equivalence.word for cell in judged),
        float(np.median(misses)) if misses else nan,
        (min(orders), max(orders)) if orders else (),
        wrong.count("equivalent") / len(wrong) if wrong else nan,
    )


def _order(column: list[report.Cell]) -> float:
    """Spearman's rank correlation of printed and our means; NaN with fewer than three different values of either."""
    printed = [float(cell.value) for cell in column]
    ours = [value + cell.equivalence.difference for value, cell in zip(printed, column)]
    if len(set(printed)) < 3 or len(set(ours)) < 3:
        return nan
    return float(stats.spearmanr(printed, ours).statistic)


def _wrong_rows(experiment: Experiment, column: Column, judged: list[report.Cell], recorded: list[dict]) -> list[str]:
    """The verdicts on each row's runs beside the other rows' printed cells in ``column``."""
    cells = [cell for cell in judged if cell.metric == column.metric]
    runs = {cell.row: report.measured([line for line in recorded if line["row"] == cell.row], column) for cell in cells}
    return [
        report.beside(experiment, experiment.row(cell.row), column, runs[cell.row], other.value, other.spread).word
        for cell in cells
        for other in cells
        if (other.value, other.spread) != (cell.value, cell.spread)
    ]
