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
    task="whether the model with losses f dominates the one with losses g, even if every f is larger by e and every g is smaller by e",
    right=_surely,
    cases=[([1.0, 2.0], [2.0, 4.0], 0.5), ([1.0, 2.0], [2.0, 3.0], 0.5), ([1.0, 2.0], [1.0, 3.0], 0.0), ([1.0, 5.0], [1.75, 9.0], 0.5),
           ([1.0, 2.0], [1.25, 4.0], 0.5),
           ([0.0, 5.0], [9.0, 4.0], 0.25), ([3.0, 3.0, 3.0], [4.0, 4.0, 5.0], 0.5), ([0.0, 9.0], [1.0, 2.0], 0.25), ([5.0, 1.0], [4.0, 2.0], 0.25),
           ([1.0, 4.0], [3.0, 3.0], 0.25), ([1.0, 2.0], [1.0, 2.0], 0.0), ([2.0, 4.0], [1.0, 2.0], 0.5),
           ([1.0, 2.0], [0.75, 3.0], 0.5), ([3.0, 3.0], [0.0, 5.0], 0.25), ([1.0, 2.0], [3.0, 5.0], 0.5)],
    wrong={
        "error forgotten": Wrong(lambda f, g, e: _surely(f, g, e, 0),
                                 "For {case} you answer {given}; it should be {right}. You compare the measured losses. The true ones may be larger "
                                 "by e in f and smaller by e in g"),
        "error once": Wrong(lambda f, g, e: _surely(f, g, e, 1),
                            "For {case} you answer {given}; it should be {right}. Both models' losses were measured, and both may be off at the same "
                            "time: f by e upwards and g by e downwards"),
        "perhaps": Wrong(lambda f, g, e: _surely(f, g, e, -2),
                         "For {case} you answer {given}; it should be {right}. You test whether f *may* dominate g. The question is whether it still "
                         "does in the worst case"),
        "strict": Wrong(lambda f, g, e: bool((np.add(f, 2 * e) < np.asarray(g)).all()),
                        "For {case} you answer {given}; it should be {right}. You require that every client gain. It is enough that one client surely "
                        "gains and that no client can lose; requiring a gain for every client is the test for weak optimality"),
        "equal": Wrong(lambda f, g, e: bool((np.add(f, 2 * e) <= np.asarray(g)).all()),
                       "For {case} you answer {given}; it should be {right}. Your test accepts a worst case in which no client gains. Without errors, "
                       "every model would then dominate itself, and nothing would be optimal"),
        "sum": Wrong(lambda f, g, e: bool(np.sum(f) + 2 * e * len(f) < np.sum(g)),
                     "For {case} you answer {given}; it should be {right}. You compare sums, and in a sum one client's gain can make up for another's "
                     "loss. That is a ranking by equal weights"),
        "turned round": Wrong(lambda f, g, e: _surely(g, f, e),
                              "For {case} you answer {given}; it should be {right}. You test whether g dominates f. These are losses, so smaller is "
                              "better"),
        "any": Wrong(
            lambda f, g, e: bool((np.add(f, 2 * e) < np.asarray(g)).any()),
            "For {case} you answer {given}; it should be {right}. You test whether some client gains. In addition no client may lose: the condition "
            "on f is about every client",
        ),
        "or": Wrong(
            lambda f, g, e: bool((np.add(f, 2 * e) <= np.asarray(g)).all() or (np.add(f, 2 * e) < np.asarray(g)).any()),
            "For {case} you answer {given}; it should be {right}. You join the two halves of (1) by *or*, but both of them must hold",
        ),
        "worst": Wrong(
            lambda f, g, e: bool(np.max(f) + 2 * e < np.max(g)),
            "For {case} you answer {given}; it should be {right}. You compare the largest losses, as AFL does. Domination looks at every client",
        ),
    },
    praise="For some pairs of models this test fails both ways, and for more of them as e grows: models that cannot be measured finely cannot be "
           "ranked",
    hints=(
        "Which true losses, within the error e, make it hardest for f to dominate g?",
        "If f dominates g in that case, it does so in every other. So insert that case into formula (1). It has two halves, one about all clients and "
        "one about at least one client.",
        "Comparing two arrays gives one True or False per client. `.all()` asks whether all of them are True, and `.any()` whether at least one is.",
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


def _on_a_grid(f):
    t = np.linspace(0, 1, 11)
    sums = np.outer(t, np.asarray(f, float)[:, 0]) + np.outer(1 - t, np.asarray(f, float)[:, 1])
    return (sums <= sums.min(1, keepdims=True) + 1e-9).any(0)


def _never_beaten_twice(f):
    f = np.asarray(f, float)
    return ~(f[:, None] < f).all(2).any(0)


def _summed_denominator(f):
    with np.errstate(all="ignore"):
        return _by_ends(f, max, min, lambda a, b: b / (a + b))


def _by_ends(f, lower, upper, tie=lambda a, b: b / (b - a)):
    rows = []
    for own in np.asarray(f, float):
        low, high = 0.0, 1.0
        for a, b in f - own:
            if a > b:
                low = lower(low, tie(a, b))
            elif a < b:
                high = upper(high, tie(a, b))
            elif b < 0:
                low = 2.0
        rows.append(low <= high + 1e-9)
    return rows


register(Exercise(
    slug="pareto.supported",
    task="for each row, whether for some weights (t, 1 − t) no other row has a smaller sum",
    right=_supported,
    cases=[([[1.0, 7.0], [2.0, 4.0], [4.0, 3.0], [5.0, 1.0], [5.0, 2.0], [6.0, 4.0]],),
           ([[0.0, 4.0], [1.0, 3.0], [3.0, 1.0], [4.0, 0.0]],), ([[0.0, 9.0], [0.0, 5.0], [3.0, 3.0], [2.0, 4.0], [9.0, 0.0]],),
           ([[6.0, 4.0], [4.0, 2.0], [2.0, 1.0]],),
           ([[0.0, 2.0], [1.0, 0.4612], [1.3, 0.0]],)],  # the row in the middle is supported for t from 0.6059 to 0.6061 only
    wrong={
        "optimal": Wrong(_undominated,
                         "For losses {case} you answer {given}; it should be {right}. These are the Pareto optimal rows. [4, 3] is one of them, but "
                         "under every weighting either [2, 4] or [5, 1] has a smaller sum"),
        "equal weights": Wrong(lambda f: np.isclose(np.sum(f, axis=1), np.sum(f, axis=1).min()),
                               "For losses {case} you answer {given}; it should be {right}. You tried only one weighting, equal weights. A row is "
                               "supported if any weighting works for it"),
        "first of a tie": Wrong(_first_minimisers,
                                "For losses {case} you answer {given}; it should be {right}. `argmin` returns only the first row of a tie. On a "
                                "straight piece of the front, every row has the smallest sum at the same t, and each of these rows is supported"),
        "a few weights": Wrong(_on_a_grid,
                               "For losses {case} you answer {given}; it should be {right}. You tried a fixed list of values of t. A row can have the smallest sum in a "
                               "range of t so short that it lies between two of them. Compute the ends of the range instead"),
        "a weight for each rival": Wrong(_never_beaten_twice,
                                         "For losses {case} you answer {given}; it should be {right}. You may choose another t for each rival row. But one and the same t "
                                         "must work against all rivals at once"),
        "last rival only": Wrong(lambda f: _by_ends(f, lambda low, tie: tie, lambda high, tie: tie),
                                 "For losses {case} you answer {given}; it should be {right}. You set `low` and `high` anew for each rival, so only the last ones count. Keep the largest "
                                 "lower bound and the smallest upper bound: `max` and `min`"),
        "ends exchanged": Wrong(lambda f: _by_ends(f, min, max),
                                "For losses {case} you answer {given}; it should be {right}. You let a rival lower `low` or raise `high`. Each rival can only make the range smaller: "
                                "`max` for `low`, `min` for `high`"),
        "sign": Wrong(lambda f: _by_ends(f, lambda low, tie: max(low, -tie), lambda high, tie: min(high, -tie)),
                      "For losses {case} you answer {given}; it should be {right}. A sign is wrong: t a + (1 − t) b is b − t (b − a). For which t is that zero?"),
        "plus for minus": Wrong(_summed_denominator,
                                "For losses {case} you answer {given}; it should be {right}. You divide by a + b. But t a + (1 − t) b is b + t (a − b), so the factor of t is "
                                "a − b"),
        "other weight": Wrong(lambda f: _by_ends(f, lambda low, tie: max(low, 1 - tie), lambda high, tie: min(high, 1 - tie)),
                              "For losses {case} you answer {given}; it should be {right}. Your bound is the value of 1 − t, client 2's weight. The range is one for t, client 1's weight"),
        "ends": Wrong(lambda f: (np.asarray(f) == np.min(f, axis=0)).any(1),
                      "For losses {case} you answer {given}; it should be {right}. You tried t = 0 and t = 1 only. Between them, other rows may have "
                      "the smallest sum"),
    },
    praise="The remaining rows are the corners and edges on the lower left side of a convex polygon. A weighted sum sees nothing else of the points",
    hints=(
        "Fix a row and one rival. The row has the smaller sum, or an equal one, as long as t a + (1 − t) b ≥ 0. This is linear in t: at which t is it "
        "zero?",
        "t (a − b) ≥ −b. If you divide by a − b, what happens to the sign when a < b? So one rival gives a lower bound on t, and another an upper bound.",
        "A new lower bound may only raise `low`, and a new upper bound may only lower `high`: `max` and `min`.",
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
                                    "For {case} you answer {given}; it should be {right}. You gave the longer gradient the larger weight. To cancel, "
                                    "they need λ₁ ‖g₁‖ = λ₂ ‖g₂‖, so the longer one gets the smaller weight"),
        "equal": Wrong(lambda a, b: np.array([0.5, 0.5]),
                       "For {case} you answer {given}. Equal weights cancel only gradients of equal length; here it should be {right}"),
        "not normalised": Wrong(lambda a, b: np.array([b, a]),
                                "For {case} you answer {given}. With these weights the sum of the gradients is zero, but the weights have to sum to "
                                "1. Normalised, they are {right}"),
        "squares": Wrong(
            lambda a, b: np.array([b * b, a * a]) / (a * a + b * b),
            "For {case} you answer {given}; it should be {right}. You balanced the squares of the lengths. λ₁ g₁ = −λ₂ g₂ requires λ₁ ‖g₁‖ = λ₂ ‖g₂‖",
        ),
    },
    praise="At a point on the front, the gradients reveal which weighting would have led there, if any weighting can",
    hints=(
        "Take lengths on both sides of λ₁ g₁ = −λ₂ g₂.",
        "So λ₁ ‖g₁‖ = λ₂ ‖g₂‖. To whose length is client 1's weight proportional?",
        "The weights sum to 1, so divide by their sum at the end.",
    ),
))

