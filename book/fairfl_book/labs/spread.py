"""The least spread that a mean and two tails allow, against what a table prints."""

import numpy as np

from fairfl_book.labs.controls import Slider
from fairfl_book.labs.lab import Lab


def least(mean: float, worst: float, best: float, share: float) -> float:
    """L: the smallest population standard deviation of values with this mean whose lowest and highest ``share`` (a fraction)
    average ``worst`` and ``best``. Source: chapter 13's formula (3)."""
    middle = (mean - share * worst - share * best) / (1 - 2 * share)
    return np.sqrt(share * (mean - worst) ** 2 + share * (best - mean) ** 2 + (1 - 2 * share) * (middle - mean) ** 2)


class SpreadBound(Lab):
    """A hundred clients with a mean and two tails to drag, the least spread that these allow, and a printed spread beside it.

    All in points of accuracy. ``uneven``: how far the clients between the tails lie apart, from all equal (0: these are the tightest
    clients) to evenly spaced as far as the tails leave room (1). Where the middle's mean is outside of the tails no such clients exist.
    """

    view = "spread"
    controls = {
        "uneven": Slider("how far the middle clients lie apart", 0.0, 1.0, 0.01, 0.4, shown=False),
        "printed": Slider("printed spread", 0.0, 40.0, 0.1, 3.0, shown=False),
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

    def compute(self, uneven, printed, share, mean, worst, best):
        p, between = share / 100, 100 - 2 * share
        middle = (mean - p * worst - p * best) / (1 - 2 * p)
        room = max(0.0, min(middle - worst, best - middle))
        values = np.concatenate(
            [np.full(share, worst), middle + uneven * room * np.linspace(-1, 1, between), np.full(share, best)]
        )
        return {
            "values": values,
            "mean": mean,
            "middle": middle,
            "room": room,
            "printed": printed,
            "least": float(least(mean, worst, best, p)),
            "spread": float(np.sqrt(np.mean((values - mean) ** 2))),
            "exist": worst <= middle <= best,
        }

    def words(self, numbers):
        if not numbers["exist"]:
            return [
                f"the middle clients would average {numbers['middle']:.1f} %, outside of the tails: no such clients exist"
            ]
        word = "not excluded" if numbers["printed"] >= numbers["least"] else "impossible beside these tails"
        return [
            f"least standard deviation {numbers['least']:.2f}; printed {numbers['printed']:.2f}: {word}",
            f"these hundred clients: {numbers['spread']:.2f}; the middle ones average {numbers['middle']:.1f} %",
        ]
