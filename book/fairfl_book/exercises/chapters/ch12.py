"""Chapter 12: reproductions."""

from functools import partial

import numpy as np
from scipy import stats

from fairfl_book.exercises.registry import Exercise, Question, Wrong, register


def _paired(a, b):
    d = np.asarray(a, float) - np.asarray(b, float)
    return d.std(ddof=1) / len(d) ** 0.5


register(Exercise(
    slug="reproductions.paired",
    task="the standard error of the mean difference of two rows run with the same seeds",
    right=_paired,
    cases=[([80.0, 82.0, 84.0], [79.0, 81.5, 82.0]), ([10.0, 30.0, 20.0, 40.0], [9.0, 29.0, 18.0, 39.5]), ([1.0, 2.0], [0.0, 3.0])],
    wrong={
        "unpaired": Wrong(lambda a, b: ((np.var(a, ddof=1) + np.var(b, ddof=1)) / len(a)) ** 0.5,
                          "For {case} you answer {given}; it should be {right}. You treated the rows as independent. They share seeds, and what a "
                          "lucky seed gives to both cancels in the difference. Take the differences first, then their spread"),
        "population spread": Wrong(lambda a, b: np.std(np.subtract(a, b)) / len(a) ** 0.5,
                                   "For {case} you answer {given}; it should be {right}. You divided by n. The mean was computed from the same "
                                   "numbers, so the spread about it has n − 1 degrees of freedom: ddof=1"),
        "not divided": Wrong(lambda a, b: np.std(np.subtract(a, b), ddof=1),
                             "For {case} you answer {given}; it should be {right}. That is the spread of a single difference. The mean varies √n "
                             "times less"),
        "divided by n": Wrong(lambda a, b: np.std(np.subtract(a, b), ddof=1) / len(a),
                              "For {case} you answer {given}; it should be {right}. You divided the spread by n. It is the *variance* of the mean that is n times smaller, so its "
                              "spread is √n times smaller"),
        "half-width": Wrong(lambda a, b: stats.t.ppf(0.975, len(a) - 1) * _paired(a, b),
                            "For {case} you answer {given}; it should be {right}. That is half the width of the 95 % interval. The exercise asks for the standard error alone, without the "
                            "factor t"),
        "mean difference": Wrong(
            lambda a, b: float(np.mean(np.asarray(a) - np.asarray(b))),
            "For {case} you answer {given}; it should be {right}. That is the mean difference itself. The exercise asks for its standard error",
        ),
    },
    praise="Pairing costs nothing here: one seed draws the same initial weights, clients and batches for every rule",
    hints=(
        "Take the differences first, seed by seed. What both rows owe to the seed then cancels.",
        "Then take the standard deviation of the differences, with n − 1 in the denominator: `ddof=1`.",
        "A mean of n differences varies √n times less than a single one.",
    ),
))


def _improved(before, after):
    return float(np.mean(np.asarray(after, float) < np.asarray(before, float)))


register(Exercise(
    slug="reproductions.improved",
    task="the share of clients whose loss fell",
    right=_improved,
    cases=[([1.0, 2.0, 3.0, 4.0], [0.5, 2.5, 2.0, 4.0]), ([1.0, 1.0], [0.5, 0.5]), ([1.0, 2.0, 3.0], [1.5, 2.5, 0.1])],
    wrong={
        "ties count": Wrong(lambda b, a: float(np.mean(np.asarray(a) <= np.asarray(b))),
                            "For {case} you answer {given}; it should be {right}. A client whose loss stays the same has not improved: use <, not ≤"),
        "mean improvement": Wrong(lambda b, a: float(np.mean(a) < np.mean(b)),
                                  "For {case} you answer {given}; it should be {right}. You compared the means. One large fall can hide many small "
                                  "rises, so compare client by client first and then average"),
        "counted": Wrong(lambda b, a: int(np.sum(np.asarray(a, float) < np.asarray(b, float))),
                         "For {case} you answer {given}; it should be {right}. That is the number of clients that are better off; divide it by the "
                         "number of all clients"),
        "in percent": Wrong(lambda b, a: 100 * float(np.mean(np.asarray(a, float) < np.asarray(b, float))),
                            "For {case} you answer {given}; it should be {right}. Your answer is right in per cent; the exercise asks for a share "
                            "between 0 and 1"),
        "lists compared": Wrong(lambda b, a: float(list(a) < list(b)),
                                "For {case} you answer {given}; it should be {right}. Python compares two lists like words in a dictionary, by the "
                                "first entry in which they differ. Use arrays instead: np.array(after) < np.array(before)"),
        "turned round": Wrong(lambda b, a: float(np.mean(np.asarray(a, float) > np.asarray(b, float))),
                              "For {case} you answer {given}; it should be {right}. That is the share of clients whose loss *rose*. These are losses, "
                              "not accuracies"),
    },
    praise="FedMGDA+'s figures show this share over the rounds. A common descent direction aims at 1",
    hints=(
        "Compare the two vectors client by client. These are losses: which of the two must be smaller?",
        "True counts as 1 and False as 0, so the mean of the comparisons is a share.",
    ),
))