register(Exercise(
    slug="pareto.inflated",
    task="the w between 0 and 1 where w² + 0.5 = (w − 1)²",
    right=0.25,
    wrong={
        "unmoved": Wrong(0.5, "0.5 is the answer without the lie, w² = (w − 1)². But client 1 reports w² + 0.5, and the server believes it"),
        "wrong way": Wrong(0.75, "You moved away from client 1. Because it reports a larger loss, the server favours it: the model moves towards its "
                                 "minimiser 0, not towards 1"),
        "taken over": Wrong(0.0, "At w = 0 client 1 reports 0.5 and client 2 has 1. Client 2 is worse off, so the server still moves its way. Only a "
                                 "lie of 1 or more would win everything"),
        "reported": Wrong(0.5625, "0.5625 is the value that the two reported losses share. The question asks for the w at which they meet"),
    },
    tolerance=1e-3,
    praise="Client 1's true loss falls from 0.25 to 0.06, and client 2 pays for it: its loss rises from 0.25 to 0.56",
    hints=(
        "AFL minimises the largest *reported* loss. Draw both reported losses over 0 ≤ w ≤ 1.",
        "The larger of the two is smallest where they cross.",
        "Expand (w − 1)². The squares cancel, which leaves a linear equation for w.",
    ),
))


