"""Chapter 7: FedFV."""

import math

import numpy as np

from fairfl_book.exercises.registry import Exercise, Question, Wrong, register


register(
    Exercise(
        slug="fedfv.two_clients",
        task="client 1's rate along the mean of the projected gradients, for g₁ = (2, 0) and g₂ = (−1, 2)",
        right=1.6,
        wrong={
            "FedAvg": Wrong(
                1.0,
                "1 is client 1's rate under FedAvg, ½ (A₁₁ + A₁₂) = ½ (4 − 2). Projecting the conflict away makes it larger",
            ),
            "no half": Wrong(
                3.2,
                "3.2 is g₁ · g₁′. The server takes the mean of two gradients, and the other one is perpendicular to g₁, so it adds nothing",
            ),
            "sine not squared": Wrong(
                2 * math.sqrt(0.8),
                "1.789 is ½ ‖g₁‖² sin φ. The sine enters twice, once through the length of g₁′ and once through its angle with g₁: sin² φ = 0.8",
            ),
            "length not squared": Wrong(
                0.8, "0.8 is ½ ‖g₁‖ sin² φ. g₁ enters twice, once itself and once through g₁′: ‖g₁‖² = 4"
            ),
            "cosine": Wrong(
                0.4, "0.4 is ½ ‖g₁‖² cos² φ, half of what the projection takes away. What remains has the factor sin² φ = 1 − cos² φ"
            ),
            "client 2": Wrong(2.0, "2 is client 2's rate, ½ ‖g₂‖² sin² φ = ½ · 5 · 0.8. The question is about client 1"),
        },
        tolerance=1e-3,
        praise="The length of g₂ does not matter, only its direction. This is how FedFV keeps loud clients from drowning out the others",
        hints=(
            "Formula (2) needs ‖g₁‖² and the angle φ between the two gradients.",
            "cos φ = g₁ · g₂ / (‖g₁‖ ‖g₂‖), and sin² φ = 1 − cos² φ.",
            "You can also do without angles: project g₁ by (1), take the dot product of the result with g₁, and halve it, since the server takes "
            "the mean of two gradients.",
        ),
    )
)


def _negative(numbers):
    return [bool(number < -1e-9) for number in numbers]


# Three clients, of whom the last one has been bent until it points against itself; the same with the clients numbered anew; the
# chapter's example by hand, in which all pairs conflict.
_BENT = [[5.0, 2.0, -4.0], [2.0, 2.0, -3.0], [-4.0, -3.0, 5.0]]
_BENT_SWEPT = [[1.0, 0.0, 0.8], [0.0, 1.0, 0.6], [0.8, 0.7, 1.0]]
_ANEW = [[5.0, -4.0, -3.0], [-4.0, 5.0, 2.0], [-3.0, 2.0, 2.0]]
_ANEW_SWEPT = [[1.0, 0.8, 0.7], [0.8, 1.0, 0.0], [0.6, 0.0, 1.0]]
_HAND = [[24.0, -4.0, -6.0], [-4.0, 4.0, -2.0], [-6.0, -2.0, 5.0]]
_SWEPT = [[1.0, 1.0, 1.6], [1 / 6, 1.0, 0.6], [0.25, 0.75, 1.0]]

register(
    Exercise(
        slug="fedfv.bent",
        task="for each client k, whether (CA)_kk < 0",
        right=lambda A, C: _negative(np.diagonal(np.asarray(C) @ np.asarray(A))),
        cases=[(np.array(A), np.array(C)) for A, C in ((_BENT, _BENT_SWEPT), (_ANEW, _ANEW_SWEPT), (_HAND, _SWEPT))],
        wrong={
            "who loses": Wrong(
                lambda A, C: _negative(np.asarray(A) @ np.asarray(C).mean(0)),
                "For {case} you answer {given}, the clients that lose along the mean. The exercise asks about each client's own part alone: {right}",
            ),
            "against anybody": Wrong(
                lambda A, C: _negative((np.asarray(C) @ np.asarray(A)).min(1)),
                "For {case} you answer {given}, the clients whose rest points against some gradient. Against its own: {right}",
            ),
            "columns": Wrong(
                lambda A, C: _negative(np.diagonal(np.asarray(A) @ np.asarray(C))),
                "For {case} you answer {given}; it should be {right}. Client k holds what row k of C says, so the product is CA and not AC",
            ),
            "the other way round": Wrong(
                lambda A, C: [not one for one in _negative(np.diagonal(np.asarray(C) @ np.asarray(A)))],
                "For {case} you answer {given}, which says True where what is left does not point against the own gradient: {right}",
            ),
            "dot products": Wrong(
                lambda A, C: np.diagonal(np.asarray(C) @ np.asarray(A)),
                "For {case} you answer {given}. These are the dot products. The exercise asks whether each of them is negative: {right}",
            ),
        },
        praise="If all pairs conflict, this never happens. Otherwise it can, and that is why each client must also meet its own gradient in further "
        "sweeps",
        hints=(
            "Row k of C says what client k holds: the sum of C_ki g_i over all clients i.",
            "Take the dot product of this sum with g_k. The dot products of the gradients are in A.",
            "It is the sum of C_ki A_ik over i: the entry (CA)_kk. When does what is left point against g_k?",
        ),
    )
)


