"""Chapter 10: one picture."""

import numpy as np

from fairfl_book.exercises.registry import Exercise, Question, Wrong, register


def _nu(A, s):
    s = np.asarray(s, float)
    y = np.linalg.solve(np.asarray(A, float), s)
    return s * y / (s @ y)


def _agree(A, s, epsilon):
    nu = _nu(A, s)
    return bool((nu >= 0).all() and (np.abs(nu - 1 / len(nu)) <= epsilon + 1e-12).all())


def _lambda_in_box(A, s, epsilon):
    lam = _nu(A, s) / np.asarray(s, float)
    lam = lam / lam.sum()
    return bool((lam >= 0).all() and (np.abs(lam - 1 / len(lam)) <= epsilon + 1e-12).all())


_BOXES = [
    ([[1.0, 0.5], [0.5, 4.0]], [1.0, 1.0], 0.5),
    ([[1.0, 0.5], [0.5, 4.0]], [1.0, 1.0], 0.3),
    ([[1.0, 2.0], [2.0, 5.0]], [1.0, 1.0], 0.5),
    ([[1.0, 2.0], [2.0, 5.0]], [1.0, 2.2], 0.2),
    ([[1.0, 0.0], [0.0, 1.0]], [1.0, 3.0], 0.3),
    ([[1.0, 0.0], [0.0, 9.0]], [1.0, 3.0], 0.1),
    ([[2.0, 0.0, 0.0], [0.0, 1.0, 0.5], [0.0, 0.5, 0.5]], [1.0, 1.0, 1.0], 0.6),
    ([[2.0, -1.0], [-1.0, 3.0]], [1.0, 1.0], 0.1),
    ([[1.0, 2.0], [2.0, 5.0]], [1.0, 2.6], 0.7),
    ([[1.0, 0.0], [0.0, 9.0]], [1.0, 3.0], 0.3),
]

register(Exercise(
    slug="picture.agree",
    task="whether the hyperplane and the box |ν_k − 1/K| ≤ ε, ν ≥ 0, give the same direction",
    right=_agree,
    cases=_BOXES,
    wrong={
        "no box": Wrong(lambda A, s, epsilon: bool((_nu(A, s) >= 0).all()),
                        "For {case} you answer {given}; it should be {right}. That is Theorem 2, which is about the simplex. The box is smaller, "
                        "because each ν_k must also be within ε of 1/K"),
        "bounds on λ": Wrong(_lambda_in_box, "For {case} you answer {given}; it should be {right}. The box bounds the weights ν_k = s_k λ_k of the divided gradients, not λ"),
        "sign only forgotten": Wrong(lambda A, s, epsilon: bool((np.abs(_nu(A, s) - 1 / len(s)) <= epsilon + 1e-12).all()),
                                     "For {case} you answer {given}; it should be {right}. With ε above 1/K, the bounds around 1/K alone would allow "
                                     "negative weights, but ν ≥ 0 is required as well"),
        "scales forgotten": Wrong(lambda A, s, epsilon: _agree(A, np.ones(len(s)), epsilon),
                                  "For {case} you answer {given}; it should be {right}. You solved with a vector of ones, which gives the answer for "
                                  "equal scales"),
        "not normalised": Wrong(lambda A, s, epsilon: bool((np.abs(np.asarray(s) * np.linalg.solve(np.asarray(A, float), np.asarray(s, float)) - 1 / len(s)) <= epsilon).all()),
                                "For {case} you answer {given}; it should be {right}. A⁻¹ s gives the weights only up to a factor. Normalise them to "
                                "Σ ν_k = 1 before you compare them with the box"),
        "all pairs in conflict": Wrong(lambda A, s, epsilon: bool((np.asarray(A) - np.diag(np.diagonal(A)) <= 0).all()),
                                       "For {case} you answer {given}; it should be {right}. You check whether all pairs are in conflict. That "
                                       "condition belongs to simplex and hyperplane, and even there it is sufficient but not necessary"),
    },
    praise="For ε ≥ 1 − 1/K the box is the whole simplex, and your answer becomes Theorem 2",
    hints=(
        "The box is part of the hyperplane. When does the shortest vector of the larger set belong to the smaller set too? Look at its weights.",
        "Up to a positive factor, the hyperplane's λ are A⁻¹ s. The box is about ν_k = s_k λ_k, which sum to 1.",
        "Two conditions on ν remain, and `.all()` checks each of them for all clients. Allow a tolerance of 1e-12 at the bounds.",
    ),
))

