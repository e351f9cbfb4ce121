"""Chapter 9: DQN-Fed."""

import numpy as np

from fairfl_book.exercises.registry import Exercise, Question, Wrong, register

register(Exercise(
    slug="newton.factor",
    task="the largest factor by which a step can multiply one client's distance to its minimiser, for H = diag(1, 9), and an x for which "
         "the start (x, 1) reaches it in every round",
    right=(0.8, 3.0),
    wrong={
        "newton": Wrong((0.0, 3.0), "0 would be right for Newton's own step. With one client, u points along g, and only its rate is Newton's"),
        "safe step": Wrong((8 / 9, 3.0), "8/9 is what gradient descent with the step 1/L guarantees. The length of u is chosen better: (κ − 1)/(κ + 1)"),
        "loss": Wrong((0.64, 3.0), "0.64 would be the factor for squared distances. The question asks for the distance itself"),
        "conjugate": Wrong((0.5, 3.0), "0.5 is (√κ − 1)/(√κ + 1), which methods with a memory reach (conjugate gradients). Each of our steps sees only "
                                       "one gradient"),
        "fixed step": Wrong((2 / 10, 3.0), "0.2 is 2/(1 + 9), the best fixed step size. The question asks for the factor of the distance that is left"),
        "kappa upside down": Wrong((1 / 9, 3.0), "1/9 is 1/κ. Formula (8) has (κ − 1)/(κ + 1)"),
        "equal slopes": Wrong((0.8, 9.0), "The factor is right. From (9, 1) both components of the gradient are 9. The step is (5, 5) and leaves (4, −4), "
                                          "which is only 0.62 times as far from the minimiser"),
        "diagonal": Wrong((0.8, 1.0), "The factor is right. From (1, 1) the gradient is (1, 9). The step leaves about (0.88, −0.10), so only 0.88 of 1.41"),
        "the other axis": Wrong((0.8, 1 / 3), "The factor is right. You have exchanged the axes. The long part of the error belongs to the small eigenvalue"),
    },
    praise="With κ = 1000 the factor is 0.998, and gaining one decimal digit takes 1,150 rounds, even with exact Hessians",
    hints=(
        "With one client, the full step goes along g. The curvature determines its length, not its direction.",
        "Formula (8) gives the factor. κ is the largest eigenvalue of H divided by the smallest.",
        "From (x, 1) the gradient is (x, 9). To be mirrored in the first axis and shortened, what is left has to be a multiple of (x, −1). For "
        "which step size is it?",
    ),
))

register(Exercise(
    slug="newton.hop",
    task="the next point from w = (1, 1), for minimisers (0, 0) and (2, 0), H₁ = diag(1, 3) and H₂ = I",
    right=[1.5, -0.5],
    wrong={
        "circle": Wrong([1.0, -1.0], "(1, −1) is the answer for two identity Hessians. Client 1's right angle depends on H₁: the line through c₁ is "
                                     "perpendicular to g₁ = (1, 3), not to w"),
        "one Newton step": Wrong([0.0, 0.0], "(0, 0) is client 1's minimiser, where its own Newton step leads. But the two clients share one u: use "
                                             "(10)"),
        "averaged Newton": Wrong([1.0, 0.0], "(1, 0) is where the mean of the two Newton steps leads. DQN-Fed satisfies both rates at once: use (10)"),
        "the step": Wrong([-0.5, 1.5], "(−½, 3/2) is u itself. The next point is w − u"),
        "uphill": Wrong([0.5, 2.5], "(½, 5/2) is w + u. The rows point uphill, and the server subtracts"),
        "stays": Wrong([1.0, 1.0], "The point cannot stay where it is. That would need u = 0, so r = 0 for both clients, but r₁ = 4 and r₂ = 2"),
        "rates halved": Wrong([1.25, 0.25], "You used the rates 2 and 1, which is what the two clients could still gain. Newton's rate is twice that: "
                                            "4 and 2"),
    },
    praise="And the next step leads from (3/2, −1/2) back to (1, 1), because (10) cannot tell which of the two points came first",
    hints=(
        "The gradients at (1, 1) are H_k (w − c_k): (1, 3) and (−1, 1).",
        "By (10), w⁺ lies on the line through c_k that is perpendicular to g_k. Draw both lines.",
        "Write w⁺ = (x, y). Then x + 3 y = 0 for client 1, and −(x − 2) + y = 0 for client 2.",
    ),
))


