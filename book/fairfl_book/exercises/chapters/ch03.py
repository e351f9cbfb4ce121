"""Chapter 3: Pareto optimality and stationarity."""

import numpy as np

from fairfl_book.exercises.registry import Exercise, Question, Wrong, register


def _pair(f, g):
    return np.asarray(f, float), np.asarray(g, float)


def _surely(f, g, e, times=2.0):
    f, g = _pair(f, g)
    f = f + times * e
    return bool((f <= g).all() and (f < g).any())


register(Exercise(
    slug="pareto.dominates",
    task="whether the model with losses f dominates that with g, even if every f is e larger and every g is e smaller",
    right=_surely,
    cases=[([1.0, 2.0], [2.0, 4.0], 0.5), ([1.0, 2.0], [2.0, 3.0], 0.5), ([1.0, 2.0], [1.0, 3.0], 0.0), ([1.0, 5.0], [1.75, 9.0], 0.5),
           ([1.0, 2.0], [1.25, 4.0], 0.5),
           ([0.0, 5.0], [9.0, 4.0], 0.25), ([3.0, 3.0, 3.0], [4.0, 4.0, 5.0], 0.5), ([0.0, 9.0], [1.0, 2.0], 0.25), ([5.0, 1.0], [4.0, 2.0], 0.25),
           ([1.0, 4.0], [3.0, 3.0], 0.25), ([1.0, 2.0], [1.0, 2.0], 0.0), ([2.0, 4.0], [1.0, 2.0], 0.5),
           ([1.0, 2.0], [0.75, 3.0], 0.5), ([3.0, 3.0], [0.0, 5.0], 0.25), ([1.0, 2.0], [3.0, 5.0], 0.5)],
    wrong={
        "error forgotten": Wrong(lambda f, g, e: _surely(f, g, e, 0),
                                 "For f, g and e {case} you answer {given}; it should be {right}. You compare the measured losses. The true ones may be e "
                                 "larger in f and e smaller in g"),
        "error once": Wrong(lambda f, g, e: _surely(f, g, e, 1),
                            "For f, g and e {case} you answer {given}; it should be {right}. Both losses were measured, and both may be off: f by e upwards and g by "
                            "e downwards, at the same time"),
        "perhaps": Wrong(lambda f, g, e: _surely(f, g, e, -2),
                         "For f, g and e {case} you answer {given}; it should be {right}. You ask whether f *may* dominate g. Asked is whether it does so in the worst case"),
        "strict": Wrong(lambda f, g, e: bool((np.add(f, 2 * e) < np.asarray(g)).all()),
                        "For f, g and e {case} you answer {given}; it should be {right}. You ask that everybody gain. One client who gains for sure "
                        "and nobody who may lose is enough; everybody gaining is the test for weak optimality"),
        "equal": Wrong(lambda f, g, e: bool((np.add(f, 2 * e) <= np.asarray(g)).all()),
                       "For f, g and e {case} you answer {given}; it should be {right}. In the worst case nobody gains: without errors your test would "
                       "let every model dominate itself, and nothing would be optimal"),
        "sum": Wrong(lambda f, g, e: bool(np.sum(f) + 2 * e * len(f) < np.sum(g)),
                     "For f, g and e {case} you answer {given}; it should be {right}. You compare sums, and a sum lets one client's gain "
                     "pay for another's loss. That is a ranking by equal weights"),
        "turned round": Wrong(lambda f, g, e: _surely(g, f, e),
                              "For f, g and e {case} you answer {given}; it should be {right}. You ask whether g dominates f. These are "
                              "losses, so smaller is better"),
        "any": Wrong(
            lambda f, g, e: bool((np.add(f, 2 * e) < np.asarray(g)).any()),
            "For f, g and e {case} you answer {given}; it should be {right}. You ask whether somebody gains. Nobody may lose, either: "
            "the condition on f is about every client",
        ),
        "or": Wrong(
            lambda f, g, e: bool((np.add(f, 2 * e) <= np.asarray(g)).all() or (np.add(f, 2 * e) < np.asarray(g)).any()),
            "For f, g and e {case} you answer {given}; it should be {right}. You join the two halves of (1) by *or*; both must hold",
        ),
        "worst": Wrong(
            lambda f, g, e: bool(np.max(f) + 2 * e < np.max(g)),
            "For f, g and e {case} you answer {given}; it should be {right}. You compare the largest losses, as AFL does. Domination "
            "looks at every client",
        ),
    },
    praise="Two models can fail this test both ways, and the larger e is the more of them do: what cannot be measured finely cannot be ranked",
    hints=(
        "Which true losses within e make it hardest for f to dominate g?",
        "If f dominates g in that case, it does in every other. So put that case into formula (1): it has two halves, one about all clients, the other about some.",
        "A comparison of two arrays is one True or False for each client; `.all()` asks everybody, `.any()` looks for one.",
    ),
))


