"""The verdict on a printed cell: are two means equal within a margin that was fixed beforehand?

Two one-sided tests (Schuirmann 1987) with Welch's interval. A large spread widens the interval, and a wide interval decides
nothing, so noise never makes a cell *equivalent*.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import inf, nan, sqrt

import numpy as np
from scipy import stats

LEVEL = 0.90  # of the interval: each of the two one-sided tests errs in at most 5 of 100 cases
# Points of accuracy, fixed before the second edition's runs. When a standard deviation of 10 moves by 1, its root moves by 0.15.
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
    """The verdict on a cell, and the numbers behind it.

    - ``word``: one of ``WORDS``.
    - ``difference``: our mean minus the printed value, with its 90 % interval from ``low`` to ``high``, and the ``margin``.
    - ``p``: the p-value of "the true difference is within the margin" (``outside``); small means *different*.
    - ``risk``: the probability of the word *different* if the true difference equals the margin.
    - ``remark``: what limits the verdict.
    - ``mean``, ``spread``, ``runs``: of our runs, the mean, the sample standard deviation, and how many there are.
    """

    word: str
    difference: float = nan
    low: float = nan
    high: float = nan
    margin: float = nan
    p: float = nan
    risk: float = nan
    remark: str = ""
    mean: float = nan
    spread: float = nan
    runs: int = 0


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
    """The verdict on a cell printed as ``value`` ± ``spread`` over ``seeds`` runs, from ``ours``, one number per seed.

    A cell is *equivalent* if the whole interval lies within ± ``margin``, *different* if it lies wholly outside, and otherwise
    *undecided*. A cell with one seed of ours is undecided. Degrees of freedom are Welch's (Satterthwaite 1946, for a weighted sum of
    variances). Half a unit of the last printed digit widens the interval on either side.

    - ``spread``: if no ± is printed, ours is used for both, with n − 1 degrees of freedom, and the remark says so.
    - ``population``: the printed ± divides by n.
    - ``one_split``: our runs share one split, and the paper's drew one per run. The excess of their variance over ours is then what a
      split may add to our mean, once and not averaged. If no ± is printed either, nothing shows what a split adds, and the cell is
      undecided.
    - ``settings``: what the paper leaves out that may decide the cell; if this is not empty, the cell is undecided.
    """
    if not len(ours):
        return Equivalence("not run")
    values, rounding = np.asarray(ours, dtype=float), 0.5 * 10 ** -len(value.partition(".")[2])
    n = len(values)
    mean, std = float(values.mean()), float(values.std(ddof=1)) if n > 1 else nan
    difference = mean - float(value)
    found = partial(Equivalence, difference=difference, margin=margin, mean=mean, spread=std, runs=n)
    if n < 2 or seeds < 2:
        return found("undecided", remark="one seed of ours" if n < 2 else "one run of theirs")
    our_variance = float(values.var(ddof=1))
    if spread:
        printed_variance = float(spread) ** 2 * (seeds / (seeds - 1) if population else 1)
        # Each part: an estimated variance, its factor in the variance of the difference, and its degrees of freedom. The excess of
        # the printed variance over ours rests on the same two estimates; as a third part it would claim degrees of freedom of its own.
        split = one_split and printed_variance > our_variance
        parts = [(our_variance, 1 / n - split, n - 1), (printed_variance, 1 / seeds + split, seeds - 1)]
    else:  # one variance is used for both, with its n − 1 degrees of freedom counted once
        parts = [(our_variance, 1 / n + 1 / seeds, n - 1)]
    error = sqrt(sum(factor * variance for variance, factor, _ in parts))
    freedom = error**4 / sum((factor * variance) ** 2 / df for variance, factor, df in parts) if error > 0 else inf
    reach = float(stats.t.ppf((1 + LEVEL) / 2, freedom)) * error if error > 0 else 0.0
    low, high = difference - reach - rounding, difference + reach + rounding
    p = outside(abs(difference) - rounding, margin, error, freedom)
    risk = outside(margin + reach, margin, error, freedom) if error > 0 else 0.0
    within, beyond = -margin <= low and high <= margin, low > margin or high < -margin
    word = "equivalent" if within else "different" if beyond else "undecided"
    open_question = (
        "the paper leaves out what may decide it"
        if settings
        else "no ± is printed, and ours share one split: nothing shows what a split adds"
        if one_split and not spread
        else ""
    )
    remark = "" if spread else "no printed ±: taken to be ours"
    if open_question:
        word, remark = "undecided", f"{word} as run, but {open_question}"
    return found(word, low=low, high=high, p=p, risk=risk, remark=remark)


def outside(distance: float, margin: float, error: float, freedom: float) -> float:
    """The p-value of "the true difference is within ± ``margin``".

    ``distance`` is the size of the measured difference; ``error`` is its standard error, with ``freedom`` degrees of freedom. Under the
    hypothesis, so large a distance is most probable when the true difference equals the margin, with either sign, so both tails count.
    With a margin of 0 this is the two-sided p-value; with a margin that is wide compared with the error, it is the nearer tail alone. A
    distance below 0, which rounding may leave, counts as 0.
    """
    distance = max(distance, 0.0)
    if error == 0:
        return float(distance <= margin)
    return float(stats.t.sf((distance - margin) / error, freedom) + stats.t.sf((distance + margin) / error, freedom))


def adjusted(p: Sequence[float]) -> list[float]:
    """Holm's adjusted p-values (1979): for each hypothesis, the smallest family-wise level at which it is rejected."""
    out, order, largest = [1.0] * len(p), np.argsort(np.asarray(p, dtype=float), kind="stable"), 0.0
    for rank, i in enumerate(order):
        largest = max(largest, min(1.0, (len(p) - rank) * p[i]))
        out[i] = largest
    return out


def holm(p: Sequence[float], level: float = 0.05) -> list[bool]:
    """Which hypotheses are rejected if the family-wise error rate is at most ``level`` (Holm 1979)."""
    return [one <= level for one in adjusted(p)]