def _arrays(*values):
    return [np.asarray(v, float) for v in values]


def _length(A, r):
    A, r = _arrays(A, r)
    return np.sqrt(r @ np.linalg.solve(A, r))


register(Exercise(
    slug="newton.length",
    task="the length ‖u‖ of DQN-Fed's step, from the Gram matrix A and the rates r alone",
    right=_length,
    cases=[([[4.0, 1.0], [1.0, 1.0]], [2.0, 3.0]), ([[2.0, -1.0, 0.0], [-1.0, 3.0, 1.0], [0.0, 1.0, 2.0]], [1.0, 0.5, 2.0])],
    wrong={
        "squared": Wrong(lambda A, r: _length(A, r) ** 2, "For {case} you answer {given}, which is the squared length; it should be {right}"),
        "weights": Wrong(lambda A, r: np.linalg.norm(np.linalg.solve(*_arrays(A, r))),
                         "For {case} you answer {given}; it should be {right}. That is the length of the weights A⁻¹ r, one number per client. u is "
                         "Gᵀ times these weights, and its squared length has A in the middle"),
        "of dir": Wrong(lambda A, r: 1 / _length(A, r), "For {case} you answer {given}; it should be {right}. That is the length of dir, and u = dir / ‖dir‖²"),
        "one at a time": Wrong(lambda A, r: np.linalg.norm(np.asarray(r) / np.sqrt(np.diag(A))),
                               "For {case} you answer {given}; it should be {right}. That would be right for perpendicular gradients. The "
                               "off-diagonal entries of A say how much the clients help each other or conflict"),
        "largest bound": Wrong(lambda A, r: np.max(np.asarray(r) / np.sqrt(np.diag(A))),
                               "For {case} you answer {given}, the bound (12), which looks at one client at a time. The step can be longer: {right}"),
        "multiplied": Wrong(lambda A, r: np.sqrt(np.asarray(r, float) @ np.asarray(A, float) @ np.asarray(r, float)),
                            "For {case} you answer {given}; it should be {right}. You multiplied by A. For G u = r, the weights are A⁻¹ r"),
    },
    praise="So a server can see the explosion coming before it touches a gradient: r · A⁻¹ r grows without bound where A loses rank",
    hints=(
        "u = Gᵀ y with the weights y = A⁻¹ r. Write out ‖u‖² = u · u.",
        "u · u = y · G Gᵀ y, and G Gᵀ is A.",
        "A y is r, so r · y is left. Do not forget the square root.",
    ),
))


def _return_distance(A, r, A_next, r_next):
    return np.sqrt(max(0.0, _length(A, r) ** 2 - _length(A_next, r_next) ** 2))


def _without_inverse(A, r, A_next, r_next):
    A, r, B, s = _arrays(A, r, A_next, r_next)
    with np.errstate(invalid="ignore"):
        return np.sqrt(r @ A @ r - s @ B @ s)


_ROUNDS = [
    ([[4.0, 1.0], [1.0, 1.0]], [2.0, 3.0], [[2.0, 0.5], [0.5, 3.0]], [1.0, 1.5]),
    ([[2.0, -1.0], [-1.0, 1.0]], [1.0, 2.0], [[4.0, -1.0], [-1.0, 2.0]], [2.0, 1.0]),
]

