"""How often the ledger's rule says "not reproduced", against how far apart two numbers really are."""

import numpy as np

from fairfl.randomness import numpy_generator
from fairfl_book.figures import COLOURS, GREY
from fairfl_book.labs.lab import Lab, Slider

DRAWS = 2000


class Verdicts(Lab):
    """Two groups of runs with true means a ``gap`` apart: the share of 2,000 simulated reruns that the rule refuses."""

    controls = {
        "theirs": Slider("their seeds n₁", 2, 20, 1, 5),
        "ours": Slider("our seeds n₂", 2, 20, 1, 5),
        "spread_1": Slider("their spread σ₁ (points)", 0.2, 3.0, 0.1, 1.0),
        "spread_2": Slider("our spread σ₂ (points)", 0.2, 3.0, 0.1, 1.0),
        "gap": Slider("true gap (points)", 0.0, 4.0, 0.1, 1.0),
    }

    def compute(self, theirs, ours, spread_1, spread_2, gap):
        chance = numpy_generator(0, "verdict lab")
        one = spread_1 * chance.standard_normal((DRAWS, theirs))
        two = spread_2 * chance.standard_normal((DRAWS, ours))
        allowed = 2 * np.sqrt(one.var(1, ddof=1) / theirs + two.var(1, ddof=1) / ours)
        noise = two.mean(1) - one.mean(1)
        gaps = np.linspace(0, 4, 41)
        refused = (np.abs(noise + gaps[:, None]) > allowed).mean(1)
        return {
            "gaps": gaps,
            "refused": refused,
            "gap": gap,
            "at": float((np.abs(noise + gap) > allowed).mean()),
            "alarm": float(refused[0]),
            "allowed": float(np.median(allowed)),
        }

    def axes(self):
        from matplotlib import pyplot as plt

        return plt.subplots(figsize=(6.4, 3.4))

    def draw(self, axes, numbers):
        axes.plot(numbers["gaps"], 100 * numbers["refused"], color=COLOURS["blue"])
        axes.axhline(5, color=GREY, linewidth=1, linestyle=":")
        axes.axvline(
            numbers["allowed"], color=COLOURS["green"], linewidth=1, linestyle="--", label="typical allowed difference"
        )
        axes.plot(numbers["gap"], 100 * numbers["at"], "o", color=COLOURS["vermilion"], label="the chosen gap")
        axes.set(
            xlabel="true gap between the two means (points)",
            ylabel="judged not reproduced (%)",
            ylim=(-3, 103),
            xlim=(-0.1, 4.1),
        )
        axes.legend(loc="lower right")

    def words(self, numbers):
        return [
            f"typical allowed difference: {numbers['allowed']:.2f} points",
            f"no gap at all: judged not reproduced in {100 * numbers['alarm']:.0f} % of the reruns (false alarms)",
            f"a gap of {numbers['gap']:.1f} points: judged not reproduced in {100 * numbers['at']:.0f} %",
        ]

    def alt(self, numbers):
        return (
            "A rising curve: the share of reruns judged not reproduced against the true gap in points, from a few per cent without a gap "
            f"to nearly all for wide gaps; at the chosen gap of {numbers['gap']:.1f} it is {100 * numbers['at']:.0f} %."
        )
