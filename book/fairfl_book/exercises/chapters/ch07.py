"""Chapter 7: FedFV."""

import math

import numpy as np

from fairfl_book.exercises.registry import Exercise, Question, Wrong, register


def _project(g, target):
    g, target = np.asarray(g, float), np.asarray(target, float)
    product = g @ target
    return g - product / (target @ target) * target if product < 0 else g


def _always(g, target):
    g, target = np.asarray(g, float), np.asarray(target, float)
    return g - g @ target / (target @ target) * target


def _by_length(g, target):
    g, target = np.asarray(g, float), np.asarray(target, float)
    product = g @ target
    return g - product / np.linalg.norm(target) * target if product < 0 else g


def _added(g, target):
    g, target = np.asarray(g, float), np.asarray(target, float)
    product = g @ target
    return g + product / (target @ target) * target if product < 0 else g


def _own_length(g, target):
    g, target = np.asarray(g, float), np.asarray(target, float)
    product = g @ target
    return g - product / (g @ g) * target if product < 0 else g


def _onto(g, target):
    g, target = np.asarray(g, float), np.asarray(target, float)
    product = g @ target
    return product / (target @ target) * target if product < 0 else g


register(Exercise(
    slug="fedfv.project",
    task="g without its component along the target if their product is negative, and g itself otherwise",
    right=_project,
    cases=[([4.0, 0.0], [-1.0, 2.0]), ([1.0, 2.0], [1.0, 0.0]), ([0.0, -3.0, 1.0], [1.0, 2.0, 2.0])],
    wrong={
        "always": Wrong(_always, "For {case} you answer {given}; it should be {right}. These two have a positive product: they agree, and "
                                 "FedFV leaves them alone. Only conflicts are projected away"),
        "length not squared": Wrong(_by_length, "For {case} you answer {given}; it should be {right}. Divide by ‖target‖², not ‖target‖: the "
                                                "target's length enters once for the product and once for the vector"),
        "added": Wrong(_added, "For {case} you answer {given}; it should be {right}. You added the component along the target, which "
                               "points against it: the conflict has doubled. Subtract it, minus sign and all"),
        "own length": Wrong(_own_length, "For {case} you answer {given}; it should be {right}. You divided by ‖g‖². It is the target's "
                                         "squared length that makes the rest stand at a right angle to the target"),
        "onto": Wrong(_onto, "For {case} you answer {given}. That is the component along the target, the part that does the harm. "
                             "Subtract it, and {right} is left"),
        "friends": Wrong(
            lambda g, target: _always(g, target) if np.dot(g, target) > 0 else np.asarray(g, float),
            "For {case} you answer {given}; it should be {right}. You project where the two agree. A conflict is a *negative* product",
        ),
    },
    praise="The result is never longer than g, and at a right angle to a target that it conflicted with",
    hints=(
        "Compute the product g · target first: its sign decides whether anything happens.",
        "The component of g along the target is the target times (g · target) / ‖target‖². Without it, g is at a right angle to the target.",
        "If the product is not negative, g comes back as it went in.",
    ),
))

register(Exercise(
    slug="fedfv.two_clients",
    task="ρ₁ = ½ ‖g₁‖² sin² φ for g₁ = (2, 0), g₂ = (−1, 2)",
    right=1.6,
    wrong={
        "FedAvg": Wrong(1.0, "1 is client 1's rate under FedAvg, ½ (A₁₁ + A₁₂) = ½ (4 − 2). With the conflict projected away it is more"),
        "no half": Wrong(3.2, "3.2 is g₁ · g₁′. The server averages two gradients, and the other one, at a right angle to g₁, adds nothing"),
        "sine not squared": Wrong(2 * math.sqrt(0.8), "1.789 is ½ ‖g₁‖² sin φ. The sine enters twice, once for the length of g₁′ and once for its "
                                                      "angle with g₁: sin² φ = 0.8"),
        "length not squared": Wrong(0.8, "0.8 is ½ ‖g₁‖ sin² φ. g₁ enters twice, as what is multiplied and in g₁′: ‖g₁‖² = 4"),
        "cosine": Wrong(0.4, "0.4 is ½ ‖g₁‖² cos² φ, half of what the projection takes away. What stays has sin² φ = 1 − cos² φ"),
        "client 2": Wrong(2.0, "2 is client 2's rate, ½ ‖g₂‖² sin² φ = ½ · 5 · 0.8. Asked is client 1"),
    },
    tolerance=1e-3,
    praise="The length of g₂ plays no part; only its direction does. That is how FedFV keeps the loud from drowning the quiet",
    hints=(
        "Formula (2) needs ‖g₁‖² and the angle φ between the two gradients.",
        "cos φ = g₁ · g₂ / (‖g₁‖ ‖g₂‖), and sin² φ = 1 − cos² φ.",
        "Or without angles: project g₁ by (1), multiply the result with g₁, and halve, since the server takes the mean of two.",
    ),
))