register(Exercise(
    slug="picture.degree",
    task="the factor by which its true rate changes relative to the others', for γ = ½ and a loss and gradient multiplied by 4",
    right=0.5,
    wrong={
        "scale only": Wrong(2.0, "2 is the factor by which its scale grows, 4^½. But its gradient is four times as long as well, and the true rate is "
                                 "what it sent divided by 4"),
        "wrong sign": Wrong(8.0, "You multiplied by 4 instead of dividing. g_k is 4 times as long, so the rate that the rule sees is 4 times the true "
                                 "one"),
        "gradient only": Wrong(0.25, "1/4 is for a client that scales its gradient but reports its loss honestly. Here the loss grows too, and its "
                                     "scale grows by 4^½"),
        "degree one": Wrong(1.0, "1 is the answer for γ = 1, where scale and gradient grow by the same factor. At γ = ½, the scale grows more slowly"),
        "square": Wrong(
            4.0,
            "4 is the factor c itself. But the client's own gradient is 4 times as long as well: formula (3) has the power p − 1",
        ),
    },
    praise="Exaggerating costs. With γ = ½, a selfish client makes its loss look smaller, together with its gradient",
    hints=(
        "By formula (3), the rate relative to the others' becomes c^(p − 1) times what it was.",
        "c is the factor by which the loss and its gradient are multiplied. The degree p says with which power of c the scale f^γ grows.",
    ),
))


def _cosines(G):
    G = np.asarray(G, float)
    s = np.linalg.norm(G, axis=1)
    y = np.linalg.solve(G @ G.T, s)
    return y / (s @ y)


def _unit_weights(G):
    return _cosines(G) * np.linalg.norm(np.asarray(G, float), axis=1)


def _equal_rates(G):
    G = np.asarray(G, float)
    y = np.linalg.solve(G @ G.T, np.ones(len(G)))
    return y / y.sum()


def _ones_for_lengths(G):
    G = np.asarray(G, float)
    y = np.linalg.solve(G @ G.T, np.ones(len(G)))
    return y / (np.linalg.norm(G, axis=1) @ y)


def _simplex(G):
    """The weights of the nearest point between the unit rows, by trying every set of clients."""
    s = np.linalg.norm(np.asarray(G, float), axis=1)
    U = np.asarray(G, float) / s[:, None]
    best, found = np.inf, None
    for chosen in range(1, 2 ** len(U)):
        here = [k for k in range(len(U)) if chosen >> k & 1]
        nu = np.zeros(len(U))
        nu[here] = np.linalg.solve(U[here] @ U[here].T, np.ones(len(here)))
        nu = nu / nu.sum()
        if (nu >= 0).all() and (size := (nu @ U) @ (nu @ U)) < best:
            best, found = size, nu
    return found / s


