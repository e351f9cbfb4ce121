"""Chapter 8: AdaFed."""

import numpy as np

from fairfl_book.exercises.registry import Exercise, Question, Wrong, register


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


def _leaving(f, c, which):
    """Part of the ray at which 4 (f₁ − c₁) = f₂ − c₂ (``which`` 0) or the other way round; 0 where the ray does not meet that edge."""
    a, b = (0, 1) if which == 0 else (1, 0)
    room = 4 * f[a] - f[b]
    return max(0.0, (4 * c[a] - c[b]) / room) if room > 0 else 0.0


def _resting(f, c):
    f, c = np.asarray(f, float), np.asarray(c, float)
    return f * max(_leaving(f, c, 0), _leaving(f, c, 1))


def _one_edge(f, c, which):
    f, c = np.asarray(f, float), np.asarray(c, float)
    return f * _leaving(f, c, which)


def _diagonal(f, c):
    f, c = np.asarray(f, float), np.asarray(c, float)
    over = f - c
    return f - min((4 * over[0] - over[1]) / 3, (4 * over[1] - over[0]) / 3)


register(
    Exercise(
        slug="adafed.resting",
        task="where the ray from f to the origin leaves the cone ¼ ≤ (f₂ − c₂) / (f₁ − c₁) ≤ 4",
        right=_resting,
        cases=[
            ([7.62, 3.78], [2.0, 0.5]),
            ([4.0, 3.0], [1.0, 1.0]),
            ([1.0, 3.5], [0.2, 2.0]),
            ([2.0, 3.0], [0.0, 0.0]),
            ([1.0, 4.5], [0.2, 2.0]),
        ],
        wrong={
            "the tip": Wrong(
                lambda f, c: np.asarray(c, float),
                "For {case} you answer {given}, the floors: there both losses are smallest. The ray runs to the origin, and need not meet "
                "that point. It should be {right}",
            ),
            "the floors cancel": Wrong(
                lambda f, c: np.asarray(f, float) * np.max(np.asarray(c, float) / np.asarray(f, float)),
                "For {case} you answer {given}; it should be {right}. You stopped where one loss reaches its floor. The cone's edges are "
                "reached before: no model has that loss at its floor and the other above",
            ),
            "one edge": Wrong(
                lambda f, c: _one_edge(f, c, 0),
                "For {case} you answer {given}; it should be {right}. That is where the ray meets the edge f₂ − c₂ = 4 (f₁ − c₁). It may meet "
                "the other edge first",
            ),
            "other edge": Wrong(
                lambda f, c: _one_edge(f, c, 1),
                "For {case} you answer {given}; it should be {right}. That is where the ray meets the edge f₁ − c₁ = 4 (f₂ − c₂). It may meet "
                "the other edge first",
            ),
            "diagonal": Wrong(
                _diagonal,
                "For {case} you answer {given}; it should be {right}. You went down the diagonal, which is γ = 0. With γ = 1 the "
                "*ratio* of the losses stays",
            ),
            "second edge": Wrong(
                lambda f, c: (
                    np.asarray(f, float)
                    * min(_leaving(np.asarray(f, float), c, 0), _leaving(np.asarray(f, float), c, 1))
                ),
                "For {case} you answer {given}; it should be {right}. The ray meets two edges, and AdaFed comes to rest at the first",
            ),
        },
        praise="Only the losses of the start were needed. The model at rest is on an axis: with floors 2 and 0.5, and the start (1, 1.6), at x = 0.53",
        hints=(
            "Which pairs of losses has some model? Put x² = X ≥ 0 and y² = Y ≥ 0 into (12), with the floors added: a cone with its tip at c.",
            "Its edges are X = 0 and Y = 0: f₁ − c₁ = 4 (f₂ − c₂) and f₂ − c₂ = 4 (f₁ − c₁). The losses stay on the ray τ f.",
            "Each edge gives one τ. Going down from τ = 1, which comes first? An edge that the ray does not meet between 0 and 1 does not count.",
        ),
    )
)

register(
    Exercise(
        slug="adafed.exponent",
        task="e with dir(c w) = c^e dir(w), for losses with f_k(c w) = c^p f_k(w)",
        right=lambda p, gamma: p - 1 - gamma * p,
        cases=[(2.0, 1.0), (2.0, 0.0), (2.0, 0.25), (4.0, 0.5), (3.0, 2.0)],
        wrong={
            "losses alone": Wrong(
                lambda p, gamma: -gamma * p,
                "For {case} you answer {given}; it should be {right}. That is what 1 / s does. The gradients change as well",
            ),
            "gradients alone": Wrong(
                lambda p, gamma: p - 1,
                "For {case} you answer {given}; it should be {right}. That is how the gradients change. They are divided by s = f^γ",
            ),
            "gradients like losses": Wrong(
                lambda p, gamma: p * (1 - gamma),
                "For {case} you answer {given}; it should be {right}. A gradient is a derivative: its power is one less than the "
                "loss's",
            ),
            "power of w": Wrong(
                lambda p, gamma: p - 1 - gamma,
                "For {case} you answer {given}; it should be {right}. s is f to the power γ, and f changes like c^p",
            ),
            "quadratics": Wrong(
                lambda p, gamma: 1 - 2 * gamma, "Your answer is right for p = 2 only; for {case} it should be {right}"
            ),
            "sign": Wrong(
                lambda p, gamma: gamma * p - p + 1,
                "For {case} you answer {given}; it should be {right}. The sign is turned: with γ = 1 and p = 2 dir grows towards the minimiser, so e "
                "is negative there",
            ),
            "through (7)": Wrong(
                lambda p, gamma: 2 * (p - 1 - gamma * p),
                "For {case} you answer {given}, which is the exponent of ‖dir‖². Asked is dir's own, {right}",
            ),
        },
        praise="dir stays bounded exactly for γ ≤ (p − 1) / p: for quadratics up to ½. The safe step (10) shrinks like c^(γ p), and step times dir like c^(p − 1)",
        hints=(
            "Differentiate f_k(c w) = c^p f_k(w) with respect to w. What is the gradient at c w, in terms of that at w?",
            "h_k = g_k / f_k^γ: collect the powers of c. It is the same power for every client.",
            "If all rows of a hull are multiplied by one number, its nearest point is multiplied by it too.",
        ),
    )
)

register(
    Question(
        slug="adafed.no_wall",
        task="scales with which two clients with floors never meet a wall",
        hints=(
            "The losses travel on a line towards some point. With s = f it is the origin. Where would that point have to be, so that every line to it meets "
            "the front?",
            "If s_k is the loss less a number c_k, the losses less these numbers keep their ratio. Which c_k can a client find out by itself?",
            "For the run: `nearest`, `bowls` and `floors`, with steps in proportion to the smallest scale. Then let one client report a number c_k that is too small.",
        ),
    )
)

register(
    Question(
        slug="adafed.scaled_loss",
        task="for which γ a multiplied loss, or one with a constant added, leaves dir as it was",
        hints=(
            "All that AdaFed sees of a client is h_k = g_k / s_k with s_k = |f_k|^γ. Put c f_k and c g_k in: which power of c is left?",
            "A constant added to the report changes f_k and not g_k. For which γ does s_k not notice?",
            "To run it: the chapter's `problem` and `adafed`, and the angle between two directions, for γ = 0, 1 and 2.",
        ),
    )
)
