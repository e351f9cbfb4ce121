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
    cases=[(3.0, 1.0, 1.0, 0.0, 2.0), (9.0, 1.0, 1.0, 0.0, 2.0), (3.0, 4.0, 1.0, 0.0, 2.0), (-5.0, 0.5, 2.0, 1.0, 1.0), (1.0, 0.5, 0.1, 4.0, 1.0)],
    wrong={
        "slope at w": Wrong(_on_the_slope_at_w,
                            "For (w, η, h, c, L) = ({case}) you answer {given}. You ask whether the loss is straight at w. What counts is where the client "
                            "*ends*: it may start on the straight part and stop in the bowl, so ask for the slope there: {right}"),
        "no cut": Wrong(lambda w, eta, h, c, L: c + (w - c) / (1 + eta * h),
                        "For ({case}) you answer {given}: the parabola's proximal map. Beyond its bowl the loss pulls with L and no more, and the client goes "
                        "a shorter way: {right}"),
        "straight everywhere": Wrong(lambda w, eta, h, c, L: w - eta * L * np.sign(w - c),
                                     "For ({case}) you answer {given}, a step of η L. That is right where the step ends on the straight part. In the bowl the "
                                     "slope is smaller than L: {right}"),
        "gradient step": Wrong(lambda w, eta, h, c, L: w - eta * np.clip(h * (w - c), -L, L),
                               "For ({case}) you answer {given}: one gradient step of size η, with the slope at w. The proximal map takes the slope where it "
                               "ends: {right}"),
        "no η": Wrong(lambda w, eta, h, c, L: c + (w - c) / (1 + eta * h) if h * abs(w - c) / (1 + eta * h) <= L else w - L * np.sign(w - c),
                      "For ({case}) you answer {given}. On the straight part the leash balances the slope L where (w − x) / η = L: the way is η L, and the "
                      "answer {right}"),
        "stops at the bowl": Wrong(lambda w, eta, h, c, L: c + np.clip((w - c) / (1 + eta * h), -L / h, L / h),
                                   "For ({case}) you answer {given}. You stop the client at the edge of the bowl at the latest. It may end further out, where the "
                                   "leash has balanced L already: {right}"),
    },
    praise="It is never further from w than η L. That is why, in the lab, clients with a bounded slope cannot be told apart by their curvature as long as all end on "
           "the straight part",
    hints=(
        "Two cases: the client ends in the bowl, or on the straight part. Solve each as if there were no other.",
        "In the bowl: h (x − c) + (x − w) / η = 0. On the straight part: the slope ±L balances (w − x) / η.",
        "Which case is it? Compute the bowl's answer and look at its own slope h (x − c): if that is larger than L in size, the end is not in the bowl.",
    ),
))


def _arrays(*values):
    return [np.asarray(v, float) for v in values]


def _round(w, eta, H, c, lam):
    w, H, c, lam = _arrays(w, H, c, lam)
    ends = np.linalg.solve(np.eye(len(w)) + eta * H, (w + eta * (H @ c[:, :, None])[:, :, 0])[:, :, None])[:, :, 0]
    return lam @ ends


def _explicit(w, eta, H, c, lam):
    w, H, c, lam = _arrays(w, H, c, lam)
    return w - eta * lam @ (H @ (w - c)[:, :, None])[:, :, 0]


def _of_the_mean(w, eta, H, c, lam):
    w, H, c, lam = _arrays(w, H, c, lam)
    pulls = lam @ (H @ c[:, :, None])[:, :, 0]
    return np.linalg.solve(np.eye(len(w)) + eta * np.tensordot(lam, H, 1), w + eta * pulls)


def _entry_by_entry(w, eta, H, c, lam):
    w, H, c, lam = _arrays(w, H, c, lam)
    return lam @ (c + (w - c) / (1 + eta * np.diagonal(H, axis1=1, axis2=2)))


def _not_back(w, eta, H, c, lam):
    w, H, c, lam = _arrays(w, H, c, lam)
    return _round(w, eta, H, c, lam) - lam @ c