register(Exercise(
    slug="picture.cosines",
    task="the weights λ on the clients' own gradients for unit rows and the affine hull, with Σ ‖g_k‖ λ_k = 1",
    right=_cosines,
    cases=[([[1.0, 0.0, 1.0], [0.0, 2.0, -1.0], [1.0, 1.0, 3.0]],), ([[1.0, 0.0], [0.0, 2.0]],), ([[2.0, 0.0, 0.0], [3.0, 1.0, 0.0], [0.0, 2.0, 1.0]],)],
    wrong={
        "weights of unit rows": Wrong(_unit_weights, "For {case} you answer {given}; it should be {right}. These are the weights ν of the *unit* "
                                                     "rows. A client's own gradient is ‖g_k‖ times as long, so λ_k = ν_k / ‖g_k‖"),
        "equal rates": Wrong(_equal_rates, "For {case} you answer {given}; it should be {right}. With these weights all *rates* are equal, as in "
                                           "AdaFed with γ = 0. Equal cosines mean rates proportional to ‖g_k‖"),
        "ones for lengths": Wrong(_ones_for_lengths, "For {case} you answer {given}; it should be {right}. You solved A y = (1, …, 1), so all *rates* are equal. Equal cosines need rates in "
                                                     "proportion to the lengths: A y = s"),
        "simplex": Wrong(_simplex, "For {case} you answer {given}; it should be {right}. These weights are at least 0, as on the simplex. The hyperplane allows negative weights, and here "
                                   "one of them is negative"),
        "sum to one": Wrong(lambda G: _cosines(G) / _cosines(G).sum(), "For {case} you answer {given}; it should be {right}. The direction is right, "
                                                                       "but its length is not: here Σ ν_k = Σ s_k λ_k is 1, not Σ λ_k"),
        "averaged unit rows": Wrong(lambda G: 1 / np.linalg.norm(np.asarray(G, float), axis=1) / len(G),
                                    "For {case} you answer {given}; it should be {right}. That is FedAvg-n, the mean of the unit rows. For two "
                                    "clients its cosines are always equal; for more they are equal only by luck"),
        "not divided": Wrong(
            lambda G: np.linalg.solve(np.asarray(G) @ np.asarray(G).T, np.linalg.norm(G, axis=1)),
            "For {case} you answer {given}; it should be {right}. The direction is right, but its length is not. Divide by s · A⁻¹ s, so that Σ s_k "
            "λ_k = 1",
        ),
        "squares": Wrong(
            lambda G: np.linalg.solve(np.asarray(G) @ np.asarray(G).T, (np.asarray(G) ** 2).sum(1)) / ((np.asarray(G) ** 2).sum(1) @ np.linalg.solve(np.asarray(G) @ np.asarray(G).T, (np.asarray(G) ** 2).sum(1))),
            "For {case} you answer {given}; it should be {right}. You used A_kk = ‖g_k‖² as the scale. The scale of unit rows is ‖g_k‖, its square "
            "root",
        ),
    },
    praise="In multi-task learning this direction is known as IMTL-G",
    hints=(
        "Unit rows correspond to the scale s_k = ‖g_k‖ in formula (1).",
        "For scales s, the affine hull gives λ = A⁻¹ s / (s · A⁻¹ s) on the clients' own gradients, as for AdaFed in chapter 8.",
        "`np.linalg.norm` with `axis=1` gives the lengths of the rows. To check your answer: A λ divided by the lengths is the same number for all "
        "clients.",
    ),
))

register(Exercise(
    slug="picture.ratio",
    task="ρ₂ / ρ₁ for g₁ = (1, 0), g₂ = (0, 2) and FedMGDA+",
    right=2.0,
    wrong={
        "FedMGDA": Wrong(1.0, "Equal rates are FedMGDA's answer, with raw rows. FedMGDA+ divides by ‖g_k‖, so it is the cosines that become equal"),
        "weights": Wrong(0.5, "½ is λ₂ / λ₁. The weights are in the ratio 1 to ½, and the rates are ρ_k = λ_k ‖g_k‖² here, because the gradients are "
                              "orthogonal"),
        "FedAvg": Wrong(4.0, "4 is FedAvg's ratio, with equal weights on the raw gradients. Then ρ_k is ‖g_k‖² / 2"),
    },
    praise="The rates are proportional to the lengths, and λ to their inverses",
    hints=(
        "FedMGDA+ takes the point between the unit rows that is nearest to the origin. What are the unit rows here?",
        "They are perpendicular and equally long, so both get the same weight. Write down dir.",
        "A rate is the inner product of dir with the client's own gradient, in its own length.",
    ),
))


def _lowest(x, epsilon):
    """The smallest ν · x over the box |ν_k − 1/K| ≤ ε, ν ≥ 0, Σ ν_k = 1: the smallest entries of x get as much weight as the box allows."""
    return _filled(x, epsilon) @ x


def _allowed(nu, epsilon):
    return bool(abs(nu.sum() - 1) < 1e-9 and (nu >= -1e-9).all() and (np.abs(nu - 1 / len(nu)) <= epsilon + 1e-9).all())


def _arrays(A, s, lam):
    return np.asarray(A, float), np.asarray(s, float), np.asarray(lam, float)


