"""Chapter 2: the proximal average."""

import numpy as np

from fairfl_book.exercises.registry import Exercise, Wrong, register


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
    },
    praise="With b = 0 this is soft thresholding, the map behind the lasso",
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
    },
    praise="Repeat it until nothing moves and you have minimised the proximal average without ever writing it down",
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
    },
    praise="It grows like a power of E: 100 steps may stand for a leash of thousands",
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
    },
    tolerance=5e-3,
    praise="The curvatures 4 and 1 were there to distract you",
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
        "shrunken step": Wrong(2.6, "You divided the step by 1 + ℓ μ, as if the leash were already taut. At w_t its gradient μ (w − w_t) is zero"),
    },
    tolerance=2e-3,
    praise="So with one full-batch step, FedProx is FedAvg for every μ. Papers that list the two with different accuracies in this setting "
           "are showing you their noise",
))
