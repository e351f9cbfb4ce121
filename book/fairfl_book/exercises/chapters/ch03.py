"""Chapter 3: Pareto optimality and stationarity."""

import numpy as np

from fairfl_book.exercises.registry import Exercise, Question, Wrong, register


def _pair(f, g):
    return np.asarray(f, float), np.asarray(g, float)


def _dominates(f, g):
    f, g = _pair(f, g)
    return bool((f <= g).all() and (f < g).any())


register(Exercise(
    slug="pareto.dominates",
    task="no loss of f is larger than in g, and at least one is smaller",
    right=_dominates,
    cases=[([1.0, 2.0], [1.0, 3.0]), ([1.0, 2.0], [1.0, 2.0]), ([1.0, 5.0], [2.0, 9.0]), ([0.0, 5.0], [9.0, 4.0]),
           ([3.0, 3.0, 3.0], [3.0, 3.0, 4.0]), ([0.0, 9.0], [1.0, 2.0]), ([5.0, 1.0], [4.0, 2.0]), ([1.0, 4.0], [3.0, 3.0])],
    wrong={
        "strict": Wrong(lambda f, g: bool(np.less(f, g).all()),
                        "For f and g {case} you answer {given}; it should be {right}. You ask that everybody gain. One client who gains "
                        "and nobody who loses is enough; everybody gaining is the test for weak optimality"),
        "equal": Wrong(lambda f, g: bool(np.less_equal(f, g).all()),
                       "For f and g {case} you answer {given}; it should be {right}. With equal losses nobody gains: your test would "
                       "let every model dominate itself, and nothing would be optimal"),
        "sum": Wrong(lambda f, g: bool(np.sum(f) < np.sum(g)),
                     "For f and g {case} you answer {given}; it should be {right}. You compare sums, and a sum lets one client's gain "
                     "pay for another's loss. That is a ranking by equal weights"),
        "turned round": Wrong(lambda f, g: _dominates(g, f),
                              "For f and g {case} you answer {given}; it should be {right}. You ask whether g dominates f. These are "
                              "losses, so smaller is better"),
        "any": Wrong(
            lambda f, g: bool(np.less(f, g).any()),
            "For f and g {case} you answer {given}; it should be {right}. You ask whether somebody gains. Nobody may lose, either: "
            "every loss of f must be at most that of g",
        ),
        "or": Wrong(
            lambda f, g: bool(np.less_equal(f, g).all() or np.less(f, g).any()),
            "For f and g {case} you answer {given}; it should be {right}. You join the two halves of (1) by *or*; both must hold",
        ),
        "worst": Wrong(
            lambda f, g: bool(np.max(f) < np.max(g)),
            "For f and g {case} you answer {given}; it should be {right}. You compare the largest losses, as AFL does. Domination "
            "looks at every client",
        ),
        "first decides": Wrong(
            lambda f, g: list(f) < list(g),
            "For f and g {case} you answer {given}; it should be {right}. You compare in the order of a dictionary, as Python's lists "
            "do: the first difference decides, and later clients may lose. Compare arrays, and ask all entries",
        ),
    },
    praise="Two models can fail this test both ways, and with ten clients they nearly always do",
    hints=(
        "Formula (1) has two halves, and both must hold: one is about all clients, the other about some.",
        "A comparison of two arrays is one True or False for each client; `.all()` asks everybody, `.any()` looks for one.",
        "Try two equal vectors: nobody gains, so that the answer is False.",
    ),
))


def _beaten(better):
    """Rows for which no other row is ``better`` (a function of all pairs)."""
    def rows(f):
        f = np.asarray(f, float)
        return ~better(f[:, None], f[None]).any(0)
    return rows


register(Exercise(
    slug="pareto.weakly",
    task="for each row, whether no other row has a smaller loss for every client",
    right=_beaten(lambda a, b: (a < b).all(-1)),
    cases=[([[0.0, 2.0], [1.0, 1.0], [1.0, 3.0], [0.0, 4.0], [3.0, 3.0]],), ([[1.0, 1.0, 1.0], [1.0, 1.0, 2.0], [2.0, 2.0, 2.0]],),
           ([[0.0, 4.0], [2.0, 2.0], [4.0, 0.0], [3.0, 3.0], [5.0, 5.0]],)],
    wrong={
        "optimal": Wrong(_beaten(lambda a, b: (a <= b).all(-1) & (a < b).any(-1)),
                         "For losses {case} you answer {given}; it should be {right}. These are the Pareto optimal rows. [0, 4] is beaten "
                         "by [0, 2] for client 2 only: not optimal, but weakly optimal, since client 1 cannot gain"),
        "itself": Wrong(_beaten(lambda a, b: (a <= b).all(-1)),
                        "For losses {case} you answer {given}: nobody is left. With ≤ every row is beaten by itself"),
        "any": Wrong(_beaten(lambda a, b: (a < b).any(-1)),
                     "For losses {case} you answer {given}; it should be {right}. You strike out a row as soon as another one is better "
                     "for one client. It has to be better for all of them"),
        "beats none": Wrong(
            lambda f: ~(np.asarray(f)[:, None] < np.asarray(f)).all(2).any(1),
            "For losses {case} you answer {given}; it should be {right}. Yours are the rows that beat no other row. Asked is for "
            "those that no other row beats: look along the other axis",
        ),
        "indices": Wrong(
            lambda f: np.flatnonzero(_beaten(lambda a, b: (a < b).all(-1))(f)),
            "For losses {case} you answer {given}, the rows' numbers. Asked is for one True or False a row: {right}",
        ),
        "best somewhere": Wrong(
            lambda f: (np.asarray(f) == np.min(f, axis=0)).any(1),
            "For losses {case} you answer {given}; it should be {right}. You ask who is best for some client. A row in between, as "
            "[2, 2] is here, is beaten by nobody either",
        ),
    },
    praise="On a front with flat pieces the weakly optimal rows are the larger set",
    hints=(
        "Compare every row with every other: `f[:, None]` against `f` makes one entry for each pair of rows and each client.",
        "A pair counts if one row is smaller for all clients (the last axis); a row is struck out if any other row does that to it.",
        "A row is never strictly smaller than itself, so that it need not be left out. True is for the rows that nothing strikes out: `~` turns "
        "True and False round.",
    ),
))