def _best(A, s, lam, epsilon):
    """Whether (2) holds over the box, wherever λ itself may be."""
    A, s, lam = _arrays(A, s, lam)
    x = A @ lam / s
    return bool(s * lam @ x - _lowest(x, epsilon) <= 1e-9)


def _audit(A, s, lam, epsilon):
    return _allowed(np.multiply(s, lam), epsilon) and _best(A, s, lam, epsilon)


def _own_weights(A, s, lam, epsilon):
    return _allowed(np.asarray(lam, float), epsilon) and _best(A, s, lam, epsilon)


def _whole_simplex(A, s, lam, epsilon):
    A, s, lam = _arrays(A, s, lam)
    return _allowed(s * lam, 1.0) and bool(s * lam @ (A @ lam / s) - (A @ lam / s).min() <= 1e-9)


def _filled(x, epsilon):
    K = len(x)
    nu = np.full(K, max(0.0, 1 / K - epsilon))
    for k in np.argsort(x):
        nu[k] += min(1 / K + epsilon - nu[k], 1 - nu.sum())
    return nu


def _same_weights(A, s, lam, epsilon):
    A, s, lam = _arrays(A, s, lam)
    return bool(np.allclose(s * lam, _filled(A @ lam / s, epsilon)))


def _same_product(A, s, lam, epsilon):
    A, s, lam = _arrays(A, s, lam)
    x = A @ lam / s
    return bool(abs(s * lam @ x - _lowest(x, epsilon)) <= 1e-9)


def _of_nu(A, s, lam, epsilon):
    A, s, lam = _arrays(A, s, lam)
    x, nu = A @ (s * lam) / s, s * lam
    return _allowed(nu, epsilon) and bool(nu @ x - _lowest(x, epsilon) <= 1e-9)


def _below_zero(A, s, lam, epsilon):
    """The audit with the lower bound 1/K − ε, even where that is negative, in the comparison of the rates."""
    A, s, lam = _arrays(A, s, lam)
    x, nu, K = A @ lam / s, s * lam, len(s)
    lowest, left = np.full(K, 1 / K - epsilon), K * epsilon
    for k in np.argsort(x):
        lowest[k] += min(2 * epsilon, left)
        left -= lowest[k] - (1 / K - epsilon)
    return _allowed(nu, epsilon) and bool(nu @ x - lowest @ x <= 1e-9)


def _raw_rates(A, s, lam, epsilon):
    A, s, lam = _arrays(A, s, lam)
    rho, nu = A @ lam, s * lam
    return _allowed(nu, epsilon) and bool(nu @ rho - _lowest(rho, epsilon) <= 1e-9)


def _simplex_promise(A, s, lam, epsilon):
    A, s, lam = _arrays(A, s, lam)
    return _allowed(s * lam, epsilon) and bool((A @ lam / s >= lam @ A @ lam - 1e-9).all())


def _all_equal(A, s, lam, epsilon):
    A, s, lam = _arrays(A, s, lam)
    return _allowed(s * lam, epsilon) and bool(np.ptp(A @ lam / s) <= 1e-9)


_BY_HAND = [[1.0, 1.0], [1.0, 2.0]]
_THREE = [[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 4.0]]
_AUDITS = [
    (_BY_HAND, [1.0, 3.0], [1 / 3, 2 / 9], 1 / 6),
    (_BY_HAND, [1.0, 3.0], [0.0, 1 / 3], 0.5),
    (_BY_HAND, [1.0, 3.0], [1 / 3, 2 / 9], 0.5),
    (_BY_HAND, [1.0, 3.0], [-0.2, 0.4], 0.8),
    ([[1.0, 0.0], [0.0, 4.0]], [1.0, 2.0], [0.5, 0.25], 0.1),
    ([[1.0, 0.0], [0.0, 2.0]], [0.5, 1.5], [0.5, 0.5], 0.25),
    (_THREE, [1.0, 1.0, 1.0], [4 / 7, 2 / 7, 1 / 7], 0.2),
    (_THREE, [1.0, 1.0, 1.0], [8 / 15, 14 / 45, 7 / 45], 0.2),
    (_THREE, [1.0, 1.0, 1.0], [8 / 15, 1 / 3, 2 / 15], 0.2),
    ([[1.0, 0.0], [0.0, 1.0]], [1.0, 1.0], [0.25, 0.25], 0.5),
    ([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]], [1.0, 1.0, 1.0], [0.4, 0.1, 0.5], 0.6),
    (_BY_HAND, [1.0, 3.0], [0.0, 1 / 3], 0.8),
]

