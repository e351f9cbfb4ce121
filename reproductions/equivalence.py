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
# Why a comparison is undecided, by what would have to change.
LACKS = {
    "ours": "ours too few",
    "theirs": "theirs too few",
    "margin": "near the margin",
    "settings": "settings not printed",
}


@dataclass(frozen=True)
class Equivalence:
    """The verdict on a cell, and the numbers behind it.

    - ``word``: one of ``WORDS``.
    - ``difference``: our mean minus the printed value, with its 90 % interval from ``low`` to ``high``, and the ``margin``.
    - ``p``: the p-value of "the true difference is within the margin" (``outside``); small means *different*.
    - ``risk``: the probability of the word *different* if the true difference equals the margin.
    - ``remark``: what limits the verdict.
    - ``lacks``: why the verdict is undecided, a key of ``LACKS``; "" otherwise. "ours": more runs of ours would decide it, if the
      difference stayed. "theirs": even with very many runs of ours the interval would be wider than the margin, because the paper's own
      runs are few. "margin": their runs would do, but the difference is too near the margin. "settings": the paper leaves out what may decide.
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
    lacks: str = ""
    mean: float = nan
    spread: float = nan
    runs: int = 0

    @property
    def told(self) -> str:
        """The word, and for *undecided* the reason."""
        return f"{self.word}: {LACKS[self.lacks]}" if self.lacks else self.word


def margin_of(of: str) -> float:
    """The margin of a measure, in its own unit; points of accuracy unless ``MARGINS`` says otherwise."""
    return MARGINS.get(of, MARGIN)


def in_points(of: str) -> bool:
    """Whether a measure is in points of accuracy."""
    return margin_of(of) in (1.0, 2.0) and of != "angle"


def last_digit(printed: str) -> float:
    """One unit of the last digit of a printed number."""
    return 10.0 ** -len(printed.partition(".")[2])


def printed_variance(spread: str, seeds: int, population: bool) -> float:
    """The sample variance behind a printed ± of ``seeds`` runs; ``population``: that ± divides by n."""
    return float(spread) ** 2 * (seeds / (seeds - 1) if population and seeds > 1 else 1)


def margin_between(printed: Sequence[str]) -> float:
    """A margin for a column that follows the spread between its ``printed`` rows.

    It is the tenth percentile of the differences between two rows: with such a margin, nine in ten wrong rows would differ by more.
    At least one unit of the last printed digit; NaN with fewer than four rows.
    """
    if len(printed) < 4:
        return nan
    values = np.array([float(value) for value in printed])
    one, other = np.triu_indices(len(values), 1)
    unit = max(last_digit(value) for value in printed)
    return max(float(np.percentile(abs(values[one] - values[other]), 10)), unit)


@dataclass(frozen=True)
class Part:
    """A part of a difference's variance: an estimated ``variance``, its ``factor``, and its degrees of freedom."""

    variance: float
    factor: float
    freedom: float


def error_of(parts: Sequence[Part]) -> tuple[float, float]:
    """The standard error of a difference, and its degrees of freedom (Satterthwaite 1946, for a weighted sum of variances)."""
    error = sqrt(sum(part.factor * part.variance for part in parts))
    if error == 0:
        return 0.0, inf
    below = sum((part.factor * part.variance) ** 2 / part.freedom for part in parts)
    return error, error**4 / below if below > 0 else inf


def reach_of(parts: Sequence[Part]) -> float:
    """How far the 90 % interval reaches to each side."""
    error, freedom = error_of(parts)
    return float(stats.t.ppf((1 + LEVEL) / 2, freedom)) * error if error > 0 else 0.0


def word_of(difference: float, reach: float, margin: float) -> str:
    """The word for an interval that reaches ``reach`` to each side of ``difference``."""
    if -margin <= difference - reach and difference + reach <= margin:
        return "equivalent"
    return "different" if abs(difference) - reach > margin else "undecided"


def lack(difference: float, theirs: Sequence[Part], rounding: float, margin: float, several: bool = True) -> str:
    """Why a comparison is undecided: "ours", "theirs" or "margin".

    ``theirs``: the part of the variance that would be left with very many runs of ours. ``several``: we have two runs or more. With one, "margin" is "ours".
    """
    reach = reach_of(theirs) + rounding
    if word_of(difference, reach, margin) != "undecided":
        return "ours"
    return "theirs" if reach > margin else "margin" if several else "ours"


