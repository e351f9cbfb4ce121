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
    task="the part of ρ = A λ that comes from the other clients, one number per client",
    right=lambda G, weights: _others(G) @ weights,
    cases=[([[1.0, 0.0], [-1.0, 2.0]], [0.5, 0.5]), ([[1.0, 2.0, 0.0], [0.0, 1.0, 1.0]], [0.25, 0.75]),
           ([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]], [0.5, 0.25, 0.25])],
    wrong={
        "direction": Wrong(lambda G, weights: np.asarray(G, float).T @ np.asarray(weights, float),
                           "For {case} you answer {given}. That is the direction Gᵀ λ, with one number per parameter. A client's rate is its own "
                           "gradient times that direction. Without the client's own part, {right} is left"),
        "whole rate": Wrong(lambda G, weights: _gram(G) @ weights,
                            "For {case} you answer {given}, which is the whole rate A λ. Subtract what the client's own gradient contributes, λ_k "
                            "‖g_k‖²: that leaves {right}"),
        "own only": Wrong(lambda G, weights: np.diag(_gram(G)) * np.asarray(weights, float),
                          "For {case} you answer {given}, which is what each client gains from its own gradient. The exercise asks for the other "
                          "part, which comes from the off-diagonal entries of A: {right}"),
        "own weight": Wrong(
            lambda G, weights: _others(G).sum(1) * weights,
            "For {case} you answer {given}; it should be {right}. You multiply the others' entries by the client's own weight, which gives what the "
            "client does to the others. What they do to the client depends on their weights",
        ),
        "full own part": Wrong(
            lambda G, weights: _gram(G) @ weights - np.diag(_gram(G)),
            "For {case} you answer {given}; it should be {right}. You subtract ‖g_k‖² from the rate. The client's own part also has its weight, "
            "λ_k ‖g_k‖²",
        ),
        "not weighted": Wrong(
            lambda G, weights: _others(G).sum(1),
            "For {case} you answer {given}; it should be {right}. You add up the off-diagonal entries of A without the weights. Column j of A has to "
            "be multiplied by λ_j",
        ),
    },
    praise="A client's own part is never negative. So if a client pays, it is the others who make it pay, and that is the whole difficulty",
    hints=(
        "Take formula (1) in two steps: the direction Gᵀ λ has one number per parameter, and each row of G times that direction is one client's whole "
        "rate.",
        "Look at the shapes. G has one row per client, so A = G Gᵀ is square, with one row and one column per client. Which entries belong to a "
        "client alone?",
        "In NumPy, `@` multiplies matrices and vectors, `.T` transposes, and `np.diag` returns the diagonal of a matrix.",
    ),
))

register(Exercise(
    slug="start.threshold",
    task="the λ₁ at which ρ₁ = A₁₁ λ₁ + A₁₂ (1 − λ₁) is zero",
    right=0.5,
    wrong={
        "other client": Wrong(5 / 6, "5/6 is where client 2's rate becomes zero: ρ₂ = −λ₁ + 5 (1 − λ₁). The question is about client 1"),
        "norms": Wrong(float(np.sqrt(5) / (1 + np.sqrt(5))),
                       "You balanced the lengths, λ₁ ‖g₁‖ = λ₂ ‖g₂‖. What matters here is the inner product g₁ · g₂ = −1, not the length of g₂"),
        "same rate": Wrong(0.75, "At λ₁ = 3/4 both rates are ½, so this is where they are *equal*. Client 1's loss stops rising well before that"),
        "other weight": Wrong(1 / 6, "1/6 is the weight λ₂ below which client 2's loss rises. The question asks for λ₁, and for client 1"),
        "anyone": Wrong(0.0, "At λ₁ = 0 the server follows client 2 alone. Since g₁ · g₂ = −1, client 1's loss rises there"),
    },
    tolerance=1e-3,
    praise="Between 0.5 and 5/6 neither loss rises. So there is some freedom left, and the next chapters look for the best use of it",
    hints=(
        "Write down the Gram matrix A of the two gradients. Its entries are g₁ · g₁, g₁ · g₂ and g₂ · g₂.",
        "Client 1's rate is the first row of A times λ. Put 1 − λ₁ for λ₂, and it becomes a straight line in λ₁.",
        "Client 1's loss rises where that line is below zero. Where does it cross zero?",
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
    task="weights (λ₁, λ₂), summing to 1, for which λ₁ g₁ + λ₂ g₂ bisects the angle between g₁ and g₂",
    right=_fair_pair,
    cases=[([3.0, 0.0], [-1.0, 1.0]), ([0.0, 2.0], [1.0, 0.0]), ([1.0, 2.0, 2.0], [-2.0, 0.0, 0.0])],
    wrong={
        "own lengths": Wrong(lambda g1, g2: np.linalg.norm([g1, g2], axis=1) / np.linalg.norm([g1, g2], axis=1).sum(),
                             "For {case} you answer {given}. You weight each client by its own length, so the longer gradient counts twice over. Each "
                             "client's weight should be proportional to the other's length: {right}"),
        "equal": Wrong(lambda g1, g2: np.array([0.5, 0.5]),
                       "For {case} you answer {given}. The mean bisects the angle only if both gradients have the same length; here it should be "
                       "{right}"),
        "same rate": Wrong(_same_rate,
                           "For {case} you answer {given}. With these weights both rates are equal, and dir meets the line between the two tips at a "
                           "right angle. But dir should bisect the *angle*: {right}. When the lengths differ, these are two different points"),
        "not normalised": Wrong(lambda g1, g2: 1 / np.linalg.norm([g1, g2], axis=1),
                                "For {case} you answer {given}. The direction is right, but the weights must sum to 1: {right}"),
        "squares": Wrong(lambda g1, g2: np.square(np.linalg.norm([g2, g1], axis=1)) / np.square(np.linalg.norm([g2, g1], axis=1)).sum(),
                         "For {case} you answer {given}. You used the squares of the lengths. The lengths themselves make λ₁ g₁ and λ₂ g₂ equally "
                         "long: {right}"),
    },
    praise="Each client's rate is ‖g₁‖ ‖g₂‖ (1 + cos θ) times its own length over the sum of both lengths. For three clients there is no such "
           "formula, as chapter 4 shows",
    hints=(
        "The sum of two vectors of *equal length* bisects the angle between them. Which weights make λ₁ g₁ and λ₂ g₂ equally long?",
        "λ₁ ‖g₁‖ = λ₂ ‖g₂‖ and λ₁ + λ₂ = 1.",
        "For the proof, take the inner product of g₁ and dir: λ₁ ‖g₁‖² + λ₂ ‖g₁‖ ‖g₂‖ cos θ. Insert the weights. When is it zero?",
    ),
))

register(Question(
    slug="start.three",
    task="three conflicting unit gradients such that equal weights hurt no client, and three such that they hurt two",
    hints=(
        "With equal weights, a client's rate is a third of g_k · (g₁ + g₂ + g₃). For unit vectors a client's own part is 1, so the other two cosines "
        "may sum to as little as −1.",
        "Write each gradient as (cos a, sin a) with its angle a. For the first triple, spread the angles as far as you can while the sum still helps "
        "every client.",
        "For the second triple: if two clients are hurt, no two of the three agree. (Add up the cosines, none of which is below −1, to see why.) Put "
        "one gradient in the middle and the other two at a little more than a right angle on either side. Which client does the sum follow? Print G @ "
        "G.sum(0) / 3.",
    ),
))