register(Exercise(
    slug="newton.return_distance",
    task="the distance from w_t to w_{t+2}, from the Gram matrices and the rates of rounds t and t + 1",
    right=_return_distance,
    cases=_ROUNDS,
    wrong={
        "squared": Wrong(lambda A, r, B, s: _return_distance(A, r, B, s) ** 2,
                         "For {case} you answer {given}, the squared distance. Formula (11) is about squares, so take the root: {right}"),
        "lengths": Wrong(lambda A, r, B, s: _length(A, r) - _length(B, s),
                         "For {case} you answer {given}; it should be {right}. You subtracted the lengths of the steps. Subtract their squares, and take "
                         "the root"),
        "sum": Wrong(lambda A, r, B, s: np.hypot(_length(A, r), _length(B, s)),
                     "For {case} you answer {given}; it should be {right}. You added the squares. The right angle is at the last of the three "
                     "models, so the first step is the longest side of the triangle"),
        "old matrix": Wrong(lambda A, r, B, s: np.sqrt(abs(_length(A, r) ** 2 - _length(A, s) ** 2)),
                            "For {case} you answer {given}; it should be {right}. The second step needs the Gram matrix of its own round, `A_next`"),
        "no inverse": Wrong(_without_inverse,
                            "For {case} you answer {given}; it should be {right}. The squared length of a step with the rates r is r · A⁻¹ r. You multiplied by A instead of "
                            "its inverse"),
        "first step": Wrong(lambda A, r, B, s: _length(A, r), "For {case} you answer {given}, the length of the first step; it should be {right}"),
    },
    praise="So a server can watch the path become 2-periodic without ever comparing two models",
    hints=(
        "The second line is the first one again, with the numbers of the next round.",
        "Formula (11): the squared distance is the difference of the two squared lengths.",
        "The function returns a distance, so take the square root at the end.",
    ),
))


def _hull_weights(A, r):
    A, r = _arrays(A, r)
    B = A / np.outer(r, r)
    across = B[0, 0] - 2 * B[0, 1] + B[1, 1]
    a = 0.5 if across == 0 else np.clip((B[1, 1] - B[0, 1]) / across, 0, 1)
    return B, np.array([a, 1 - a])


def _at_least_rates(A, r):
    B, lam = _hull_weights(A, r)
    return np.asarray(r, float) * (B @ lam) / (lam @ B @ lam)


def _unclipped(A, r):
    return np.asarray(r, float)


def _undivided(A, r):
    A = np.asarray(A, float)
    B, lam = _hull_weights(A, np.ones(2))
    return A @ lam / (lam @ B @ lam)


register(Exercise(
    slug="newton.at_least_rates",
    task="both clients' rates along v = D / ‖D‖², from the Gram matrix A and the rates r",
    right=_at_least_rates,
    cases=[([[4.0, 1.0], [1.0, 1.0]], [2.0, 1.0]), ([[1.0, 3.0], [3.0, 16.0]], [1.0, 2.0]), ([[9.0, 4.0], [4.0, 2.0]], [1.0, 1.0])],
    wrong={
        "exact": Wrong(_unclipped, "For {case} you answer {given}, which is r; it should be {right}. If formula (1) of chapter 4 gives a weight outside 0 to 1, "
                                   "D is an end of the segment, and the other client has more than its r_k"),
        "not divided": Wrong(_undivided, "For {case} you answer {given}; it should be {right}. This is the nearest point for the gradients themselves. The segment "
                                         "is between g₁/r₁ and g₂/r₂, whose Gram matrix has the entries A_jk / (r_j r_k)"),
        "along D": Wrong(lambda A, r: np.asarray(r, float) * (lambda B, lam: B @ lam)(*_hull_weights(A, r)),
                         "For {case} you answer {given}, the rates along D; it should be {right}. The step is v = D / ‖D‖²"),
        "scaled": Wrong(lambda A, r: _at_least_rates(A, r) / np.asarray(r, float),
                        "For {case} you answer {given}, each client's rate divided by its r_k; it should be {right}. Multiply by r again, because a row is "
                        "g_k / r_k"),
    },
    praise="A client that has no weight in the hull can have more than its r_k. By chapter 4's optimality conditions, a client with weight has exactly r_k",
    hints=(
        "The rows g_k / r_k have the Gram matrix B with B_jk = A_jk / (r_j r_k). `np.outer(r, r)` has the entries r_j r_k.",
        "Formula (1) of chapter 4 with B gives the weight of the first row; cut it off at 0 and 1. With the weights λ, ‖D‖² = λᵀ B λ.",
        "(B λ)_k is the dot product of g_k / r_k with D. Multiply by r_k and divide by ‖D‖².",
    ),
))


def _along_mean(G, H):
    G, H = _arrays(G, H)
    return G @ np.linalg.solve(H, G[..., None])[..., 0].mean(0)