def _weights(g1, g2):
    a, b = np.linalg.norm(g1), np.linalg.norm(g2)
    return np.array([b, a]) / (a + b)


register(Exercise(
    slug="pareto.weights",
    task="λ with λ₁ g₁ + λ₂ g₂ = 0 and λ₁ + λ₂ = 1",
    right=_weights,
    cases=[([3.0, 0.0], [-1.0, 0.0]), ([0.3, -0.4], [-0.6, 0.8]), ([0.0, 2.0, 1.0], [0.0, -2.0, -1.0])],
    wrong={
        "longer counts more": Wrong(lambda g1, g2: _weights(g1, g2)[::-1],
                                    "For gradients {case} you answer {given}; it should be {right}. You gave the longer gradient the larger "
                                    "weight. To cancel, λ₁ ‖g₁‖ = λ₂ ‖g₂‖, so the longer one needs the smaller weight"),
        "equal": Wrong(lambda g1, g2: np.array([0.5, 0.5]),
                       "For gradients {case} you answer {given}. Equal weights cancel gradients of equal length only; here it is {right}"),
        "not normalised": Wrong(lambda g1, g2: np.array([np.linalg.norm(g2), np.linalg.norm(g1)]),
                                "For gradients {case} you answer {given}. The sum vanishes, but weights add up to 1: divide, and it is {right}"),
        "squares": Wrong(
            lambda g1, g2: np.array([np.dot(g2, g2), np.dot(g1, g1)]) / (np.dot(g1, g1) + np.dot(g2, g2)),
            "For gradients {case} you answer {given}; it should be {right}. You balanced the squares of the lengths. λ₁ g₁ = −λ₂ g₂ "
            "asks for λ₁ ‖g₁‖ = λ₂ ‖g₂‖",
        ),
    },
    praise="At a point of the front the gradients tell which weighting would have led there, if any weighting can",
    hints=(
        "Take lengths on both sides of λ₁ g₁ = −λ₂ g₂.",
        "So λ₁ ‖g₁‖ = λ₂ ‖g₂‖: whose length is client 1's weight in proportion to?",
        "`np.linalg.norm` gives a length. Divide by the sum at the end.",
    ),
))

register(Exercise(
    slug="pareto.inflated",
    task="the w between 0 and 1 where w² + 0.5 = (w − 1)²",
    right=0.25,
    wrong={
        "unmoved": Wrong(0.5, "0.5 is the answer without the lie, w² = (w − 1)². Client 1 now reports w² + 0.5, and the server believes it"),
        "wrong way": Wrong(0.75, "You moved away from client 1. It reports a larger loss, so the server serves it more: towards its "
                                 "minimiser 0, not towards 1"),
        "taken over": Wrong(0.0, "At w = 0 client 1 reports 0.5 and client 2 has 1: client 2 is worse off, so the server still moves its way. "
                                 "It takes a lie of 1 or more to win everything"),
        "reported": Wrong(0.5625, "0.5625 is the common value of the two reported losses. Asked is the w where they meet"),
    },
    tolerance=1e-3,
    praise="Client 1's true loss falls from 0.25 to 0.06, and client 2 pays: from 0.25 to 0.56",
    hints=(
        "AFL makes the largest *reported* loss small. Draw both reported losses over 0 ≤ w ≤ 1.",
        "The larger of the two is least where they cross.",
        "Expand (w − 1)²: the squares cancel, and a linear equation for w is left.",
    ),
))

register(Question(
    slug="pareto.concave",
    task="where on the arch a weighted sum has a local minimum, with a proof",
    hints=(
        "Move along the diagonal, from x to x ± h. A sum with a positive second derivative there has a local minimum, with a negative one a "
        "maximum.",
        "The weights at x are those with λ₁ g₁ + λ₂ g₂ = 0: `shortest` finds them from `bumps.gradients`. Keep them while you move.",
        "For a proof: the ratio of the weights is the front's slope. Differentiate its logarithm in x, and ask where the derivative changes sign.",
    ),
))