register(Exercise(
    slug="picture.audit",
    task="whether weights λ solve (1) over the box |ν_k − 1/K| ≤ ε, ν ≥ 0, Σ ν_k = 1",
    right=_audit,
    cases=_AUDITS,
    wrong={
        "allowed only": Wrong(lambda A, s, lam, epsilon: _allowed(np.multiply(s, lam), epsilon),
                              "For {case} you answer {given}; it should be {right}. These weights are in the set, but are they the best ones in it? "
                              "By Theorem 1, (2) has to hold as well, which is a condition on their rates"),
        "best only": Wrong(_best, "For {case} you answer {given}; it should be {right}. (2) says that no weights in the set are better. You also have "
                                  "to check that λ itself is in the set"),
        "raw rates": Wrong(_raw_rates, "For {case} you answer {given}; it should be {right}. The box bounds ν_k = s_k λ_k. So (2) contains ρ · μ = Σ "
                                       "(s_k μ_k) (ρ_k / s_k): compare the rates divided by their scales"),
        "bounds on λ": Wrong(_own_weights, "For {case} you answer {given}; it should be {right}. You checked whether λ lies between the bounds, but "
                                           "the box is one for ν_k = s_k λ_k"),
        "simplex": Wrong(_simplex_promise, "For {case} you answer {given}; it should be {right}. ρ_k ≥ s_k ‖dir‖² for every client is what the "
                                           "*simplex* promises. In a box, a client that is held at its upper bound may have less"),
        "bound below zero": Wrong(_below_zero, "For {case} you answer {given}; it should be {right}. When you look for better weights, your lower bound is 1/K − ε. "
                                               "That is negative here, and the set requires ν_k ≥ 0, so the lower bound is 0"),
        "products only": Wrong(lambda A, s, lam, epsilon: _same_product(A, s, lam, epsilon),
                               "For {case} you answer {given}; it should be {right}. You compare the products but not whether the weights are in the box. Weights outside it are "
                               "not allowed, whatever their product is"),
        "weights compared": Wrong(lambda A, s, lam, epsilon: _audit(A, s, lam, epsilon) and _same_weights(A, s, lam, epsilon),
                                  "For {case} you answer {given}; it should be {right}. You compare ν with the weights that `cheapest` returns. Where several x_k are equal, other weights "
                                  "have the same product with x and are just as good. Compare the products"),
        "ν for λ": Wrong(lambda A, s, lam, epsilon: _of_nu(A, s, lam, epsilon),
                         "For {case} you answer {given}; it should be {right}. The rates are ρ = A λ. You multiplied A by ν, but ν are the weights of the divided gradients g_k / s_k"),
        "simplex only": Wrong(_whole_simplex, "For {case} you answer {given}; it should be {right}. You ask whether λ is the best choice on the whole simplex. The "
                                              "box allows fewer weights, so the best choice in it can be another one"),
        "solved again": Wrong(lambda A, s, lam, epsilon: _audit(A, s, lam, epsilon) and bool(np.linalg.matrix_rank(A) == len(s)),
                              "For {case} you answer {given}; it should be {right}. These gradients are linearly dependent, so several λ can be right. If you "
                              "compare λ with a solution of your own, you reject the others. Compare rates instead, as (2) does"),
        "all equal": Wrong(_all_equal, "For {case} you answer {given}; it should be {right}. That all ρ_k / s_k are equal is the condition for the "
                                       "hyperplane. At a bound, a client may have more or less"),
    },
    praise="Every client can run this test with A alone. Whether A is what the clients sent is another question",
    hints=(
        "Theorem 1 requires two things of λ: it lies in the set, and (2) holds for every μ in the set.",
        "Put x_k = ρ_k / s_k. Then (2) says that ν · x is the smallest inner product that weights in the box can have with x. Of the infinitely many "
        "μ, only the one with the smallest product matters.",
        "`cheapest(x, low, high)` returns the weights with the smallest product. If λ is among the best weights, by how much may ν · x exceed that product? "
        "Turn the answer into a Python bool by `bool(…)`.",
    ),
))