register(Exercise(
    slug="prox.round",
    task="Σ λ_k P_k(w) for the quadratics (x − c_k)ᵀ H_k (x − c_k) / 2",
    right=_round,
    cases=[([4.0, 0.0], 1.0, [[[2.0, 1.0], [1.0, 2.0]], [[1.0, 0.0], [0.0, 3.0]]], [[0.0, 0.0], [2.0, 4.0]], [0.25, 0.75]),
           ([1.0, -1.0], 0.5, [[[1.0, 0.5], [0.5, 1.0]], [[2.0, -1.0], [-1.0, 1.0]], [[0.0, 0.0], [0.0, 1.0]]],
            [[1.0, 3.0], [0.0, -2.0], [4.0, 1.0]], [0.2, 0.5, 0.3])],
    wrong={
        "gradient step": Wrong(_explicit, "For {case} you answer {given}. That is one gradient step of size η from w. A proximal step ends where "
                                          "the client's gradient *there* balances the leash: solve (I + η H_k) x = w + η H_k c_k. It gives {right}"),
        "map of the mean": Wrong(_of_the_mean, "For {case} you answer {given}: the proximal map of the mean loss. The clients each take "
                                               "their own map and the server averages the results: {right}. The difference between the two is "
                                               "this chapter"),
        "equal weights": Wrong(lambda w, eta, H, c, lam: _round(w, eta, H, c, np.full(len(lam), 1 / len(lam))),
                               "For {case} you answer {given}. You counted every client once; the server weighs them by λ: {right}"),
        "not back to c": Wrong(
            _not_back,
            "For {case} you answer {given}; it should be {right}. You have the ways that are left, (I + η H)⁻¹ (w − c). "
            "Where a client stands is that far from its own c_k: add it",
        ),
        "entry by entry": Wrong(
            _entry_by_entry,
            "For {case} you answer {given}; it should be {right}. You divided each coordinate by 1 + η times the diagonal of H. Off the diagonal stands how "
            "one coordinate's slope depends on the other: the system (I + η H_k) x = w + η H_k c_k must be solved as a whole",
        ),
    },
    praise="Repeat it until nothing moves and you have minimised the proximal average without ever writing it down",
    hints=(
        "Set the gradient of (x − c)ᵀ H (x − c) / 2 + ‖x − w‖² / (2 η) to zero: a linear system for x.",
        "Multiply by η and sort: (I + η H) x = w + η H c. `np.linalg.solve` solves it, one client at a time or all at once.",
        "Round (7) is the mean of the solutions with the weights λ: `lam @ ends`, with a row of `ends` per client.",
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
                         "For (μ, h, ℓ) = ({case}) you answer {given}. You used μ as the length of the leash. A large μ is a short leash, η = 1 / μ: {right}"),
        "sum of steps": Wrong(lambda mu, h, lr: 1 / (mu * lr), "For (μ, h, ℓ) = ({case}) you answer {given}, from η = ℓ E. That is right only while both "
                                                               "ℓ h E and h / μ are small; here it takes {right} steps"),
        "resting point": Wrong(lambda mu, h, lr: 1 + 2 / (mu * lr), "For (μ, h, ℓ) = ({case}) you answer {given}, from η = ℓ (E − 1) / 2. That makes "
                                                                    "the resting points agree for small steps. Asked is when the *client* gets as far: {right}"),
        "sign": Wrong(lambda mu, h, lr: np.log1p(h / mu) / np.log1p(-lr * h),
                      "For (μ, h, ℓ) = ({case}) you answer {given}, a negative number of steps; it should be {right}. The logarithm of 1 − ℓ h is negative, and so is that "
                      "of 1 / (1 + h / μ): did one lose its sign?"),
        "way covered": Wrong(lambda mu, h, lr: np.log(h / (mu + h)) / np.log1p(-lr * h),
                             "For (μ, h, ℓ) = ({case}) you answer {given}. You set what is *left* after the steps equal to the way that the leash *covers*, h / (μ + h). "
                             "What it leaves is μ / (μ + h): {right}"),
        "small steps": Wrong(lambda mu, h, lr: np.log1p(h / mu) / (lr * h),
                             "For (μ, h, ℓ) = ({case}) you answer {given}: you took ℓ h for the logarithm of 1 / (1 − ℓ h), which is right for tiny steps only. Exactly it is "
                             "{right}"),
    },
    praise="The number depends on h: one μ stands for many steps of a flat client and few of a curved one. So no E replaces a μ for a whole federation",
    hints=(
        "Formula (9) says what is left of the distance to c: after E local steps, and after one proximal step. In (12), η = 1 / μ.",
        "Set (1 − ℓ h)^E equal to 1 / (1 + h / μ). E stands in an exponent: take logarithms.",
        "E log(1 − ℓ h) = −log(1 + h / μ).",
    ),
))