def _steady(n, margin, t=None):
    t = stats.t.ppf(0.95, 2 * (n - 1)) if t is None else t
    return float(margin * (n / 2) ** 0.5 / t)


register(Exercise(
    slug="reproductions.steady",
    task="the largest spread, common to two rows of n runs with equal means, at which they are equivalent within the margin",
    right=_steady,
    cases=[(5, 1.0), (3, 2.0), (20, 0.5)],
    wrong={
        "95 % interval": Wrong(lambda n, m: _steady(n, m, stats.t.ppf(0.975, 2 * (n - 1))),
                               "For {case} you answer {given}; it should be {right}. That uses a 95 % interval. Equivalence uses the 90 % one: each "
                               "of the two tests may err with 5 %, and only one of them can err"),
        "80 % interval": Wrong(lambda n, m: _steady(n, m, stats.t.ppf(0.9, 2 * (n - 1))),
                               "For {case} you answer {given}; it should be {right}. The 0.9 quantile of t leaves a tenth on *each* side. A 90 % "
                               "interval leaves a twentieth, so use 0.95"),
        "no root": Wrong(lambda n, m: _steady(n, m) * (n / 2) ** 0.5,
                         "For {case} you answer {given}; it should be {right}. 2 s² / n is the *square* of the standard error, whose root is s √(2 / "
                         "n)"),
        "freedom of one row": Wrong(lambda n, m: _steady(n, m, stats.t.ppf(0.95, n - 1)),
                                    "For {case} you answer {given}; it should be {right}. A single spread has n − 1 degrees of freedom. But both rows "
                                    "were measured, so put equal variances into the formula for ν in the box below (1)"),
        "one row's error": Wrong(lambda n, m: 2**0.5 * _steady(n, m),
                                 "For {case} you answer {given}; it should be {right}. s / √n is the error of *one* mean. Both means vary, so se² is "
                                 "2 s² / n"),
        "normal": Wrong(lambda n, m: _steady(n, m, stats.norm.ppf(0.95)),
                        "For {case} you answer {given}; it should be {right}. 1.645 is for a known spread. Estimated from a few runs, it needs t, "
                        "which is larger"),
        "1.645": Wrong(lambda n, m: _steady(n, m, 1.645),
                       "For {case} you answer {given}; it should be {right}. 1.645 belongs to the normal distribution. The spread is estimated from a few runs, so take the larger "
                       "quantile of Student's t"),
        "paired": Wrong(lambda n, m: _steady(n, m, stats.t.ppf(0.95, n - 1)) * 2**0.5,
                        "For {case} you answer {given}; it should be {right}. You treated the two rows as pairs, with the error s / √n and n − 1 degrees of freedom. These rows "
                        "have nothing in common, so both means vary: use (1)"),
        "spread of a run": Wrong(lambda n, m: _steady(n, m) / n**0.5,
                                 "For {case} you answer {given}; it should be {right}. You allow single runs to vary within the margin. Their means "
                                 "vary √n times less"),
        "whole width": Wrong(lambda n, m: _steady(n, m) / 2,
                             "For {case} you answer {given}; it should be {right}. The interval may reach as far as the margin on *each* side, so m "
                             "is its half-width and not its width"),
        "twice the error": Wrong(lambda n, m: _steady(n, m, 2.0),
                                 "For {case} you answer {given}; it should be {right}. That uses the 2 of exercise 4's rule. Here it has to be t, which "
                                 "depends on n"),
    },
    praise="Five runs a side with equal means are equivalent only up to a spread of 0.85. Most rows of FedFV's Table 3 vary more than that on single "
           "clients",
    hints=(
        "The means agree, so the interval is centred at 0. How large may its half-width be?",
        "With s₁ = s₂ = s and n₁ = n₂ = n, (1) and the formula for ν in the box below it become short. What is se, and what is ν?",
        "Set t times se equal to the margin, and solve for s.",
    ),
))


def _green(n, gap, s, df=None, shift=None):
    df = 2 * (n - 1) if df is None else df
    shift = gap / (s * (2 / n) ** 0.5) if shift is None else shift
    return float(stats.nct.cdf(2, df, shift) - stats.nct.cdf(-2, df, shift))


def _central(n, gap, s, law):
    shift = gap / (s * (2 / n) ** 0.5)
    return float(law.cdf(2 - shift) - law.cdf(-2 - shift))


