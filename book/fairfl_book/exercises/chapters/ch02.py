"""Chapter 2: the proximal average."""

import numpy as np

from fairfl_book.exercises.registry import Exercise, Question, Wrong, register


def _shrink(w, by, b):
    return b + np.sign(w - b) * max(abs(w - b) - by, 0.0)


register(Exercise(
    slug="prox.absolute",
    task="the proximal map of f(x) = a |x − b| at w: move by η a towards b, and stop there",
    right=lambda w, eta, a, b: _shrink(w, eta * a, b),
    cases=[(3.0, 0.5, 2.0, 1.0), (1.2, 0.5, 2.0, 1.0), (0.5, 0.5, 1.0, 2.0), (-4.0, 2.0, 0.5, 1.0)],
    wrong={
        "overshoots": Wrong(lambda w, eta, a, b: w - eta * a * np.sign(w - b),
                            "For (w, η, a, b) = ({case}) you answer {given}. That step of length η a jumps over the kink at b. Past b the loss "
                            "grows again, so the minimiser is b itself: {right}"),
        "towards zero": Wrong(lambda w, eta, a, b: _shrink(w, eta * a, 0.0),
                              "For (w, η, a, b) = ({case}) you answer {given}: you pull towards 0. This loss has its kink at b, so pull "
                              "there: {right}"),
        "no η": Wrong(lambda w, eta, a, b: _shrink(w, a, b),
                      "For (w, η, a, b) = ({case}) you answer {given}. You move by a, whatever the leash. Set the derivative of "
                      "a |x − b| + (x − w)² / (2 η) to zero: the move is η a, and the answer {right}"),
        "divided": Wrong(lambda w, eta, a, b: _shrink(w, a / eta, b),
                         "For (w, η, a, b) = ({case}) you answer {given}. You move by a / η, less on a longer leash. A large η "
                         "is a long leash, and the move is η a: {right}"),
        "no stop, derivative at b": Wrong(
            lambda w, eta, a, b: b if abs(w - b) <= eta * a else w,
            "For (w, η, a, b) = ({case}) you answer {given}; it should be {right}. You stop at b where it is within reach, and that "
            "is right. Where it is not, w still moves: by η a towards b",
        ),
        "gradient size": Wrong(
            lambda w, eta, a, b: w - eta * a * (w - b),
            "For (w, η, a, b) = ({case}) you answer {given}; it should be {right}. You step by η a times the distance, as for a "
            "parabola. The slope of a |x − b| is a or −a, however far b is",
        ),
    },
    praise="With b = 0 this is soft thresholding, the map behind the lasso",
    hints=(
        "By (2) the map minimises a |x − b| + (x − w)² / (2 η) over x. Away from b, the first term has the slope a or −a.",
        "Set the derivative to zero for x > b: how far is x from w? For x < b the move goes the other way, and as far.",
        "If that move would carry w past b, the derivative is zero on neither side, and the kink itself is the minimiser. `np.sign` and `max` put "
        "this into one line.",
    ),
))


def _arrays(*values):
    return [np.asarray(v, float) for v in values]


def _round(w, eta, h, c, lam):
    h, c, lam = _arrays(h, c, lam)
    return float(lam @ (c + (w - c) / (1 + eta * h)))


def _explicit(w, eta, h, c, lam):
    h, c, lam = _arrays(h, c, lam)
    return float(w - eta * lam @ (h * (w - c)))


def _of_the_mean(w, eta, h, c, lam):
    h, c, lam = _arrays(h, c, lam)
    return float((lam @ (h * c) + w / eta) / (lam @ h + 1 / eta))