def _swept(A, order, chained=False, always=False):
    """The table C after one sweep, with two mistakes to choose from."""
    A = np.asarray(A, float)
    C = np.eye(len(A))
    for k in range(len(A)):
        for j in order:
            target = C[j] if chained else np.eye(len(A))[j]
            product, square = C[k] @ A @ target, target @ A @ target
            if j != k and (always or product < 0):
                C[k] = C[k] - product / square * target
    return C


def _met(A, order, change, conflict=lambda C, A, k, j: C[k] @ A[:, j] < 0):
    """One sweep in which a meeting subtracts a number from one entry of C, as ``change`` says."""
    A, C = np.asarray(A, float), np.eye(len(A))
    for k in range(len(A)):
        for j in order:
            if j != k and conflict(C, A, k, j):
                row, column, number = change(C, A, k, j)
                C[row, column] -= number
    return C.mean(0)


def _by_sent_products(A, order):
    A, C = np.asarray(A, float), np.eye(len(A))
    for k in range(len(A)):
        for j in order:
            if j != k and A[k, j] < 0:
                C[k, j] -= A[k, j] / A[j, j]
    return C


def _in_place(A, order):
    A, C = np.asarray(A, float), np.eye(len(A))
    for j in order:
        for k in range(len(A)):
            product, square = C[k] @ A @ C[j], C[j] @ A @ C[j]
            if j != k and product < 0:
                C[k] = C[k] - product / square * C[j]
    return C


