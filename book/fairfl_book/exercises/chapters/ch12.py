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
                          "For {case} you answer {given}; it should be {right}. You treated the rows as independent. They share seeds, and what a lucky seed "
                          "gives both cancels in the difference: take differences first, then their spread"),
        "population spread": Wrong(lambda a, b: np.std(np.subtract(a, b)) / len(a) ** 0.5,
                                   "For {case} you answer {given}; it should be {right}. You divided by n. The mean was taken from the same numbers, so that the "
                                   "spread about it is n − 1 numbers' worth: ddof=1"),
        "not divided": Wrong(lambda a, b: np.std(np.subtract(a, b), ddof=1),
                             "For {case} you answer {given}; it should be {right}. That is the spread of one difference. Their mean varies √n times less"),
        "mean difference": Wrong(
            lambda a, b: float(np.mean(np.asarray(a) - np.asarray(b))),
            "For {case} you answer {given}; it should be {right}. That is the mean difference itself. Asked is its standard error",
        ),
    },
    praise="Pairing is free here: one seed draws the same weights, clients and batches under every rule",
    hints=(
        "Take the differences first, seed by seed: what both rows owe to the seed drops out.",
        "Then the differences' standard deviation, with n − 1 in the denominator: `ddof=1`.",
        "A mean of n differences varies √n times less than one of them.",
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
                            "For {case} you answer {given}; it should be {right}. A client whose loss stays as it was has not improved: use <, not ≤"),
        "mean improvement": Wrong(lambda b, a: float(np.mean(a) < np.mean(b)),
                                  "For {case} you answer {given}; it should be {right}. You compared the means. One large fall can hide many small rises; "
                                  "compare client by client, then average"),
        "counted": Wrong(lambda b, a: int(np.sum(np.asarray(a, float) < np.asarray(b, float))),
                         "For {case} you answer {given}; it should be {right}. That is how many clients are better off; a share is that over how many there are"),
        "in percent": Wrong(lambda b, a: 100 * float(np.mean(np.asarray(a, float) < np.asarray(b, float))),
                            "For {case} you answer {given}; it should be {right}. Right, but in percent; asked is a share between 0 and 1"),
        "lists compared": Wrong(lambda b, a: float(list(a) < list(b)),
                                "For {case} you answer {given}; it should be {right}. Two Python lists are compared as words in a dictionary, by their first "
                                "difference. Make arrays of them: np.array(after) < np.array(before)"),
        "turned round": Wrong(lambda b, a: float(np.mean(np.asarray(a, float) > np.asarray(b, float))),
                              "For {case} you answer {given}; it should be {right}. That is the share of clients whose loss *rose*; these are losses, not accuracies"),
    },
    praise="FedMGDA+'s figures show this share over the rounds: a common descent direction aims at 1",
    hints=(
        "Compare the two vectors client by client. These are losses: which of the two must be the smaller one?",
        "True counts as 1 and False as 0, so that the mean of the comparisons is a share.",
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
                               "For {case} you answer {given}; it should be {right}. That is a 95 % interval. Equivalence takes the 90 % one: each of the two tests may err in 5 %, and only "
                               "one of them can err"),
        "80 % interval": Wrong(lambda n, m: _steady(n, m, stats.t.ppf(0.9, 2 * (n - 1))),
                               "For {case} you answer {given}; it should be {right}. The 0.9 quantile of t leaves a tenth on *either* side. A 90 % interval leaves a twentieth: 0.95"),
        "no root": Wrong(lambda n, m: _steady(n, m) * (n / 2) ** 0.5,
                         "For {case} you answer {given}; it should be {right}. 2 s² / n is the *square* of the standard error: its root is s √(2 / n)"),
        "freedom of one row": Wrong(lambda n, m: _steady(n, m, stats.t.ppf(0.95, n - 1)),
                                    "For {case} you answer {given}; it should be {right}. n − 1 degrees of freedom belong to one spread. Both rows were measured: put equal variances into ν of (1)"),
        "one row's error": Wrong(lambda n, m: 2**0.5 * _steady(n, m),
                                 "For {case} you answer {given}; it should be {right}. s / √n is the error of *one* mean. Both means vary: se² is 2 s² / n"),
        "normal": Wrong(lambda n, m: _steady(n, m, stats.norm.ppf(0.95)),
                        "For {case} you answer {given}; it should be {right}. 1.645 is for a spread that is known. From few runs it is an estimate, and t is larger"),
        "spread of a run": Wrong(lambda n, m: _steady(n, m) / n**0.5,
                                 "For {case} you answer {given}; it should be {right}. You let single runs vary within the margin. Their means vary √n times less"),
        "whole width": Wrong(lambda n, m: _steady(n, m) / 2,
                             "For {case} you answer {given}; it should be {right}. The interval reaches as far as the margin to *either* side: its half width is m, and not its width"),
        "twice the error": Wrong(lambda n, m: _steady(n, m, 2.0),
                                 "For {case} you answer {given}; it should be {right}. That is the 2 of the first rule. Here t has its place, and depends on n"),
    },
    praise="Five runs a side that agree exactly are equivalent only up to a spread of 0.85. Most rows of FedFV's Table 3 vary by more on single clients",
    hints=(
        "The means agree, so the interval is centred at 0. How long may its half be?",
        "With s₁ = s₂ = s and n₁ = n₂ = n, (1) becomes short: what is se, and what is ν?",
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
    task="the chance that the first edition's rule says reproduced, with n runs a side, a true gap and a spread",
    right=_green,
    cases=[(3, 5.0, 10.0), (5, 5.0, 3.0), (5, 0.0, 1.0), (20, 1.0, 2.0)],
    tolerance=1e-4,
    wrong={
        "a known spread": Wrong(lambda n, g, s: _central(n, g, s, stats.norm),
                                "For {case} you answer {given}; it should be {right}. You took the standard error as known. It is an estimate from the same few runs, and the quotient has Student's law"),
        "t moved": Wrong(lambda n, g, s: _central(n, g, s, stats.t(2 * (n - 1))),
                         "For {case} you answer {given}; it should be {right}. You moved Student's t to the gap over the true error. The estimated error divides the gap as well as the noise: "
                         "(Z + δ) / W is not Z / W + δ. Its law is called noncentral t"),
        "freedom of one row": Wrong(lambda n, g, s: _green(n, g, s, df=n - 1),
                                    "For {case} you answer {given}; it should be {right}. Both rows' spreads are estimated: their variances, added, have 2 (n − 1) degrees of freedom. With ours for both it "
                                    "would be n − 1"),
        "one mean": Wrong(lambda n, g, s: _green(n, g, s, shift=g * n**0.5 / s),
                          "For {case} you answer {given}; it should be {right}. Your error is that of one mean, s / √n. Two means are subtracted: s √(2 / n)"),
        "red": Wrong(lambda n, g, s: 1 - _green(n, g, s), "For {case} you answer {given}; it should be {right}. That is the chance of *not reproduced*"),
        "not divided by n": Wrong(lambda n, g, s: _green(n, g, s, shift=g / (s * 2**0.5)),
                                  "For {case} you answer {given}; it should be {right}. You measure the gap by how far two single runs lie apart. Two means of n runs lie √n times closer"),
        "gap over spread": Wrong(lambda n, g, s: _central(n, g * (2 / n) ** 0.5, s, stats.norm),
                                 "For {case} you answer {given}; it should be {right}. The gap has to be measured by the error of Δ, s √(2 / n), and not by s; and that error is estimated, so that the "
                                 "law is Student's"),
        "symmetric": Wrong(lambda n, g, s: float(2 * stats.nct.cdf(2, 2 * (n - 1), g / (s * (2 / n) ** 0.5)) - 1),
                           "For {case} you answer {given}; it should be {right}. A noncentral t is not symmetric about 0: take the chance up to 2, less that up to −2"),
        "one side": Wrong(lambda n, g, s: float(stats.nct.cdf(2, 2 * (n - 1), g / (s * (2 / n) ** 0.5))),
                          "For {case} you answer {given}; it should be {right}. The rule bounds |Δ|: runs that miss on the other side, below −2 standard errors, are red as well"),
        "without a gap": Wrong(lambda n, g, s: _green(n, 0.0, s),
                               "For {case} you answer {given}; it should be {right}. That is the chance where nothing differs. The gap moves it by as much as it is long beside the error"),
    },
    praise="A gap of five with three runs a side: never green at a spread of 0.3, and green in 88 of 100 reruns at a spread of 40",
    hints=(
        "Divide Δ and se by the true error s √(2 / n). What is left of Δ, and what of se? Which of the two depends on the gap, and do they depend on each other?",
        "Z + δ over W, with Z standard normal and W² a chi-square over its degrees of freedom: `scipy.stats.nct` has its law.",
        "For the growth hold W fixed: the chance that Z + δ lies between −2W and 2W. Differentiate it in δ.",
    ),
))


