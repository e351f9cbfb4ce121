"""Chapter 2: the proximal average."""

import numpy as np

from fairfl_book.exercises.registry import Exercise, Question, Wrong, register


def _huber(w, eta, h, c, L):
    away = (w - c) / (1 + eta * h)
    return c + away if h * abs(away) <= L else w - eta * L * np.sign(away)


def _on_the_slope_at_w(w, eta, h, c, L):
    return c + (w - c) / (1 + eta * h) if h * abs(w - c) <= L else w - eta * L * np.sign(w - c)


register(Exercise(
    slug="prox.huber",
    task="the proximal map of a parabola whose slope is cut off at L",
    right=_huber,
    cases=[(3.0, 1.0, 1.0, 0.0, 2.0), (9.0, 1.0, 1.0, 0.0, 2.0), (3.0, 4.0, 1.0, 0.0, 2.0), (-5.0, 0.5, 2.0, 1.0, 1.0), (1.0, 0.5, 0.1, 4.0, 1.0),
           (4.0, 0.5, 3.0, 0.0, 2.0)],
    wrong={
        "slope at w": Wrong(_on_the_slope_at_w,
                            "For {case} you answer {given}. You check whether the loss is straight at w. What matters is where the client *ends*: it "
                            "can start on the straight part and stop in the bowl. So check the slope there: {right}"),
        "no cut": Wrong(lambda w, eta, h, c, L: c + (w - c) / (1 + eta * h),
                        "For {case} you answer {given}, which is the parabola's proximal map. Outside the bowl the loss pulls with the force L and no "
                        "more, so the client moves a shorter way: {right}"),
        "straight everywhere": Wrong(lambda w, eta, h, c, L: w - eta * L * np.sign(w - c),
                                     "For {case} you answer {given}, a step of η L. That is right if the step ends on the straight part. In the bowl "
                                     "the slope is smaller than L: {right}"),
        "gradient step": Wrong(lambda w, eta, h, c, L: w - eta * np.clip(h * (w - c), -L, L),
                               "For {case} you answer {given}, which is one gradient step of size η, with the slope at w. The proximal map uses the "
                               "slope where it ends: {right}"),
        "no η": Wrong(lambda w, eta, h, c, L: c + (w - c) / (1 + eta * h) if h * abs(w - c) / (1 + eta * h) <= L else w - L * np.sign(w - c),
                      "For {case} you answer {given}. On the straight part, the leash balances the slope L where (w − x) / η = L. So the client moves "
                      "by η L, and the answer is {right}"),
        "no h": Wrong(lambda w, eta, h, c, L: c + (w - c) / (1 + eta * h) if abs(w - c) / (1 + eta * h) <= L else w - eta * L * np.sign(w - c),
                      "For {case} you answer {given}. You compare the distance from c with L. The *slope* in the bowl is h times that distance, and it is the slope that must "
                      "not exceed L: {right}"),
        "stops at the bowl": Wrong(lambda w, eta, h, c, L: c + np.clip((w - c) / (1 + eta * h), -L / h, L / h),
                                   "For {case} you answer {given}. You never let the client stop before the edge of the bowl. But it may end further "
                                   "out, where the leash already balances L: {right}"),
    },
    praise="The result is never further from w than η L. This is why, in the lab, clients with a bounded slope cannot be told apart by their "
           "curvature as long as they all end on the straight part",
    hints=(
        "There are two cases: the client ends in the bowl, or on the straight part. Solve each one as if the other did not exist.",
        "In the bowl, h (x − c) + (x − w) / η = 0. On the straight part, the slope ±L balances (w − x) / η.",
        "Which case is it? Compute the bowl's answer and look at its slope h (x − c). If its absolute value is larger than L, the client does not end "
        "in the bowl.",
    ),
))


def _arrays(*values):
    return [np.asarray(v, float) for v in values]


def _shrinking(eta, H, lam):
    """The matrix of the mean map: Σ λ_k (I + η H_k)⁻¹."""
    H, lam = _arrays(H, lam)
    return np.tensordot(lam, np.linalg.inv(np.eye(H.shape[1]) + eta * H), 1)


def _curvature(eta, H, lam):
    mean = _shrinking(eta, H, lam)
    return (np.linalg.inv(mean) - np.eye(len(mean))) / eta


def _of_the_envelope(eta, H, lam):
    mean = _shrinking(eta, H, lam)
    return (np.eye(len(mean)) - mean) / eta


def _entry_by_entry(eta, H, lam):
    H, lam = _arrays(H, lam)
    return (1 / np.tensordot(lam, 1 / (np.eye(H.shape[1]) + eta * H), 1) - np.eye(H.shape[1])) / eta