register(Exercise(
    slug="reproductions.green",
    task="the chance that the simple rule calls a number reproduced, with n runs a side, a true gap and a spread",
    right=_green,
    cases=[(3, 5.0, 10.0), (5, 5.0, 3.0), (5, 0.0, 1.0), (20, 1.0, 2.0)],
    tolerance=1e-4,
    wrong={
        "a known spread": Wrong(lambda n, g, s: _central(n, g, s, stats.norm),
                                "For {case} you answer {given}; it should be {right}. You treated the standard error as known. It is estimated from "
                                "the same few runs, so the quotient has Student's distribution"),
        "t moved": Wrong(lambda n, g, s: _central(n, g, s, stats.t(2 * (n - 1))),
                         "For {case} you answer {given}; it should be {right}. You shifted Student's t by the gap over the true error. But the "
                         "estimated error divides the gap as well as the noise: (Z + δ) / W is not Z / W + δ. Its distribution is called noncentral t"),
        "freedom of one row": Wrong(lambda n, g, s: _green(n, g, s, df=n - 1),
                                    "For {case} you answer {given}; it should be {right}. Both rows' spreads are estimated, and the sum of their "
                                    "variances has 2 (n − 1) degrees of freedom. It would be n − 1 if our spread stood in for both"),
        "one mean": Wrong(lambda n, g, s: _green(n, g, s, shift=g * n**0.5 / s),
                          "For {case} you answer {given}; it should be {right}. You used the error of one mean, s / √n. The difference of two means "
                          "has the error s √(2 / n)"),
        "red": Wrong(lambda n, g, s: 1 - _green(n, g, s), "For {case} you answer {given}; it should be {right}. That is the chance of *not reproduced*"),
        "not divided by n": Wrong(lambda n, g, s: _green(n, g, s, shift=g / (s * 2**0.5)),
                                  "For {case} you answer {given}; it should be {right}. You measure the gap by the distance between two single runs. "
                                  "Two means of n runs lie √n times closer together"),
        "gap over spread": Wrong(lambda n, g, s: _central(n, g * (2 / n) ** 0.5, s, stats.norm),
                                 "For {case} you answer {given}; it should be {right}. The gap has to be measured in units of the error of Δ, s √(2 / "
                                 "n), and not of s. That error is estimated, so the distribution is Student's"),
        "symmetric": Wrong(lambda n, g, s: float(2 * stats.nct.cdf(2, 2 * (n - 1), g / (s * (2 / n) ** 0.5)) - 1),
                           "For {case} you answer {given}; it should be {right}. A noncentral t is not symmetric about 0. Take the probability up to "
                           "2 minus the probability up to −2"),
        "one side": Wrong(lambda n, g, s: float(stats.nct.cdf(2, 2 * (n - 1), g / (s * (2 / n) ** 0.5))),
                          "For {case} you answer {given}; it should be {right}. The rule bounds |Δ|, so runs that miss on the other side, below −2 "
                          "standard errors, are red as well"),
        "without a gap": Wrong(lambda n, g, s: _green(n, 0.0, s),
                               "For {case} you answer {given}; it should be {right}. That is the chance when there is no difference. The gap shifts "
                               "the distribution by the ratio of the gap to the error"),
    },
    praise="Take a gap of five with three runs a side: it is never green at a spread of 0.3, but it is green in 88 of 100 reruns at a spread of 40",
    hints=(
        "Divide Δ and se by the true error s √(2 / n). What is left of Δ, and what of se? Which of the two depends on the gap, and are they "
        "independent?",
        "(Z + δ) / W, with Z standard normal and W² a chi-square over its degrees of freedom, has the distribution `scipy.stats.nct`.",
        "To prove the growth, hold W fixed: consider the probability that Z + δ lies between −2W and 2W, and differentiate it with respect to δ.",
    ),
))


_SEEDS = np.arange(2, 100)  # bounded, because with arguments in the wrong order no number of seeds may be enough


def _enough(effect, s, level, power, df=0, chance=stats.nct.sf):
    """The smallest n ≥ 2 at which a one-sided t-test at ``level`` detects ``effect`` with probability ``power``."""
    freedom = _SEEDS - 1 + df
    seen = chance(stats.t.ppf(1 - level, freedom), freedom, effect * _SEEDS**0.5 / s) >= power
    return int(_SEEDS[seen.argmax()]) if seen.any() else 100


def _moved(t, df, shift):
    return stats.t.sf(t - shift, df)


def _normal(effect, s, level, power):
    return int(np.ceil(((stats.norm.isf(level) + stats.norm.ppf(power)) * s / effect) ** 2))


