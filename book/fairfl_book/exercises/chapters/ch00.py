"""Chapter 0: start here."""

import numpy as np

from fairfl_book.exercises.registry import Exercise, Question, Wrong, register


def _gram(G):
    G = np.asarray(G, float)
    return G @ G.T


register(Exercise(
    slug="start.rates",
    task="ρ = G Gᵀ λ, one number a client",
    right=lambda G, weights: _gram(G) @ np.asarray(weights, float),
    cases=[([[1.0, 0.0], [-1.0, 2.0]], [0.5, 0.5]), ([[1.0, 2.0, 0.0], [0.0, 1.0, 1.0]], [0.25, 0.75])],
    wrong={
        "direction": Wrong(lambda G, weights: np.asarray(G, float).T @ np.asarray(weights, float),
                           "For G and λ {case} you answer {given}. That is the direction Gᵀ λ, one number a parameter. A client's rate is "
                           "its own gradient times that direction: {right}"),
        "own only": Wrong(lambda G, weights: np.diag(_gram(G)) * np.asarray(weights, float),
                          "For G and λ {case} you answer {given}: what each client gets from its own gradient. The others' gradients "
                          "move it too, through the entries of A off the diagonal: {right}"),
        "lengths": Wrong(
            lambda G, weights: np.linalg.norm(G, axis=1) * weights,
            "For G and λ {case} you answer {given}; it should be {right}. You weigh the gradients' lengths. A rate is an inner "
            "product with the direction of all, and an opponent makes it negative",
        ),
        "not weighted": Wrong(
            lambda G, weights: _gram(G).sum(1),
            "For G and λ {case} you answer {given}; it should be {right}. You add up the rows of A without the weights: column k of A "
            "counts λ_k times",
        ),
    },
    praise="The second client's rate depends on the first one's weight; that is the whole difficulty",
    hints=(
        "Formula (1) in two steps: the direction Gᵀ λ has one number a parameter, and each row of G times that direction is one client's rate.",
        "Look at the shapes: G has a row for each client, so that A = G Gᵀ is square, with one row and one column for each client.",
        "In NumPy `@` multiplies matrices and vectors, and `.T` transposes. The Gram matrix times the weights is all that is asked.",
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
        "For the second: two that agree a little and are both turned away from the third's side. Whom does the sum follow? Print G @ G.sum(0) / 3.",
    ),
))