register(
    Exercise(
        slug="fedfv.weights_after",
        task="the mean of C's rows after one sweep, with the targets in the given order",
        right=lambda A, order: _swept(A, order).mean(0),
        # The chapter's example in two orders, and three clients of whom two agree.
        cases=[(_HAND, [0, 1, 2]), (_HAND, [2, 0, 1]), (_BENT, [1, 2, 0])],
        wrong={
            "rows": Wrong(
                lambda A, order: _swept(A, order).mean(1),
                "For {case} you answer {given}, the means of the rows of C, which say what each client holds. A weight is what all clients hold of one "
                "gradient, the mean of a column: {right}",
            ),
            "sum": Wrong(
                lambda A, order: _swept(A, order).sum(0),
                "For {case} you answer {given}, the sums of the columns. The server takes the mean: {right}",
            ),
            "as numbered": Wrong(
                lambda A, order: _swept(A, sorted(order)).mean(0),
                "For {case} you answer {given}; it should be {right}. Your clients meet the targets in the order of their numbers. Go through `order` instead",
            ),
            "always": Wrong(
                lambda A, order: _swept(A, order, always=True).mean(0),
                "For {case} you answer {given}; it should be {right}. Without a conflict, nothing is added and nothing taken away",
            ),
            "chained": Wrong(
                lambda A, order: _swept(A, order, chained=True).mean(0),
                "For {case} you answer {given}; it should be {right}. Your targets are what is left of the clients. A target is a gradient as it was sent",
            ),
            "as sent": Wrong(
                lambda A, order: _by_sent_products(A, order).mean(0),
                "For {case} you answer {given}; it should be {right}. You use the products A[k, j] of the gradients as they were sent. After a meeting, client k "
                "holds something else: take the product of row k of C with column j of A",
            ),
            "decided as sent": Wrong(
                lambda A, order: _met(A, order, lambda C, A, k, j: (k, j, C[k] @ A[:, j] / A[j, j]), lambda C, A, k, j: A[k, j] < 0),
                "For {case} you answer {given}; it should be {right}. You ask whether the gradients conflict as they were sent, A[k, j] < 0. What counts is whether g_j "
                "conflicts with what client k holds by now",
            ),
            "sign": Wrong(
                lambda A, order: _met(A, order, lambda C, A, k, j: (k, j, -(C[k] @ A[:, j]) / A[j, j])),
                "For {case} you answer {given}; it should be {right}. In a conflict the product is negative, and formula (4) has a minus in front of it. So a meeting adds "
                "copies, and C[k, j] is never negative",
            ),
            "own length": Wrong(
                lambda A, order: _met(A, order, lambda C, A, k, j: (k, j, C[k] @ A[:, j] / A[k, k])),
                "For {case} you answer {given}; it should be {right}. You divide by client k's own squared length. By (4), the target's counts, A[j, j]",
            ),
            "not divided": Wrong(
                lambda A, order: _met(A, order, lambda C, A, k, j: (k, j, C[k] @ A[:, j])),
                "For {case} you answer {given}; it should be {right}. You subtract the whole product. By (4), it is divided by the target's squared length, A[j, j]",
            ),
            "other client": Wrong(
                lambda A, order: _met(A, order, lambda C, A, k, j: (j, k, C[k] @ A[:, j] / A[j, j])),
                "For {case} you answer {given}; it should be {right}. You changed C[j, k]. It is client k that takes in copies of g_j, so C[k, j] changes",
            ),
            "what the target holds": Wrong(
                lambda A, order: _met(A, order, lambda C, A, k, j: (k, j, C[j] @ A[:, k] / A[j, j]), lambda C, A, k, j: C[j] @ A[:, k] < 0),
                "For {case} you answer {given}; it should be {right}. You multiply what client j holds by g_k. Client k moves, and its target is g_j as it was sent: row k of C "
                "times column j of A",
            ),
            "reversed": Wrong(
                lambda A, order: _swept(A, list(order)[::-1]).mean(0),
                "For {case} you answer {given}; it should be {right}. Your clients meet the targets in the reverse order. The first target in `order` comes first",
            ),
            "changed in place": Wrong(
                lambda A, order: _in_place(A, order).mean(0),
                "For {case} you answer {given}; it should be {right}. You go target by target, and a target that has met others is already changed. "
                "Every target is a gradient as it was sent",
            ),
            "share": Wrong(
                lambda A, order: _share(_swept(A, order).mean(0)),
                "For {case} you answer {given}, which sums to 1. FedFV's weights need not: {right}",
            ),
        },
        praise="In the chapter's example, each client has its largest weight in the last place and its smallest in the first. If all pairs conflict, a client "
        "that moves back by one place never gets less weight",
        hints=(
            "At first each client holds its own gradient once. The chapter's cell with the six meetings shows what one meeting does.",
            "The dot product of what client k holds with g_j is row k of C times column j of A. The entry (k, j) of the table C changes by formula (4) if this product is negative.",
            "Client j's weight is the mean of column j of C.",
        ),
    )
)


def _last(A):
    inverse = np.linalg.inv(np.asarray(A, float))
    return (inverse / inverse.diagonal()[:, None]).mean(0)


def _one_sweep(A):
    return _swept(A, range(len(A))).mean(0)


def _share(weights):
    return weights / weights.sum()