register(Exercise(
    slug="prox.limit",
    task="the minimiser of the proximal average as η → ∞",
    right=2.0,
    wrong={
        "mean loss": Wrong(4.4 / 3.4, "1.29 minimises the mean loss, where client 1 pulls harder because its curvature is larger. That is the "
                                      "other end, η → 0. On an endless leash everyone walks to its own minimiser and curvature no longer counts"),
        "equal weights": Wrong(3.5, "3.5 is the plain mean of the two minimisers. The server still weighs them: 0.8 · 1 + 0.2 · 6"),
        "η = 1": Wrong(1.24 / 0.74, "1.68 is the minimiser at η = 1, where pulls are h / (1 + h). As η grows, both pulls become equal"),
        "exchanged": Wrong(
            5.0,
            "5 is 0.2 · 1 + 0.8 · 6: the weights have changed places. Client 1, with weight 0.8, has its minimum at 1",
        ),
    },
    tolerance=5e-3,
    praise="The curvatures 4 and 1 were there to distract you",
    hints=(
        "On an endless leash, where does a client's own map P_k(w) end, whatever w is?",
        "Or in (8): multiply every softened curvature h_k / (1 + η h_k) by η and let η grow. What becomes of the curvatures?",
        "What is left is a mean of the two minimisers, with the server's weights λ.",
    ),
))

register(Exercise(
    slug="prox.one_step",
    task="w_t − ℓ times the gradient at w_t of f(w) + (μ/2)(w − w_t)²",
    right=2.2,
    wrong={
        "exact": Wrong(34 / 14, "2.43 is the proximal map, the exact minimiser of f plus the leash. The client here takes one gradient step, "
                                "and it starts at w_t, where the leash is slack"),
        "towards zero": Wrong(-0.8, "−0.8 comes from the penalty (μ/2) w², which pulls to zero. FedProx pulls to w_t, and at w_t that pull "
                                    "is zero"),
        "shrunken step": Wrong(2.6, "2.6 is half of the way. Either the derivative lost a factor: that of 2 (w − 1)² is 4 (w − 1). Or you divided the step by "
                                    "1 + ℓ μ, as if the leash were already taut: at w_t its gradient μ (w − w_t) is zero"),
        "uphill": Wrong(
            3.8,
            "3.8 is w_t plus the step: it goes uphill. The step is taken away",
        ),
        "the step": Wrong(
            0.8,
            "0.8 is the step itself, ℓ times the gradient. Asked is the model that is sent back, where the step ends",
        ),
        "step size forgotten": Wrong(
            -5.0,
            "−5 takes the whole gradient 8 away. The step is ℓ = 0.1 times the gradient",
        ),
        "minimum": Wrong(
            1.0,
            "1 is the minimiser of f. One step does not get there",
        ),
    },
    tolerance=2e-3,
    praise="So with one full-batch step, FedProx is FedAvg for every μ. Papers that list the two with different accuracies in this setting "
           "are showing you their noise",
    hints=(
        "One gradient step: take ℓ times the gradient of (12), at w_t, away from w_t.",
        "What is the gradient μ (w − w_t) of the penalty at the very point w = w_t?",
        "What is left is one step on f alone. Mind the factor that comes down when (w − 1)² is differentiated.",
    ),
))



def _contraction(eta, h, lam):
    h, lam = _arrays(h, lam)
    return float(lam @ (1 / (1 + eta * h)))


