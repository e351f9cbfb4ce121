"""Compare two means by the reproductions' rule, on runs that a reader moves: *equivalent*, *different* or
*undecided*."""

import math
from collections.abc import Sequence

import numpy as np
from scipy import stats

from fairfl_book.labs.controls import Placed, Points, Slider
from fairfl_book.labs.lab import Lab

CENTRE = 81.0  # percent; the dots' positions are relative to it
SHOWN, MOST = 20, 60  # runs per side that the right panel shows and that are tried
LEVEL = 0.95  # one-sided: the interval holds 90 %
# The last three of each keep the mean of the first five, and nearly their spread.
THEIRS = [-1.70, -0.98, -0.68, -0.06, 0.52, -1.62, -0.58, 0.46]
OURS = [-1.49, -1.07, -0.72, -0.52, -0.05, -1.44, -0.77, -0.10]


def _dots(places):
    return [[place, 0.0] for place in places]


class Verdicts(Lab):
    """Two groups of two to eight runs, and a margin. The lab shows Welch's 90 % interval and its verdict.

    The reader drags the margin and the runs' accuracies, which are dots. At the start, the runs have the means and
    spreads of the cell that chapter 12 judges by hand. A dot's horizontal position is its accuracy minus 81 %. Its
    vertical position has no meaning.
    """

    view = "verdicts"
    controls = {
        "theirs": Slider("their runs", 2, 8, 1, 5),
        "ours": Slider("our runs", 2, 8, 1, 5),
        "margin": Slider("margin (points)", 0.2, 2.0, 0.05, 1.0, shown=False),
        "first": Points("their accuracies", 4.0, _dots(THEIRS)),
        "second": Points("our accuracies", 4.0, _dots(OURS)),
    }
    tries = {
        "three more such runs each": {"theirs": 8, "ours": 8},
        "our runs noisy, same mean": {"second": _dots([-2.5, -2.2, -0.72, 0.17, 1.4, *OURS[5:]])},
        "our mean 2.5 points higher": {"second": _dots([round(place + 2.69, 2) for place in OURS])},
    }

    def compute(self, theirs: int, ours: int, margin: float, first: Placed, second: Placed) -> dict:
        groups = [[CENTRE + x for x, _ in first[:theirs]], [CENTRE + x for x, _ in second[:ours]]]
        means = [sum(values) / len(values) for values in groups]
        variances = [sum((v - m) ** 2 for v in values) / (len(values) - 1) for values, m in zip(groups, means)]
        difference, n = means[1] - means[0], np.arange(2, MOST + 1)
        now = judged(difference, variances, (np.array(theirs), np.array(ours)), margin)
        more = judged(difference, variances, (n, n), margin)
        settled = np.flatnonzero(more["word"] != "undecided")
        return {
            "means": means,
            "spreads": [math.sqrt(v) for v in variances],
            "difference": difference,
            "margin": margin,
            **{name: value.item() for name, value in now.items()},
            "enough": int(settled[0]) + 2 if len(settled) else None,
            "then": str(more["word"][settled[0]]) if len(settled) else None,
            "lows": more["low"][: SHOWN - 1],
            "highs": more["high"][: SHOWN - 1],
        }

    def words(self, numbers: dict) -> list[str]:
        low, high, enough = numbers["low"], numbers["high"], numbers["enough"]
        more = f"; {enough or f'more than {MOST}'} runs on both sides would settle it" * (
            numbers["word"] == "undecided"
        )
        return [
            f"theirs {numbers['means'][0]:.2f} ± {numbers['spreads'][0]:.2f}, ours {numbers['means'][1]:.2f} ± {numbers['spreads'][1]:.2f}",
            f"difference {numbers['difference']:+.2f}, 90 % interval {low:+.2f} to {high:+.2f}, margin {numbers['margin']:.2f}",
            numbers["word"] + more,
        ]


def judged(
    difference: float, variances: Sequence[float], runs: tuple[np.ndarray, np.ndarray], margin: float
) -> dict[str, np.ndarray]:
    """Welch's 90 % interval of a ``difference`` of means, and its verdict, for arrays of numbers of ``runs`` (n₁, n₂).

    The rule of ``reproductions.equivalence.compare`` without a rounding of printed digits (Schuirmann 1987; Welch 1947).
    """
    parts = [variance / n for variance, n in zip(variances, runs)]
    error = np.sqrt(parts[0] + parts[1])
    if sum(variances) > 0:
        freedom = (parts[0] + parts[1]) ** 2 / sum(part**2 / (n - 1) for part, n in zip(parts, runs))
        t = stats.t.ppf(LEVEL, freedom)
    else:
        freedom, t = np.full(error.shape, None), np.zeros(error.shape)
    low, high = difference - t * error, difference + t * error
    outside = np.where((low > margin) | (high < -margin), "different", "undecided")
    word = np.where((-margin <= low) & (high <= margin), "equivalent", outside)
    return {"error": error, "freedom": freedom, "t": np.asarray(t), "low": low, "high": high, "word": word}
