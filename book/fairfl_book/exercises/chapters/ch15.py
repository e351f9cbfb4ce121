"""Chapter 15: fair without seeing."""

from math import erf, sqrt

import numpy as np

from fairfl_book.exercises.registry import Exercise, Question, Wrong, register

register(Exercise(
    slug="blind.gap",
    task="the duality gap ‖d‖² − min ρ of the weights (¼, ¼, ½)",
    right=1.0,
    wrong={
        "largest rate": Wrong(-1.0, "You subtracted the largest rate, 3.5. The gap uses the smallest, because no client may gain less than d promises"),
        "length": Wrong(sqrt(2.5) - 1.5, "You used the length of d, which is √2.5. The gap uses its square, as the rates do"),
        "mean rate": Wrong(0.0, "The mean of the rates with the weights λ is ‖d‖² itself, so this difference is always 0. Use the smallest rate"),
        "equal weights": Wrong(10 / 9, "You used equal weights. Client 3 has the weight ½, and the others ¼ each"),
        "half": Wrong(0.5, "The gap has no factor ½. That factor belongs to ½‖d‖²"),
        "rate only": Wrong(1.5, "1.5 is the smallest rate. The gap says how far it is below ‖d‖²"),
        "per length": Wrong(1 / sqrt(2.5), "You divided by the length of d. The gap is measured in rates, not in rates per length"),
        "no minimum": Wrong(2.5, "2.5 is ‖d‖². Subtract the smallest rate along d"),
    },
    praise="d = (½, 3/2), and the rates are 3.5, 1.5 and 2.5. The gap is below ‖d‖² = 2.5, so no client is hurt, and d* is within √1 of d",
    hints=(
        "Compute the sum first: d = ¼ (1, 2) + ¼ (3, 0) + ½ (−1, 2).",
        "Each client's rate is the inner product of its row with d. Which is the smallest?",
        "‖d‖² = 2.5.",
    ),
))


def _rebuild(Lam, D, R):
    return np.asarray(R, float).T @ np.linalg.pinv(np.asarray(D, float).T)


_ROWS = np.array([[1.0, 2.0, 0.0, -1.0], [0.0, 1.0, 3.0, 1.0], [2.0, -1.0, 1.0, 0.5]])


def _case(Lam):
    Lam = np.array(Lam)
    return Lam, Lam @ _ROWS, Lam @ _ROWS @ _ROWS.T


register(Exercise(
    slug="blind.rebuild",
    task="the rows with the smallest sum of squares that have these weighted sums, and these inner products with them",
    right=_rebuild,
    cases=[
        _case([[1 / 3, 1 / 3, 1 / 3], [0.5, 0.25, 0.25]]),
        _case([[0.2, 0.3, 0.5]]),
        _case([[1 / 3, 1 / 3, 1 / 3], [0.5, 0.25, 0.25], [0.2, 0.2, 0.6]]),
        _case([[1 / 3, 1 / 3, 1 / 3], [0.5, 0.25, 0.25], [5 / 12, 7 / 24, 7 / 24], [0.2, 0.2, 0.6]]),
    ],
    wrong={
        "sums only": Wrong(lambda Lam, D, R: np.linalg.pinv(Lam) @ np.asarray(D), "Your rows fit the sums but not the answers: their inner products "
                                                                                  "with the sums are not those in R"),
        "both in full": Wrong(lambda Lam, D, R: np.linalg.pinv(Lam) @ np.asarray(D) + np.asarray(R).T @ np.linalg.pinv(np.asarray(D).T),
                              "You added what the sums reveal to what the answers reveal, so what both reveal is counted twice. What the sums reveal "
                              "of a row lies in their span, and so it is part of the row's shadow"),
        "transposed": Wrong(lambda Lam, D, R: np.asarray(Lam).T @ np.asarray(D), "You multiplied by the transpose of Lam. It inverts Lam only if the "
                                                                                 "weights of different sums are orthogonal and of length 1"),
    },
    praise="This is every client's shadow. It already contains what the sums alone reveal: their part of each row is a combination of sums, and so "
           "lies in V. The weights are not needed",
    hints=(
        "There are two equations for G: Lam G = D, and G Dᵀ = Rᵀ. What does the second one determine of each row?",
        "The parts of the rows that are orthogonal to all sums appear in neither equation. Adding them changes no answer, so they should be zero.",
        "So each row is its shadow on the span of the sums. The pseudo-inverse of Dᵀ computes it from R.",
    ),
))

