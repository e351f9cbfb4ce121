"""Chapter 8: AdaFed, its weights and its step. Exercises 5 to 8 stand in ``ch08_walls``."""

import numpy as np

from fairfl_book.exercises.registry import Exercise, Wrong, register


def _solve(G, s):
    G = np.asarray(G, float)
    return np.linalg.solve(G @ G.T, s)


register(
    Exercise(
        slug="adafed.weight",
        task="λ₂ in dir = λ₁ g₁ + λ₂ g₂ for g₁ = (1, 1), g₂ = (3, 0) and equal losses of 1",
        right=-0.2,
        wrong={
            "the orthogonal vector's": Wrong(
                0.1,
                "That is the weight of g̃₂ = (−3, 3), which formula (4) proves positive. g̃₂ is 3 g₁ − 2 g₂, so that "
                "a tenth of it takes two tenths of g₂ *away*",
            ),
            "of u": Wrong(-1 / 9, "That is the weight in u = Gᵀ A⁻¹ s. dir is u divided by ‖u‖², which is 5/9 here"),
            "convex": Wrong(
                0.0,
                "That is the convex hull's answer, dir = g₁: client 2 then falls at the rate 3 and client 1 at 2. AdaFed "
                "wants the two rates equal",
            ),
            "both": Wrong([1.2, -0.2], "Those are λ₁ and λ₂, and right. Asked is the second alone, as a number"),
            "the other client's": Wrong(1.2, "That is λ₁. The two weights sum to 1 here, because both losses are 1"),
            "sign of A₁₂": Wrong(
                5 / 17,
                "5/17 has the sign of g₁ · g₂ turned. It is 3, not −3, and so the inverse of A has negative entries beside the diagonal",
            ),
        },
        praise="Client 2 falls fast enough without being asked, and is held back. The line through the two tips says the same: its nearest point to "
        "the origin, (0.6, 1.2), lies beyond g₁",
        hints=(
            "Both losses are 1, so h = g: dir is the point nearest to the origin on the line through (1, 1) and (3, 0).",
            "Or by formula (7): λ = A⁻¹ s / (s · A⁻¹ s), with A = [[2, 3], [3, 9]] of determinant 9.",
            "To check yourself: both rates must come out equal. Along g₁ alone client 2 would fall half as fast again as client 1.",
        ),
    )
)

register(
    Exercise(
        slug="adafed.zero",
        task="f₂ such that s₂ − g₂ · g̃₁ / (g̃₁ · g̃₁) is zero, for g₁ = (2, 0), g₂ = (3, 1), f₁ = 2, γ = 1",
        right=3.0,
        wrong={
            "loss ignored": Wrong(1.5, "1.5 is g₂ · g₁ / (g₁ · g₁), which forgets that g̃₁ is g₁ / f₁ = (1, 0)"),
            "projected the other way": Wrong(
                1.2, "1.2 is 2 · (g₁ · g₂) / (g₂ · g₂): you projected g₁ on g₂. Client 1 goes first, so g₂ is projected"
            ),
            "multiplied": Wrong(0.75, "You multiplied g₁ by its loss. Formula (3) divides: g̃₁ = g₁ / f₁"),
            "not normalised": Wrong(6.0, "6 is g₂ · g₁. The share of g̃₁ in g₂ is g₂ · g̃₁ divided by g̃₁ · g̃₁"),
        },
        praise="At this loss client 2 gets all that it should get from client 1's row alone, and its own weight is zero",
        hints=(
            "For k = 2 the denominator of (3) is s₂ − c₂₁, and s₂ is f₂ at γ = 1.",
            "First g̃₁ = g₁ / s₁, with s₁ = f₁. Then c₂₁ = g₂ · g̃₁ / (g̃₁ · g̃₁).",
            "The loss asked for is this c₂₁.",
        ),
    )
)


def _rates(G, lam):
    G = np.asarray(G, float)
    return G @ G.T @ np.asarray(lam, float)


def _relative(rates, gamma):
    return (rates / rates.max()) ** (1 / gamma)


