"""Chapter 8: AdaFed."""

import numpy as np

from fairfl_book.exercises.registry import Exercise, Question, Wrong, register


def _solve(G, s):
    G = np.asarray(G, float)
    return np.linalg.solve(G @ G.T, s)


def _direction(G, f, gamma):
    G, s = np.asarray(G, float), np.asarray(f, float) ** gamma
    u = G.T @ _solve(G, s)
    return u / (u @ u)


def _not_divided(G, f, gamma):
    return np.asarray(G, float).T @ _solve(G, np.asarray(f, float) ** gamma)


def _unit(G, f, gamma):
    u = _not_divided(G, f, gamma)
    return u / np.linalg.norm(u)


def _averaged(G, f, gamma):
    weights = _solve(G, np.asarray(f, float) ** gamma)
    return np.asarray(G, float).T @ (weights / weights.sum())


register(Exercise(
    slug="adafed.direction",
    task="dir = u / ‖u‖², where u = Gᵀ A⁻¹ s and s_k = f_k^γ",
    right=_direction,
    cases=[([[2.0, 0.0], [1.0, 2.0]], [1.0, 3.0], 1.0), ([[1.0, 0.0, 1.0], [0.0, 2.0, -1.0]], [4.0, 1.0], 0.5),
           ([[1.0, 0.0], [2.0, 1.0]], [1.0, 1.0], 5.0)],
    wrong={
        "not divided": Wrong(_not_divided, "For {case} you answer {given}; it should be {right}. Yours is u, with rates exactly s. "
                                           "AdaFed's dir points the same way and has length 1 / ‖u‖: divide u by u · u"),
        "unit length": Wrong(_unit, "For {case} you answer {given}; it should be {right}. Yours has length 1. AdaFed's has length 1 / ‖u‖: divide u by "
                                    "u · u, the square of its length"),
        "weights sum to 1": Wrong(_averaged, "For {case} you answer {given}; it should be {right}. You divided the weights by their sum. "
                                             "Here it is Σ s_k λ_k that equals 1, because λ belongs to g and s λ to g / s"),
        "gamma forgotten": Wrong(lambda G, f, gamma: _direction(G, f, 1.0),
                                 "Your answer is right for γ = 1 only: for {case} it should be {right}. The rates follow f to the power γ"),
        "scaled the wrong way": Wrong(lambda G, f, gamma: _direction(G, f, -gamma),
                                      "For {case} you answer {given}; it should be {right}. In yours the client with the *smaller* loss "
                                      "falls faster. Rows are divided by s, so that the right-hand side of G u = s is s, not 1 / s"),
        "weights only": Wrong(
            lambda G, f, gamma: _solve(G, np.asarray(f, float) ** gamma),
            "For {case} you answer {given}; it should be {right}. These are the numbers A⁻¹ s, one a client. The direction is Gᵀ "
            "times them, divided by ‖u‖²",
        ),
    },
    praise="One product, one solve, and no order of the clients. rules.AdaFed does the same, with care for dependent rows",
    hints=(
        "Three steps from (2) and (7): s = f^γ, then u = Gᵀ A⁻¹ s, then dir = u / ‖u‖².",
        "A is the Gram matrix G Gᵀ. `np.linalg.solve` gives A⁻¹ s without an inverse.",
        "‖u‖² is u · u, one number that divides the whole vector.",
    ),
))

register(Exercise(
    slug="adafed.weight",
    task="λ₂ in dir = λ₁ g₁ + λ₂ g₂ for g₁ = (1, 0), g₂ = (2, 1) and equal losses of 1",
    right=-0.5,
    wrong={
        "the orthogonal vector's": Wrong(0.5, "That is the weight of g̃₂ = (0, −1), which formula (4) proves positive. g̃₂ is 2 g₁ − g₂, so that "
                                              "half of it takes half of g₂ *away*"),
        "of u": Wrong(-1.0, "That is the weight in u = A⁻¹ s. dir is u divided by ‖u‖², which is 2 here"),
        "convex": Wrong(0.0, "That is the convex hull's answer, dir = g₁: client 2 then falls at the rate 2 and client 1 at 1. AdaFed "
                             "wants the two rates equal"),
        "both": Wrong([1.5, -0.5], "Those are λ₁ and λ₂, and right. Asked is the second alone, as a number"),
        "the other client's": Wrong(1.5, "That is λ₁. The two weights sum to 1 here, because both losses are 1"),
        "sign of A₁₂": Wrong(
            0.3,
            "0.3 has the sign of g₁ · g₂ turned. It is 2, not −2, and so the inverse of A has −2 beside the diagonal",
        ),
    },
    praise="Client 2 falls fast enough without being asked, and is held back",
    hints=(
        "Formula (7): λ = A⁻¹ s / (s · A⁻¹ s). What is s if both losses are 1?",
        "Write down A. Its determinant is 1, so that its inverse is quickly found.",
        "To check yourself: both rates must come out equal. Along g₁ alone client 2 would fall twice as fast as client 1.",
    ),
))

