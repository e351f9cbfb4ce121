"""The effect that a contrast has in recorded runs, seed by seed, with its interval and p-values; and in print, and in the authors' logs.

Two rows are compared on the seeds that both have, because a seed gives both the same split, initial weights and clients. The interval
and the p-values are Student's, for the mean over seeds. With five seeds a sign-flip test cannot go below 1/32, and no claim with several
tests would survive Holm's adjustment.
"""

import csv
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from math import isnan, nan, sqrt

import numpy as np
from scipy import stats

from reproductions import catalogue, report, results
from reproductions.experiment import Experiment
from reproductions.measures import ROSE, measure
from reproductions.paper_claim import Contrast, address
from reproductions.result_folders import Records

LEVEL = 0.95  # of the interval


@dataclass(frozen=True)
class Effect:
    """The effect of a ``contrast``.

    - ``what``: the effect in words; ``table``: the recorded table it comes from ("" for none).
    - ``values``: one per seed.
    - ``supports``: the p-value of "not as claimed", so a small one is evidence for the claim; ``opposes``: that of "as claimed".
    - ``printed``: the effect in the paper's numbers (NaN if there are none); ``logged``: in its authors' runs, one value per run.
    - ``diverged``: the number of diverged runs of ``row``.
    """

    contrast: Contrast
    what: str
    table: str = ""
    values: tuple[float, ...] = ()
    supports: float = nan
    opposes: float = nan
    printed: float = nan
    logged: tuple[float, ...] = ()
    diverged: int = 0

    @property
    def printed_as_claimed(self) -> bool | None:
        """Whether the paper's own numbers have the claimed direction; ``None`` if they are not printed."""
        if isnan(self.printed):
            return None
        far = self.printed * {"greater": 1, "smaller": -1, "equal": 0}[self.contrast.expect]
        return (
            abs(self.printed) <= self.contrast.margin
            if self.contrast.expect == "equal"
            else far > -self.contrast.margin
        )


def interval(values: Sequence[float]) -> tuple[float, float, float]:
    """The mean of ``values`` and the ends of Student's 95 % interval, which are NaN for fewer than two values."""
    mean = float(np.mean(values)) if len(values) else nan
    if len(values) < 2:
        return mean, nan, nan
    half = float(stats.t.ppf((1 + LEVEL) / 2, len(values) - 1) * np.std(values, ddof=1)) / sqrt(len(values))
    return mean, mean - half, mean + half


def against(values: Sequence[float], expect: str, margin: float) -> tuple[float, float]:
    """``Effect``'s p-values (supports, opposes), from one-sided t-tests; NaN for fewer than two values.

    If "equal" is expected, ``supports`` is the larger p-value of the two one-sided tests against ± ``margin``, and ``opposes`` is twice
    the smaller one of the opposite two.
    """
    if len(values) < 2:
        return nan, nan
    if expect == "equal":
        below, above = _p(values, -margin), _p(values, margin)  # of "the mean is at most −margin", "at most margin"
        return max(below, 1 - above), min(1.0, 2 * min(1 - below, above))
    signed = np.asarray(values) if expect == "greater" else -np.asarray(values)
    p = _p(signed, -margin)
    return p, 1 - p


def _p(values, bound: float) -> float:
    """The p-value of "the mean is at most ``bound``"."""
    mean, error = float(np.mean(values)) - bound, float(np.std(values, ddof=1)) / sqrt(len(values))
    if error < 1e-12:  # the same value for every seed
        return 0.5 if abs(mean) < 1e-12 else float(mean < 0)
    return float(stats.t.sf(mean / error, len(values) - 1))


