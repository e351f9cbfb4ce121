"""Chapter 13: reading results."""

import numpy as np

from fairfl_book.exercises.registry import Exercise, Question, Wrong, register


def _one_tail(mean, worst, p):
    return (mean - worst) * (p / (1 - p)) ** 0.5


register(Exercise(
    slug="reading.one_tail",
    task="the least standard deviation for a mean and the average of the worst share p",
    right=_one_tail,
    cases=[(60.0, 40.0, 0.2), (46.42, 31.12, 0.05), (70.0, 60.0, 0.5)],
    wrong={
        "tail alone": Wrong(lambda m, w, p: p**0.5 * (m - w),
                            "For {case} you answer {given}; it should be {right}. You left the others at the mean. They must lie above it for the "
                            "mean to come out, and their distance counts too"),
        "variance": Wrong(lambda m, w, p: (m - w) ** 2 * p / (1 - p), "For {case} you answer {given}; it should be {right}. That is the least "
                                                                      "variance, so take the square root"),
        "the others alone": Wrong(lambda m, w, p: (m - w) * p / (1 - p), "For {case} you answer {given}; it should be {right}. That is how far the "
                                                                         "others lie above the mean. The squared distances of both groups count, each "
                                                                         "with its share"),
        "upside down": Wrong(lambda m, w, p: (m - w) * ((1 - p) / p) ** 0.5, "For {case} you answer {given}; it should be {right}. Your factor is "
                                                                             "upside down: a smaller tail forces less spread"),
        "two tails": Wrong(lambda m, w, p: (m - w) * (2 * p) ** 0.5,
                           "For {case} you answer {given}; it should be {right}. You put a best share as far above the mean as the worst lies below "
                           "it. If only one tail is printed, all the others may be equal"),
        "between the groups": Wrong(lambda m, w, p: (m - w) * (p * (1 - p)) ** 0.5,
                                    "For {case} you answer {given}; it should be {right}. You took m − w for the distance between the two groups. It "
                                    "is the distance of one of them from the mean, and the other lies p (m − w) / (1 − p) above the mean"),
        "half each": Wrong(lambda m, w, p: (((m - w) ** 2 + ((m - w) * p / (1 - p)) ** 2) / 2) ** 0.5,
                           "For {case} you answer {given}; it should be {right}. You gave each group the weight ½. But each squared distance counts "
                           "with its group's share, p and 1 − p"),
        "not weighted": Wrong(lambda m, w, p: ((m - w) ** 2 + ((m - w) * p / (1 - p)) ** 2) ** 0.5,
                              "For {case} you answer {given}; it should be {right}. Each squared distance counts with its group's share, p and 1 − p"),
    },
    praise="For a tail of a tenth, it is a third of the distance between the mean and the tail",
    hints=(
        "Take two groups: the share p at its average, and all others at theirs. Where must the second group be for the mean to come out?",
        "It lies above the mean by p (mean − worst) / (1 − p).",
        "The variance is p d² + (1 − p) (p d / (1 − p))² with d = mean − worst. Put it over one denominator.",
    ),
))

register(Exercise(
    slug="reading.angle",
    task="the standard deviation that belongs to a mean of 80 % and an angle of 15°",
    right=float(80 * np.tan(np.radians(15))),
    tolerance=5e-3,
    wrong={
        "sine": Wrong(float(80 * np.sin(np.radians(15))), "You used the sine. The vector of accuracies is the hypotenuse, and the mean and the "
                                                          "standard deviation are the legs, so their ratio is the tangent"),
        "the angle itself": Wrong(float(80 * np.radians(15)), "You multiplied the mean by the angle in radians. A small angle is nearly its tangent, but formula (6) has the tangent itself"),
        "in radians": Wrong(float(80 * np.tan(15)), "You took the tangent of 15 radians. Convert degrees to radians first"),
        "turned round": Wrong(float(80 / np.tan(np.radians(15))), "You divided by the tangent. A small angle means that the spread is a small part of the mean"),
        "ratio alone": Wrong(
            float(np.tan(np.radians(15))),
            "That is σ / ā, the deviation as a part of the mean. Multiply it by the mean",
        ),
    },
    praise="It is 21.4. A row that prints 80 and 15° can print no other spread",
    hints=(
        "Formula (6) is a right-angled triangle whose legs are the mean and the standard deviation.",
        "`np.tan` takes radians; `np.radians` converts degrees to radians.",
        "Solve for σ. The mean is in per cent, and so is the answer.",
    ),
))


