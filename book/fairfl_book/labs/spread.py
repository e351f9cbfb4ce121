"""The least spread that a mean and two tails allow, against what a table prints."""

import numpy as np

from fairfl_book.figures import COLOURS, GREY
from fairfl_book.labs.lab import Lab, Slider


def least(mean, worst, best, share):
    """L: the smallest population standard deviation of values whose lowest and highest ``share`` average ``worst`` and ``best``."""
    middle = (mean - share * worst - share * best) / (1 - 2 * share)
    return np.sqrt(share * (mean - worst) ** 2 + share * (best - mean) ** 2 + (1 - 2 * share) * (middle - mean) ** 2)


class SpreadBound(Lab):
    """A hundred clients with as little spread as their mean and tails allow, and the printed spread beside it."""

    controls = {
        "mean": Slider("mean (%)", 30.0, 60.0, 0.5, 46.5),
        "worst": Slider("mean of the worst (%)", 0.0, 60.0, 1.0, 31.0),
        "best": Slider("mean of the best (%)", 30.0, 100.0, 1.0, 69.0),
        "share": Slider("share in a tail (%)", 2, 30, 1, 5),
        "printed": Slider("printed spread", 0.5, 20.0, 0.1, 3.0),
    }

    def compute(self, mean, worst, best, share, printed):
        p = share / 100
        middle = (mean - p * worst - p * best) / (1 - 2 * p)
        return {
            "values": np.repeat([worst, middle, best], [share, 100 - 2 * share, share]),
            "mean": mean,
            "middle": middle,
            "printed": printed,
            "least": float(least(mean, worst, best, p)),
            "ordered": worst <= middle <= best,
        }

    def axes(self):
        from matplotlib import pyplot as plt

        return plt.subplots(1, 2, figsize=(8.4, 3.1), width_ratios=(3, 2))

    def draw(self, axes, numbers):
        axes[0].step(np.arange(100), numbers["values"], where="mid", color=COLOURS["blue"])
        axes[0].axhline(numbers["mean"], color=GREY, linewidth=1, linestyle="--")
        axes[0].set(
            xlabel="client, worst to best",
            ylabel="accuracy (%)",
            ylim=(-3, 103),
            title="the tightest clients with these tails",
        )
        axes[1].bar(
            ["least possible", "printed"],
            [numbers["least"], numbers["printed"]],
            color=[COLOURS["blue"], COLOURS["orange"]],
        )
        axes[1].set(ylabel="standard deviation", ylim=(0, 21))

    def words(self, numbers):
        if not numbers["ordered"]:
            return [
                f"the middle clients would average {numbers['middle']:.1f} %, outside of the tails: no such clients exist"
            ]
        word = "possible" if numbers["printed"] >= numbers["least"] else "impossible beside these tails"
        return [
            f"least standard deviation {numbers['least']:.2f}; printed {numbers['printed']:.1f}: {word}",
            f"the middle clients average {numbers['middle']:.1f} %",
        ]

    def alt(self, numbers):
        return (
            "Left: a staircase of a hundred clients, a low step, a long middle step and a high step. Right: two bars, the least possible standard "
            f"deviation, {numbers['least']:.1f}, and the printed one, {numbers['printed']:.1f}."
        )