@dataclass
class Recorded:
    """Computes effects from ``records``, reading each file once."""

    records: Records
    _kept: dict = field(default_factory=dict)

    def effects(self, contrast: Contrast) -> list[Effect]:
        """The contrast's effects: one for each row in ``against``, or that of the trend or the row alone."""
        groups = [contrast.rows] if contrast.over else [(contrast.row, other) for other in contrast.against]
        groups = groups or [(contrast.row,)]
        return [self._effect(contrast, labels) for labels in groups]

    def _effect(self, contrast: Contrast, labels: Sequence[str]) -> Effect:
        what = (
            f"rank correlation with {contrast.over}"
            if contrast.over
            else " − ".join(address(each)[1] for each in labels)
        )
        logged = next(
            (found for table in contrast.tables if (found := self._seeds(contrast, labels, table, self._logged))), ()
        )
        printed = next(
            (found for table in contrast.tables if not isnan(found := self._printed(contrast, labels, table))), nan
        )
        for table in contrast.tables:
            values, diverged = self._seeds(contrast, labels, table, self._ours), self._diverged(table, contrast.row)
            if values or diverged:
                supports, opposes = against(values, contrast.expect, contrast.margin)
                if contrast.against:
                    where, label = self._place(labels[1], table)
                    what = f"{labels[0]} − {self._experiment(where).row(label).shown}"
                return Effect(contrast, what, table, values, supports, opposes, printed, logged, diverged)
        return Effect(contrast, what, printed=printed, logged=logged)

    def _seeds(
        self, contrast: Contrast, labels: Sequence[str], table: str, read: Callable[[str, str, str], dict[int, float]]
    ) -> tuple[float, ...]:
        """The contrast of the rows, for each seed that all of them have."""
        columns = [read(*self._place(label, table), contrast.of) for label in labels]
        seeds = sorted(set.intersection(*map(set, columns)))
        return tuple(self._value(contrast, labels, table, [column[seed] for column in columns]) for seed in seeds)

    def _value(self, contrast: Contrast, labels: Sequence[str], table: str, numbers: list[float]) -> float:
        if not contrast.over:
            return numbers[0] - sum(numbers[1:])
        places = [self._place(label, table) for label in labels]
        settings = [self._experiment(name).row(label).settings[contrast.over] for name, label in places]
        numbers = np.round(numbers, 9)  # equal counts are ties, even if their percentages differ in the last bits
        return float(stats.spearmanr(settings, numbers).statistic) if len(set(numbers)) > 1 else 0.0

    def _ours(self, table: str, label: str, of: str) -> dict[int, float]:
        if of == ROSE:  # kept in a run's line, not in its final accuracies
            metric = next(column.metric for column in self._experiment(table).columns if column.of == of)
            lines = [line for line in self._lines(table) if line["row"] == label and not line["failed"]]
            return {line["seed"]: line[metric] for line in lines if isinstance(line.get(metric), float)}
        finals = self._read(table, "finals", lambda: results.finals(self._experiment(table), self.records.results))
        return {seed: measure(of, *final) for (row, seed), final in finals.items() if row == label}

    def _diverged(self, table: str, label: str) -> int:
        return sum(bool(line["failed"]) for line in self._lines(table) if line["row"] == label)

    def _lines(self, table: str) -> list[dict]:
        return self._read(table, "lines", lambda: results.load(self._experiment(table), self.records.results))

    def _logged(self, table: str, label: str, of: str) -> dict[int, float]:
        return {
            int(line["seed"]): float(line[of])
            for line in self._logs
            if (line["table"], line["row"]) == (table, label) and line.get(of)
        }

    def _printed(self, contrast: Contrast, labels: Sequence[str], table: str) -> float:
        numbers = []
        for name, label in (self._place(label, table) for label in labels):
            experiment = self._experiment(name)
            row, columns = (
                experiment.row(label),
                [column.metric for column in experiment.columns if column.of == contrast.of],
            )
            cells = self._read(name, "printed", partial(report.printed, experiment, self.records.papers))
            found = [cells.get((row.algorithm, row.hyperparameters), {}).get(metric) for metric in columns]
            if not found or not found[0]:
                return nan
            numbers.append(float(found[0][0]))
        return self._value(contrast, labels, table, numbers)

    def _place(self, label: str, table: str) -> tuple[str, str]:
        other, row = address(label)
        return other or table, row

    def _experiment(self, name: str) -> Experiment:
        return self._read(name, "experiment", lambda: catalogue.load(name))

    def _read(self, name: str, kind: str, read: Callable):
        if (name, kind) not in self._kept:
            self._kept[name, kind] = read()
        return self._kept[name, kind]

    @cached_property
    def _logs(self) -> list[dict]:
        path = self.records.papers / "fedfv_finals.csv"
        if not path.exists():
            return []
        with open(path, newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))
