"""A verdict that counts seeds and splits: are two means equal within a margin that was stated before?

Two one-sided tests (Schuirmann 1987) by Welch's interval. A large spread widens the interval, and a wide interval decides nothing: no
cell becomes *equivalent* by being noisy.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, nan, sqrt

import numpy as np
from scipy import stats

LEVEL = 0.90  # of the interval: each of the two one-sided tests errs in at most 5 of 100 cases
# Points of accuracy, fixed before the second edition's runs. The root of a standard deviation of 10 moves by 0.15 when that moves by 1.
MARGIN = 1.0
MARGINS = {
    "root of std": 0.15,
    "variance": 20.0,
    "angle": 1.0,
    "KL": 0.01,
    "Jain": 0.01,
    "Gini": 0.01,
    "CVaR 10 %": 2.0,
    "worst 5 %": 2.0,
    "best 5 %": 2.0,
    "worst 10 %": 2.0,
    "best 10 %": 2.0,
    "5th percentile": 2.0,
    "95th percentile": 2.0,
}
WORDS = ("equivalent", "different", "undecided", "not run")


@dataclass(frozen=True)
class Equivalence:
    """``word`` (one of ``WORDS``), the ``difference`` ours − theirs with its 90 % interval ``low`` to ``high``, the ``margin``, ``p`` of "the true
    difference is within the margin" (``outside``; small means *different*), ``risk``, the chance of the word *different* where the true
    difference is just the margin, and a ``remark``."""

    word: str
    difference: float = nan
    low: float = nan
    high: float = nan
    margin: float = nan
    p: float = nan
    risk: float = nan
    remark: str = ""


def margin_of(of: str) -> float:
    """The margin of a measure, in its own unit; points of accuracy unless ``MARGINS`` says otherwise."""
    return MARGINS.get(of, MARGIN)


def compare(
    ours: Sequence[float],
    value: str,
    spread: str,
    seeds: int,
    *,
    margin: float,
    population: bool = False,
    one_split: bool = False,
    settings: str = "",
) -> Equivalence:
    """The verdict on a cell printed as ``value`` ± ``spread`` over ``seeds`` runs, from ``ours``, one number a seed.

    *Equivalent*: the whole interval lies within ± ``margin``; *different*: it lies wholly outside; else *undecided*, and so is a cell with
    one seed of ours. Where no ± is printed, ours stands for theirs with n − 1 degrees of freedom, and the remark says so. ``population``: the ±
    divides by n. ``one_split``: ours share one split where theirs drew one a run; what their ± has beyond ours is then what a split may add to
    our mean, once and not averaged. Degrees of freedom: Welch's (Satterthwaite 1946, of a weighted sum of variances). Where ours share one split
    *and* no ± is printed, nothing shows what a split adds, and the cell is undecided. ``settings``: what the paper leaves out and may decide
    the cell; such a cell is undecided too. Half a unit of the last printed digit widens the interval on either side.
    """
    if not len(ours):
        return Equivalence("not run")
    values, rounding = np.asarray(ours, dtype=float), 0.5 * 10 ** -len(value.partition(".")[2])
    difference, n = float(values.mean()) - float(value), len(values)
    if n < 2 or seeds < 2:
        return Equivalence(
            "undecided", difference, margin=margin, remark="one seed of ours" if n < 2 else "one run of theirs"
        )
    mine = float(values.var(ddof=1))
    if spread:
        theirs = float(spread) ** 2 * (seeds / (seeds - 1) if population else 1)
        # An estimated variance, its factor in that of the difference, its degrees of freedom. What theirs has beyond ours (theirs − mine)
        # rests on the same two estimates: counted as a third, it would claim degrees of freedom of its own.
        split = one_split and theirs > mine
        parts = [(mine, 1 / n - split, n - 1), (theirs, 1 / seeds + split, seeds - 1)]
    else:  # one variance stands for both, and has its n − 1 degrees of freedom once
        parts = [(mine, 1 / n + 1 / seeds, n - 1)]
    error = sqrt(sum(factor * variance for variance, factor, _ in parts))
    freedom = error**4 / sum((factor * variance) ** 2 / df for variance, factor, df in parts) if error > 0 else inf
    reach = float(stats.t.ppf((1 + LEVEL) / 2, freedom)) * error if error > 0 else 0.0
    low, high = difference - reach - rounding, difference + reach + rounding
    p = outside(abs(difference) - rounding, margin, error, freedom)
    risk = outside(margin + reach, margin, error, freedom) if error > 0 else 0.0
    word = (
        "equivalent"
        if -margin <= low and high <= margin
        else "different"
        if low > margin or high < -margin
        else "undecided"
    )
    unknown = (
        "the paper leaves out what may decide it"
        if settings
        else "no ± is printed, and ours share one split: nothing shows what a split adds"
        if one_split and not spread
        else ""
    )
    if unknown:
        return Equivalence("undecided", difference, low, high, margin, p, risk, f"{word} as run, but {unknown}")
    return Equivalence(word, difference, low, high, margin, p, risk, "" if spread else "no printed ±: taken to be ours")


def outside(distance: float, margin: float, error: float, freedom: float) -> float:
    """The p-value of "the true difference is within ± ``margin``", from a measured ``distance`` (its size) with its standard ``error`` and degrees of ``freedom``.

    Where that is true, so large a distance is likeliest for a true difference of just the margin, and then either sign may bring it: the chance of
    both tails. Without a margin it is the two-sided p-value, with one that is wide beside the error the nearer tail alone. A distance below 0, as
    rounding may leave, counts as 0.
    """
    distance = max(distance, 0.0)
    if error == 0:
        return float(distance <= margin)
    return float(stats.t.sf((distance - margin) / error, freedom) + stats.t.sf((distance + margin) / error, freedom))


def adjusted(p: Sequence[float]) -> list[float]:
    """Holm's adjusted p-values (1979): the least risk, for all hypotheses together, at which each of them falls."""
    out, order, largest = [1.0] * len(p), np.argsort(np.asarray(p, dtype=float), kind="stable"), 0.0
    for rank, i in enumerate(order):
        largest = max(largest, min(1.0, (len(p) - rank) * p[i]))
        out[i] = largest
    return out


def holm(p: Sequence[float], level: float = 0.05) -> list[bool]:
    """Which of several hypotheses fall when at most ``level`` is risked for all of them together (Holm 1979)."""
    return [one <= level for one in adjusted(p)]