_SEEDS = np.arange(2, 100)  # the end is for arguments in another order than asked, with which no number of seeds is enough


def _enough(effect, s, level, power, df=0, chance=stats.nct.sf):
    """The least n ≥ 2 at which a one-sided t-test at ``level`` sees ``effect`` with a chance of ``power``."""
    freedom = _SEEDS - 1 + df
    seen = chance(stats.t.ppf(1 - level, freedom), freedom, effect * _SEEDS**0.5 / s) >= power
    return int(_SEEDS[seen.argmax()]) if seen.any() else 100


def _moved(t, df, shift):
    return stats.t.sf(t - shift, df)


def _normal(effect, s, level, power):
    return int(np.ceil(((stats.norm.isf(level) + stats.norm.ppf(power)) * s / effect) ** 2))


register(Exercise(
    slug="reproductions.seeds",
    task="the least number of seeds at which a paired one-sided t-test finds an effect with a given chance",
    right=_enough,
    cases=[(0.76, 0.62, 0.025, 0.8), (0.25, 0.44, 0.05, 0.8), (1.0, 1.0, 0.05, 0.9), (0.76, 0.62, 0.05 / 19, 0.9), (2.0, 1.5, 0.01, 0.9),
           (5.0, 1.0, 0.001, 0.8), (1.5, 1.0, 0.1, 0.99)],
    wrong={
        "normal": Wrong(_normal, "For {case} you answer {given}; it should be {right}. That is the normal law's formula, for a spread that is known. With so few seeds t is much larger than z: count up from 2 with Student's law"),
        "both sides": Wrong(lambda e, s, a, p: _enough(e, s, a / 2, p),
                            "For {case} you answer {given}; it should be {right}. You halved the level, as for a test that looks to both sides. A claim has a direction: all of the level is on its side"),
        "an even chance": Wrong(lambda e, s, a, p: _enough(e, s, a, p, chance=lambda t, df, shift: shift >= t),
                                "For {case} you answer {given}; it should be {right}. There an effect of just this size is significant. But the mean of the next seeds scatters about it, and falls short in about "
                                "half of the cases: that is a power of one half"),
        "unpaired": Wrong(lambda e, s, a, p: _enough(e, 2**0.5 * s, a, p),
                          "For {case} you answer {given}; it should be {right}. `spread` is that of the paired differences already: no root of 2"),
        "t moved": Wrong(partial(_enough, chance=_moved),
                         "For {case} you answer {given}; it should be {right}. You moved Student's t by the effect over its true error. The estimated error divides the effect, too: the law is noncentral t"),
        "a known error": Wrong(partial(_enough, chance=lambda t, df, shift: stats.norm.sf(t - shift)),
                               "For {case} you answer {given}; it should be {right}. The bound is Student's, but you let mean over standard error scatter like a normal number. Its denominator is estimated as well"),
        "two rows": Wrong(lambda e, s, a, p: int(_SEEDS[(stats.nct.sf(stats.t.ppf(1 - a, 2 * (_SEEDS - 1)), 2 * (_SEEDS - 1), e * (_SEEDS / 2) ** 0.5 / s) >= p).argmax()]),
                          "For {case} you answer {given}; it should be {right}. That is for two rows with seeds of their own. Here the differences are one sample: n of them, n − 1 degrees of freedom"),
        "level and power": Wrong(lambda e, s, a, p: _enough(e, s, 1 - p, 1 - a),
                                 "For {case} you answer {given}; it should be {right}. Level and power have changed places: the level is the risk of *holds* where nothing is, the power the chance of it where the effect is there"),
        "no root": Wrong(lambda e, s, a, p: _enough(e, s, a, p, chance=lambda t, df, shift: stats.nct.sf(t, df, shift * (df + 1) ** 0.5)),
                         "For {case} you answer {given}; it should be {right}. You let the error fall like 1 / n. It falls like 1 / √n, which is why seeds are dear"),
        "n degrees": Wrong(partial(_enough, df=1),
                           "For {case} you answer {given}; it should be {right}. n differences have n − 1 degrees of freedom, since their mean is taken from them"),
        "one too few": Wrong(lambda e, s, a, p: _enough(e, s, a, p) - 1,
                             "For {case} you answer {given}; it should be {right}. With {given} the chance is still below what is asked: you stopped one seed early"),
    },
    praise="Plan for the effect that would matter. The one you saw was chosen for being seen, and is too large on average",
    hints=(
        "When does the test say *holds*? When mean over standard error exceeds a quantile of Student's law. Which one, with n seeds?",
        "Where the effect is there, this quotient has the noncentral t law with n − 1 degrees of freedom, moved by effect · √n / spread: `scipy.stats.nct`.",
        "Begin with two seeds and add one until the chance is reached.",
    ),
))

register(Question(
    slug="reproductions.one_setting",
    task="a declared table with one open setting changed, and which verdicts change",
    hints=(
        "Choose a setting that the paper does not print and that should matter for one rule more than for another: local epochs, batch size, the "
        "server's step, how the data are split.",
        "Write down which verdicts you expect to change, each with a reason, before anything runs.",
        "Copy the table's file under a new name, change the one line, run two rows, and put old and new verdicts side by side. A verdict that stays "
        "is a result, too.",
    ),
))
