"""Chapter 13: reading results."""

import numpy as np

from fairfl_book.exercises.registry import Exercise, Question, Wrong, register


def _least(mean, worst, best, p):
    middle = (mean - p * worst - p * best) / (1 - 2 * p)
    return (p * (mean - worst) ** 2 + p * (best - mean) ** 2 + (1 - 2 * p) * (middle - mean) ** 2) ** 0.5


register(Exercise(
    slug="reading.least",
    task="the least standard deviation for a mean, the averages of both tails and the share p in each",
    right=_least,
    cases=[(50.0, 20.0, 80.0, 0.1), (46.42, 31.12, 69.41, 0.05), (70.0, 60.0, 75.0, 0.25)],
    wrong={
        "middle forgotten": Wrong(lambda m, w, b, p: (p * (m - w) ** 2 + p * (b - m) ** 2) ** 0.5,
                                  "For {case} you answer {given}; it should be {right}. Unless the tails lie evenly about the mean, the middle clients cannot all "
                                  "sit on it: they average m', and their distance from the mean counts too"),
        "not a root": Wrong(lambda m, w, b, p: _least(m, w, b, p) ** 2,
                            "For {case} you answer {given}; it should be {right}. That is the least *variance*, the column's other name"),
        "one tail": Wrong(lambda m, w, b, p: (p * (m - w) ** 2) ** 0.5,
                          "For {case} you answer {given}; it should be {right}. You used the worst clients alone. The best ones are away from the mean as well"),
        "middle not weighted": Wrong(
            lambda m, w, b, p: (p * (m - w) ** 2 + p * (b - m) ** 2 + ((m - p * w - p * b) / (1 - 2 * p) - m) ** 2) ** 0.5,
            "For {case} you answer {given}; it should be {right}. The middle group counts with its share, 1 − 2p, like the tails with "
            "theirs",
        ),
        "tails not weighted": Wrong(
            lambda m, w, b, p: ((m - w) ** 2 + (b - m) ** 2) ** 0.5,
            "For {case} you answer {given}; it should be {right}. Each tail holds the share p of the clients: its squared distance "
            "counts p times, and the middle 1 − 2p times",
        ),
    },
    praise="Any real set of accuracies with these tails is spread at least as widely",
    hints=(
        "First the clients between the two tails: (2) is what they must average, so that everybody together averages ā.",
        "The spread is smallest if each group sits at one number. A group then adds its share times its squared distance from the mean.",
        "Three such terms, and a root.",
    ),
))

register(Exercise(
    slug="reading.angle",
    task="the standard deviation that belongs to a mean of 80 % and an angle of 9°",
    right=float(80 * np.tan(np.radians(9))),
    tolerance=5e-3,
    wrong={
        "sine": Wrong(float(80 * np.sin(np.radians(9))), "You used the sine. The accuracies' vector is the hypotenuse; the mean is one leg and the standard deviation "
                                                         "the other, so that their ratio is the tangent"),
        "in radians": Wrong(float(80 * np.tan(9)), "The tangent was taken of 9 radians. Turn degrees into radians first"),
        "turned round": Wrong(float(80 / np.tan(np.radians(9))), "You divided by the tangent. A small angle means that the spread is a small part of the mean"),
        "ratio alone": Wrong(
            float(np.tan(np.radians(9))),
            "That is σ / ā, the deviation as a part of the mean. Multiply by the mean",
        ),
    },
    praise="12.7. A row that prints 80 and 9° can print no other spread",
    hints=(
        "Formula (4) is a right-angled triangle: the mean is one leg, the standard deviation the other.",
        "`np.tan` wants radians; `np.radians` turns degrees into them.",
        "Solve for σ: the mean is in per cent, and so is the answer.",
    ),
))


def _possible(value, n):
    return bool(abs(round(value * n / 100) * 100 / n - value) <= 0.005 + 1e-9)


register(Exercise(
    slug="reading.possible",
    task="whether an accuracy printed with two decimals can come from one run on n test rows",
    right=_possible,
    cases=[(77.90, 181), (77.90, 41), (64.26, 700), (83.33, 16100), (50.0, 40), (50.0, 41), (50.01, 6000)],
    wrong={
        "always": Wrong(lambda value, n: True, "For {case} you answer {given}; it should be {right}. On n rows only the n + 1 values 100 k / n exist; find the nearest and "
                                               "compare"),
        "exact": Wrong(lambda value, n: bool(abs(value * n / 100 - round(value * n / 100)) < 1e-9),
                       "For {case} you answer {given}; it should be {right}. You ask for an exact fraction, but the printed number was rounded: allow half a unit of its last "
                       "digit, 0.005"),
        "counts": Wrong(lambda value, n: bool(abs(value * n / 100 - round(value * n / 100)) <= 0.005),
                        "For {case} you answer {given}; it should be {right}. The 0.005 belongs to the accuracy in per cent. You allowed it on the number of right answers"),
        "whole unit": Wrong(
            lambda value, n: bool(abs(round(value * n / 100) * 100 / n - value) <= 0.01 + 1e-9),
            "For {case} you answer {given}; it should be {right}. You allow a whole unit of the last digit. Rounding moves a number "
            "by at most half of one, 0.005",
        ),
        "rounded down": Wrong(
            lambda value, n: bool(abs(int(value * n / 100) * 100 / n - value) <= 0.005 + 1e-9),
            "For {case} you answer {given}; it should be {right}. You round the number of right answers down. The printed accuracy "
            "may have been rounded down itself, so the nearest whole number can be above",
        ),
    },
    praise="138 of 181 is 76.24: this is how one learns which test file a table used",
    hints=(
        "Which whole number of right answers, out of n, comes nearest to `value` per cent?",
        "Turn that number back into per cent, and compare it with `value`.",
        "The printed number was rounded to two decimals, so that it may be off by half a unit of its last one.",
    ),
))

register(Question(
    slug="reading.grain",
    task="which numbers of test rows fit four printed accuracies, and what follows",
    hints=(
        "An n fits if `possible` of exercise 3 says so for all four accuracies.",
        "Whatever fits n rows fits any multiple of n as well: look at the smallest.",
        "Compare it with the data set: how many people with a doctorate has the official test file of Adult, and how many would a tenth of the "
        "training file have?",
    ),
))