register(Exercise(
    slug="picture.longest",
    task="the largest c for which steps up to c min s / L make every loss fall by at least θ η s_k ‖dir‖²",
    right=lambda theta: 2 * (1 - theta),
    cases=[(0.25,), (0.5,), (0.9,)],
    wrong={
        "half": Wrong(lambda theta: 1 - theta, "For θ = {case} you answer {given}; it should be {right}. The quadratic term is L/2 η² ‖dir‖². Because "
                                               "of its ½ you may go twice as far"),
        "descent only": Wrong(lambda theta: 2.0, "For θ = {case} you answer {given}. Steps of 2 min s / L promise only that no loss rises, which is θ "
                                                 "= 0. Here a part of the first-order fall has to be left"),
        "theta kept": Wrong(lambda theta: 2 * theta, "For θ = {case} you answer {given}; it should be {right}. You have it the wrong way round: a "
                                                     "larger θ asks for more, so the step must be shorter"),
        "theorem 3": Wrong(lambda theta: 1.0, "For θ = {case} you answer {given}, the step in Theorem 3, whatever θ is. That step leaves exactly θ = "
                                              "½"),
        "inverse": Wrong(lambda theta: 1 / (2 * (1 - theta)), "For θ = {case} you answer {given}; it should be {right}. Your fraction is upside down: "
                                                              "1 − L η / (2 s) ≥ θ bounds η from above by 2 (1 − θ) s / L"),
    },
    praise="For the second half: for one client with f = L/2 ‖w‖² and s = 1 the descent lemma holds with equality, so with a longer step the fall is "
           "too small",
    hints=(
        "Begin as in the proof of Theorem 3: f_k falls by at least η ρ_k − L/2 η² ‖dir‖², and ρ_k ≥ s_k ‖dir‖².",
        "Divide by η s_k ‖dir‖². This leaves 1 − L η / (2 s_k), which must be at least θ for every client, including the one with the smallest scale.",
        "To show that c is the largest, look for a loss for which the descent lemma is an equality, and for a client with positive weight, so that "
        "ρ_k ≥ s_k ‖dir‖² is an equality too.",
    ),
))

register(Question(
    slug="picture.own_set",
    task="a set of weights with a lower bound on each, what Theorem 1 promises for it, and who can lose",
    hints=(
        "Λ is a box with a lower bound only: ν_k ≥ 1/(2K), Σ ν_k = 1. Which line of the table is that?",
        "All clients strictly above the lower bound share one value ρ / s = c; a client at the bound has at least c. From ‖dir‖² = Σ ν_k ρ_k / s_k "
        "you can tell how c compares with ‖dir‖².",
        "Substitute ν = 1/(2K) + μ/2 with μ in the simplex. The set becomes the simplex of other vectors: which ones, and what does a nearest point "
        "promise for them? For the largest loss: in the worst case, dir and the mean of the h_k point the same way, and c is a parabola in ‖dir‖.",
        "No client loses in (1) if ρ ≥ 0 is part of what the shape of the set promises. In which directions must one be able to move within the set, "
        "from each of its points, for that to hold?",
    ),
))

register(Question(
    slug="picture.own_rule",
    task="a rule with a scale of your own: its degree, what a lie does to it, and a paired race",
    hints=(
        "Start from `AtLeast`. The one line that says what a client is owed is the line that sets `s`.",
        "For the degree, multiply a loss and its gradient by c and see by which factor s grows. If it is less than c, exaggerating costs; if it is "
        "more than c, exaggerating pays.",
        "You cannot divide by s = 0. Set such clients aside, as `AtLeast` does with zero losses, or owe every client a little. Theorem 3 also needs "
        "that s goes to zero only where the gradient does.",
        "The promise to test is ρ_k ≥ s_k ‖dir‖², as in `at_least`. For the race, give your rule a step size of its own, tuned on other seeds, and "
        "take FedAvg's lines from the record with the same seeds.",
    ),
))
