"""Chapter 10: one picture."""

import numpy as np

from fairfl_book.exercises.registry import Exercise, Question, Wrong, register


def _agree(A, s):
    return bool((np.linalg.solve(np.asarray(A, float), np.asarray(s, float)) >= 0).all())


def _no_product_positive(A, s):
    A = np.asarray(A, float)
    return bool((A - np.diag(A.diagonal()) <= 0).all())


register(Exercise(
    slug="picture.agree",
    task="whether no entry of A⁻¹ s is negative",
    right=_agree,
    cases=[([[1.0, 0.5], [0.5, 4.0]], [1.0, 1.0]), ([[1.0, 2.0], [2.0, 5.0]], [1.0, 1.0]), ([[1.0, 2.0], [2.0, 5.0]], [1.0, 2.2]),
           ([[2.0, -1.0], [-1.0, 1.0]], [1.0, 3.0]), ([[1.0, 1.5], [1.5, 4.0]], [1.0, 0.3]), ([[1.0, -1.0], [-1.0, 4.0]], [1.0, 0.1]),
           ([[2.0, -1.0], [-1.0, 3.0]], [1.0, 1.0])],
    wrong={
        "all pairs in conflict": Wrong(_no_product_positive, "For {case} you answer {given}. You ask whether all pairs are in conflict. That is enough, and not "
                                                             "needed: here the affine weights are positive all the same. Look at their signs"),
        "scales forgotten": Wrong(lambda A, s: _agree(A, np.ones(len(s))), "For {case} you answer {given}; it should be {right}. You solved with a vector of ones, "
                                                                           "the answer for equal scales. Weights are A⁻¹ s"),
        "rates of weights s": Wrong(lambda A, s: bool((np.asarray(A, float) @ np.asarray(s, float) >= 0).all()),
                                    "For {case} you answer {given}; it should be {right}. A s are the rates that the weights s would give. Here s are the rates, and the "
                                    "weights are wanted: solve, do not multiply"),
        "friends": Wrong(
            lambda A, s: bool((np.asarray(A) >= 0).all()),
            "For {case} you answer {given}; it should be {right}. You look at the signs of the products. Clients in conflict agree "
            "best: ask for the signs of the affine weights A⁻¹ s",
        ),
    },
    praise="In other words: s is among the rates that non-negative weights can give",
    hints=(
        "The affine hull contains the convex one. When does the affine nearest point lie in the smaller set, too? Ask its weights.",
        "Up to a positive factor the affine weights are A⁻¹ s.",
        "`np.linalg.solve` finds them. Asked is one True or False: whether none is negative.",
    ),
))

register(Exercise(
    slug="picture.degree",
    task="c^(p − 1) for c = 4 and p = ½",
    right=0.5,
    wrong={
        "scale only": Wrong(2.0, "2 is what its scale grows by, 4^½. But its gradient is four times as long as well, and the true rate is what it sent divided by 4"),
        "wrong sign": Wrong(8.0, "You multiplied by 4 where one divides. g_k is 4 times as long, so that the rate which the rule sees is 4 times the true one: 4^½ / 4"),
        "gradient only": Wrong(0.25, "1/4 is for a gradient that is scaled while the loss is reported honestly. Here the loss grows too, and its scale by 4^½"),
        "degree one": Wrong(1.0, "1 is the answer for γ = 1, where scale and gradient grow by the same factor. At γ = ½ the scale lags behind"),
        "square": Wrong(
            4.0,
            "4 is the factor c itself. Its own gradient is 4 times as long as well: formula (5) has the power p − 1",
        ),
    },
    praise="Exaggerating costs. With γ = ½ a selfish client makes its loss look smaller, gradient included",
    hints=(
        "Formula (5): compared with the others', the rate becomes c^(p − 1) times what it was.",
        "c is the factor of the loss and of its gradient. The degree p is the power of c by which the scale f^γ follows.",
    ),
))


def _cosines(G):
    G = np.asarray(G, float)
    s = np.linalg.norm(G, axis=1)
    y = np.linalg.solve(G @ G.T, s)
    return y / (s @ y)


def _unit_weights(G):
    return _cosines(G) * np.linalg.norm(np.asarray(G, float), axis=1)


def _equal_rates(G):
    G = np.asarray(G, float)
    y = np.linalg.solve(G @ G.T, np.ones(len(G)))
    return y / y.sum()


