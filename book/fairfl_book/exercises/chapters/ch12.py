"""Chapter 12: reproductions."""

import numpy as np

from fairfl_book.exercises.registry import Exercise, Question, Wrong, register


def _allowed(s1, n1, s2, n2):
    return 2 * (s1**2 / n1 + s2**2 / n2) ** 0.5


register(Exercise(
    slug="reproductions.allowed",
    task="how far two means of n₁ and n₂ runs may lie apart, 2 √(s₁²/n₁ + s₂²/n₂)",
    right=_allowed,
    cases=[(1.0, 4, 1.0, 4), (3.0, 5, 0.5, 2), (0.0, 5, 2.0, 16)],
    wrong={
        "spread of a run": Wrong(lambda s1, n1, s2, n2: 2 * (s1**2 + s2**2) ** 0.5,
                                 "For {case} you answer {given}; it should be {right}. That is how far two single *runs* may lie apart. A mean over n "
                                 "runs varies √n times less: divide each variance by its n"),
        "added, not squared": Wrong(lambda s1, n1, s2, n2: 2 * (s1 / n1**0.5 + s2 / n2**0.5),
                                    "For {case} you answer {given}; it should be {right}. Errors of independent means add as squares: two errors of 3 and 4 "
                                    "make 5, not 7"),
        "one error": Wrong(lambda s1, n1, s2, n2: (s1**2 / n1 + s2**2 / n2) ** 0.5,
                           "For {case} you answer {given}; it should be {right}. That is one standard error of the difference; a third of honest reruns "
                           "lies outside of it. The rule allows two"),
        "no root": Wrong(lambda s1, n1, s2, n2: 2 * (s1**2 / n1 + s2**2 / n2),
                         "For {case} you answer {given}; it should be {right}. You added variances, which are squares of points. Take the root of their sum "
                         "before you double it"),
        "spread as variance": Wrong(lambda s1, n1, s2, n2: 2 * (s1 / n1 + s2 / n2) ** 0.5,
                                    "For {case} you answer {given}; it should be {right}. s₁ and s₂ are deviations: variances, which can be added, are their squares"),
        "n under the other root": Wrong(lambda s1, n1, s2, n2: 2 * (s1**2 / n2 + s2**2 / n1) ** 0.5,
                                        "For {case} you answer {given}; it should be {right}. Each variance goes with its own number of runs"),
        "squared n": Wrong(
            lambda s1, n1, s2, n2: 2 * (s1**2 / n1**2 + s2**2 / n2**2) ** 0.5,
            "For {case} you answer {given}; it should be {right}. You divided s by n. A mean of n runs varies √n times less, so that "
            "its variance is s² / n",
        ),
    },
    praise="verdict.judge adds half a unit of the last printed digit, since a printed number is itself rounded",
    hints=(
        "A mean of n runs has the variance s² / n.",
        "Variances of independent means add up: that is se² in (1).",
        "Rule (2) allows twice its root.",
    ),
))


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
        "divided by n": Wrong(lambda a, b: np.std(np.subtract(a, b), ddof=1) / len(a),
                              "For {case} you answer {given}; it should be {right}. You divided the deviation by n. It is the variance of a mean that is n times "
                              "smaller, so that the deviation is √n times smaller"),
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