register(
    Exercise(
        slug="fedfv.last_weights",
        task="the λ with rates (A λ)_k = ‖p_k‖² / K, where ‖p_k‖² = 1 / (A⁻¹)_kk",
        right=_last,
        # The chapter's example by hand, a pair, and three more.
        cases=[
            ([[24.0, -4.0, -6.0], [-4.0, 4.0, -2.0], [-6.0, -2.0, 5.0]],),
            ([[4.0, -1.0], [-1.0, 1.0]],),
            ([[3.0, -1.0, -1.0], [-1.0, 3.0, -1.0], [-1.0, -1.0, 2.0]],),
        ],
        wrong={
            "one sweep": Wrong(
                _one_sweep,
                "For A = {case} you answer {given}, the weights after one sweep. The exercise asks for their limit, {right}",
            ),
            "sum": Wrong(
                lambda A: _last(A) * len(A),
                "For A = {case} you answer {given}, the weights of the sum. The server takes the mean: {right}",
            ),
            "sum 1": Wrong(
                lambda A: _share(_last(A)),
                "For A = {case} you answer {given}, which sums to 1. FedFV's weights need not: {right}",
            ),
            "rates": Wrong(
                lambda A: 1 / np.linalg.inv(A).diagonal() / len(A),
                "For A = {case} you answer {given}. These are the rates. The weights that produce them solve A λ = ρ: {right}",
            ),
            "equal rates": Wrong(
                lambda A: _share(np.linalg.inv(A).sum(1)),
                "For A = {case} you answer {given}, the weights that make all rates equal. By (5), client k's rate is ‖p_k‖² / K, which differs from "
                "client to client: {right}",
            ),
            "own lengths": Wrong(
                lambda A: np.linalg.inv(A) @ np.diagonal(A) / len(A),
                "For A = {case} you answer {given}; it should be {right}. You set the rates to ‖g_k‖² / K. Only p_k counts, the part of g_k that is "
                "perpendicular to the other gradients",
            ),
            "factor upside down": Wrong(
                lambda A: np.linalg.inv(A) @ np.linalg.inv(A).diagonal() / len(A),
                "For A = {case} you answer {given}; it should be {right}. ‖p_k‖² is the reciprocal of (A⁻¹)_kk, not (A⁻¹)_kk itself",
            ),
            "rows of the inverse summed": Wrong(
                lambda A: np.linalg.inv(A).sum(0),
                "For A = {case} you answer {given}, which makes all rates equal to 1. By (5), client k's rate is ‖p_k‖² / K: {right}",
            ),
            "wrong way round": Wrong(
                lambda A: (np.linalg.inv(A) / np.linalg.inv(A).diagonal()).mean(0),
                "For A = {case} you answer {given}; it should be {right}. Either you divided columns instead of rows, or you took the means of rows instead of "
                "columns. Divide row k by (A⁻¹)_kk. A weight is then the mean of a column",
            ),
            "divided by A": Wrong(
                lambda A: (np.linalg.inv(A) / np.diagonal(A)[:, None]).mean(0),
                "For A = {case} you answer {given}; it should be {right}. You divided by the diagonal of A. In row k of A⁻¹, the coefficient of g_k is the diagonal entry of "
                "A⁻¹ itself, and dividing by that makes it 1",
            ),
            "rows of sum 1": Wrong(
                lambda A: (np.linalg.inv(A) / np.linalg.inv(A).sum(1)[:, None]).mean(0),
                "For A = {case} you answer {given}; it should be {right}. You made each row sum to 1. In p_k, it is the coefficient of g_k alone that is 1",
            ),
            "column of the inverse": Wrong(
                lambda A: np.linalg.inv(A).mean(0),
                "For A = {case} you answer {given}; it should be {right}. Row k of A⁻¹ gives the coefficients of p_k only up to a factor. In p_k, the "
                "gradient g_k has the coefficient 1, so divide by (A⁻¹)_kk",
            ),
        },
        praise="So FedFV with sweeps that never end is one of chapter 10's affine rules. Its claims are the squared distances from the span of the "
               "others",
        hints=(
            "By (5) you know the rates ρ, and A λ = ρ. So you need ‖p_k‖² from A.",
            "The dot product of p_k with g_k is ‖p_k‖², and with all other gradients it is 0. If c are the coefficients of p_k, then A c is ‖p_k‖² "
            "times the k-th unit vector, and c_k = 1.",
            "Hence c is ‖p_k‖² times the k-th row of A⁻¹, which is symmetric, and c_k = 1 says that ‖p_k‖² = 1 / (A⁻¹)_kk. The weights are the means "
            "of the coefficients over the clients k.",
        ),
    )
)


def _share_of(G, which):
    G = np.asarray(G, float)
    A = G @ G.T
    lam = _one_sweep(A)
    smallest, length = (A @ lam).min(), math.sqrt(lam @ A @ lam)
    least = math.sqrt(_least(A))
    return {"right": smallest / (length * least), "no length": smallest / least, "squared": smallest / (length * least**2),
            "rates alone": smallest / least**2, "plain": (A.mean(1)).min() / (math.sqrt(A.mean()) * least)}[which]


def _least(A):
    """The squared length of the min-norm point, by trying every set of clients."""
    best = math.inf
    for mask in range(1, 2 ** len(A)):
        S = [k for k in range(len(A)) if mask >> k & 1]
        lam = np.linalg.lstsq(A[np.ix_(S, S)], np.ones(len(S)), rcond=None)[0]
        if (lam >= 0).all() and lam.sum() > 0:
            lam = lam / lam.sum()
            best = min(best, float(lam @ A[np.ix_(S, S)] @ lam))
    return best