def _coefficients(A, order, conflict=None, skip=True):
    A = np.asarray(A, float)
    C = np.eye(len(A))
    for j in order:
        for k in range(len(A)):
            product = C[k] @ A[:, j]
            if (j != k or not skip) and (product if conflict is None else conflict(A, k, j)) < 0:
                C[k, j] -= product / A[j, j]
    return C


def _changed(A, order, change):
    """Formula (3) with another change of C_kj than −product / A_jj."""
    A = np.asarray(A, float)
    C = np.eye(len(A))
    for j in order:
        for k in range(len(A)):
            product = C[k] @ A[:, j]
            if j != k and product < 0:
                C[k, j] += change(product, A, k, j)
    return C


def _to_sum_1(A, order):
    weights = _coefficients(A, order).mean(0)
    return weights / weights.sum()


def _against_projected(A, order):
    """The targets are the projected gradients instead of the raw ones."""
    A = np.asarray(A, float)
    C = np.eye(len(A))
    for j in order:
        for k in range(len(A)):
            product = C[k] @ A @ C[j]
            if j != k and product < 0:
                C[k] = C[k] - product / (C[j] @ A @ C[j]) * C[j]
    return C


# The Gram matrix of (3, 0, 0), (−1, 1, 0), (−1, −0.5, 1), and of (−2, 0, −1), (−1, 1, 0), (2, −1, 0).
_GRAMS = [([[9.0, -3.0, -3.0], [-3.0, 2.0, 0.5], [-3.0, 0.5, 2.25]], [0, 1, 2]),
          ([[5.0, 2.0, -4.0], [2.0, 2.0, -3.0], [-4.0, -3.0, 5.0]], [2, 0, 1]),
          ([[5.0, 2.0, -4.0], [2.0, 2.0, -3.0], [-4.0, -3.0, 5.0]], [0, 1, 2])]

register(Exercise(
    slug="fedfv.weights",
    task="the column means of C, where C_kj loses (C A)_kj / A_jj for every conflict, in the targets' order",
    right=lambda A, order: _coefficients(A, order).mean(0),
    cases=_GRAMS,
    wrong={
        "row means": Wrong(lambda A, order: _coefficients(A, order).mean(1),
                           "For A and order {case} you answer {given}; it should be {right}. You averaged over the targets. Row k of C says what "
                           "client k's gradient became; the server averages the rows, so λ_j is the mean of column j"),
        "sums": Wrong(lambda A, order: _coefficients(A, order).sum(0),
                      "For A and order {case} you answer {given}, the sum of the clients' coefficients. FedFV takes their mean: {right}"),
        "wrong sign": Wrong(lambda A, order: _changed(A, order, lambda product, A, k, j: product / A[j, j]).mean(0),
                            "For A and order {case} you answer {given}; it should be {right}. Some of your weights are below 1/K. The "
                            "product is negative and is subtracted, so that C_kj grows"),
        "A_kk": Wrong(lambda A, order: _changed(A, order, lambda product, A, k, j: -product / A[k, k]).mean(0),
                      "For A and order {case} you answer {given}; it should be {right}. You divided by A_kk, the squared length of the gradient "
                      "that is bent. It is the target's, A_jj"),
        "sum 1": Wrong(_to_sum_1, "For A and order {case} you answer {given}, which sums to 1. FedFV's weights do not: what a projection adds is "
                                  "taken from nobody, and here they are {right}"),
        "raw conflicts": Wrong(lambda A, order: _coefficients(A, order, conflict=lambda A, k, j: A[k, j]).mean(0),
                               "For A and order {case} you answer {given}; it should be {right}. You ask whether the gradients as sent conflict, "
                               "A_kj < 0. An earlier projection may have settled that, or made a new conflict: ask for (C A)_kj < 0"),
        "projected targets": Wrong(lambda A, order: _against_projected(A, order).mean(0),
                                   "For A and order {case} you answer {given}; it should be {right}. Your targets are the projected gradients. "
                                   "In Algorithm 2 every target stays as it was sent"),
        "order ignored": Wrong(lambda A, order: _coefficients(A, range(len(A))).mean(0),
                               "For A and order {case} you answer {given}; it should be {right}. You went through the targets as they are "
                               "numbered, not in the order that was given"),
        "coefficients": Wrong(
            lambda A, order: _coefficients(A, order),
            "For A and order {case} you answer {given}: that is C, a row for each client. The server takes the mean of the rows: "
            "{right}",
        ),
    },
    praise="All of FedFV's internal step is in these few numbers; the long vectors are needed once before and once after",
    hints=(
        "C starts as the identity, each gradient being its own. The chapter's `coefficients` follows formula (3) from there, target by target.",
        "By hand: one loop over the targets j in the given order, one inside over the clients k ≠ j, and the product (C A)_kj as it is at that "
        "moment.",
        "Row k of C says what client k's gradient has become. The server averages the rows: over which axis is the mean?",
    ),
))


