"""Chapter 0: start here."""

import numpy as np

from fairfl_book.exercises.registry import Exercise, Question, Wrong, register


def _gram(G):
    G = np.asarray(G, float)
    return G @ G.T


def _others(G):
    A = _gram(G)
    return A - np.diag(np.diag(A))


register(Exercise(
    slug="start.rates",
    task="the part of ρ = A λ that the other clients bring, one number a client",
    right=lambda G, weights: _others(G) @ weights,
    cases=[([[1.0, 0.0], [-1.0, 2.0]], [0.5, 0.5]), ([[1.0, 2.0, 0.0], [0.0, 1.0, 1.0]], [0.25, 0.75]),
           ([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]], [0.5, 0.25, 0.25])],
    wrong={
        "direction": Wrong(lambda G, weights: np.asarray(G, float).T @ np.asarray(weights, float),
                           "For G and λ {case} you answer {given}. That is the direction Gᵀ λ, one number a parameter. A client's rate is "
                           "its own gradient times that direction; without its own part that leaves {right}"),
        "whole rate": Wrong(lambda G, weights: _gram(G) @ weights,
                            "For G and λ {case} you answer {given}: the whole rate A λ. Take away what the client's own gradient brings, "
                            "λ_k ‖g_k‖²: {right}"),
        "own only": Wrong(lambda G, weights: np.diag(_gram(G)) * np.asarray(weights, float),
                          "For G and λ {case} you answer {given}: what each client gets from its own gradient. Asked is the other "
                          "part, from the entries of A off the diagonal: {right}"),
        "own weight": Wrong(
            lambda G, weights: _others(G).sum(1) * weights,
            "For G and λ {case} you answer {given}; it should be {right}. You weigh the others' entries by the client's own weight: that is what "
            "it does to them. What they do to it goes by their weights",
        ),
        "not weighted": Wrong(
            lambda G, weights: _others(G).sum(1),
            "For G and λ {case} you answer {given}; it should be {right}. You add up the entries of A off the diagonal without the weights: column j "
            "of A counts λ_j times",
        ),
    },
    praise="The own part is never negative. So if somebody pays, the others make it pay; that is the whole difficulty",
    hints=(
        "Formula (1) in two steps: the direction Gᵀ λ has one number a parameter, and each row of G times that direction is one client's whole rate.",
        "Look at the shapes: G has a row for each client, so that A = G Gᵀ is square, with one row and one column for each client. Which entries "
        "are a client's own?",
        "In NumPy `@` multiplies matrices and vectors, `.T` transposes, and `np.diag` takes a matrix's diagonal.",
    ),
))

register(Exercise(
    slug="start.threshold",
    task="the λ₁ at which ρ₁ = A₁₁ λ₁ + A₁₂ (1 − λ₁) is zero",
    right=0.5,
    wrong={
        "other client": Wrong(5 / 6, "5/6 is where client 2's rate becomes zero: ρ₂ = −λ₁ + 5 (1 − λ₁). Asked is client 1"),
        "norms": Wrong(float(np.sqrt(5) / (1 + np.sqrt(5))),
                       "You balanced the lengths, λ₁ ‖g₁‖ = λ₂ ‖g₂‖. What counts is the inner product g₁ · g₂ = −1, not how long g₂ is"),
        "same rate": Wrong(0.75, "At λ₁ = 3/4 both rates are ½: that is where they are *equal*. Client 1's loss stops rising long before"),
        "other weight": Wrong(1 / 6, "1/6 is the weight λ₂ below which client 2's loss rises. Asked is λ₁, and client 1"),
        "anyone": Wrong(0.0, "At λ₁ = 0 the server follows client 2 alone, and g₁ · g₂ = −1: client 1's loss rises"),
    },
    tolerance=1e-3,
    praise="Between 0.5 and 5/6 nobody's loss rises. There is room, and the next chapters look for the best place in it",
    hints=(
        "Write down the Gram matrix A of the two gradients: its entries are g₁ · g₁, g₁ · g₂ and g₂ · g₂.",
        "Client 1's rate is the first row of A λ. With 1 − λ₁ for λ₂ it is a straight line in λ₁.",
        "Client 1's loss rises where that line is below zero. Where does it cross?",
    ),
))


def _fair_pair(g1, g2):
    sizes = np.linalg.norm([g2, g1], axis=1)
    return sizes / sizes.sum()


def _same_rate(g1, g2):
    A = _gram([g1, g2])
    gains = np.array([A[1, 1] - A[0, 1], A[0, 0] - A[0, 1]])
    return gains / gains.sum()


register(Exercise(
    slug="start.fair_pair",
    task="weights (λ₁, λ₂), summing to 1, with which λ₁ g₁ + λ₂ g₂ halves the angle between g₁ and g₂",
    right=_fair_pair,
    cases=[([3.0, 0.0], [-1.0, 1.0]), ([0.0, 2.0], [1.0, 0.0]), ([1.0, 2.0, 2.0], [-2.0, 0.0, 0.0])],
    wrong={
        "own lengths": Wrong(lambda g1, g2: np.linalg.norm([g1, g2], axis=1) / np.linalg.norm([g1, g2], axis=1).sum(),
                             "For {case} you answer {given}: each client is weighted by its own length, and the longer gradient wins twice. "
                             "Each should be weighted by the other's: {right}"),
        "equal": Wrong(lambda g1, g2: np.array([0.5, 0.5]),
                       "For {case} you answer {given}. The mean halves the angle only if both gradients have the same length; here it should be {right}"),
        "same rate": Wrong(_same_rate,
                           "For {case} you answer {given}: there both rates are equal, and dir meets the line between the tips at a right angle. Asked is that "
                           "it halves the *angle*: {right}. With unequal lengths these are two different points"),
        "not normalised": Wrong(lambda g1, g2: 1 / np.linalg.norm([g1, g2], axis=1),
                                "For {case} you answer {given}. The direction is right, but the weights should sum to 1: {right}"),
        "squares": Wrong(lambda g1, g2: np.square(np.linalg.norm([g2, g1], axis=1)) / np.square(np.linalg.norm([g2, g1], axis=1)).sum(),
                         "For {case} you answer {given}: the squares of the lengths. The lengths themselves make λ₁ g₁ and λ₂ g₂ equally long: {right}"),
    },
    praise="Both rates are ‖g₁‖ ‖g₂‖ (1 + cos θ) times the client's own length over the sum of both. For three clients no such formula helps: chapter 4",
    hints=(
        "The sum of two vectors of *equal length* halves the angle between them. Which weights make λ₁ g₁ and λ₂ g₂ equally long?",
        "λ₁ ‖g₁‖ = λ₂ ‖g₂‖ and λ₁ + λ₂ = 1.",
        "For the proof multiply g₁ by dir: λ₁ ‖g₁‖² + λ₂ ‖g₁‖ ‖g₂‖ cos θ. Put the weights in; when is it zero?",
    ),
))

register(Question(
    slug="start.three",
    task="three unit gradients in conflict that equal weights do not hurt, and three of which they hurt two",
    hints=(
        "With equal weights a client's rate is a third of g_k · (g₁ + g₂ + g₃). For unit vectors the own part is 1: the other two cosines may sum to −1.",
        "Put them at angles: (cos a, sin a). For the first, spread them as far as you dare and let the sum stay on everybody's side.",
        "For the second: if two are hurt, no two of the three agree (add up the cosines, none is below −1, and see). Put one in the middle and the others a "
        "little more than a right angle to either side. Whom does the sum follow? Print G @ G.sum(0) / 3.",
    ),
))