def compare(
    ours: Sequence[float],
    value: str,
    spread: str,
    seeds: int,
    *,
    margin: float,
    population: bool = False,
    one_split: bool = False,
    published_one_split: bool = False,
    settings: str = "",
) -> Equivalence:
    """The verdict on a cell printed as ``value`` ± ``spread`` over ``seeds`` runs, from ``ours``, one number per seed.

    A cell is *equivalent* if the whole interval lies within ± ``margin``, *different* if it lies wholly outside, and otherwise
    *undecided*. A cell with one seed of ours is undecided. Half a unit of the last printed digit widens the interval on either side.

    - ``spread``: if no ± is printed, ours is used for both, with n − 1 degrees of freedom, and the remark says so.
    - ``population``: the printed ± divides by n.
    - ``one_split``: our runs share one split, and the paper's drew one per run. The excess of their variance over ours is then what a
      split may add to our mean, once and not averaged. If no ± is printed either, nothing shows what a split adds, and the cell is
      undecided.
    - ``published_one_split``: the mirror. The paper's runs share one split, and ours drew one per run, so the excess of our variance
      over theirs is what a split may add to their mean, once. If no ± is printed, that may be all of our variance.
    - ``settings``: what the paper leaves out that may decide the cell; if this is not empty, the cell is undecided.
    """
    if not len(ours):
        return Equivalence("not run")
    values, rounding = np.asarray(ours, dtype=float), 0.5 * last_digit(value)
    n = len(values)
    mean, our_variance = float(values.mean()), float(values.var(ddof=1)) if n > 1 else nan
    difference = mean - float(value)
    found = partial(
        Equivalence,
        difference=difference,
        margin=margin,
        mean=mean,
        spread=float(values.std(ddof=1)) if n > 1 else nan,
        runs=n,
    )
    theirs_once = published_one_split and not one_split
    if spread:
        their_variance = printed_variance(spread, seeds, population)
        # The excess of one variance over the other rests on the same two estimates; as a third part it would claim degrees of
        # freedom of its own.
        mine = one_split and their_variance > our_variance
        their_own = theirs_once and our_variance > their_variance
        parts = [
            Part(our_variance, 1 / n - mine + their_own, n - 1),
            Part(their_variance, 1 / seeds + mine - their_own, seeds - 1),
        ]
        # With very many runs of ours, each on a split of its own, our variance would be known, and our mean as well.
        left = [Part(their_variance, 1 / seeds - their_own, seeds - 1), Part(our_variance, float(their_own), inf)]
    else:  # one variance is used for both, with its n − 1 degrees of freedom counted once
        parts = [Part(our_variance, 1 / n + (1 if theirs_once else 1 / seeds), n - 1)]
        left = [Part(our_variance, 1 if theirs_once else 1 / seeds, inf)]
    if n == 1:  # our variance is not known
        left = left[:1] if spread else []
    if n < 2 or seeds < 2:
        lacks = "settings" if settings else "theirs" if seeds < 2 else lack(difference, left, rounding, margin, False)
        return found("undecided", remark="one seed of ours" if n < 2 else "one run of theirs", lacks=lacks)
    reach, (error, freedom) = reach_of(parts), error_of(parts)
    low, high = difference - reach - rounding, difference + reach + rounding
    p = outside(abs(difference) - rounding, margin, error, freedom)
    risk = outside(margin + reach, margin, error, freedom) if error > 0 else 0.0
    word = word_of(difference, reach + rounding, margin)
    lacks = lack(difference, left, rounding, margin) if word == "undecided" else ""
    remark = "" if spread else "no printed ±: taken to be ours"
    if settings:
        word, remark, lacks = "undecided", f"{word} as run, but the paper leaves out what may decide it", "settings"
    elif one_split and not spread:
        nothing = "no ± is printed, and ours share one split: nothing shows what a split adds"
        word, remark, lacks = "undecided", f"{word} as run, but {nothing}", "ours"
    return found(word, low=low, high=high, p=p, risk=risk, remark=remark, lacks=lacks)


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
