"""The first edition's verdict on a cell, kept because chapter 12 compares it with today's (``equivalence``). No report prints it."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from reproductions.equivalence import last_digit


@dataclass(frozen=True)
class Verdict:
    """The first edition's ``word`` on a cell, with the ``mean`` and sample standard deviation ``spread`` of our ``runs``.

    ``word``: "reproduced", "not reproduced", "underspecified", "undecided" or "not run".
    """

    word: str
    mean: float
    spread: float
    runs: int


def first_word(
    ours: Sequence[float], value: str, spread: str, seeds: int, kind: str = "unsaid", underspecified: bool = False
) -> str:
    """The first edition's word on a cell printed as ``value`` ± ``spread``, judged by ``ours``, one number per seed.

    The word is "reproduced" if ``|Δ| ≤ 2 √(s₁²/n₁ + s₂²/n₂)`` plus half a unit of the last printed digit; ``value`` and
    ``spread`` are strings because the printed digits count. ``seeds`` is n₁. A ± of ``kind`` "population" is first
    converted to a sample deviation. Where the paper prints no ±, ours is used for both, and with one seed of ours, the
    printed one is. With neither, the cell is "undecided". It is "underspecified" where the paper leaves out what decides it.
    """
    if not len(ours):
        return "not run"
    n = len(ours)
    our_std = float(np.std(ours, ddof=1)) if n > 1 else None
    printed_std = float(spread) if spread else None
    if printed_std is not None and kind == "population":
        printed_std *= sqrt(seeds / (seeds - 1))
    known = [std for std in (printed_std, our_std) if std is not None]
    if not known:
        return "undecided"
    if underspecified:
        return "underspecified"
    allowed = 2 * sqrt(known[0] ** 2 / seeds + known[-1] ** 2 / n) + 0.5 * last_digit(value)
    return "reproduced" if abs(float(np.mean(ours)) - float(value)) <= allowed else "not reproduced"
