"""Chapter 8: AdaFed, its weights and its step. Exercises 5 to 8 are in ``ch08_walls``."""

import numpy as np

from fairfl_book.exercises.registry import Exercise, Wrong, register


def _solve(G, s):
    G = np.asarray(G, float)
    return np.linalg.solve(G @ G.T, s)


register(
    Exercise(
        slug="adafed.same_point",
        task="the smallest and the largest s₂ with one nearest point of both hulls, for g₁ = (1, 0), g₂ = (2, 1), s₁ = 1",
        right=(2, 2.5),
        tolerance=0.005,
        wrong={
            "swapped": Wrong((2.5, 2), "Both numbers are right. The question asks for the smallest s₂ first"),
            "inverse without signs": Wrong(
                (-2.5, -2), "Both signs are wrong. The entries beside the diagonal of A⁻¹ are negative, because g₁ · g₂ is positive"
            ),
            "scaled lengths": Wrong(
                (0.4, 0.5), "Those are the inverses. You multiplied g₂ by s₂, but h₂ is g₂ divided by s₂"
            ),
            "one end only": Wrong(
                (0, 2.5),
                "The largest s₂ is right. But below s₂ = 2, h₂ = g₂ / s₂ is so long that the line's nearest point lies beyond h₁, and client 2's weight "
                "is negative",
            ),
            "the other end only": Wrong(
                (2, 5), "The smallest s₂ is right. At s₂ = 5, client 1's weight is negative: the first entry of A⁻¹ s is 5 − 2 s₂"
            ),
            "rates along g₁": Wrong(
                (1, 2), "2 is one of the two ends. At s₂ = 1, client 2's weight is negative: the second entry of A⁻¹ s is s₂ − 2"
            ),
        },
        praise="At s₂ = 2, g₁ alone already gives the rates 1 and 2, and at s₂ = 2.5, g₂ alone gives rates in the ratio 2 to 5. Between them, both "
               "weights are positive",
        hints=(
            "The two points are the same if and only if no entry of A⁻¹ s is negative. Here A = [[1, 2], [2, 5]], whose determinant is 1.",
            "A⁻¹ = [[5, −2], [−2, 1]]. Multiply it by s = (1, s₂).",
            "Each entry gives one inequality for s₂.",
        ),
    )
)