register(Exercise(
    slug="reproductions.seeds",
    task="the smallest number of seeds at which a paired one-sided t-test finds an effect with a given chance",
    right=_enough,
    cases=[(0.76, 0.62, 0.025, 0.8), (0.25, 0.44, 0.05, 0.8), (1.0, 1.0, 0.05, 0.9), (0.76, 0.62, 0.05 / 19, 0.9), (2.0, 1.5, 0.01, 0.9),
           (5.0, 1.0, 0.001, 0.8), (1.5, 1.0, 0.1, 0.99)],
    wrong={
        "normal": Wrong(_normal, "For {case} you answer {given}; it should be {right}. That is the formula for the normal distribution and a known "
                                 "spread. With so few seeds, t is much larger than z. Count up from 2 with Student's distribution"),
        "both sides": Wrong(lambda e, s, a, p: _enough(e, s, a / 2, p),
                            "For {case} you answer {given}; it should be {right}. You halved the level, as for a two-sided test. A claim has a "
                            "direction, so the whole level is on its side"),
        "an even chance": Wrong(lambda e, s, a, p: _enough(e, s, a, p, chance=lambda t, df, shift: shift >= t),
                                "For {case} you answer {given}; it should be {right}. With that many seeds, an observed effect of exactly this size "
                                "is significant. But the mean of the next seeds varies around it and falls short in about half of the cases, which is "
                                "a power of one half"),
        "unpaired": Wrong(lambda e, s, a, p: _enough(e, 2**0.5 * s, a, p),
                          "For {case} you answer {given}; it should be {right}. `spread` is already that of the paired differences, so there is no "
                          "factor √2"),
        "t moved": Wrong(partial(_enough, chance=_moved),
                         "For {case} you answer {given}; it should be {right}. You shifted Student's t by the effect over its true error. But the "
                         "estimated error divides the effect, too, so the distribution is noncentral t"),
        "a known error": Wrong(partial(_enough, chance=lambda t, df, shift: stats.norm.sf(t - shift)),
                               "For {case} you answer {given}; it should be {right}. Your bound is Student's, but you let the mean over its standard "
                               "error vary like a normal number. Its denominator is estimated as well"),
        "two rows": Wrong(lambda e, s, a, p: int(_SEEDS[(stats.nct.sf(stats.t.ppf(1 - a, 2 * (_SEEDS - 1)), 2 * (_SEEDS - 1), e * (_SEEDS / 2) ** 0.5 / s) >= p).argmax()]),
                          "For {case} you answer {given}; it should be {right}. That is for two rows with separate seeds. Here the differences form "
                          "one sample: n of them, with n − 1 degrees of freedom"),
        "level and power": Wrong(lambda e, s, a, p: _enough(e, s, 1 - p, 1 - a),
                                 "For {case} you answer {given}; it should be {right}. You exchanged level and power. The level is the chance of "
                                 "*holds* when there is no effect, and the power is its chance when the effect is there"),
        "no root": Wrong(lambda e, s, a, p: _enough(e, s, a, p, chance=lambda t, df, shift: stats.nct.sf(t, df, shift * (df + 1) ** 0.5)),
                         "For {case} you answer {given}; it should be {right}. You let the error fall like 1 / n. It falls like 1 / √n, which is why "
                         "seeds are expensive"),
        "n degrees": Wrong(partial(_enough, df=1),
                           "For {case} you answer {given}; it should be {right}. n differences have n − 1 degrees of freedom, since their mean is "
                           "estimated from them"),
        "one too few": Wrong(lambda e, s, a, p: _enough(e, s, a, p) - 1,
                             "For {case} you answer {given}; it should be {right}. With {given} the chance is still below the required one: you "
                             "stopped one seed too early"),
    },
    praise="Plan for the effect that would matter. The effect that you saw was chosen because it was visible, and so on average it is too large",
    hints=(
        "When does the test say *holds*? When the mean over its standard error exceeds a quantile of Student's distribution. Which quantile, with n "
        "seeds?",
        "If the effect is there, this quotient has the noncentral t distribution with n − 1 degrees of freedom, shifted by effect · √n / spread: "
        "`scipy.stats.nct`.",
        "Begin with two seeds, and add one at a time until the chance is reached.",
    ),
))

register(Question(
    slug="reproductions.one_setting",
    task="a declared table with one open setting changed, and which verdicts change",
    hints=(
        "Choose a setting that the paper does not print and that should matter more for one rule than for another: local epochs, batch size, the "
        "server's step, or how the data are split.",
        "Write down which verdicts you expect to change, and why, before you run anything.",
        "Copy the table's file under a new name, change the one line, run two rows, and compare the old and new verdicts side by side. A verdict that "
        "stays is a result, too.",
    ),
))