register(
    Exercise(
        slug="fedfv.share_of_best",
        task="the smallest rate after one sweep, divided by ‖v‖ ‖dir‖, with dir the min-norm point",
        right=lambda G: _share_of(G, "right"),
        cases=[
            ([[4.0, 0.0], [-1.0, 1.0]],),
            ([[-2.0, -4.0, 2.0], [2.0, 0.0, 0.0], [-1.0, 2.0, 0.0]],),
            ([[3.5, -1.6], [-0.5, 0.9], [-1.5, 1.2]],),
        ],
        wrong={
            "no length": Wrong(
                lambda G: _share_of(G, "no length"),
                "For {case} you answer {given}; it should be {right}. By chapter 4, ‖dir‖ is the largest smallest rate along a unit vector. Your "
                "direction is not a unit vector, so divide by its length too",
            ),
            "squared": Wrong(
                lambda G: _share_of(G, "squared"),
                "For {case} you answer {given}; it should be {right}. Along the unit vector dir / ‖dir‖ the smallest rate is ‖dir‖, and not its square",
            ),
            "rates alone": Wrong(
                lambda G: _share_of(G, "rates alone"),
                "For {case} you answer {given}; it should be {right}. You compared with the rate along dir itself. The two directions have different "
                "lengths, and a longer direction has larger rates",
            ),
            "the plain mean": Wrong(
                lambda G: _share_of(G, "plain"),
                "For {case} you answer {given}. That is the share of FedAvg's mean. Sweep first: {right}",
            ),
        },
        praise="The share of the pair is 0.35, and that of the chapter's three clients is negative, since client 2 loses. FedFV does not aim at the "
               "slowest client, as MGDA does",
        hints=(
            "The chapter's `mitigate` gives the mean after one sweep. Which losses make it take the targets in the order of the rows?",
            "By (5) of chapter 4, the largest smallest rate along a unit vector is the length of the min-norm point.",
            "A direction of length ‖v‖ can therefore give the slowest client at most ‖v‖ ‖dir‖.",
        ),
    )
)


def _safe(remembered, v, L):
    return max(0.0, float(np.dot(remembered, v)) / (L * np.linalg.norm(v)))


register(
    Exercise(
        slug="fedfv.safe_for",
        task="the largest S with remembered · v ≥ L S ‖v‖, and 0 if that dot product is negative",
        right=_safe,
        cases=[([1.0, 2.0], [3.0, 4.0], 2.0), ([-1.0, 1.0], [2.0, 1.0], 1.0), ([0.0, 3.0, 0.0], [1.0, 1.0, 1.0], 0.5)],
        wrong={
            "negative": Wrong(
                lambda g, v, L: float(np.dot(g, v)) / (L * np.linalg.norm(v)),
                "For {case} you answer {given}. A distance cannot be negative. Where the remembered gradient itself conflicts with v, no distance is "
                "short enough, and the answer is {right}",
            ),
            "length of v": Wrong(
                lambda g, v, L: max(0.0, float(np.dot(g, v)) / L),
                "For {case} you answer {given}; it should be {right}. After a distance S, the rate is uncertain by L S ‖v‖: a longer step has a larger dot "
                "product, but also more to lose",
            ),
            "no L": Wrong(
                lambda g, v, L: max(0.0, float(np.dot(g, v)) / np.linalg.norm(v)),
                "For {case} you answer {given}; it should be {right}. L is how fast a gradient may change, and your answer does not use it",
            ),
            "times L": Wrong(
                lambda g, v, L: L * _safe(g, v, 1.0),
                "For {case} you answer {given}; it should be {right}. The faster gradients may change, the shorter the safe distance",
            ),
            "cosine": Wrong(
                lambda g, v, L: _safe(g, v, L) / np.linalg.norm(g),
                "For {case} you answer {given}; it should be {right}. You also divided by the length of the remembered gradient. But a long gradient "
                "has further to go before it turns against v",
            ),
            "square of v": Wrong(
                lambda g, v, L: max(0.0, float(np.dot(g, v)) / (L * float(np.dot(v, v)))),
                "For {case} you answer {given}; it should be {right}. The uncertainty L S ‖v‖ contains ‖v‖, not its square: a longer step in the same direction is just "
                "as safe",
            ),
            "rate left": Wrong(
                lambda g, v, L: max(0.0, float(np.dot(g, v)) - L * np.linalg.norm(v)),
                "For {case} you answer {given}, the rate that is left after a distance of 1. The exercise asks for the distance after which nothing "
                "is left, {right}",
            ),
        },
        praise="A server that drops gradients that are no longer safe, or asks for them again, needs no τ: how long it may remember follows from how "
               "fast the model moves",
        hints=(
            "After a distance S, today's gradient differs from the remembered one by at most L S. By how much can the rate along v have fallen?",
            "By Cauchy and Schwarz, by at most L S ‖v‖. Solve remembered · v = L S ‖v‖ for S.",
            "If the dot product is already negative, no S ≥ 0 solves this, so the answer is 0.",
        ),
    )
)