register(
    Exercise(
        slug="adafed.imitating",
        task="losses proportional to (A λ)^(1/γ), the largest of them 1",
        right=lambda G, lam, gamma: _relative(_rates(G, lam), gamma),
        cases=[
            ([[1.0, 0.0], [2.0, 1.0]], [0.5, 0.5], 2.0),
            ([[2.0, 0.0, 1.0], [-1.0, 3.0, 0.0]], [0.6, 0.4], 0.5),
            ([[1.0, 0.0], [0.0, 3.0]], [0.5, 0.5], 1.0),
        ],
        wrong={
            "weights": Wrong(
                lambda G, lam, gamma: _relative(np.asarray(lam, float), gamma),
                "For {case} you answer {given}; it should be {right}. You made the losses follow the weights. AdaFed's losses prescribe "
                "rates: which are the rates along Gᵀ λ?",
            ),
            "not the root": Wrong(
                lambda G, lam, gamma: _relative(_rates(G, lam), 1.0),
                "Your answer is right for γ = 1 only; for {case} it should be {right}. The *scales* are proportional to the rates, and "
                "s = f^γ",
            ),
            "power": Wrong(
                lambda G, lam, gamma: _relative(_rates(G, lam), 1 / gamma),
                "For {case} you answer {given}; it should be {right}. f^γ is to be the rate, so f is its root, not its power",
            ),
            "not scaled": Wrong(
                lambda G, lam, gamma: _rates(G, lam) ** (1 / gamma),
                "For {case} you answer {given}. The proportions are right; asked are losses of which the largest is 1: {right}",
            ),
            "inverse": Wrong(
                lambda G, lam, gamma: _relative(_rates(G, lam), -gamma) / _relative(_rates(G, lam), -gamma).max(),
                "For {case} you answer {given}; it should be {right}. Yours is upside down: whoever falls fastest must have the largest loss",
            ),
            "solved": Wrong(
                lambda G, lam, gamma: _relative(np.abs(_solve(G, np.asarray(lam, float))), gamma),
                "For {case} you answer {given}; it should be {right}. A⁻¹ leads from rates to weights. You have the weights and want the rates",
            ),
        },
        praise="So every direction in the clients' span with positive rates is AdaFed's, for some losses. What AdaFed chooses is whose losses count",
        hints=(
            "AdaFed's direction has rates in proportion to s, and independent gradients leave only one such direction in their span.",
            "The rates along Gᵀ λ are A λ. So s must be proportional to A λ.",
            "s = f^γ: take the root, after dividing by the largest.",
        ),
    )
)


def _cap(f, gamma, L, lr):
    return 2 / (L * lr) * np.min(np.asarray(f, float) ** gamma)


register(
    Exercise(
        slug="adafed.step",
        task="2 min_k f_k^γ / (L lr)",
        right=_cap,
        cases=[([0.25, 2.0, 1.0], 1.0, 4.0, 0.5), ([0.5, 0.1], 2.0, 1.0, 0.1), ([3.0, 2.0], 0.5, 8.0, 2.0)],
        wrong={
            "gradients": Wrong(
                lambda f, gamma, L, lr: _cap(f, gamma, L, 1.0),
                "For {case} you answer {given}; it should be {right}. That is the bound for gradients. The rows are lr times these: what "
                "does that make of dir?",
            ),
            "wrong way": Wrong(
                lambda f, gamma, L, lr: lr * _cap(f, gamma, L, 1.0),
                "For {case} you answer {given}; it should be {right}. Short rows make a short dir, so the server may take a *longer* step",
            ),
            "squared": Wrong(
                lambda f, gamma, L, lr: _cap(f, gamma, L, lr**2),
                "For {case} you answer {given}; it should be {right}. dir is the nearest point of rows that are lr times as long: it becomes "
                "lr times as long itself, not lr²",
            ),
            "largest": Wrong(
                lambda f, gamma, L, lr: 2 / (L * lr) * np.max(np.asarray(f, float) ** gamma),
                "For {case} you answer {given}; it should be {right}. With the largest loss only that client is safe. The step must suit "
                "everybody, and the smallest s_k leaves the least room",
            ),
            "gradient descent's": Wrong(
                lambda f, gamma, L, lr: 2 / (L * lr),
                "2 / L is the bound for gradient descent, and for AdaFed at γ = 0. For {case} it should be {right}: the length "
                "of dir depends on the scale of s, and the bound with it",
            ),
            "paper's cap": Wrong(
                lambda f, gamma, L, lr: 1 / (2 * L),
                "1 / (2L) is the cap in Theorems 5.3 and 5.4. It promises no descent once losses are small; for {case} the bound is {right}",
            ),
            "half": Wrong(
                lambda f, gamma, L, lr: np.min(np.asarray(f, float) ** gamma) / (L * lr),
                "For {case} you answer {given}, half of the bound: there the guaranteed fall is greatest. Asked is where the guarantee "
                "ends, {right}",
            ),
            "mean": Wrong(
                lambda f, gamma, L, lr: 2 / (L * lr) * np.mean(np.asarray(f, float) ** gamma),
                "For {case} you answer {given}; it should be {right}. You took the mean of the s_k. A step that is safe on average may be "
                "too long for the client with the smallest s_k",
            ),
            "smallest loss without the power": Wrong(
                lambda f, gamma, L, lr: 2 / (L * lr) * np.min(f),
                "For {case} you answer {given}; it should be {right}. You forgot γ: the smallest s_k is the smallest loss to the power γ",
            ),
        },
        praise="With losses below 1 a large γ makes this number tiny: 0.2⁵ is 0.0003. And after more than one local step nothing is promised",
        hints=(
            "After one local step the rows are lr g_k. Divided by s_k they are lr h_k: how long is the nearest point of their hull?",
            "The model moves by η · lr · (the dir of the gradients). That product must obey (10).",
            "s_k = f_k^γ: first the power, then the smallest.",
        ),
    )
)
