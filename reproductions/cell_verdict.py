"""A verdict a cell: is a published number within what luck allows of ours?"""

from dataclasses import dataclass
from math import nan, sqrt

import numpy as np

WORDS = ("reproduced", "not reproduced", "underspecified", "undecided", "not run")


@dataclass(frozen=True)
class Verdict:
    """``word`` (one of ``WORDS``), our ``mean`` and sample standard deviation ``spread`` over ``runs`` seeds, the ``difference`` ours − theirs,
    the ``allowed`` size of it, and a ``remark``."""

    word: str
    mean: float = nan
    spread: float = nan
    runs: int = 0
    difference: float = nan
    allowed: float = nan
    remark: str = ""


def judge(
    ours: list[float], value: str, spread: str, seeds: int, kind: str = "unsaid", underspecified: bool = False
) -> Verdict:
    """The verdict on a cell printed as ``value`` ± ``spread`` (strings, so that the printed digits count), from ``ours``, one a seed.

    *Reproduced* if ``|Δ| ≤ 2 √(s₁²/n₁ + s₂²/n₂)`` plus half a unit of the last printed digit. A ± that is a ``"population"`` deviation is first
    turned into a sample deviation. Where the paper prints none, ours stands for both, and where we ran one seed, theirs; with neither
    there is no verdict, nor where the paper leaves out what decides the cell (``underspecified``). ``seeds`` = n₁.
    """
    if not ours:
        return Verdict("not run")
    mean, n = float(np.mean(ours)), len(ours)
    mine = float(np.std(ours, ddof=1)) if n > 1 else None
    theirs = float(spread) if spread else None
    if theirs is not None and kind == "population":
        theirs *= sqrt(seeds / (seeds - 1))
    difference = mean - float(value)
    if theirs is None and mine is None:
        return Verdict("undecided", mean, nan, n, difference, nan, "one seed of ours and no printed spread")
    remark = ""
    if theirs is None:
        theirs, remark = mine, "our spread for both"
    elif mine is None:
        mine, remark = theirs, "their spread for both"
    decimals = len(value.partition(".")[2])
    allowed = 2 * sqrt(theirs**2 / seeds + mine**2 / n) + 0.5 * 10**-decimals
    within = abs(difference) <= allowed
    if underspecified:
        word, remark = "underspecified", f"{'within' if within else 'outside'} what luck allows"
    else:
        word = "reproduced" if within else "not reproduced"
    return Verdict(word, mean, mine if n > 1 else nan, n, difference, allowed, remark)