register(
    Exercise(
        slug="fedfv.most",
        task="(d + 1, d): the largest numbers of pairwise conflicting gradients in d dimensions, without and with a common descent direction",
        right=lambda d: (d + 1, d),
        cases=[(2,), (3,), (10,)],
        wrong={
            "both d": Wrong(
                lambda d: (d, d),
                "For d = {case} you answer {given}; it should be {right}. Without a common descent direction there is room for one more: in the "
                "plane, think of the vectors from the centre of a triangle to its corners",
            ),
            "both d + 1": Wrong(
                lambda d: (d + 1, d + 1),
                "For d = {case} you answer {given}; it should be {right}. The corners of a simplex, seen from inside, have the origin in their hull, "
                "so no direction helps them all. If such a direction has to exist, there is room for one fewer",
            ),
            "twice": Wrong(
                lambda d: (2 * d, d),
                "For d = {case} you answer {given}; it should be {right}. The 2d vectors along the axes have dot products of 0, and that is no "
                "conflict",
            ),
            "swapped": Wrong(
                lambda d: (d, d + 1),
                "For d = {case} you answer {given}. The number without the extra condition comes first, and it cannot be the smaller one: {right}",
            ),
            "one less": Wrong(
                lambda d: (d + 1, d - 1),
                "For d = {case} you answer {given}; it should be {right}. Gradients near the axes, each bent slightly away from the sum of the "
                "others, conflict in pairs, and yet the diagonal lowers all losses",
            ),
            "pair": Wrong(
                lambda d: (d + 1, 2),
                "For d = {case} you answer {given}; it should be {right}. In three dimensions, the chapter's example by hand already has three",
            ),
        },
        praise="Models have millions of parameters, so the assumption of the theorems does not fail for lack of dimensions. It fails because clients "
               "agree",
        hints=(
            "Suppose there are d + 2. The first d + 1 of them are linearly dependent: Σ c_j g_j = 0. Put the terms with positive c_j on one side, "
            "and call this side z. What does the other side say about ‖z‖²?",
            "Conflicts make ‖z‖² ≤ 0. So a combination with positive coefficients is zero. What is its dot product with the last gradient?",
            "With a direction v that lowers every loss, z · v = 0 leaves no positive c_j, so the gradients are linearly independent. As examples, take the corners of a simplex, "
            "and rows e_j − s (1, …, 1) with a small s > 0.",
        ),
    )
)

register(
    Question(
        slug="fedfv.order_without_losses",
        task="an order of the targets that uses no reported loss, with a property, a run and a cheat",
        hints=(
            "The server holds the Gram matrix. Which clients would lose under the plain mean, and who should then have the last word?",
            "The rule sorts by `losses`, so a `tamper` that replaces them by your own numbers makes `rules.FedFV(0)` use any order. What does your "
            "order do when a client multiplies its gradient by 10?",
            "For a property, think of what your order does not see (added constants, scales), or apply the theorem on places to the client that your "
            "order puts last.",
        ),
    )
)

register(
    Question(
        slug="fedfv.shards",
        task="whether keepers make digits fairer, in pairs",
        hints=(
            "Keepers leave the gradients with the largest losses as they are. Who can gain from that, and who pays?",
            "Compare in pairs: the same split with α = 0 and with α = 0.3. `splits[0, :4]` holds the spreads at α = 0.",
            "Before you run it, say how large a difference four pairs could show, given how much the spread varies from split to split.",
        ),
    )
)