register(Exercise(
    slug="picture.cosines",
    task="λ = A⁻¹ s / (s · A⁻¹ s) with s_k = ‖g_k‖",
    right=_cosines,
    cases=[([[1.0, 0.0, 1.0], [0.0, 2.0, -1.0], [1.0, 1.0, 3.0]],), ([[1.0, 0.0], [0.0, 2.0]],), ([[2.0, 0.0, 0.0], [3.0, 1.0, 0.0], [0.0, 2.0, 1.0]],)],
    wrong={
        "weights of unit rows": Wrong(_unit_weights, "For {case} you answer {given}; it should be {right}. These are the weights ν of the *unit* rows. A client's own "
                                                     "gradient is ‖g_k‖ times as long, so that λ_k = ν_k / ‖g_k‖"),
        "equal rates": Wrong(_equal_rates, "For {case} you answer {given}; it should be {right}. With these weights all *rates* are equal: AdaFed with γ = 0. Equal "
                                           "cosines are rates in proportion to ‖g_k‖"),
        "sum to one": Wrong(lambda G: _cosines(G) / _cosines(G).sum(), "For {case} you answer {given}; it should be {right}. The direction is right, its length is "
                                                                       "not: Σ ν_k = Σ s_k λ_k is 1 here, not Σ λ_k"),
        "averaged unit rows": Wrong(lambda G: 1 / np.linalg.norm(np.asarray(G, float), axis=1) / len(G),
                                    "For {case} you answer {given}; it should be {right}. That is FedAvg-n, the mean of the unit rows. Its cosines are equal for two clients "
                                    "always, and for more only by luck"),
        "not divided": Wrong(
            lambda G: np.linalg.solve(np.asarray(G) @ np.asarray(G).T, np.linalg.norm(G, axis=1)),
            "For {case} you answer {given}; it should be {right}. The direction is right, its length is not: divide by s · A⁻¹ s, so "
            "that Σ s_k λ_k = 1",
        ),
        "squares": Wrong(
            lambda G: np.linalg.solve(np.asarray(G) @ np.asarray(G).T, (np.asarray(G) ** 2).sum(1)) / ((np.asarray(G) ** 2).sum(1) @ np.linalg.solve(np.asarray(G) @ np.asarray(G).T, (np.asarray(G) ** 2).sum(1))),
            "For {case} you answer {given}; it should be {right}. You took A_kk = ‖g_k‖² as scale. Unit rows have the scale ‖g_k‖, "
            "its root",
        ),
    },
    praise="In multi-task learning this direction is known as IMTL-G",
    hints=(
        "Unit rows are the scale s_k = ‖g_k‖ of formula (1).",
        "For scales s, the affine hull gives λ = A⁻¹ s / (s · A⁻¹ s) on the clients' own gradients, as AdaFed did in chapter 8.",
        "`np.linalg.norm` with `axis=1` gives the lengths of the rows. To check yourself: A λ divided by the lengths is the same number for all.",
    ),
))

register(Exercise(
    slug="picture.ratio",
    task="ρ₂ / ρ₁ for g₁ = (1, 0), g₂ = (0, 2) and FedMGDA+",
    right=2.0,
    wrong={
        "FedMGDA": Wrong(1.0, "Equal rates are FedMGDA's answer, with raw rows. FedMGDA+ divides by ‖g_k‖, and it is the cosines that become equal"),
        "weights": Wrong(0.5, "½ is λ₂ / λ₁. The weights are as 1 to ½; the rates are ρ_k = λ_k ‖g_k‖² here, because the gradients are orthogonal"),
        "FedAvg": Wrong(4.0, "4 is FedAvg's ratio, equal weights on the raw gradients: ρ_k is then ‖g_k‖² / 2"),
    },
    praise="Rates as the lengths, λ as their inverses",
    hints=(
        "FedMGDA+ takes the nearest point between the unit rows. What are they here?",
        "They are perpendicular and equally long, so that both get the same weight. Write down dir.",
        "A rate is the client's own gradient, in its own length, times dir.",
    ),
))

register(Question(
    slug="picture.own_rule",
    task="a rule with a scale of your own: its degree, what a lie does to it, and a race in pairs",
    hints=(
        "Start from `AtLeast`. The one line of it that says what a client is owed is the one that makes `s`.",
        "The degree: multiply a loss and its gradient by c, and see by which factor s grows. Less than c means that exaggerating costs, more than c "
        "that it pays.",
        "Nothing can be divided by s = 0. Set such clients aside, as `AtLeast` does with zero losses, or owe everybody a little.",
        "The promise to test is ρ_k ≥ s_k ‖dir‖², as in `at_least`. For the race, put `SameLength` around your rule and run FedAvg beside it with "
        "the same seeds.",
    ),
))
