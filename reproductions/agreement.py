"""How well a whole table was reproduced, in one line.

The line has the typical difference, the order of the rows, the differences between rows, and whether wrong rows would pass as well.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from math import isnan, nan
from pathlib import Path

import numpy as np
from scipy import stats

from reproductions import contrasts, report
from reproductions.equivalence import WORDS, in_points
from reproductions.experiment import Column, Experiment

HEAD = f"{'table':40} {'n':>4} {'miss':>5}  {'order':13} {'pairs':>6} {'right':>5} {'wrong':>5}  {'=':>2} {'≠':>2} {'?':>2}"
LEGEND = (
    "n: seeds. miss: median difference from print, in points of accuracy. order: rank correlation of our\n"
    "means with print, column by column. pairs: of the rows minus FedAvg (or the first row), how many are\n"
    "equivalent to the authors' logs, or print. right: cells equivalent to print; wrong: the same if a\n"
    "row is held against another row's print. =, ≠, ?: cells equivalent, different, undecided.\n"
    "More of one table: fairfl-reproduce report TABLE"
)


@dataclass(frozen=True)
class Agreement:
    """A summary of a table's judged cells.

    - ``seeds``: the smallest and the largest number of runs behind a row.
    - ``words``: the number of cells with each verdict.
    - ``miss``: the median of |ours − printed| over the cells in points of accuracy, including spreads in points; NaN without one.
    - ``order``: the smallest and the largest of Spearman's rank correlations between printed and our means over the rows, one per
      column with three rows or more; empty without such a column.
    - ``pairs``: the differences from FedAvg (``contrasts``), as in "20/60": equivalent ones and all that can be judged.
    - ``wrong``: of all pairs of a row's runs and another row's printed cell in the same column, the fraction that ``report.beside``
      calls *equivalent*. A table of interchangeable rows would have this rate. NaN with one row.
    """

    name: str
    seeds: tuple[int, int]
    words: Counter
    miss: float
    order: tuple[float, ...]
    wrong: float
    pairs: str = ""
    columns: tuple[tuple[str, float], ...] = ()

    @property
    def right(self) -> float:
        """The fraction of judged cells that are *equivalent*."""
        return self.words["equivalent"] / max(1, sum(self.words[word] for word in WORDS if word != "not run"))

    def line(self) -> str:
        """The summary in at most 100 characters, with the columns of ``HEAD``."""
        seeds = "–".join(map(str, dict.fromkeys(self.seeds)))
        counts = " ".join(f"{self.words[word]:2}" for word in ("equivalent", "different", "undecided"))
        order = " to ".join(f"{value:.2f}" for value in dict.fromkeys(self.order))
        wrong = "" if isnan(self.wrong) else f"{100 * self.wrong:.0f} %"
        miss = "" if isnan(self.miss) else f"{self.miss:.2f}"
        right = f"{100 * self.right:.0f} %"
        return f"{self.name:40} {seeds:>4} {miss:>5}  {order:13} {self.pairs:>6} {right:>5} {wrong:>5}  {counts}"

    def sentences(self) -> list[str]:
        """The summary in words, a sentence for each of its parts that is known."""
        seeds = "–".join(map(str, dict.fromkeys(self.seeds)))
        out = [f"{seeds} {'seed' if self.seeds[1] == 1 else 'seeds'} of ours."]
        if not isnan(self.miss):
            out.append(f"Median difference from print {self.miss:.2f} points.")
        if self.columns:
            out.append(
                "Rank correlation of the rows: "
                + ", ".join(f"{metric} {value:.2f}" for metric, value in self.columns)
                + "."
            )
        if self.pairs:
            alike, _, among = self.pairs.partition("/")
            out.append(f"Of {among} differences between rows, {alike} are equivalent to theirs.")
        wrong = (
            ""
            if isnan(self.wrong)
            else f", and {100 * self.wrong:.0f} % where a row is held against another row's print"
        )
        out.append(f"Equivalent to print: {100 * self.right:.0f} % of the cells{wrong}.")
        return out


def agreement(experiment: Experiment, recorded: list[dict], papers: Path) -> Agreement | None:
    """The agreement of the ``recorded`` lines (``results.load``) with the published numbers; ``None`` if no printed cell has a run."""
    judged = [cell for cell in report.cells(experiment, recorded, papers) if not isnan(cell.equivalence.difference)]
    if not judged:
        return None
    columns = {column.metric: column for column in experiment.columns}
    seeds = [sum(line["row"] == row and not line["failed"] for line in recorded) for row in {c.row for c in judged}]
    misses = [abs(c.equivalence.difference) for c in judged if in_points(columns[c.metric].of)]
    by = {metric: order([c for c in judged if c.metric == metric]) for metric in columns}
    orders = [value for value in by.values() if not isnan(value)]
    limits = report.margins(experiment, report.printed(experiment, papers))
    wrong = [
        word
        for metric in columns
        for word in _wrong_rows(experiment, columns[metric], judged, recorded, limits[metric])
    ]
    return Agreement(
        experiment.name,
        (min(seeds), max(seeds)),
        Counter(cell.equivalence.word for cell in judged),
        float(np.median(misses)) if misses else nan,
        (min(orders), max(orders)) if orders else (),
        wrong.count("equivalent") / len(wrong) if wrong else nan,
        contrasts.told(contrasts.contrasts(experiment, recorded, papers)),
        tuple((metric, value) for metric, value in by.items() if not isnan(value)),
    )


def order(column: list[report.Cell]) -> float:
    """Spearman's rank correlation of printed and our means; NaN with fewer than three different values of either."""
    printed = [float(cell.value) for cell in column]
    ours = [value + cell.equivalence.difference for value, cell in zip(printed, column)]
    if len(set(printed)) < 3 or len(set(ours)) < 3:
        return nan
    return float(stats.spearmanr(printed, ours).statistic)


def pairs_in_order(experiment: Experiment, cells: Iterable[report.Cell]) -> tuple[int, int]:
    """Of all pairs of rows that differ in print, over the columns in points: how many our means order alike, and how many there are."""
    cells = list(cells)
    alike = []
    for column in experiment.columns:
        if in_points(column.of):
            for a, b in combinations([cell for cell in cells if cell.metric == column.metric], 2):
                if printed := round(float(a.value) - float(b.value), 9):
                    alike.append((a.equivalence.mean - b.equivalence.mean) * printed > 0)
    return sum(alike), len(alike)


def _wrong_rows(
    experiment: Experiment, column: Column, judged: list[report.Cell], recorded: list[dict], margin: float
) -> list[str]:
    """The verdicts on each row's runs beside the other rows' printed cells in ``column``."""
    cells = [cell for cell in judged if cell.metric == column.metric]
    runs = {cell.row: report.measured([line for line in recorded if line["row"] == cell.row], column) for cell in cells}
    return [
        report.beside(experiment, experiment.row(cell.row), runs[cell.row], other.value, other.spread, margin).word
        for cell in cells
        for other in cells
        if (other.value, other.spread) != (cell.value, cell.spread)
    ]
