"""Chapter 11: robustness."""

import numpy as np

from fairfl_book.exercises.registry import Exercise, Question, Wrong, register

register(Exercise(
    slug="robustness.takeover",
    task="the third row for which the mean of (4, 0), (0, 3) and this row is (0, −1)",
    right=np.array([-4.0, -6.0]),
    wrong={
        "not multiplied": Wrong(np.array([-4.0, -4.0]), "You completed the sum to (0, −1). The mean is a third of the sum, so the sum must be three "
                                                        "times the direction"),
        "the direction": Wrong(np.array([0.0, -1.0]), "That is the direction it wants, not what it has to send. The others' rows are in the mean as "
                                                      "well"),
        "only countered": Wrong(np.array([-4.0, -3.0]), "That cancels the other two, and the mean is zero. The direction (0, −1) has to be added, three times"),
        "of the mean": Wrong(np.array([-2.0, -4.5]), "You subtracted the mean of the other two once. But the mean of three contains their *sum*: "
                                                     "subtract (4, 3)"),
        "upwards": Wrong(np.array([-4.0, 0.0]), "That makes the mean (0, +1), but the direction has to point down"),
        "turned round": Wrong(np.array([4.0, 0.0]), "You have the signs the wrong way round: the row is three times the direction *minus* the sum of "
                                                    "the others"),
    },
    praise="A single row can move a mean anywhere, and among ten clients this takes a row about ten times as long",
    hints=(
        "The direction is a third of the sum of three rows. What must the sum be?",
        "Subtract what the other two contribute to it.",
    ),
))


def _bribe(losses, q, share):
    f = np.asarray(losses, float)
    return float((share / (1 - share) * (f[1:] ** q).sum()) ** (1 / q) - f[0])


register(Exercise(
    slug="robustness.bribe",
    task="the constant that client 0 must add to its loss to get a given share of the weights f^q / Σ f^q",
    right=_bribe,
    cases=[([1.0, 1.0, 1.0], 1.0, 0.5), ([0.5, 1.0, 1.5], 2.0, 0.75), ([0.4, 0.3, 0.8, 0.2], 0.5, 0.9)],
    wrong={
        "reported": Wrong(lambda f, q, s: _bribe(f, q, s) + f[0], "For {case} you answer {given}; it should be {right}. That is the loss to report. "
                                                                  "What the client adds is this minus its true loss"),
        "no root": Wrong(lambda f, q, s: float(s / (1 - s) * (np.asarray(f)[1:] ** q).sum() - f[0]),
                         "For {case} you answer {given}; it should be {right}. That is what the *power* of its loss has to be. Take the q-th root "
                         "before you subtract"),
        "power for root": Wrong(lambda f, q, s: float((s / (1 - s) * (np.asarray(f)[1:] ** q).sum()) ** q - f[0]),
                                "For {case} you answer {given}; it should be {right}. You raised to the power q again. The loss whose power is x is x "
                                "to the power 1 / q"),
        "power of the sum": Wrong(lambda f, q, s: float((s / (1 - s)) ** (1 / q) * np.asarray(f)[1:].sum() - f[0]),
                                  "For {case} you answer {given}; it should be {right}. You added up the others' losses. Weights are shares of "
                                  "*powers*, so raise each loss to the power q first, and then add"),
        "share of all": Wrong(lambda f, q, s: float((s * (np.asarray(f) ** q).sum()) ** (1 / q) - f[0]),
                              "For {case} you answer {given}; it should be {right}. You take the share of the honest sum, but the sum grows with the "
                              "lie. What counts is the odds, share / (1 − share), times the sum of the others"),
        "odds forgotten": Wrong(lambda f, q, s: float((np.asarray(f)[1:] ** q).sum() ** (1 / q) - f[0]),
                                "For {case} you answer {given}; it should be {right}. That gives one half, whatever share is required. For other "
                                "shares, multiply the sum by share / (1 − share)"),
        "share for odds": Wrong(lambda f, q, s: float((s * (np.asarray(f)[1:] ** q).sum()) ** (1 / q) - f[0]),
                                "For {case} you answer {given}; it should be {right}. You multiply the sum of the others' powers by the share. Client 0's own power "
                                "is part of the whole as well, so multiply by share / (1 − share)"),
        "itself among them": Wrong(lambda f, q, s: float((s / (1 - s) * (np.asarray(f) ** q).sum()) ** (1 / q) - f[0]),
                                   "For {case} you answer {given}; it should be {right}. The odds are relative to the *others*, so leave client 0 out "
                                   "of their sum"),
        "odds turned": Wrong(lambda f, q, s: float(((1 - s) / s * (np.asarray(f)[1:] ** q).sum()) ** (1 / q) - f[0]),
                             "For {case} you answer {given}; it should be {right}. Your odds are upside down: a larger share needs a larger lie"),
    },
    praise="The root 1 / q is what makes a small q expensive to cheat: at q = 0.1 it is a tenth power",
    hints=(
        "Let x be the power of the loss that client 0 reports, and S the sum of the others' powers. Its share is x / (x + S).",
        "Solve for x: it is the odds share / (1 − share), times S.",
        "The loss to report is x to the power 1 / q. How much of it is not client 0's own loss?",
    ),
))


def _turn(K, h):
    return float(np.degrees(np.arcsin(1 / ((K - 1) * h))))