register(Exercise(
    slug="prox.contraction",
    task="the smallest factor by which a round (7) brings two servers together, if f_k − h_k ‖x‖² / 2 is convex",
    right=_contraction,
    cases=[(1.0, [1.0, 3.0], [0.5, 0.5]), (2.0, [0.0, 1.0, 0.25], [0.2, 0.5, 0.3]), (10.0, [1.0, 0.1], [0.9, 0.1])],
    wrong={
        "mean curvature": Wrong(lambda eta, h, lam: 1 / (1 + eta * float(np.dot(lam, h))),
                                "For (η, h, λ) = ({case}) you answer {given}, the factor of the mean curvature. It is too small: try quadratics with these h_k. "
                                "Each client's map shrinks by its own factor, and the factors are averaged: {right}"),
        "slowest client": Wrong(lambda eta, h, lam: 1 / (1 + eta * min(h)),
                                "For ({case}) you answer {given}, the slowest client's factor. It holds, but it is not the smallest: the others shrink more, and "
                                "the server averages. {right} holds too"),
        "gradient step": Wrong(lambda eta, h, lam: float(np.dot(lam, np.abs(1 - eta * np.asarray(h)))),
                               "For ({case}) you answer {given}: the factors |1 − η h| of gradient steps. A proximal step takes the slope where it ends, "
                               "which gives 1 / (1 + η h): {right}"),
        "square root": Wrong(lambda eta, h, lam: float(np.dot(lam, 1 / np.sqrt(1 + 2 * eta * np.asarray(h)))),
                             "For ({case}) you answer {given}. It holds, but is not the smallest: you added the squares ‖p − q‖² once and dropped one. Both proximal "
                             "points have their (∗), each with h/2 ‖p − q‖² more, and Cauchy and Schwarz does the rest: {right}"),
        "equal weights": Wrong(lambda eta, h, lam: float(np.mean(1 / (1 + eta * np.asarray(h)))),
                               "For ({case}) you answer {given}. You counted every client once; the server weighs them by λ: {right}"),
        "reciprocal of the mean": Wrong(lambda eta, h, lam: float(1 / np.dot(lam, 1 / (1 + eta * np.asarray(h)))),
                                        "For ({case}) you answer {given}, which is above 1: turned over it is {right}"),
    },
    praise="So the rounds converge at a fixed rate as soon as one client with weight has h_k > 0. The check sees the number only: have somebody read your proof",
    hints=(
        "f_k(x) − h_k ‖x − p‖² / 2 is convex too, since it differs by a linear function. Go through the first step of the proof again with it: (∗) gains h_k ‖x − p‖² / 2 on the "
        "right.",
        "Add the two sharpened (∗), as in the last step of the proof: (1 + η h_k) ‖p − q‖² ≤ (w − v) · (p − q).",
        "Then the triangle inequality for the mean over clients. For \"no smaller\": which losses make every inequality an equation, for all clients in the same direction?",
    ),
))

register(Question(
    slug="prox.corrected",
    task="a local step with which twenty of them rest where the mean loss is least",
    hints=(
        "Suppose w_t is where the mean loss is least. Each client's slope there is not zero, only their mean is. How could a client be told not to move?",
        "Let client k subtract its own slope at w_t from every local slope, and add the mean slope at w_t instead.",
        "In the first of its steps every client then goes the same way. When do all of them stay? And when must the mean slope be known?",
    ),
))

register(Question(
    slug="prox.best_weights",
    task="weights with which twenty local steps rest where the mean loss is least, whatever the c_k",
    hints=(
        "Two means of the same c_k: FedAvg rests at the one weighted by λ_k times the pull 1 − (1 − ℓ h_k)^E, and the mean loss is least at the one "
        "weighted by h_k.",
        "For the two means to agree whatever the c_k are, the two sets of weights must be proportional, client by client. Solve for λ_k.",
        "`pull_steps(20)` gives the pulls; divide by the sum at the end. Then ask what one update tells the server of these numbers, and what two updates from different w do.",
    ),
))
