"""The smallest and largest spread that a mean and two tails allow, compared with a table's printed value."""

import numpy as np

from fairfl_book.labs.controls import Slider
from fairfl_book.labs.lab import Lab


def least(mean: float, worst: float, best: float, share: float) -> float:
    """L: the smallest population standard deviation of values with this mean whose lowest and highest ``share`` (a fraction)
    average ``worst`` and ``best``. Source: chapter 13's formula (3)."""
    middle = (mean - share * worst - share * best) / (1 - 2 * share)
    return np.sqrt(share * (mean - worst) ** 2 + share * (best - mean) ** 2 + (1 - 2 * share) * (middle - mean) ** 2)


def largest(mean: float, worst: float, best: float, tail: int) -> float:
    """The largest population standard deviation of a hundred values from 0 to 100 with this mean, if the lowest and
    highest ``tail`` of them average ``worst`` and ``best``, and the mean c of the others lies between these. The bound
    is exact: it is attained, and so is every spread from ``least`` up to it, because all such sets of values form a
    convex set.

    Let l be a value between the lowest ``tail`` and the middle, and h one between the middle and the highest: worst ≤ l
    ≤ c ≤ h ≤ best. Given both, the three groups are independent, in [0, l], [l, h] and [h, 100]. Each has its largest
    spread when all of its values except one are at the ends of its interval (two inside could move further apart). The
    number of values at the upper end follows from the group's mean. It changes on the lines l = tail · worst / k for
    the lowest group, 100 − h = tail · (100 − best) / k for the highest, and on lines through l = h = c for the middle.
    Between these lines the sum of squares is a convex quadratic in (l, h), so its maximum over the rectangle of all (l,
    h) is at a point where two of these lines, or a line and the rectangle's border, intersect. All of those points are
    evaluated.
    """
    between = 100 - 2 * tail
    middle = (100 * mean - tail * worst - tail * best) / between
    counts = np.arange(1, tail + 1)
    lows = np.clip([worst, middle, *(tail * worst / counts)], worst, middle)
    highs = np.clip([best, middle, *(100 - tail * (100 - best) / counts)], middle, best)
    upper = np.arange(between)  # how many middle clients are at h
    crossed = np.clip((between * middle - np.outer(highs, upper)) / (between - upper), worst, middle)
    met = np.clip(lows[:, None] + between * (middle - lows)[:, None] / (upper + 1), middle, best)
    low = np.concatenate([np.repeat(lows, len(highs)), crossed.ravel(), np.repeat(lows, between)])
    high = np.concatenate([np.tile(highs, len(lows)), np.repeat(highs, between), met.ravel()])
    squares = _apart(tail, worst, 0 * low, low) + _apart(between, middle, low, high)
    squares += _apart(tail, best, high, 0 * high + 100)
    centres = tail * (worst - mean) ** 2 + between * (middle - mean) ** 2 + tail * (best - mean) ** 2
    return float(np.sqrt(max(0.0, centres + squares.max()) / 100))


def _apart(count, centre, low, high):
    """The largest sum of squared distances from their mean ``centre`` for ``count`` values between ``low`` and ``high`` (arrays)."""
    width, total = high - low, count * (centre - low)
    upper = np.floor(np.divide(total, width, out=np.zeros_like(total), where=width > 0))
    upper = np.minimum(upper, count - 1)
    rest = total - upper * width
    return upper * width**2 + rest**2 - total**2 / count


class SpreadBound(Lab):
    """A hundred clients with a mean and two tails that the reader drags, the smallest and largest spread that these
    allow, and a printed spread for comparison.

    All values are percentages of accuracy. ``uneven``: the spread of the clients between the tails, from all equal (0,
    the smallest spread) to evenly spaced over the whole range between the tails (1). If the mean of the middle is not
    between the tails, no such clients exist, and ``largest`` is 0. Chapter 13 derives the smallest spread. The largest
    is derived here (see ``largest``).
    """

    view = "spread"
    controls = {
        "uneven": Slider("how far the middle clients lie apart", 0.0, 1.0, 0.01, 0.4, shown=False),
        "printed": Slider("printed spread", 0.0, 50.0, 0.1, 3.0, shown=False),
        "share": Slider("clients in a tail", 1, 15, 1, 5, shown=False),
        "mean": Slider("mean accuracy (%)", 20.0, 80.0, 0.5, 46.5, shown=False),
        "worst": Slider("mean of the worst (%)", 0.0, 80.0, 0.5, 31.0, shown=False),
        "best": Slider("mean of the best (%)", 20.0, 100.0, 0.5, 69.0, shown=False),
    }
    tries = {
        "make the middle clients equal": {"uneven": 0.0},
        "as printed: FedAvg in AdaFed's Table 1": {"mean": 46.85, "worst": 19.84, "best": 69.28, "printed": 3.54},
        "as printed: FedAvg in FedMGDA+'s Table 8": {"mean": 70.11, "worst": 45.45, "best": 88.0, "printed": 13.63},
    }

    def compute(self, uneven: float, printed: float, share: int, mean: float, worst: float, best: float) -> dict:
        p, between = share / 100, 100 - 2 * share
        middle = (mean - p * worst - p * best) / (1 - 2 * p)
        room = max(0.0, min(middle - worst, best - middle))
        values = np.concatenate(
            [np.full(share, worst), middle + uneven * room * np.linspace(-1, 1, between), np.full(share, best)]
        )
        exist = worst <= middle <= best
        return {
            "values": values,
            "mean": mean,
            "middle": middle,
            "room": room,
            "printed": printed,
            "least": float(least(mean, worst, best, p)),
            "largest": largest(mean, worst, best, share) if exist else 0.0,
            "spread": float(np.sqrt(np.mean((values - mean) ** 2))),
            "exist": exist,
        }

    def words(self, numbers: dict) -> list[str]:
        if not numbers["exist"]:
            return [
                f"the middle clients would average {numbers['middle']:.1f} %, outside of the tails: no such clients exist"
            ]
        fits = numbers["least"] <= numbers["printed"] <= numbers["largest"]
        limits = f"standard deviation from {numbers['least']:.2f} to {numbers['largest']:.2f}"
        return [
            f"{limits}; printed {numbers['printed']:.2f}: {'not ruled out' if fits else 'impossible beside these tails'}",
            f"these hundred clients: {numbers['spread']:.2f}; the middle ones average {numbers['middle']:.1f} %",
        ]