def _bargain(lam):
    return 1 / np.min(lam) - 1


register(Exercise(
    slug="pareto.bargain",
    task="the smallest M such that a gain δ of one client costs some other client at least δ / M, at a minimiser for the weights lam",
    right=_bargain,
    cases=[([0.5, 0.5],), ([0.2, 0.8],), ([0.2, 0.3, 0.5],), ([0.6, 0.3, 0.1],), ([0.25, 0.25, 0.25, 0.25],)],
    wrong={
        "largest ratio": Wrong(lambda lam: np.max(lam) / np.min(lam),
                               "For lam = {case} you answer {given}, the largest ratio of two weights. With two clients that is right. With more of "
                               "them, the loss can be spread over all the others, and each pays less than you promise; it should be {right}"),
        "ratio times count": Wrong(lambda lam: (len(lam) - 1) * np.max(lam) / np.min(lam),
                                   "For lam = {case} you answer {given}, the bound in Geoffrion's proof. It is valid, but not the smallest. Add up "
                                   "the weights of all who pay instead of counting them: that gives {right}"),
        "one over": Wrong(lambda lam: 1 / np.min(lam),
                          "For lam = {case} you answer {given}. You let the client who gains pay as well. But the others' weights sum to less than 1, "
                          "and the bound is {right}"),
        "largest weight": Wrong(lambda lam: 1 / np.max(lam) - 1,
                                "For lam = {case} you answer {given}; it should be {right}. You took the client with the largest weight. The best "
                                "bargain goes to the client whose gain counts least in the sum"),
        "upside down": Wrong(lambda lam: np.min(lam) / (1 - np.min(lam)),
                             "For lam = {case} you answer {given}, which is 1 / M, the least that some client pays for a gain of 1. M itself is "
                             "{right}"),
    },
    praise="So a small weight is a licence: a client with a share of 1 % can gain 99 times what any single other client pays",
    hints=(
        "The model is a minimiser, so Σ λ_k f_k is nowhere smaller. Write this down for the other point, with the gain of client i on one side.",
        "Let h be the largest loss among the other clients. Their weighted losses are at most h times the sum of their weights.",
        "To see that no smaller M can be promised, let all the others pay the same. For which i is the bound largest?",
    ),
))

register(Question(
    slug="pareto.smooth",
    task="a smooth change to the weighted sum with which descent finds the middle of the arch",
    hints=(
        "Apply one common function to each loss before adding them up. Which property must it have so that a dominating model still has the smaller "
        "sum?",
        "In the middle both losses are 1 − 1/e. Add up the second derivatives of the transformed losses along the diagonal: a large loss must count "
        "more than in proportion to its size.",
        "Try powers of the losses, and look for the exponent at which the middle changes from a maximum to a minimum.",
    ),
))

register(Question(
    slug="pareto.concave",
    task="where on the arch a weighted sum has a local minimum, with a proof",
    hints=(
        "Move along the diagonal, from x to x ± h. If the second derivative of the sum is positive there, it has a local minimum; if it is negative, "
        "a maximum.",
        "The weights at x are those with λ₁ g₁ + λ₂ g₂ = 0; `shortest` finds them from `bumps.gradients`. Keep them fixed while you move.",
        "For a proof: the ratio of the weights is the slope of the front. Differentiate its logarithm with respect to x, and ask where the derivative "
        "changes sign.",
    ),
))