def _supported(f):
    f = np.asarray(f, float)
    rows = []
    for own in f:
        first, second = (f - own).T  # t · first + (1 − t) · second ≥ 0 for every row bounds t from below or from above
        turn = first - second
        rising, falling = turn > 0, turn < 0
        low = max([0.0, *(-second[rising] / turn[rising])])
        high = min([1.0, *(-second[falling] / turn[falling])])
        rows.append(bool((second[turn == 0] >= 0).all() and low <= high + 1e-9))
    return np.array(rows)


def _undominated(f):
    f = np.asarray(f, float)
    return ~((f[:, None] <= f).all(2) & (f[:, None] < f).any(2)).any(0)


def _first_minimisers(f):
    f = np.asarray(f, float)
    found = {int((f @ [t, 1 - t]).argmin()) for t in np.linspace(0, 1, 1001)}
    return np.array([i in found for i in range(len(f))])


register(Exercise(
    slug="pareto.supported",
    task="for each row, whether some weights (t, 1 − t) give no other row a smaller sum",
    right=_supported,
    cases=[([[1.0, 7.0], [2.0, 4.0], [4.0, 3.0], [5.0, 1.0], [5.0, 2.0], [6.0, 4.0]],),
           ([[0.0, 4.0], [1.0, 3.0], [3.0, 1.0], [4.0, 0.0]],), ([[0.0, 9.0], [0.0, 5.0], [3.0, 3.0], [2.0, 4.0], [9.0, 0.0]],)],
    wrong={
        "optimal": Wrong(_undominated,
                         "For losses {case} you answer {given}; it should be {right}. These are the Pareto optimal rows. [4, 3] is one of "
                         "them, but at every weighting [2, 4] or [5, 1] has a smaller sum"),
        "equal weights": Wrong(lambda f: np.isclose(np.sum(f, axis=1), np.sum(f, axis=1).min()),
                               "For losses {case} you answer {given}; it should be {right}. You asked one weighting, equal weights. A row is "
                               "supported if any weighting will do"),
        "first of a tie": Wrong(_first_minimisers,
                                "For losses {case} you answer {given}; it should be {right}. `argmin` names the first row of a tie only. On a "
                                "straight piece of the front every row has the smallest sum at the same t, and each of them is supported"),
        "ends": Wrong(lambda f: (np.asarray(f) == np.min(f, axis=0)).any(1),
                      "For losses {case} you answer {given}; it should be {right}. You tried t = 0 and t = 1. Between them other rows may "
                      "have the smallest sum"),
    },
    praise="The rows that remain are the corners and edges of a convex polygon's lower left side; a weighted sum knows nothing else of a cloud",
    hints=(
        "Fix a row i. Against another row j the sum of i is the smaller one, or equal, for all t of an interval: where does it begin or end?",
        "With a = f[j] − f[i], the condition is t · a[0] + (1 − t) · a[1] ≥ 0, linear in t. Each j gives a lower bound, an upper bound, or a plain yes or no.",
        "The row is supported if the largest lower bound does not exceed the smallest upper one. Or try only the values of t at which two rows tie, and 0 and 1.",
    ),
))


def _weights(a, b):
    return np.array([b, a]) / (a + b)