register(
    Exercise(
        slug="adafed.zero",
        task="f₂ such that s₂ − g₂ · g̃₁ / (g̃₁ · g̃₁) is zero, for g₁ = (2, 0), g₂ = (3, 1), f₁ = 2, γ = 1",
        right=3.0,
        wrong={
            "loss ignored": Wrong(1.5, "1.5 is g₂ · g₁ / (g₁ · g₁). That overlooks that g̃₁ is g₁ / f₁ = (1, 0)"),
            "projected the other way": Wrong(
                1.2, "1.2 is 2 · (g₁ · g₂) / (g₂ · g₂): you projected g₁ onto g₂. Client 1 goes first, so it is g₂ that is projected"
            ),
            "multiplied": Wrong(0.75, "You multiplied g₁ by its loss. Formula (3) divides: g̃₁ = g₁ / f₁"),
            "not normalised": Wrong(6.0, "6 is g₂ · g₁. The coefficient of g̃₁ in g₂ is g₂ · g̃₁ divided by g̃₁ · g̃₁"),
        },
        praise="At this loss, client 1's row alone already gives client 2 everything it should get, and client 2's own weight is zero",
        hints=(
            "For k = 2 the denominator of (3) is s₂ − c₂₁, and s₂ is f₂ at γ = 1.",
            "First compute g̃₁ = g₁ / s₁, with s₁ = f₁. Then c₂₁ = g₂ · g̃₁ / (g̃₁ · g̃₁).",
            "The loss you are looking for is this c₂₁.",
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
        task="losses, the largest of them 1, with which AdaFed takes the direction of the given weights",
        right=lambda G, lam, gamma: _relative(_rates(G, lam), gamma),
        cases=[
            ([[1.0, 0.0], [2.0, 1.0]], [0.5, 0.5], 2.0),
            ([[2.0, 0.0, 1.0], [-1.0, 3.0, 0.0]], [0.6, 0.4], 0.5),
            ([[1.0, 0.0], [0.0, 3.0]], [0.5, 0.5], 1.0),
        ],
        wrong={
            "weights": Wrong(
                lambda G, lam, gamma: _relative(np.asarray(lam, float), gamma),
                "For {case} you answer {given}; it should be {right}. You made the losses proportional to the weights. But AdaFed's losses prescribe "
                "rates: what are the rates along Gᵀ λ?",
            ),
            "not the root": Wrong(
                lambda G, lam, gamma: _relative(_rates(G, lam), 1.0),
                "Your answer is right only for γ = 1; for {case} it should be {right}. It is the *scales* that are proportional to the rates, and s = "
                "f^γ",
            ),
            "power": Wrong(
                lambda G, lam, gamma: _relative(_rates(G, lam), 1 / gamma),
                "For {case} you answer {given}; it should be {right}. f^γ has to equal the rate, so f is a root of the rate, not a power",
            ),
            "not scaled": Wrong(
                lambda G, lam, gamma: _rates(G, lam) ** (1 / gamma),
                "For {case} you answer {given}. The proportions are right, but the largest loss has to be 1: {right}",
            ),
            "inverse": Wrong(
                lambda G, lam, gamma: _relative(_rates(G, lam), -gamma) / _relative(_rates(G, lam), -gamma).max(),
                "For {case} you answer {given}; it should be {right}. Your answer is upside down: the client whose loss falls fastest must have the "
                "largest loss",
            ),
            "solved": Wrong(
                lambda G, lam, gamma: _relative(np.abs(_solve(G, np.asarray(lam, float))), gamma),
                "For {case} you answer {given}; it should be {right}. A⁻¹ takes rates to weights. You have the weights and want the rates",
            ),
        },
        praise="So every direction in the clients' span with positive rates is AdaFed's direction for some losses. AdaFed's choice lies in whose "
               "losses count",
        hints=(
            "AdaFed's direction has rates proportional to s, and with linearly independent gradients their span contains only one such direction, up "
            "to its length.",
            "The rates along Gᵀ λ are A λ. So s must be proportional to A λ.",
            "s = f^γ, so take the root after dividing by the largest.",
        ),
    )
)


def _cap(f, gamma, L, lr):
    return 2 / (L * lr) * np.min(np.asarray(f, float) ** gamma)


register(
    Exercise(
        slug="adafed.step",
        task="the largest server step that (10) allows, for clients that send w_t − w_t^k after one local step of size lr",
        right=_cap,
        cases=[([0.25, 2.0, 1.0], 1.0, 4.0, 0.5), ([0.5, 0.1], 2.0, 1.0, 0.1), ([3.0, 2.0], 0.5, 8.0, 2.0)],
        wrong={
            "gradients": Wrong(
                lambda f, gamma, L, lr: _cap(f, gamma, L, 1.0),
                "For {case} you answer {given}; it should be {right}. That is the bound for gradients. The rows are lr times the gradients: how does "
                "that change dir?",
            ),
            "wrong way": Wrong(
                lambda f, gamma, L, lr: lr * _cap(f, gamma, L, 1.0),
                "For {case} you answer {given}; it should be {right}. Short rows make dir short, so the server may take a *longer* step",
            ),
            "squared": Wrong(
                lambda f, gamma, L, lr: _cap(f, gamma, L, lr**2),
                "For {case} you answer {given}; it should be {right}. dir is the nearest point of rows that are lr times as long, so it becomes lr "
                "times as long itself, not lr² times",
            ),
            "largest": Wrong(
                lambda f, gamma, L, lr: 2 / (L * lr) * np.max(np.asarray(f, float) ** gamma),
                "For {case} you answer {given}; it should be {right}. With the largest loss, only that client is safe. The step must be safe for "
                "every client, and the smallest s_k is the most restrictive",
            ),
            "gradient descent's": Wrong(
                lambda f, gamma, L, lr: 2 / (L * lr),
                "2 / L is the bound for gradient descent, and for AdaFed at γ = 0. For {case} it should be {right}: the length of dir depends on the "
                "scale of s, and so does the bound",
            ),
            "paper's cap": Wrong(
                lambda f, gamma, L, lr: 1 / (2 * L),
                "1 / (2L) is the cap in Theorems 5.3 and 5.4. It guarantees no descent once the losses are small; for {case} the bound is {right}",
            ),
            "half": Wrong(
                lambda f, gamma, L, lr: np.min(np.asarray(f, float) ** gamma) / (L * lr),
                "For {case} you answer {given}, which is half of the bound. There the guaranteed fall is greatest, but the exercise asks where the "
                "guarantee ends, {right}",
            ),
            "mean": Wrong(
                lambda f, gamma, L, lr: 2 / (L * lr) * np.mean(np.asarray(f, float) ** gamma),
                "For {case} you answer {given}; it should be {right}. You took the mean of the s_k. A step that is safe on average may be "
                "too long for the client with the smallest s_k",
            ),
            "smallest loss without the power": Wrong(
                lambda f, gamma, L, lr: 2 / (L * lr) * np.min(f),
                "For {case} you answer {given}; it should be {right}. You left out γ: the smallest s_k is the smallest loss to the power γ",
            ),
        },
        praise="If losses are below 1, a large γ makes this number tiny: 0.2⁵ is 0.0003. And with more than one local step, nothing is guaranteed",
        hints=(
            "After one local step the rows are lr g_k. Divided by s_k, they are lr h_k. How long is the nearest point of their hull?",
            "The model moves by η · lr · (the dir of the gradients). That product must satisfy (10).",
            "s_k = f_k^γ: take the power first, then the smallest.",
        ),
    )
)