def _possible(value, n):
    return bool(abs(round(value * n / 100) * 100 / n - value) <= 0.005 + 1e-9)


register(Exercise(
    slug="reading.possible",
    task="whether an accuracy printed with two decimals can come from one run on n test rows",
    right=_possible,
    cases=[(77.90, 181), (77.90, 41), (64.26, 700), (83.33, 16100), (83.32, 16100), (50.0, 40), (50.0, 41), (50.01, 6000), (9.37, 32), (9.38, 32), (0.62, 160), (0.63, 160)],
    wrong={
        "always": Wrong(lambda value, n: True, "For {case} you answer {given}; it should be {right}. On n rows only the n + 1 values 100 k / n are "
                                               "possible. Find the nearest one and compare"),
        "exact": Wrong(lambda value, n: bool(abs(value * n / 100 - round(value * n / 100)) < 1e-9),
                       "For {case} you answer {given}; it should be {right}. You require an exact fraction, but the printed number was rounded. Allow "
                       "half a unit of its last digit, 0.005"),
        "counts": Wrong(lambda value, n: bool(abs(value * n / 100 - round(value * n / 100)) <= 0.005),
                        "For {case} you answer {given}; it should be {right}. The 0.005 belongs to the accuracy in per cent. You allowed it on the "
                        "number of correct answers"),
        "ties": Wrong(
            lambda value, n: bool(abs(round(value * n / 100) * 100 / n - value) <= 0.005),
            "For {case} you answer {given}; it should be {right}. 3 out of 32 is 9.375 %, exactly between two printable numbers, and either may be "
            "printed. The computer's rounding makes the distance slightly more than 0.005, so allow for that, by 1e-9 for instance",
        ),
        "one way only": Wrong(
            lambda value, n: any(round(100 * k / n, 2) == value for k in range(n + 1)),
            "For {case} you answer {given}; it should be {right}. A number exactly between two may be printed either way, as the task says, but a "
            "computer's `round` always chooses the same one. Test instead whether the distance from the printed number is at most half a unit, 0.005",
        ),
        "ten times": Wrong(
            lambda value, n: bool(abs(round(value * n / 100) * 100 / n - value) <= 0.05 + 1e-9),
            "For {case} you answer {given}; it should be {right}. You allow 0.05, which is half a unit of the first decimal. Two decimals are printed, so "
            "allow 0.005",
        ),
        "whole unit": Wrong(
            lambda value, n: bool(abs(round(value * n / 100) * 100 / n - value) <= 0.01 + 1e-9),
            "For {case} you answer {given}; it should be {right}. You allow a whole unit of the last digit. Rounding moves a number by at most half a "
            "unit, 0.005",
        ),
        "rounded up": Wrong(
            lambda value, n: bool(abs(np.ceil(value * n / 100) * 100 / n - value) <= 0.005 + 1e-9),
            "For {case} you answer {given}; it should be {right}. You round the number of correct answers up. The printed accuracy may itself have "
            "been rounded up, so the nearest whole number may be below",
        ),
        "rounded down": Wrong(
            lambda value, n: bool(abs(int(value * n / 100) * 100 / n - value) <= 0.005 + 1e-9),
            "For {case} you answer {given}; it should be {right}. You round the number of correct answers down. The printed accuracy may itself have "
            "been rounded down, so the nearest whole number may be above",
        ),
    },
    praise="138 out of 181 is 76.24 %. This is how one finds out which test file a table used",
    hints=(
        "Which whole number of correct answers, out of n, comes nearest to `value` per cent?",
        "Convert that number back to per cent, and compare it with `value`.",
        "The printed number was rounded to two decimals, so it may be off by half a unit of its last digit.",
    ),
))

register(Question(
    slug="reading.sixth",
    task="one more relation between printed numbers that must hold",
    hints=(
        "Accuracies lie between 0 and 100. What does that say about a mean and a spread?",
        "For every client (100 − a) a ≥ 0. Take the mean over the clients.",
        "For numbers that you know are right, take this book's recorded runs, or random clients.",
    ),
))

register(Question(
    slug="reading.grain",
    task="which numbers of test rows fit four printed accuracies, and what follows",
    hints=(
        "An n fits if `possible` from exercise 2 accepts all four accuracies.",
        "Whatever fits n rows also fits any multiple of n, so look at the smallest.",
        "Compare it with the data set. How many people with a doctorate does the official test file of Adult have, and how many would a tenth of the "
        "training file have?",
    ),
))