register(Exercise(
    slug="prox.round",
    task="the matrix B with (I + η B)⁻¹ = Σ λ_k (I + η H_k)⁻¹",
    right=_curvature,
    cases=[(1.0, [[[2.0, 1.0], [1.0, 2.0]], [[1.0, 0.5], [0.5, 3.0]]], [0.25, 0.75]),
           (0.5, [[[1.0, 0.5], [0.5, 1.0]], [[2.0, -1.0], [-1.0, 1.0]], [[0.5, 0.25], [0.25, 1.0]]], [0.2, 0.5, 0.3])],
    wrong={
        "mean": Wrong(lambda eta, H, lam: np.tensordot(lam, np.asarray(H, float), 1),
                      "For {case} you answer {given}, which is the curvature of the mean loss; it should be {right}. That is the proximal average "
                      "only in the limit η → 0"),
        "harmonic mean": Wrong(lambda eta, H, lam: np.linalg.inv(np.tensordot(lam, np.linalg.inv(np.asarray(H, float)), 1)),
                               "For {case} you answer {given}, which is the harmonic mean of the H_k; it should be {right}. That is the other limit, "
                               "η → ∞"),
        "envelope": Wrong(_of_the_envelope,
                          "For {case} you answer {given}, which is the curvature of the mean of the *envelopes*. That mean is the envelope (6) of the "
                          "average. The exercise asks for the average itself, whose curvature is larger: {right}"),
        "inverse": Wrong(lambda eta, H, lam: np.linalg.inv(_shrinking(eta, H, lam)),
                         "For {case} you answer {given}, which is I + η B. Subtract I and divide by η: {right}"),
        "map": Wrong(_shrinking, "For {case} you answer {given}, which is the matrix of the average's *map*. A loss with curvature B has the map (I + "
                                 "η B)⁻¹: {right}"),
        "no η": Wrong(lambda eta, H, lam: eta * _curvature(eta, H, lam),
                      "For {case} you answer {given}, which is η B. Divide by η: {right}"),
        "equal weights": Wrong(lambda eta, H, lam: _curvature(eta, H, np.full(len(lam), 1 / len(lam))),
                               "For {case} you answer {given}. You count every client once, but the server weights them by λ: {right}"),
        "entry by entry": Wrong(_entry_by_entry,
                                "For {case} you answer {given}; it should be {right}. You inverted each entry separately. `np.linalg.inv` inverts the "
                                "matrix as a whole"),
    },
    praise="As η grows, B goes from the mean of the H_k (η → 0) to their harmonic mean (η → ∞, if all of them are invertible)",
    hints=(
        "How far apart are the images of two points v and w under the proximal map of *one* loss with matrix H? Set the gradient H (x − c) + (x − w) "
        "/ η to zero for both, and subtract.",
        "The images differ by (I + η H)⁻¹ (v − w). By (4), the average's map gives the mean of these differences, for all v and w.",
        "So (I + η B)⁻¹ = Σ λ_k (I + η H_k)⁻¹. `np.linalg.inv` inverts one matrix, or a stack of them. Solve for B.",
    ),
))


def _steps(mu, h, lr):
    return np.log1p(h / mu) / -np.log1p(-lr * h)


register(Exercise(
    slug="prox.match",
    task="the E with (1 − ℓ h)^E = 1 / (1 + h / μ)",
    right=_steps,
    cases=[(0.5, 1.0, 0.1), (2.0, 0.3, 0.4), (0.01, 0.1, 0.2)],
    wrong={
        "η for μ": Wrong(lambda mu, h, lr: np.log1p(mu * h) / -np.log1p(-lr * h),
                         "For {case} you answer {given}. You used μ as the length of the leash. A large μ means a short leash, η = 1 / μ: {right}"),
        "sum of steps": Wrong(lambda mu, h, lr: 1 / (mu * lr), "For {case} you answer {given}, which comes from η = ℓ E. That holds only while ℓ h E "
                                                               "and h / μ are both small; here it takes {right} steps"),
        "resting point": Wrong(lambda mu, h, lr: 1 + 2 / (mu * lr), "For {case} you answer {given}, which comes from η = ℓ (E − 1) / 2. That makes "
                                                                    "the resting points agree for small steps. The exercise asks when the *client* "
                                                                    "gets equally far: {right}"),
        "sign": Wrong(lambda mu, h, lr: np.log1p(h / mu) / np.log1p(-lr * h),
                      "For {case} you answer {given}, a negative number of steps; it should be {right}. The logarithm of 1 − ℓ h is negative, and so "
                      "is that of 1 / (1 + h / μ). Did one of them lose its sign?"),
        "way covered": Wrong(lambda mu, h, lr: np.log(h / (mu + h)) / np.log1p(-lr * h),
                             "For {case} you answer {given}. You set what is *left* after the steps equal to what the leash *covers*, h / (μ + h). "
                             "What the leash leaves is μ / (μ + h): {right}"),
        "rounded up": Wrong(lambda mu, h, lr: np.ceil(_steps(mu, h, lr)),
                            "For {case} you answer {given}, the next whole number of steps. The exercise asks for the exact E, which need not be whole: {right}"),
        "small steps": Wrong(lambda mu, h, lr: np.log1p(h / mu) / (lr * h),
                             "For {case} you answer {given}. You replaced the logarithm of 1 / (1 − ℓ h) by ℓ h, which is accurate only for tiny "
                             "steps. The exact answer is {right}"),
    },
    praise="The answer depends on h: the same μ corresponds to many steps for a flat client and to few for a curved one. So no single E replaces a μ "
           "for a whole federation",
    hints=(
        "Formula (9) gives the part of the distance to c that is left, after E local steps and after one proximal step. In (12), η = 1 / μ.",
        "Set (1 − ℓ h)^E equal to 1 / (1 + h / μ). E is in the exponent, so take logarithms.",
        "E log(1 − ℓ h) = −log(1 + h / μ).",
    ),
))

