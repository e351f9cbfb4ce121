"""Chapter 0: start here."""

import numpy as np

from fairfl_book.exercises.registry import Exercise, Wrong, register


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