register(Exercise(
    slug="adafed.zero",
    task="f₂ such that s₂ − g₂ · g̃₁ / (g̃₁ · g̃₁) is zero, for g₁ = (2, 0), g₂ = (3, 1), f₁ = 2, γ = 1",
    right=3.0,
    wrong={
        "loss ignored": Wrong(1.5, "1.5 is g₂ · g₁ / (g₁ · g₁), which forgets that g̃₁ is g₁ / f₁ = (1, 0)"),
        "projected the other way": Wrong(1.2, "1.2 is 2 · (g₁ · g₂) / (g₂ · g₂): you projected g₁ on g₂. Client 1 goes first, so g₂ is projected"),
        "multiplied": Wrong(0.75, "You multiplied g₁ by its loss. Formula (3) divides: g̃₁ = g₁ / f₁"),
        "not normalised": Wrong(6.0, "6 is g₂ · g₁. The share of g̃₁ in g₂ is g₂ · g̃₁ divided by g̃₁ · g̃₁"),
    },
    praise="At this loss client 2 gets all that it should get from client 1's row alone, and its own weight is zero",
    hints=(
        "For k = 2 the denominator of (3) is s₂ − c₂₁, and s₂ is f₂ at γ = 1.",
        "First g̃₁ = g₁ / s₁, with s₁ = f₁. Then c₂₁ = g₂ · g̃₁ / (g̃₁ · g̃₁).",
        "The loss asked for is this c₂₁.",
    ),
))


def _cap(f, gamma, L):
    return 2 / L * np.min(np.asarray(f, float) ** gamma)


register(Exercise(
    slug="adafed.step",
    task="2 min_k f_k^γ / L",
    right=_cap,
    cases=[([0.25, 2.0, 1.0], 1.0, 4.0), ([0.5, 0.1], 2.0, 1.0), ([3.0, 2.0], 0.0, 8.0)],
    wrong={
        "largest": Wrong(lambda f, gamma, L: 2 / L * np.max(np.asarray(f, float) ** gamma),
                         "For {case} you answer {given}; it should be {right}. With the largest loss only that client is safe. The step must suit "
                         "everybody, and the smallest s_k leaves the least room"),
        "gradient descent's": Wrong(lambda f, gamma, L: 2 / L,
                                    "2 / L is the bound for gradient descent, and for AdaFed at γ = 0. For {case} it should be {right}: the length "
                                    "of dir depends on the scale of s, and the bound with it"),
        "paper's cap": Wrong(lambda f, gamma, L: 1 / (2 * L),
                             "1 / (2L) is the cap in Theorems 5.3 and 5.4. It promises no descent once losses are small; for {case} the bound is {right}"),
        "L above": Wrong(lambda f, gamma, L: L / 2 * np.min(np.asarray(f, float) ** gamma),
                         "For {case} you answer {given}; it should be {right}. The more curved the losses, the shorter the step: L stands below"),
        "half": Wrong(lambda f, gamma, L: np.min(np.asarray(f, float) ** gamma) / L,
                      "For {case} you answer {given}, half of the bound: there the guaranteed fall is greatest. Asked is where the guarantee "
                      "ends, {right}"),
        "power outside": Wrong(lambda f, gamma, L: (2 / L * np.min(f)) ** gamma,
                               "For {case} you answer {given}; it should be {right}. Only the loss is raised to γ, not 2 / L"),
        "mean": Wrong(
            lambda f, gamma, L: 2 / L * np.mean(np.asarray(f, float) ** gamma),
            "For {case} you answer {given}; it should be {right}. You took the mean of the s_k. A step that is safe on average may be "
            "too long for the client with the smallest s_k",
        ),
        "smallest loss without the power": Wrong(
            lambda f, gamma, L: 2 / L * np.min(f),
            "For {case} you answer {given}; it should be {right}. You forgot γ: the smallest s_k is the smallest loss to the power γ",
        ),
    },
    praise="With losses below 1 a large γ makes this number tiny: 0.2⁵ is 0.0003",
    hints=(
        "Formula (10) is the bound. Who leaves the least room?",
        "s_k = f_k^γ: first the power, then the smallest. Only 2 / L stands before it.",
    ),
))

register(Question(
    slug="adafed.scaled_loss",
    task="for which γ a multiplied loss, or one with a constant added, leaves dir as it was",
    hints=(
        "All that AdaFed sees of a client is h_k = g_k / s_k with s_k = |f_k|^γ. Put c f_k and c g_k in: which power of c is left?",
        "A constant added to the report changes f_k and not g_k. For which γ does s_k not notice?",
        "To run it: the chapter's `problem` and `adafed`, and the angle between two directions, for γ = 0, 1 and 2.",
    ),
))
