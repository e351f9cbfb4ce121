"""Chapter 4: MGDA."""

import numpy as np

from fairfl_book.exercises.registry import Exercise, Question, Wrong, register

register(Exercise(
    slug="mgda.common_rate",
    task="the rate of both clients at the nearest point, for A = [[4, −1], [−1, 1]]",
    right=3 / 7,
    wrong={
        "weight": Wrong(2 / 7, "2/7 is client 1's weight. The rates are A λ, and with λ = (2/7, 5/7) both of them are larger than that"),
        "length": Wrong(np.sqrt(3 / 7), "That is the length of dir. The rate is its square: ρ_k = ‖dir‖² where λ_k > 0"),
        "mean": Wrong(0.75, "0.75 is the squared length of the mean. With equal weights the rates are 1.5 and 0, not equal: (1) gives client 1 a "
                            "weight below one half"),
        "sign": Wrong(1.0, "1 is 3/3: you divided by 4 − 2 + 1. A₁₂ is −1, so −2 A₁₂ = 2 and the denominator is 7"),
        "half": Wrong(1.5, "1.5 is client 1's rate under equal weights; client 2's is 0 there, and MGDA makes them equal"),
        "other weight": Wrong(
            5 / 7,
            "5/7 is client 2's weight. The rates are A λ: ρ₁ = 4 · 2/7 − 5/7",
        ),
        "no conflict": Wrong(
            4 / 5,
            "4/5 is the answer for A₁₂ = 0. The two conflict, A₁₂ = −1, and that costs both",
        ),
    },
    praise="In general it is (A₁₁ A₂₂ − A₁₂²) / (A₁₁ − 2 A₁₂ + A₂₂): the squared area of the parallelogram over the squared length of "
           "its diagonal g₁ − g₂",
    hints=(
        "Formula (1) gives client 1's weight. Put in A₁₂ = −1 with its sign.",
        "A rate is a row of A λ: ρ₁ = A₁₁ λ₁ + A₁₂ λ₂.",
        "Compute ρ₂ as well: if the two differ, a sign was lost on the way.",
    ),
))

_STOPPED = [
    ([[1.0, 0.2], [0.2, 2.0]], [0.5, 0.5]),
    ([[4.0, -1.0], [-1.0, 1.0]], [0.5, 0.5]),
    ([[1.0, 0.2, 0.9], [0.2, 1.0, 0.8], [0.9, 0.8, 4.0]], [0.5, 0.5, 0.0]),
    ([[2.0, 1.5, 1.2], [1.5, 3.0, 1.4], [1.2, 1.4, 1.3]], [0.7, 0.3, 0.0]),
]


def _rates(A, lam):
    return np.asarray(A, float) @ np.asarray(lam, float)


def _squared(A, lam):
    return np.asarray(lam, float) @ _rates(A, lam)


def _gap(A, lam):
    return _squared(A, lam) - _rates(A, lam).min()


def _at_least(A, lam):
    return max(0.0, _squared(A, lam) - 2 * _gap(A, lam))


register(Exercise(
    slug="mgda.gap",
    task="the number that ‖dir‖² cannot be smaller than, by the sentence below (6); never less than 0",
    right=_at_least,
    cases=_STOPPED,
    wrong={
        "the gap": Wrong(_gap, "For {case} you answer {given}, which is the gap; it should be {right}. The sentence under (6) says how far λᵀ A λ "
                               "is above the optimum at most. What does that leave for the optimum?"),
        "one gap": Wrong(lambda A, lam: max(0.0, _rates(A, lam).min()),
                         "For {case} you answer {given}; it should be {right}. You went down by one gap, which ends at the smallest rate. The "
                         "sentence under (6) allows two, and an example in the companion nearly needs them"),
        "not cut off": Wrong(lambda A, lam: _squared(A, lam) - 2 * _gap(A, lam),
                             "For {case} you answer {given}; it should be {right}. A squared length is never negative: where the sentence says "
                             "less than 0, 0 is the better answer"),
        "squared length": Wrong(_squared, "For {case} you answer {given}, which is λᵀ A λ. The optimum is never above it, and it may be below: "
                                          "the gap says by how much at most. It should be {right}"),
        "only with weight": Wrong(lambda A, lam: max(0.0, 2 * _rates(A, lam)[np.asarray(lam) > 0].min() - _squared(A, lam)),
                                  "You look only at clients with positive weight. A client with weight 0 can be the one left behind: for the "
                                  "weights 0.7, 0.3, 0, the forgotten client has the smallest rate"),
        "plain mean": Wrong(
            lambda A, lam: max(0.0, 2 * _rates(A, lam).min() - _rates(A, lam).mean()),
            "For {case} you answer {given}; it should be {right}. You took the plain mean of the rates. λᵀ A λ is their mean with the "
            "weights λ",
        ),
        "rooted": Wrong(lambda A, lam: np.sqrt(_at_least(A, lam)),
                        "For {case} you answer {given}; it should be {right}. You bound the length of dir. The exercise asks for its square"),
        "sharper": Wrong(lambda A, lam: max(0.0, _rates(A, lam).min()) ** 2 / _squared(A, lam),
                         "Your bound, the squared smallest rate over λᵀ A λ, is true, and never below the one in the task: well found. The exercise asks for what the "
                         "sentence under (6) gives; for {case} that is {right}, and yours is {given}"),
    },
    praise="A sharper one, where all rates are positive: ‖x‖ ‖dir‖ ≥ x · dir ≥ the smallest rate, so ‖dir‖² is at least its square over λᵀ A λ",
    hints=(
        "The rates are A λ, one number per client. λᵀ A λ is their mean with the weights λ, and the gap is how far the smallest is behind it.",
        "The optimum is ‖dir‖², and λᵀ A λ is at most two gaps above it. Turn that round: how far down can ‖dir‖² be?",
        "Two gaps can be more than λᵀ A λ itself. Which of your value and 0 says more then?",
    ),
))


