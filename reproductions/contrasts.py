"""A table's rows minus FedAvg: our paired differences beside those of the authors' logs, or of the printed numbers.

A level depends on every setting, and a difference between two rows of one table on fewer. So contrasts often decide where levels cannot.
"""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan
from pathlib import Path

import numpy as np

from reproductions import report
from reproductions.equivalence import Part, last_digit, printed_variance, reach_of, word_of
from reproductions.experiment import Column, Experiment, Row

LOGS = "fedfv_finals.csv"


@dataclass(frozen=True)
class Contrast:
    """A ``row`` minus the row ``base``, in the column ``metric``.

    - ``ours``: the mean over ``seeds`` paired runs. ``theirs``: the mean in the authors' "logs" or in "print" (``source``).
    - ``low``, ``high``: the ends of the 90 % interval of ours minus theirs; NaN where nothing can be said.
    - ``word``: "equivalent", "different" or "undecided", as for a cell, with the column's ``margin``.
    """

    row: str
    base: str
    metric: str
    ours: float
    seeds: int
    theirs: float
    source: str
    low: float
    high: float
    margin: float
    word: str


def base_of(experiment: Experiment, recorded: Sequence[dict]) -> str:
    """The row that others are compared with: FedAvg, or the first recorded row if the table has no runs of it."""
    there = {line["row"] for line in recorded if not line["failed"]}
    rows = [row.label for row in experiment.rows if row.label in there]
    return "FedAvg" if "FedAvg" in rows else rows[0] if rows else ""


def contrasts(experiment: Experiment, recorded: list[dict], papers: Path) -> list[Contrast]:
    """The contrasts of all printed rows with runs, in the declaration's order; ``recorded`` as from ``results.load``.

    Against logs the interval is Welch's for two sets of paired differences. Print has no pairs, so the two rows' printed ± are added
    as if they were independent, which widens it; without a ±, ours is used for both. What a split adds to both rows alike is left out.
    """
    table, logs = report.printed(experiment, papers), logged(experiment, papers)
    limits, base = report.margins(experiment, table), base_of(experiment, recorded)
    out = []
    for row in experiment.rows:
        if row.label == base or not row.algorithm or not base or not experiment.row(base).algorithm:
            continue
        for column in experiment.columns:
            ours = _paired(recorded, row.label, base, column.metric)
            found = _theirs(experiment, row, experiment.row(base), column, table, logs, ours)
            if len(ours) and found:
                out.append(_judged(experiment, row, base, column, ours, *found, limits[column.metric]))
    return out


def logged(experiment: Experiment, papers: Path) -> dict[tuple[str, str], dict[str, float]]:
    """The authors' logged runs of this table or of the one that it is a reading of: (row, measure) → seed → value."""
    path, out = papers / LOGS, {}
    if path.exists():
        with open(path, newline="", encoding="utf-8") as file:
            for line in csv.DictReader(file):
                if line["table"] in (experiment.name, experiment.reading_of):
                    for of in line.keys() - {"table", "row", "seed"}:
                        if line[of]:
                            out.setdefault((line["row"], of), {})[line["seed"]] = float(line[of])
    return out


def _paired(recorded: Sequence[dict], row: str, base: str, metric: str) -> np.ndarray:
    values = {
        label: {line["seed"]: line.get(metric) for line in recorded if line["row"] == label and not line["failed"]}
        for label in (row, base)
    }
    both = [(values[row][seed], values[base][seed]) for seed in values[row] if seed in values[base]]
    return np.array([one - other for one, other in both if isinstance(one, float) and isinstance(other, float)])


def _theirs(
    experiment: Experiment, row: Row, base: Row, column: Column, table: dict, logs: dict, ours: np.ndarray
) -> tuple[float, str, float, list[Part]] | None:
    """Their contrast, its source, what rounding may add, and its part of the variance; ``None`` if it is not known."""
    one, other = logs.get((row.label, column.of)), logs.get((base.label, column.of))
    if one and other:
        d = np.array([one[seed] - other[seed] for seed in one if seed in other])
        return float(d.mean()), "logs", 0.0, [Part(float(d.var(ddof=1)), 1 / len(d), len(d) - 1)]
    cells = [table.get((each.algorithm, each.hyperparameters), {}).get(column.metric) for each in (row, base)]
    if None in cells:
        return None
    rounding = sum(0.5 * last_digit(value) for value, _ in cells)
    n = experiment.published_seeds
    if n < 2 or len(ours) < 2:
        parts = []
    elif all(spread for _, spread in cells):
        population = experiment.spread == "population"
        parts = [Part(printed_variance(spread, n, population), 1 / n, n - 1) for _, spread in cells]
    else:
        parts = [Part(float(ours.var(ddof=1)), 1 / n, len(ours) - 1)]
    return float(cells[0][0]) - float(cells[1][0]), "print", rounding, parts


def _judged(
    experiment: Experiment, row: Row, base: str, column: Column, ours: np.ndarray, theirs: float, source: str,
    rounding: float, parts: list[Part], margin: float,
) -> Contrast:  # fmt: skip
    mean, n, nothing = float(ours.mean()), len(ours), float("nan")
    told = (row.label, base, column.metric, mean, n, theirs, source)
    if n < 2 or not parts:
        return Contrast(*told, nothing, nothing, margin, "undecided")
    if source == "print" and len(parts) == 1:  # ours used for both is one estimate
        parts = [Part(parts[0].variance, 1 / n + parts[0].factor, n - 1)]
    else:
        parts = [Part(float(ours.var(ddof=1)), 1 / n, n - 1), *parts]
    reach, difference = reach_of(parts) + rounding, mean - theirs
    left_out = row.underspecified or experiment.underspecified
    word = "undecided" if left_out else word_of(difference, reach, margin)
    return Contrast(*told, difference - reach, difference + reach, margin, word)


def told(found: Sequence[Contrast]) -> str:
    """How many contrasts are equivalent, as in "20/60"; "" without any."""
    judged = [one for one in found if not isnan(one.low)]
    return f"{sum(one.word == 'equivalent' for one in judged)}/{len(judged)}" if judged else ""