register(Exercise(
    slug="prox.limit",
    task="the curvature h₂, from the points where the proximal average is smallest for the shortest and the longest leash",
    right=1.5,
    wrong={
        "equal weights": Wrong(1.0, "1 is right for equal weights. But with equal weights the long leash would rest at 3.5, the plain mean of 1 and "
                                    "6, and it rests at 3. Find the weights first"),
        "exchanged": Wrong(2 / 3, "2/3 comes from λ = (0.4, 0.6). The point 3 is nearer to client 1's minimiser 1 than to client 2's 6, so client 1 "
                                  "has the larger weight"),
        "weight left in": Wrong(0.6, "0.6 is λ₂ h₂, client 2's weight times its curvature. Divide it by λ₂"),
        "ways upside down": Wrong(24.0, "24 makes client 2 pull four times as hard as client 1 per unit of distance. At 2, client 2 is four times as "
                                        "far from its minimiser, so per unit of distance it pulls a quarter as hard: λ₁ h₁ (2 − 1) = λ₂ h₂ (6 − 2)"),
        "ends exchanged": Wrong(32 / 3, "32/3 uses 2 as the long leash's point and 3 as the short one's. On the *long* leash, curvature has no "
                                        "influence"),
    },
    tolerance=5e-3,
    praise="Two resting points have told the server something that no update reveals openly: a client's curvature. Exercise 8 returns to this",
    hints=(
        "Begin with the long leash. Every client walks home, whatever its curvature. Which weights put the mean of 1 and 6 at 3?",
        "On the short leash the mean loss is smallest, so the weighted slopes λ_k h_k (x − c_k) cancel at x = 2.",
        "Put λ and h₁ into that equation. The only unknown left is h₂.",
    ),
))

register(Exercise(
    slug="prox.one_step",
    task="w_t − ℓ times the gradient at w_t of f(w) + (μ/2)(w − w_t)²",
    right=2.2,
    wrong={
        "exact": Wrong(34 / 14, "2.43 is the proximal map, the exact minimiser of f plus the leash. Here the client takes one gradient step, which "
                                "starts at w_t, where the leash is slack"),
        "towards zero": Wrong(-0.8, "−0.8 comes from the penalty (μ/2) w², which pulls towards zero. FedProx pulls towards w_t, and at w_t that pull "
                                    "is zero"),
        "shrunken step": Wrong(2.6, "2.6 is half of the way. Perhaps the derivative lost a factor: that of 2 (w − 1)² is 4 (w − 1). Or you divided "
                                    "the step by 1 + ℓ μ, as if the leash were already taut, whereas at w_t its gradient μ (w − w_t) is zero"),
        "uphill": Wrong(
            3.8,
            "3.8 is w_t plus the step, which goes uphill. Subtract the step instead",
        ),
        "the step": Wrong(
            0.8,
            "0.8 is the step itself, ℓ times the gradient. The exercise asks for the model that the client sends back, which is where the step ends",
        ),
        "step size forgotten": Wrong(
            -5.0,
            "−5 subtracts the whole gradient, 8. The step is ℓ = 0.1 times the gradient",
        ),
        "minimum": Wrong(
            1.0,
            "1 is the minimiser of f. One step does not get that far",
        ),
    },
    tolerance=2e-3,
    praise="So with one full-batch step, FedProx is FedAvg for every μ. Papers that report different accuracies for the two in this setting are "
           "showing you their noise",
    hints=(
        "Take one gradient step: subtract ℓ times the gradient of (12) at w_t from w_t.",
        "What is the gradient μ (w − w_t) of the penalty at the point w = w_t itself?",
        "What is left is one step on f alone. Mind the factor that differentiating (w − 1)² brings.",
    ),
))