register(Exercise(
    slug="newton.along_mean",
    task="each client's rate g_k · v along the mean v of the clients' own Newton steps",
    right=_along_mean,
    cases=[([[1.0, 0.0], [0.0, 2.0]], [[[1.0, 0.0], [0.0, 1.0]], [[2.0, 1.0], [1.0, 2.0]]]),
           ([[2.0, -1.0], [-3.0, 1.0]], [[[1.0, 0.0], [0.0, 4.0]], [[4.0, 0.0], [0.0, 1.0]]])],
    wrong={
        "own rates": Wrong(lambda G, H: np.array([g @ np.linalg.solve(h, g) for g, h in zip(*_arrays(G, H))]),
                           "For {case} you answer {given}; it should be {right}. Those are Newton's rates, each client's along its own step. The "
                           "server takes the mean step, which has a different direction"),
        "newton on the mean": Wrong(lambda G, H: np.asarray(G, float) @ np.linalg.solve(np.asarray(H, float).mean(0), np.asarray(G, float).mean(0)),
                                    "For {case} you answer {given}; it should be {right}. You took Newton's step for the mean loss. The exercise asks "
                                    "for the mean of the clients' own Newton steps: solve first, then average"),
        "sum": Wrong(lambda G, H: len(G) * _along_mean(G, H), "For {case} you answer {given}; it should be {right}. You added up the steps without "
                                                              "dividing by K"),
        "step": Wrong(lambda G, H: np.linalg.solve(np.asarray(H, float), np.asarray(G, float)[..., None])[..., 0].mean(0),
                      "For {case} you answer {given}. That is the mean step, with one number per parameter. A rate is a client's gradient times that "
                      "step: {right}"),
        "not inverted": Wrong(lambda G, H: np.asarray(G, float) @ np.einsum("kij,kj->ki", *_arrays(H, G)).mean(0),
                              "For {case} you answer {given}; it should be {right}. You multiplied by the Hessians. A Newton step is H⁻¹ g"),
        "mean gradient": Wrong(lambda G, H: np.asarray(G, float) @ np.asarray(G, float).mean(0),
                               "For {case} you answer {given}; it should be {right}. That is FedAvg's answer, which does not use the curvature"),
    },
    praise="Nothing keeps such a rate positive. In the second case client 2's rate is −1.5, so the mean of the Newton steps sacrifices client 2",
    hints=(
        "Compute each client's own Newton step H_k⁻¹ g_k first: `np.linalg.solve(H[k], G[k])`.",
        "Then take their mean over the clients, which is one vector v.",
        "The rates are G @ v. For a negative one, let a client with small curvature conflict with one with large curvature.",
    ),
))


def _flat(m):
    return (m - 2) / (m - 1)


register(Exercise(
    slug="newton.flat",
    task="the factor by which a round multiplies the error, for homogeneous losses of degree m with one shared minimiser and K = d",
    right=_flat,
    cases=[(4.0,), (3.0,), (10.0,), (2.5,)],
    wrong={
        "removed": Wrong(lambda m: 1 / (m - 1), "For {case} you answer {given}; it should be {right}. 1/(m − 1) is the part of the error that u "
                                                "removes. The exercise asks for the part that is left"),
        "degree": Wrong(lambda m: (m - 1) / m, "For {case} you answer {given}; it should be {right}. Euler's e · g = m f is about the loss. You need "
                                               "the same for the gradient, which is homogeneous of degree m − 1: H e = (m − 1) g"),
        "linear": Wrong(lambda m: (m - 2) / m, "For {case} you answer {given}; it should be {right}. r = 2 f and g · e = m f give 2/m, but r = 2 f "
                                               "holds for quadratics only. Compute H⁻¹ g from H e = (m − 1) g"),
        "zero": Wrong(lambda m: 0.0, "0 is right for m = 2, which is the quadratic case. For {case} the Hessian vanishes at the minimiser, and part "
                                     "of the error is left: {right}"),
        "squared": Wrong(lambda m: _flat(m) ** 2, "For {case} you answer {given}; it should be {right}. The exercise asks for the error itself, not "
                                                  "its square"),
        "loss": Wrong(lambda m: _flat(m) ** m, "For {case} you answer {given}, the factor by which the loss is multiplied. The exercise asks for the "
                                               "error's: {right}"),
    },
    praise="The mean loss is homogeneous of degree m as well, so for Newton's method H⁻¹ g = e/(m − 1) too. For m = 4, both keep two thirds of the "
           "error in every round",
    hints=(
        "Differentiate f(w* + τe) = τᵐ f(w* + e): gradients are homogeneous of degree m − 1.",
        "Differentiate g(w* + τe) = τ^(m−1) g(w* + e) with respect to τ at τ = 1. This gives H e = (m − 1) g. What is H⁻¹ g, and so r?",
        "r_k = g_k · e / (m − 1) for every k. With K = d linearly independent gradients, the equations G u = r have exactly one solution. Guess it, "
        "and then look at e − u.",
    ),
))