register(Exercise(
    slug="pareto.weights",
    task="λ with λ₁ g₁ + λ₂ g₂ = 0 and λ₁ + λ₂ = 1, from the lengths of two opposite gradients",
    right=_weights,
    cases=[(3.0, 1.0), (0.5, 1.0), (2.0, 2.0), (0.3, 1.2)],
    wrong={
        "longer counts more": Wrong(lambda a, b: _weights(b, a),
                                    "For lengths {case} you answer {given}; it should be {right}. You gave the longer gradient the larger "
                                    "weight. To cancel, λ₁ ‖g₁‖ = λ₂ ‖g₂‖, so the longer one needs the smaller weight"),
        "equal": Wrong(lambda a, b: np.array([0.5, 0.5]),
                       "For lengths {case} you answer {given}. Equal weights cancel gradients of equal length only; here it is {right}"),
        "not normalised": Wrong(lambda a, b: np.array([b, a]),
                                "For lengths {case} you answer {given}. The sum vanishes, but weights add up to 1: divide, and it is {right}"),
        "squares": Wrong(
            lambda a, b: np.array([b * b, a * a]) / (a * a + b * b),
            "For lengths {case} you answer {given}; it should be {right}. You balanced the squares of the lengths. λ₁ g₁ = −λ₂ g₂ "
            "asks for λ₁ ‖g₁‖ = λ₂ ‖g₂‖",
        ),
    },
    praise="At a point of the front the gradients tell which weighting would have led there, if any weighting can",
    hints=(
        "Take lengths on both sides of λ₁ g₁ = −λ₂ g₂.",
        "So λ₁ ‖g₁‖ = λ₂ ‖g₂‖: whose length is client 1's weight in proportion to?",
        "Weights add up to 1: divide by the sum at the end.",
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


def _bargain(lam):
    return 1 / np.min(lam) - 1


register(Exercise(
    slug="pareto.bargain",
    task="the smallest M so that a gain δ of one client costs some other at least δ / M, at a minimiser for the weights lam",
    right=_bargain,
    cases=[([0.5, 0.5],), ([0.2, 0.8],), ([0.2, 0.3, 0.5],), ([0.6, 0.3, 0.1],), ([0.25, 0.25, 0.25, 0.25],)],
    wrong={
        "largest ratio": Wrong(lambda lam: np.max(lam) / np.min(lam),
                               "For lam = {case} you answer {given}, the largest ratio of two weights. With two clients that is right. With more, "
                               "the loss can be spread over all the others, and each of them pays less than you promise; it should be {right}"),
        "ratio times count": Wrong(lambda lam: (len(lam) - 1) * np.max(lam) / np.min(lam),
                                   "For lam = {case} you answer {given}, the bound in Geoffrion's proof. It is true, and not the smallest: add up "
                                   "the weights of all who pay instead of counting them. That gives {right}"),
        "one over": Wrong(lambda lam: 1 / np.min(lam),
                          "For lam = {case} you answer {given}. You let the client who gains pay as well: the others' weights add up to less "
                          "than 1, and the bound is {right}"),
        "largest weight": Wrong(lambda lam: 1 / np.max(lam) - 1,
                                "For lam = {case} you answer {given}; it should be {right}. You took the client of the largest weight. The best bargain "
                                "is had by the one whose gain counts least in the sum"),
        "upside down": Wrong(lambda lam: np.min(lam) / (1 - np.min(lam)),
                             "For lam = {case} you answer {given}, which is 1 / M: the least that somebody pays for a gain of 1. M itself is {right}"),
    },
    praise="So a small weight is a licence: a client at a share of 1 % can gain 99 times what any single other client pays",
    hints=(
        "The model is a minimiser: Σ λ_k f_k is nowhere smaller. Write that down for the other place, with the gain of client i on one side.",
        "Let ε be the largest loss among the other clients. Their weighted losses are at most ε times the sum of their weights.",
        "To see that no smaller M can be promised, let all the others pay the same. For which i is the bound largest?",
    ),
))

register(Question(
    slug="pareto.smooth",
    task="a smooth change to the weighted sum with which descent finds the middle of the arch",
    hints=(
        "Let a common function bend each loss before they are added. What must that function do so that a dominating model still has the smaller sum?",
        "At the middle both losses are 1 − 1/e. Along the diagonal, add up the second derivatives of the bent losses: a large loss must count for more than "
        "in proportion.",
        "Try powers of the losses, and look for the exponent at which the middle turns from a maximum into a minimum.",
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