def _contraction(eta, h, lam):
    h, lam = _arrays(h, lam)
    return float(lam @ (1 / (1 + eta * h)))


register(Exercise(
    slug="prox.contraction",
    task="the smallest factor by which a round (7) brings two servers closer together, if f_k − h_k ‖x‖² / 2 is convex",
    right=_contraction,
    cases=[(1.0, [1.0, 3.0], [0.5, 0.5]), (2.0, [0.0, 1.0, 0.25], [0.2, 0.5, 0.3]), (10.0, [1.0, 0.1], [0.9, 0.1])],
    wrong={
        "mean curvature": Wrong(lambda eta, h, lam: 1 / (1 + eta * float(np.dot(lam, h))),
                                "For {case} you answer {given}, which is the factor for the mean curvature. It is too small: try quadratics with "
                                "these h_k. Each client's map shrinks by its own factor, and it is the factors that are averaged: {right}"),
        "slowest client": Wrong(lambda eta, h, lam: 1 / (1 + eta * min(h)),
                                "For {case} you answer {given}, the slowest client's factor. It is a valid bound, but not the smallest. The other "
                                "clients shrink more, and the server averages, so {right} is valid too"),
        "gradient step": Wrong(lambda eta, h, lam: float(np.dot(lam, np.abs(1 - eta * np.asarray(h)))),
                               "For {case} you answer {given}, the factors |1 − η h| of gradient steps. A proximal step uses the slope where it ends, "
                               "which gives 1 / (1 + η h): {right}"),
        "square root": Wrong(lambda eta, h, lam: float(np.dot(lam, 1 / np.sqrt(1 + 2 * eta * np.asarray(h)))),
                             "For {case} you answer {given}. It is a valid bound, but not the smallest: you added the squares ‖p − q‖² once and "
                             "dropped one of them. Each of the two proximal points has its own (∗), with h/2 ‖p − q‖² more, and the Cauchy–Schwarz "
                             "inequality does the rest: {right}"),
        "equal weights": Wrong(lambda eta, h, lam: float(np.mean(1 / (1 + eta * np.asarray(h)))),
                               "For {case} you answer {given}. You count every client once, but the server weights them by λ: {right}"),
        "reciprocal of the mean": Wrong(lambda eta, h, lam: float(1 / np.dot(lam, 1 / (1 + eta * np.asarray(h)))),
                                        "For {case} you answer {given}, which is above 1. Its reciprocal is {right}"),
    },
    praise="So the rounds converge at a fixed rate as soon as one client with positive weight has h_k > 0. The check sees only the number, so ask "
           "somebody to read your proof",
    hints=(
        "f_k(x) − h_k ‖x − p‖² / 2 is convex too, since it differs by a linear function. Repeat the first step of the proof with it: (∗) gains h_k ‖x "
        "− p‖² / 2 on the right-hand side.",
        "Add the two sharpened versions of (∗), as in the last step of the proof: (1 + η h_k) ‖p − q‖² ≤ (w − v) · (p − q).",
        "Then use the triangle inequality for the mean over clients. For \"smallest\": which losses turn every inequality into an equality, for all "
        "clients in the same direction?",
    ),
))

register(Question(
    slug="prox.corrected",
    task="a local step such that twenty of them come to rest where the mean loss is smallest",
    hints=(
        "Suppose that the mean loss is smallest at w_t. Each client's slope there is not zero; only their mean is. How could you make a client stay?",
        "Let client k subtract its own slope at w_t from every local slope, and add the mean slope at w_t instead.",
        "On the first of its steps, every client then moves in the same way. When do all of them stay? And when does the mean slope have to be known?",
    ),
))

register(Question(
    slug="prox.best_weights",
    task="weights with which twenty local steps come to rest where the mean loss is smallest, whatever the c_k are",
    hints=(
        "Both points are means of the same c_k. FedAvg rests at the one weighted by λ_k times the pull 1 − (1 − ℓ h_k)^E. The mean loss is smallest "
        "at the one weighted by h_k.",
        "For the two means to agree for all c_k, the two sets of weights must be proportional, client by client. Solve for λ_k.",
        "`pull_steps(20)` gives the pulls; divide by their sum at the end. Then ask what one update tells the server about these numbers, and what "
        "two updates from different w tell it.",
    ),
))