register(Exercise(
    slug="robustness.turn",
    task="the largest angle in degrees between a mean of K − 1 unit rows, of length h, and the direction after a K-th unit row is added",
    right=_turn,
    cases=[(3, 1.0), (10, 0.5), (20, 0.2), (5, 0.26)],
    tolerance=1e-4,
    wrong={
        "right angle": Wrong(lambda K, h: float(np.degrees(np.arctan(1 / ((K - 1) * h)))),
                             "For {case} you answer {given}; it should be {right}. You added a row perpendicular to the mean. A row that leans back a "
                             "little turns it further: the possible directions end on a circle, and the furthest one touches it"),
        "h alone": Wrong(lambda K, h: float(np.degrees(np.arcsin(min(1.0, 1 / (K * h))))),
                         "For {case} you answer {given}; it should be {right}. The honest part of the sum is (K − 1) h, and the liar's part is 1: K "
                         "itself cancels"),
        "h forgotten": Wrong(lambda K, h: float(np.degrees(np.arcsin(1 / (K - 1)))),
                             "For {case} you answer {given}; it should be {right}. That is for honest rows that all agree, h = 1. Rows that disagree "
                             "have a shorter sum, of length (K − 1) h"),
        "complement": Wrong(lambda K, h: float(np.degrees(np.arccos(1 / ((K - 1) * h)))),
                            "For {case} you answer {given}; it should be {right}. That is another angle of the triangle, at the tip of the honest "
                            "sum. The exercise asks for the one at the origin"),
        "right angle, K": Wrong(lambda K, h: float(np.degrees(np.arctan(1 / (K * h)))),
                                "For {case} you answer {given}; it should be {right}. There are two mistakes: the honest sum has K − 1 rows, and a "
                                "row that leans back a little turns it further than a perpendicular one"),
        "radians": Wrong(lambda K, h: float(np.arcsin(1 / ((K - 1) * h))), "For {case} you answer {given}, which is in radians. In degrees it is "
                                                                           "{right}"),
        "without K": Wrong(lambda K, h: float(np.degrees(np.arcsin(min(1.0, 1 / ((K - 1) / h))))),
                           "For {case} you answer {given}; it should be {right}. A longer mean is harder to turn, so h belongs in the denominator, "
                           "next to K − 1"),
        "opposite": Wrong(lambda K, h: 180.0, "For {case} you answer {given}; it should be {right}. That requires (K − 1) h < 1. Here the honest sum "
                                              "is longer than the liar's row"),
    },
    praise="With ten clients that half agree, it is 12.8°, and a liar that sends a row a thousand times as long gets no more",
    hints=(
        "Up to the factor 1 / K, the direction is (K − 1) m + u, where m is the honest mean and u is any row of length 1. Where do these points lie?",
        "They lie on a circle of radius 1 around a point at the distance (K − 1) h from the origin. Draw the line through the origin that makes the "
        "largest angle with the line to the centre and still meets the circle.",
        "That line touches the circle. It meets the radius there at a right angle, so the hypotenuse is (K − 1) h and the opposite side is 1.",
    ),
))

register(Exercise(
    slug="robustness.reads_high",
    task="the expected value of formula (5) with k neighbours, divided by the dimension",
    right=lambda k: k / (k - 2),
    cases=[(10,), (4,), (20,)],
    wrong={
        "unbiased": Wrong(lambda k: 1.0, "For k = {case} you answer {given}; it should be {right}. The mean of the logarithms is right on average, up "
                                         "to its last term, but its reciprocal is not"),
        "zero counted only": Wrong(lambda k: k / (k - 1), "For k = {case} you answer {given}; it should be {right}. Either you took k random "
                                                          "logarithms (the last one is 0), or 1 over their mean sum. But the reciprocal of a sum is "
                                                          "itself too large on average: for a sum of n exponentials with mean 1, E[1 / sum] = 1 / (n "
                                                          "− 1)"),
        "mean of the others": Wrong(lambda k: (k - 1) / (k - 2), "For k = {case} you answer {given}; it should be {right}. You took the mean over the "
                                                                 "k − 1 logarithms that are not zero. Formula (5) divides their sum by k"),
        "turned": Wrong(lambda k: (k - 2) / k, "For k = {case} you answer {given}; it should be {right}. You found the factor that corrects the "
                                               "estimate. The exercise asks by which factor it is too high"),
        "without k": Wrong(lambda k: 1 / (k - 2), "For k = {case} you answer {given}; it should be {right}. That is E[1 / sum]. Formula (5) divides "
                                                  "by the *mean*, which is the sum over k"),
    },
    praise="For ten neighbours it is 1.25, which explains the 1.3 and 2.4 in the cell above. In ten dimensions, the edge of the cloud cuts off "
           "neighbourhoods, which lowers the estimate again",
    hints=(
        "Multiply each logarithm by m: it is then exponential with mean 1. Formula (5) is m k divided by the sum of k − 1 of these.",
        "The sum of n independent exponentials with mean 1 has the density x^(n − 1) e^(−x) / (n − 1)!. What is the mean of 1 / x?",
        "Γ(n − 1) / Γ(n) = 1 / (n − 1), with n = k − 1.",
    ),
))

register(Question(
    slug="robustness.no_veto",
    task="a rule under which no liar decides and no honest outlier is lost",
    hints=(
        "What does FedAvg make of the polite lie, and what of the loud one? What distinguishes the loud one from an honest row?",
        "The tenth office's row is long as well, since that office is far behind. Where would you draw the line between it and a row a hundred times "
        "as long as the others?",
        "For the lie that gets past your rule: whom can a liar harm with a row that is just short enough?",
    ),
))

register(Question(
    slug="robustness.wrong_labels",
    task="which rules lose, and whom stage 1 suspects, at 20 % wrong labels",
    hints=(
        "With one label in five wrong, are the six still the clients with the largest losses at the end of training? Which rules would then still "
        "follow them?",
        "Stage 1 splits the scores into two groups. How far apart are the groups at 80 %, and how much of that distance is left at 20 %?",
        "`attacks.noisy_labels` takes the share of wrong labels; `honest_accuracy`, `lid_scores` and `suspects` from this chapter do the rest.",
    ),
))