def _keepers(losses, alpha):
    if alpha == 0:
        return []
    order = np.argsort(losses, kind="stable").tolist()
    return order[math.ceil((len(order) - 1) * (1 - alpha) - 1e-9):]


def _share(losses, alpha):
    order = np.argsort(losses, kind="stable").tolist()
    return order[len(order) - round(alpha * len(order)):]


def _floor(losses, alpha):
    order = np.argsort(losses, kind="stable").tolist()
    return order[math.floor((len(order) - 1) * (1 - alpha) + 1e-9):] if alpha > 0 else []


_LOSSES = [0.4, 1.9, 0.1, 1.1, 0.8, 1.5, 0.2, 0.9, 1.2, 0.3, 0.7]

register(Exercise(
    slug="fedfv.keepers",
    task="order[⌈(K − 1)(1 − α)⌉:] with the clients in ascending order of loss, and [] at α = 0",
    right=_keepers,
    cases=[(_LOSSES, 0.1), (_LOSSES, 0.0), (_LOSSES[:4], 0.5), (_LOSSES, 0.7), (_LOSSES[:5], 1.0)],
    wrong={
        "smallest losses": Wrong(lambda losses, alpha: _keepers([-x for x in losses], alpha)[::-1],
                                 "For {case} you answer {given}: the clients that are doing best. Keeping is a favour to those with the largest "
                                 "losses: {right}"),
        "as printed": Wrong(lambda losses, alpha: [k for k in np.argsort(losses, kind="stable").tolist() if k not in _keepers(losses, alpha)],
                            "For {case} you answer {given}, the clients that are projected. Line 3 of Algorithm 2, as printed, mixes the two "
                            "up as well; the ones that keep their gradients are {right}"),
        "largest first": Wrong(lambda losses, alpha: _keepers(losses, alpha)[::-1],
                               "For {case} you answer {given}: the right clients, largest loss first. Asked is ascending order, {right}"),
        "by number": Wrong(lambda losses, alpha: sorted(_keepers(losses, alpha)),
                           "For {case} you answer {given}: the right clients, sorted by their numbers. Asked is the order of their losses, {right}"),
        "floor": Wrong(_floor, "For {case} you answer {given}; it should be {right}. You rounded (K − 1)(1 − α) down, which keeps one client too many. "
                               "The authors round it up"),
        "αK rounded": Wrong(_share, "For {case} you answer {given}: αK clients, rounded. The authors' code keeps order[⌈(K − 1)(1 − α)⌉:], "
                                    "which is {right}"),
        "one at zero": Wrong(lambda losses, alpha: np.argsort(losses, kind="stable").tolist()[
            math.ceil((len(losses) - 1) * (1 - alpha) - 1e-9):],
                             "For α = 0 the formula leaves order[K − 1:], one client. There is to be none: at α = 0 everybody is projected"),
        "rounding": Wrong(
            lambda losses, alpha: [] if alpha == 0 else np.argsort(losses, kind="stable").tolist()[math.ceil((len(losses) - 1) * (1 - alpha)):],
            "For {case} you answer {given}; it should be {right}. Your formula is right, and the computer's 1 − 0.7 is a little more "
            "than 0.3, so that the ceiling is one too high. Take 1e-9 away before you round up",
        ),
        "K for K − 1": Wrong(
            lambda losses, alpha: [] if alpha == 0 else np.argsort(losses, kind="stable").tolist()[math.ceil(len(losses) * (1 - alpha) - 1e-9):],
            "For {case} you answer {given}; it should be {right}. You count from K. The authors' code has K − 1 in the ceiling, so "
            "that some α keep one client more",
        ),
        "losses": Wrong(
            lambda losses, alpha: np.asarray(losses)[_keepers(losses, alpha)].tolist() if alpha else [],
            "For {case} you answer {given}; it should be {right}. These are the losses. Asked are the clients' numbers: `np.argsort` "
            "gives them in the order of the losses",
        ),
    },
    praise="Eleven clients and α = 0.1 give two keepers, and ten clients one. Hyper-parameters do not travel between numbers of clients",
    hints=(
        'Sort the clients by their losses, the smallest first: `np.argsort(losses, kind="stable")` gives their numbers in that order.',
        "The authors' code keeps everybody from position ⌈(K − 1)(1 − α)⌉ on.",
        "At α = 0 this would leave one client, and nobody is to be kept. And 1 − 0.7 is a little more than 0.3 on a computer: take 1e-9 away before "
        "you round up.",
    ),
))

register(Question(
    slug="fedfv.shards",
    task="whether keepers make digits fairer, in pairs",
    hints=(
        "Keepers leave the gradients with the largest losses as they are. Who can gain by that, and who pays?",
        "Compare in pairs: the same split with α = 0 and with α = 0.3. `splits[0, :4]` holds the spreads at α = 0.",
        "Say before you run how large a difference four pairs could show, given how much the spread varies from split to split.",
    ),
))