def _normalised(values):
    return values / values.sum()


register(Exercise(
    slug="mgda.perpendicular",
    task="MGDA's weights for perpendicular gradients of these lengths",
    right=lambda lengths: _normalised(1 / np.asarray(lengths, float) ** 2),
    cases=[([3.0, 1.0],), ([1.0, 2.0, 4.0],), ([0.5, 0.5, 1.0, 3.0],)],
    wrong={
        "long counts more": Wrong(lambda lengths: _normalised(np.asarray(lengths, float)),
                                  "For lengths {case} you answer {given}; it should be {right}. You give the long gradients more weight. Their rates "
                                  "ℓ² λ are large already; the short ones need the weight"),
        "long counts most": Wrong(lambda lengths: _normalised(np.asarray(lengths, float) ** 2),
                                  "For lengths {case} you answer {given}; it should be {right}. Upside down: λ ∝ ℓ² makes the rates ∝ ℓ⁴. Equal rates "
                                  "ℓ² λ ask for 1 / ℓ²"),
        "not squared": Wrong(lambda lengths: _normalised(1 / np.asarray(lengths, float)),
                             "For lengths {case} you answer {given}; it should be {right}. With 1 / ℓ every client adds a vector of the same length to "
                             "dir, but its rate is ℓ² λ, which is then ∝ ℓ and not equal"),
        "not scaled": Wrong(lambda lengths: 1 / np.asarray(lengths, float) ** 2,
                            "The proportions are right, but the weights must sum to 1: for {case} they are {right}"),
        "uniform": Wrong(lambda lengths: np.full(len(lengths), 1 / len(lengths)),
                         "Equal weights give rates ℓ_k² / K, which differ as soon as the lengths do; for {case} it should be {right}"),
        "rates": Wrong(
            lambda lengths: np.asarray(lengths, float) ** 2 * _normalised(1 / np.asarray(lengths, float) ** 2),
            "For lengths {case} you answer {given}: these are the common rates. The exercise asks for the weights, {right}",
        ),
    },
    praise="A gradient of a third of the length has nine times the weight. Chapter 5 divides by the lengths first",
    hints=(
        "If the rows are perpendicular, A is diagonal with ℓ_k² on the diagonal. What is then the rate of client k under the weights λ?",
        "By (3), all clients with positive weight have the same rate. So ℓ_k² λ_k is one constant.",
        "Solve for λ_k; the constant follows from the sum of the weights.",
    ),
))


def _opposite(g1, g2, slack):
    g1, g2 = np.asarray(g1, float), np.asarray(g2, float)
    return bool(g1 @ g2 <= -np.linalg.norm(g1) * np.linalg.norm(g2) * (1 - slack))


def _stationary(g1, g2):
    return _opposite(g1, g2, 1e-12)