def _hop_length(q, s, h):
    return np.hypot(q - 2 * s, h + s * (q - s) / h)


register(Exercise(
    slug="newton.hop_length",
    task="the length of the step from w = (0, h), for c₁ = (−s, 0), c₂ = (q − s, 0) and the Hessians aI and bI",
    right=_hop_length,
    cases=[(2.0, 0.5, 1.0), (4.0, 1.0, 0.5), (3.0, 2.5, 2.0), (5.0, 1.0, 2.0)],
    wrong={
        "straight down": Wrong(lambda q, s, h: h + s * (q - s) / h, "For {case} you answer {given}; it should be {right}. You went straight down. "
                                                                    "That is right in the middle, at s = q/2; elsewhere w⁺ also moves sideways, by q "
                                                                    "− 2s"),
        "from the middle": Wrong(lambda q, s, h: h + q * q / (4 * h),
                                 "For {case} you answer {given}; it should be {right}. You start half-way between the two minimisers. The start is at a distance s from one of "
                                 "them and q − s from the other along the line, and then the step also goes sideways"),
        "unit height": Wrong(lambda q, s, h: h + 1 / h, "For {case} you answer {given}; it should be {right}. h + 1/h is for the pair in the text, "
                                                        "with q = 2 and s = 1"),
        "depth": Wrong(lambda q, s, h: s * (q - s) / h, "For {case} you answer {given}, how far w⁺ is below the line. The step starts at height h "
                                                        "above the line, and it also goes sideways: {right}"),
        "sideways alone": Wrong(lambda q, s, h: abs(q - 2 * s), "For {case} you answer {given}, the sideways part of the step. Vertically it moves by "
                                                                "h + s (q − s)/h"),
        "shortest": Wrong(lambda q, s, h: q, "For {case} you answer {given}, the shortest step there is. From this height it is {right}"),
        "back up": Wrong(lambda q, s, h: np.hypot(q - 2 * s, h - s * (q - s) / h),
                         "For {case} you answer {given}; it should be {right}. w⁺ is at the height z = −s (q − s)/h, below the line. So the vertical "
                         "distance is h − z, which is a sum"),
        "squared": Wrong(lambda q, s, h: _hop_length(q, s, h) ** 2, "For {case} you answer {given}, which is the squared length; it should be {right}"),
    },
    praise="The smallest circle through two points at a distance q has the diameter q, so no full step is shorter. The curvatures multiply whole "
           "equations of (10) and drop out",
    hints=(
        "Put w⁺ = (x, z) and the given coordinates into (10). Each curvature multiplies a whole equation.",
        "Subtract one equation from the other: h z cancels, which leaves x = q − 2s. Substitute this to get h z.",
        "h z = −s (q − s). The step is the vector from (0, h) to (q − 2s, z).",
    ),
))

register(Question(
    slug="newton.giving_way",
    task="a rule that keeps Newton's rates nearly exact where it can, and passes walls",
    hints=(
        "At a wall A is singular, and u is long because (5) insists on exact rates. Which change to A⁻¹ keeps the step bounded and hardly alters it "
        "where A is well-conditioned?",
        "With A + τI instead of A, the step minimises ‖G u − r‖² + τ ‖u‖². Are all its rates positive? Where are they not?",
        "What does the rule do where a client's rate is too small? The chapter has a direction that serves every client there. Which line of the "
        "theorem \"at least\" does your rule still satisfy?",
    ),
))

register(Question(
    slug="newton.liars",
    task="what happens to u if a loss is multiplied or shifted, or a report is false",
    hints=(
        "Row k of G u = r reads g_k · u = r_k. What happens to this equation if both sides are multiplied by 10?",
        "How do g, H and so r = g · H⁻¹ g change if a loss is multiplied by 10, and if it is shifted by 10?",
        "The equation contains what a client sends, but its true rate is its honest g times u. Try what happens if only one of the two quantities "
        "that it sends is false.",
    ),
))
