"""Chapter 8: AdaFed, its walls and the design of scales."""

import numpy as np

from fairfl_book.exercises.registry import Exercise, Question, Wrong, register


def _meeting(f, c, which):
    """The τ at which 4 (f₁ − c₁) = f₂ − c₂ on the line τ f (``which`` 0), or with the roles exchanged, anywhere on that line."""
    a, b = (0, 1) if which == 0 else (1, 0)
    room = 4 * f[a] - f[b]
    return (4 * c[a] - c[b]) / room if room else -np.inf


def _leaving(f, c, which):
    """``_meeting`` if it lies between f and the origin, else 0. Since f is above the floors, an edge with ``room`` ≤ 0 lies behind it."""
    a, b = (0, 1) if which == 0 else (1, 0)
    return max(0.0, _meeting(f, c, which)) if 4 * f[a] > f[b] else 0.0


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
            ([4.5, 3.5], [2.0, 1.0]),
            ([4.0, 3.0], [1.0, 1.0]),
            ([1.0, 3.5], [0.2, 2.0]),
            ([2.0, 3.0], [0.0, 0.0]),
            ([1.0, 4.5], [0.2, 2.0]),
        ],
        wrong={
            "the tip": Wrong(
                lambda f, c: np.asarray(c, float),
                "For {case} you answer {given}, the floors, where both losses are smallest. But the ray goes to the origin and need not pass through "
                "that point. It should be {right}",
            ),
            "the floors cancel": Wrong(
                lambda f, c: np.asarray(f, float) * np.max(np.asarray(c, float) / np.asarray(f, float)),
                "For {case} you answer {given}; it should be {right}. You stopped where one loss reaches its floor. The ray meets an edge of the cone "
                "before that, because no model has one loss at its floor and the other above",
            ),
            "the origin": Wrong(
                lambda f, c: np.zeros(2),
                "The ray goes towards the origin, but with floors no model has zero losses, so the ray leaves the cone before that. For {case} it "
                "should be {right}",
            ),
            "an edge behind": Wrong(
                lambda f, c: np.asarray(f, float) * max(_meeting(f, c, 0), _meeting(f, c, 1)),
                "For {case} you answer {given}; it should be {right}. That is where the *continuation* of the ray meets an edge, either before the "
                "start or beyond the origin",
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
                "For {case} you answer {given}; it should be {right}. You went down along the diagonal, which belongs to γ = 0. With γ = 1, the "
                "*ratio* of the losses stays the same",
            ),
            "diagonal to a floor": Wrong(
                lambda f, c: np.asarray(f, float) - np.min(np.asarray(f, float) - np.asarray(c, float)),
                "For {case} you answer {given}; it should be {right}. You lower both losses by the same amount, as with γ = 0, until one of them reaches its floor. With "
                "γ = 1 the *ratio* of the losses stays the same, and the run ends at an edge of the cone",
            ),
            "second edge": Wrong(
                lambda f, c: (
                    np.asarray(f, float)
                    * min(_leaving(np.asarray(f, float), c, 0), _leaving(np.asarray(f, float), c, 1))
                ),
                "For {case} you answer {given}; it should be {right}. The ray meets two edges, and AdaFed comes to rest at the first one",
            ),
        },
        praise="You needed only the losses at the start. The model at rest is on an axis: for the floors 2 and 1 and the start (1, 1), it is at x = "
               "0.59",
        hints=(
            "Which pairs of losses belong to some model? Put x² = X ≥ 0 and y² = Y ≥ 0 into (11), with the floors added. You get a cone with its tip "
            "at c.",
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
                "For {case} you answer {given}; it should be {right}. That is the contribution of 1 / s. The gradients change as well",
            ),
            "gradients alone": Wrong(
                lambda p, gamma: p - 1,
                "For {case} you answer {given}; it should be {right}. That is how the gradients change. They are also divided by s = f^γ",
            ),
            "gradients like losses": Wrong(
                lambda p, gamma: p * (1 - gamma),
                "For {case} you answer {given}; it should be {right}. A gradient is a derivative, so its power is one less than that of the loss",
            ),
            "divided like gradients": Wrong(
                lambda p, gamma: (p - 1) * (1 - gamma),
                "For {case} you answer {given}; it should be {right}. You let s grow like a gradient to the power γ. s is the *loss* to the power γ, and the loss "
                "changes like c^p",
            ),
            "power of w": Wrong(
                lambda p, gamma: p - 1 - gamma,
                "For {case} you answer {given}; it should be {right}. s is f to the power γ, and f changes like c^p",
            ),
            "quadratics": Wrong(
                lambda p, gamma: 1 - 2 * gamma, "Your answer is right only for p = 2; for {case} it should be {right}"
            ),
            "sign": Wrong(
                lambda p, gamma: gamma * p - p + 1,
                "For {case} you answer {given}; it should be {right}. The sign is wrong: for γ = 1 and p = 2, dir grows towards the minimiser, so e "
                "is negative there",
            ),
            "through (7)": Wrong(
                lambda p, gamma: 2 * (p - 1 - gamma * p),
                "For {case} you answer {given}, which is the exponent of ‖dir‖². The exercise asks for the exponent of dir itself, {right}",
            ),
        },
        praise="dir stays bounded exactly when γ ≤ (p − 1) / p, which for quadratics means up to ½. The safe step (10) shrinks like c^(γ p), and the "
               "step times dir like c^(p − 1)",
        hints=(
            "Differentiate f_k(c w) = c^p f_k(w) with respect to w. What is the gradient at c w in terms of the gradient at w?",
            "h_k = g_k / f_k^γ: collect the powers of c. The power is the same for every client.",
            "If all rows of a hull are multiplied by one positive number, its point nearest to the origin is multiplied by it too.",
        ),
    )
)

register(
    Question(
        slug="adafed.no_wall",
        task="scales with which the two bowls never meet a wall, whatever their floors",
        hints=(
            "The losses move along a line towards some point. With s = f, that point is the origin. Where would it have to be for every line to it to "
            "meet the front?",
            "If s_k is the loss minus a number c_k, the losses minus these numbers keep their ratio. Which c_k can a client find out by itself?",
            "For the run, use `nearest`, `bowls` and `floors`, with steps proportional to the smallest scale. Then let one client report a number c_k "
            "that is too small.",
        ),
    )
)

register(
    Question(
        slug="adafed.scaled_loss",
        task="for which γ a multiplied loss, or one with a constant added, leaves dir as it was",
        hints=(
            "All that AdaFed sees of a client is h_k = g_k / s_k with s_k = |f_k|^γ. Insert c f_k and c g_k: which power of c is left?",
            "A constant added to the report changes f_k and not g_k. For which γ does s_k not change?",
            "To run it, use the chapter's `problem` and `adafed`, and the angle between two directions, for γ = 0, 1 and 2.",
        ),
    )
)