register(Exercise(
    slug="prox.round",
    task="Σ λ_k P_k(w) for the quadratics h_k (x − c_k)² / 2",
    right=_round,
    cases=[(0.0, 2.0, [1.0, 0.5], [4.0, -2.0], [0.25, 0.75]), (5.0, 0.5, [2.0, 0.1, 1.0], [1.0, 3.0, 0.0], [0.2, 0.5, 0.3])],
    wrong={
        "gradient step": Wrong(_explicit, "For {case} you answer {given}. That is one gradient step of size η from w. A proximal step ends where "
                                          "the client's gradient *there* balances the leash; the distance to c_k is divided by 1 + η h_k: {right}"),
        "map of the mean": Wrong(_of_the_mean, "For {case} you answer {given}: the proximal map of the mean loss. The clients each take "
                                               "their own map and the server averages the results: {right}. The difference between the two is "
                                               "this chapter"),
        "equal weights": Wrong(lambda w, eta, h, c, lam: _round(w, eta, h, c, np.full(len(lam), 1 / len(lam))),
                               "For {case} you answer {given}. You counted every client once; the server weighs them by λ: {right}"),
        "not back to c": Wrong(
            lambda w, eta, h, c, lam: float(np.asarray(lam) @ ((w - np.asarray(c)) / (1 + eta * np.asarray(h)))),
            "For {case} you answer {given}; it should be {right}. You have the distances that are left, w − c divided by 1 + η h. "
            "Where a client stands is that far from its own c_k: add it",
        ),
    },
    praise="Repeat it until nothing moves and you have minimised the proximal average without ever writing it down",
    hints=(
        "Each client's own map is in (8): P(w) = c + (w − c) / (1 + η h).",
        "With arrays for h and c that line gives the answers of all clients at once.",
        "Round (7) is their mean with the weights λ: a product of two vectors, one number.",
    ),
))


def _match(h, lr, E):
    return ((1 - lr * h) ** -E - 1) / h


register(Exercise(
    slug="prox.match",
    task="the η with 1 / (1 + η h) = (1 − ℓ h)^E",
    right=_match,
    cases=[(0.5, 0.4, 3), (1.0, 0.1, 10), (0.1, 0.2, 50)],
    wrong={
        "sum of steps": Wrong(lambda h, lr, E: lr * E, "For (h, ℓ, E) = ({case}) you answer {given}: E steps of size ℓ. That is right only while "
                                                       "ℓ h E is small. The steps shorten as the client nears its minimiser, and it takes a "
                                                       "longer leash, {right}, to get as near"),
        "resting point": Wrong(lambda h, lr, E: lr * (E - 1) / 2, "For (h, ℓ, E) = ({case}) you answer {given}, ℓ (E − 1) / 2. That η makes the "
                                                                  "resting points agree for small steps. Asked is the η for which the *maps* "
                                                                  "agree: {right}"),
        "no division": Wrong(lambda h, lr, E: (1 - lr * h) ** -E - 1, "For (h, ℓ, E) = ({case}) you answer {given}, which is η h. Divide by h: "
                                                                      "{right}"),
        "not inverted": Wrong(
            lambda h, lr, E: ((1 - lr * h) ** E - 1) / h,
            "For (h, ℓ, E) = ({case}) you answer {given}; it should be {right}. You set 1 + η h to (1 − ℓ h)^E. It is its reciprocal: "
            "what is left of the distance is 1 / (1 + η h)",
        ),
        "pull": Wrong(
            lambda h, lr, E: (1 - (1 - lr * h) ** E) / h,
            "For (h, ℓ, E) = ({case}) you answer {given}; it should be {right}. You set η h equal to the pull of E steps, 1 − (1 − ℓ "
            "h)^E. The proximal step's own pull is η h / (1 + η h)",
        ),
        "one step": Wrong(
            lambda h, lr, E: (1 / (1 - lr * h) - 1) / h * E,
            "For (h, ℓ, E) = ({case}) you answer {given}; it should be {right}. You took E times the leash of one step. The factors "
            "(1 − ℓ h) multiply: raise to the power E first",
        ),
    },
    praise="It grows like a power of E: 100 steps may stand for a leash of thousands",
    hints=(
        "Formula (9) says what is left of the distance to c: after E local steps, and after one proximal step. Set the two factors equal.",
        "Turn both sides over, so that 1 + η h stands alone on one of them.",
        "In Python `x**-E` is a negative power. Do not forget h when you solve for η.",
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
        "Or in (8): multiply every b_k by η and let η grow. What becomes of the curvatures?",
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

register(Question(
    slug="prox.best_weights",
    task="weights with which twenty local steps rest where the mean loss is least",
    hints=(
        "Two means of the same c_k: FedAvg rests at the one weighted by λ_k times the pull 1 − (1 − ℓ h_k)^E, and the mean loss is least at the one "
        "weighted by h_k.",
        "Make the two sets of weights proportional, client by client, and solve for λ_k.",
        "`pull_steps(20)` gives the pulls; divide by the sum at the end. Then ask which of these numbers an update tells the server.",
    ),
))
