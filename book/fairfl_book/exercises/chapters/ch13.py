"""Chapter 13: reading results."""

import numpy as np

from fairfl_book.exercises.registry import Exercise, Wrong, register


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
    },
    praise="Any real set of accuracies with these tails is spread at least as widely",
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
    },
    praise="12.7. A row that prints 80 and 9° can print no other spread",
))


def _possible(value, n):
    return bool(abs(round(value * n / 100) * 100 / n - value) <= 0.005 + 1e-9)


register(Exercise(
    slug="reading.possible",
    task="whether an accuracy printed with two decimals can come from one run on n test rows",
    right=_possible,
    cases=[(77.90, 181), (77.90, 41), (64.26, 700), (83.33, 16100), (50.0, 40), (50.0, 41)],
    wrong={
        "always": Wrong(lambda value, n: True, "For {case} you answer {given}; it should be {right}. On n rows only the n + 1 values 100 k / n exist; find the nearest and "
                                               "compare"),
        "exact": Wrong(lambda value, n: bool(abs(value * n / 100 - round(value * n / 100)) < 1e-9),
                       "For {case} you answer {given}; it should be {right}. You ask for an exact fraction, but the printed number was rounded: allow half a unit of its last "
                       "digit, 0.005"),
        "counts": Wrong(lambda value, n: bool(abs(value * n / 100 - round(value * n / 100)) <= 0.005),
                        "For {case} you answer {given}; it should be {right}. The 0.005 belongs to the accuracy in per cent. You allowed it on the number of right answers"),
    },
    praise="138 of 181 is 76.24: this is how one learns which test file a table used",
))