register(Exercise(
    slug="blind.hidden",
    task="the known share of a client whose corner was not among the m that Frank–Wolfe moved to",
    right=lambda K, m: 1 / (K - m),
    cases=[(10, 0), (10, 3), (7, 5), (4, 3), (50, 12)],
    wrong={
        "equal shares": Wrong(lambda K, m: (m + 1) / K, "For {case} you answer {given}; it should be {right}. The m + 1 sums are not shared equally, "
                                                        "since the m clients have taken 1 each"),
        "the other part": Wrong(lambda K, m: 1 - 1 / (K - m), "For {case} you answer {given}; it should be {right}. That is the share still hidden; "
                                                              "the known share is the rest"),
        "one less": Wrong(lambda K, m: 1 / K, "For {case} you answer {given}; it should be {right}. 1/K is right before the first step. After that, "
                                              "the server subtracts the rows that it knows from the first sum"),
        "the others' share": Wrong(lambda K, m: m / K, "For {case} you answer {given}; it should be {right}. m/K is the part of the clients whose corners the server moved to. It knows those rows "
                                                       "fully. The exercise asks about a client that is not one of them"),
        "sums left": Wrong(lambda K, m: 1 / (K - m - 1) if K - m > 1 else 1.0, "For {case} you answer {given}; it should be {right}. K − m clients "
                                                                               "are left to share it, not K − m − 1"),
        "nothing": Wrong(lambda K, m: 0.0, "For {case} you answer {given}; it should be {right}. The first sum contained all clients"),
        "square": Wrong(lambda K, m: 1 / (K - m) ** 2, "For {case} you answer {given}; it should be {right}. That is the squared entry of the vector "
                                                       "that is 1/(K − m) for each remaining client. The known share comes from the projection, onto "
                                                       "a vector of length 1"),
    },
    praise="At m = K − 1 it is 1: the first sum minus all known rows is the last row. So K sums are enough, and K − 1 are not",
    hints=(
        "Which vectors span the weights that were asked for? They are the first weights, and those of m corners.",
        "The span is that of the e_j of the corners, together with the vector that is 1 for every other client and 0 for these. All of them are "
        "orthogonal.",
        "Project e_k onto that last vector, which has K − m ones.",
    ),
))


def _normal(x):
    return 0.5 * (1 + erf(x / sqrt(2)))


register(Exercise(
    slug="blind.loses",
    task="the probability that a client's loss rises when noise with standard deviation sigma is added to every entry of the step",
    right=lambda rate, length, sigma: _normal(-rate / (sigma * length)),
    cases=[(1.0, 1.0, 1.0), (0.5, 1.0, 0.2), (0.5, 2.0, 0.2), (-0.3, 1.5, 0.4), (0.0, 1.0, 0.1)],
    wrong={
        "gains": Wrong(lambda rate, length, sigma: _normal(rate / (sigma * length)), "For {case} you answer {given}; it should be {right}. That is "
                                                                                     "the probability that the client gains"),
        "no length": Wrong(lambda rate, length, sigma: _normal(-rate / sigma), "For {case} you answer {given}; it should be {right}. The noise in the "
                                                                               "rate is g · σξ, which grows with the length of the row"),
        "no root of two": Wrong(lambda rate, length, sigma: 0.5 * (1 + erf(-rate / (sigma * length))), "For {case} you answer {given}; it should be "
                                                                                                       "{right}. erf belongs to a normal distribution of "
                                                                                                       "variance ½, so divide its argument by √2"),
        "variance": Wrong(lambda rate, length, sigma: _normal(-rate / (sigma * length) ** 2), "For {case} you answer {given}; it should be {right}. Divide by the standard deviation σ‖g‖, not by the variance"),
        "times": Wrong(lambda rate, length, sigma: _normal(-rate * length / sigma), "For {case} you answer {given}; it should be {right}. Noise moves "
                                                                                    "the rate of a long row more, so divide by the length"),
        "two-sided": Wrong(lambda rate, length, sigma: 2 * _normal(-abs(rate) / (sigma * length)), "For {case} you answer {given}; it should be "
                                                                                                   "{right}. Only one of the two sides is a loss"),
    },
    praise="The number of parameters does not appear: what noise does to one client's rate does not grow with the model. What grows is the step",
    hints=(
        "The new rate is g · (d + σξ) = rate + σ g · ξ. How is g · ξ distributed?",
        "It is normal, with mean 0 and variance ‖g‖². When is the sum below zero?",
        "The normal distribution function is ½ (1 + erf(x / √2)), with `math.erf`.",
    ),
))

register(Question(
    slug="blind.budget",
    task="questions that keep every known share at one half or below",
    hints=(
        "The shares depend only on the weights, so the server and each client can compute them before a sum is asked for.",
        "A question that would break the rule can be mixed with something else. With what, so that it is not just a combination of old questions?",
        "`known` from fairfl.deployment.secure_sums gives the shares for a list of weights. Try to mix the weights of (3) with random ones from the "
        "simplex, and to weight by what is left of each client's half.",
    ),
))

register(Question(
    slug="blind.others",
    task="which other rules can be run from sums and rates",
    hints=(
        "What does each rule read: losses, inner products of all pairs, inner products with one vector, or rows from the past?",
        "FedFV takes a client's row and subtracts parts of others, in an order. Which sums would it have to ask for?",
        "An old row that the server does not hold can be held by its client.",
    ),
))
