"""How often the ledger's rule says *equivalent*, *different* or *undecided*, against how far apart two numbers really are."""

import numpy as np
from scipy import stats

from fairfl.randomness import numpy_generator
from fairfl_book.figures import COLOURS, GREY
from fairfl_book.labs.lab import Lab, Slider

DRAWS = 2000


class Verdicts(Lab):
    """Two groups of runs with true means a ``gap`` apart: the share of 2,000 simulated reruns with each verdict, by Welch's 90 % interval."""

    controls = {
        "theirs": Slider("their seeds n₁", 2, 20, 1, 5),
        "ours": Slider("our seeds n₂", 2, 20, 1, 5),
        "spread_1": Slider("their spread σ₁ (points)", 0.2, 3.0, 0.1, 1.0),
        "spread_2": Slider("our spread σ₂ (points)", 0.2, 3.0, 0.1, 1.0),
        "margin": Slider("margin (points)", 0.5, 2.0, 0.1, 1.0),
        "gap": Slider("true gap (points)", 0.0, 4.0, 0.1, 1.0),
    }

    def compute(self, theirs, ours, spread_1, spread_2, margin, gap):
        chance = numpy_generator(0, "verdict lab")
        one = spread_1 * chance.standard_normal((DRAWS, theirs))
        two = spread_2 * chance.standard_normal((DRAWS, ours))
        v, w = one.var(1, ddof=1) / theirs, two.var(1, ddof=1) / ours
        half = stats.t.ppf(0.95, (v + w) ** 2 / (v**2 / (theirs - 1) + w**2 / (ours - 1))) * np.sqrt(v + w)
        noise = two.mean(1) - one.mean(1)
        gaps = np.linspace(0, 4, 41)

        def shares(gap):
            away = np.abs(noise + gap)
            return (away + half <= margin).mean(-1), (away - half > margin).mean(-1)

        equivalent, different = shares(gaps[:, None])
        at = tuple(map(float, shares(gap)))
        return {
            "gaps": gaps,
            "equivalent": equivalent,
            "different": different,
            "gap": gap,
            "margin": margin,
            "at": at,
            "half": float(np.median(half)),
        }

    def axes(self):
        from matplotlib import pyplot as plt

        return plt.subplots(figsize=(6.4, 3.4))

    def draw(self, axes, numbers):
        for word, colour, at in zip(("equivalent", "different"), ("green", "vermilion"), numbers["at"]):
            axes.plot(numbers["gaps"], 100 * numbers[word], color=COLOURS[colour], label=word)
            axes.plot(numbers["gap"], 100 * at, "o", color=COLOURS[colour])
        axes.axhline(5, color=GREY, linewidth=1, linestyle=":")
        axes.axvline(numbers["margin"], color=COLOURS["black"], linewidth=1, linestyle="--", label="margin")
        axes.set(
            xlabel="true gap between the two means (points)", ylabel="reruns (%)", ylim=(-3, 103), xlim=(-0.1, 4.1)
        )
        axes.legend(loc="center right")

    def words(self, numbers):
        equivalent, different = (100 * share for share in numbers["at"])
        return [
            f"typical half interval: {numbers['half']:.2f} points, margin {numbers['margin']:.1f}",
            f"a gap of {numbers['gap']:.1f} points: {equivalent:.0f} % equivalent, {different:.0f} % different, the rest undecided",
            f"no gap at all: {100 * numbers['equivalent'][0]:.0f} % equivalent, {100 * numbers['different'][0]:.0f} % different",
        ]

    def alt(self, numbers):
        equivalent, different = (100 * share for share in numbers["at"])
        return (
            "Two curves against the true gap in points: the share of reruns judged equivalent falls, the share judged different rises, and at "
            f"the margin of {numbers['margin']:.1f} both are low; at the chosen gap of {numbers['gap']:.1f} they are {equivalent:.0f} and {different:.0f} %."
        )