register(Exercise(
    slug="mgda.stationary",
    task="whether some mean of the two gradients is zero",
    right=_stationary,
    cases=[([1.0, 0.0], [-1.0, 0.0]), ([1.0, 0.0], [-1.0, 0.5]), ([1.0, 1.0], [1.0, 1.0]), ([3.0, 6.0], [-1.0, -2.0]),
           ([0.0, 0.0], [1.0, 2.0]), ([1.0, 0.0], [0.0, 1.0]), ([2.0, 4.0], [1.0, 2.0]),
           ([1.0, 0.0], [-1.0, 0.01])],
    wrong={
        "conflict": Wrong(lambda g1, g2: bool(np.dot(g1, g2) < 0),
                          "For {case} you answer {given}; it should be {right}. A negative product is a conflict, and a conflict can be solved as long "
                          "as the gradients are not exactly opposite: the segment between them passes beside the origin"),
        "conflict or zero": Wrong(lambda g1, g2: bool(np.dot(g1, g2) <= 0),
                                  "For {case} you answer {given}; it should be {right}. A product of zero or less is not enough: perpendicular "
                                  "gradients, or those at 153°, still have a direction that helps both"),
        "sum is zero": Wrong(lambda g1, g2: bool(np.allclose(np.add(g1, g2), 0)),
                             "For {case} you answer {given}; it should be {right}. You tried equal weights only. Opposite gradients of different "
                             "lengths cancel with other weights, here in inverse proportion to the lengths"),
        "both zero": Wrong(lambda g1, g2: bool(np.allclose(g1, 0) and np.allclose(g2, 0)),
                           "For {case} you answer {given}; it should be {right}. Both gradients zero would be a point that is best for both clients at "
                           "once. Pareto stationary asks for much less: some mean of them is zero"),
        "parallel": Wrong(lambda g1, g2: bool(abs(g1[0] * g2[1] - g1[1] * g2[0]) < 1e-12),
                          "For {case} you answer {given}; it should be {right}. Parallel gradients that point the same way agree completely; only "
                          "opposite ones leave no direction"),
        "forgets zero": Wrong(lambda g1, g2: _stationary(g1, g2) and bool(np.any(g1) and np.any(g2)),
                              "For {case} you answer {given}; it should be {right}. A client whose gradient is zero is at its own best, and all "
                              "weight on it makes the mean zero"),
        "nearly opposite": Wrong(
            lambda g1, g2: _opposite(g1, g2, 0.1),
            "For {case} you answer {given}; it should be {right}. These gradients are nearly opposite, but not exactly, so the segment between them passes "
            "beside the origin. The tolerance is only for rounding: make it much smaller",
        ),
        "no tolerance": Wrong(
            lambda g1, g2: bool(np.dot(g1, g2) == -np.linalg.norm(g1) * np.linalg.norm(g2)),
            "For {case} you answer {given}; it should be {right}. The idea is right: the product is as negative as it can be. But "
            "lengths are roots, and a root rounded by the computer is seldom equal to a whole number: allow for 1e-12 or so",
        ),
    },
    praise="For three gradients in the plane the question is whether their triangle contains the origin",
    hints=(
        "Stationary means that some weighted mean is zero: does the segment from g₁ to g₂ pass through the origin?",
        "It does if one of its ends is the origin, or if the ends lie on opposite sides of it.",
        "Opposite means that g₁ · g₂ is as negative as it can be, −‖g₁‖ ‖g₂‖. Leave room for rounding: lengths are roots.",
    ),
))

register(Exercise(
    slug="mgda.distance",
    task="the smallest c with ‖Gᵀλ − dir‖² ≤ c · gap(λ) for all gradients and weights",
    right=1.0,
    wrong={
        "sum": Wrong(2.0, "2 holds and is not the smallest. It comes from ‖x‖² − ‖dir‖² ≤ 2 gap; the step before it has ‖x − dir‖² in its own right"),
        "triangle": Wrong(4.0, "4 holds and is far from the smallest. Do not go through lengths: multiply out ‖x − dir‖² and use the two products "
                               "that (3) and the gap bound"),
        "half": Wrong(0.5, "½ is too small. Take the gradients (1, 0) and (0, 0) and all weight on the first: dir = 0, and gap and squared distance "
                           "are both 1"),
        "none": Wrong(0.0, "With c = 0 every point would be dir. The gap is positive elsewhere, and so is the distance"),
        "root": Wrong(np.sqrt(2), "√2 holds and is not the smallest. The square of the distance is asked, and no root is needed"),
        "opposite": Wrong(-1.0, "A squared distance and a gap are both at least 0, so c cannot be negative"),
    },
    praise="So a solver that reports a gap of 1e-12 has found dir to within 1e-6. About the weights the gap says nothing: they need not be unique",
    hints=(
        "Multiply out ‖x − dir‖². The mixed product x · dir appears twice, and you know two things about it.",
        "By (3), every g_k · dir ≥ ‖dir‖², so x · dir ≥ ‖dir‖² too. And in the box on the gap: x · dir ≥ ‖x‖² − gap.",
        "Use the first on one of the two products, the second on the other. For the last part try a hull that has the origin as a corner.",
    ),
))

register(Question(
    slug="mgda.step_from_reports",
    task="a rule for the step that uses only what a round brings, tried with losses of unknown scale",
    hints=(
        "After the step the server holds the new losses. Which inequality of this chapter can it check then, and what should it do with the "
        "next step if some client's fails?",
        "Shrink by a factor when it fails, grow a little when it holds. Does the server keep the bad step or take it back, and what does "
        "taking it back cost?",
        "Count a round trip for each model at which clients evaluate. Armijo's rule needs one for each trial; yours needs one per round.",
    ),
))

register(Question(
    slug="mgda.rescaled",
    task="whether MGDA's ends move if one client's loss is multiplied by 10, and those of unit gradients",
    hints=(
        "A factor of the loss is a factor of the gradient's length. Which of the two weights in (1) grows when g₂ becomes longer?",
        "Gradients that were divided by their lengths do not know the factor. What can change for that rule?",
        "Take the chapter's `two`, `toy.descend`, `problem` and `starts`; only the rows of G are new.",
    ),
))
