"""Chapter 5: FedMGDA+."""

import numpy as np

from fairfl_book.exercises.registry import Exercise, Question, Wrong, register


def _bounds(lambda0, epsilon):
    lambda0 = np.asarray(lambda0, float)
    return np.maximum(lambda0 - epsilon, 0), np.minimum(lambda0 + epsilon, 1)


register(Exercise(
    slug="fedmgda.bounds",
    task="two vectors: the smallest and the largest weight that each client may get",
    right=_bounds,
    cases=[([0.1, 0.2, 0.7], 0.4), ([0.5, 0.5], 0.2), ([0.25, 0.25, 0.25, 0.25], 1.0)],
    wrong={
        "outside the simplex": Wrong(lambda lambda0, epsilon: (np.asarray(lambda0, float) - epsilon, np.asarray(lambda0, float) + epsilon),
                                     "For {case} you answer {given}. That is the box alone, and some of these weights are negative or "
                                     "above 1. Weights on the simplex stay between 0 and 1, so it should be {right}"),
        "around 1/K": Wrong(lambda lambda0, epsilon: _bounds(np.full(len(lambda0), 1 / len(lambda0)), epsilon),
                            "For {case} you answer {given}; it should be {right}. You centre the box at 1/K, but this server has weights "
                            "λ⁰ of its own, and the box is around them"),
        "relative": Wrong(lambda lambda0, epsilon: (np.asarray(lambda0, float) * max(1 - epsilon, 0), np.minimum(np.asarray(lambda0, float) * (1 + epsilon), 1)),
                          "For {case} you answer {given}; it should be {right}. You let each weight move by a fraction ε of itself. The box "
                          "has the same half side ε for everybody: small clients may grow by as much as large ones"),
        "above one": Wrong(
            lambda lambda0, epsilon: (np.maximum(np.asarray(lambda0, float) - epsilon, 0), np.asarray(lambda0, float) + epsilon),
            "For {case} you answer {given}; it should be {right}. The lower ends are right. But no weight can be above 1 while the "
            "others are at least 0: cut the upper ends there",
        ),
        "below zero": Wrong(
            lambda lambda0, epsilon: (np.asarray(lambda0, float) - epsilon, np.minimum(np.asarray(lambda0, float) + epsilon, 1)),
            "For {case} you answer {given}; it should be {right}. The upper ends are right. The lower ones cannot be below 0",
        ),
        "turned round": Wrong(
            lambda lambda0, epsilon: _bounds(lambda0, epsilon)[::-1],
            "For {case} you answer {given}; it should be {right}. Smallest and largest have changed places: the smallest weights come "
            "first",
        ),
    },
    praise="With ε = 1 these are 0 and 1, and the box is gone",
    hints=(
        "The box says |μ_k − λ⁰_k| ≤ ε: every weight may move by ε, up or down.",
        "A weight on the simplex is never below 0 nor above 1: cut there. `np.maximum` and `np.minimum` work entry by entry.",
        "Return two vectors, separated by a comma: first the smallest weights, then the largest.",
    ),
))


def _direction(G, mu):
    G = np.asarray(G, float)
    return np.asarray(mu, float) @ (G / np.linalg.norm(G, axis=1, keepdims=True))


def _raw(G, mu):
    return np.asarray(mu, float) @ np.asarray(G, float)


register(Exercise(
    slug="fedmgda.direction",
    task="Σ μ_k g_k / ‖g_k‖",
    right=_direction,
    cases=[([[3.0, 0.0], [0.0, 0.5]], [0.5, 0.5]), ([[1.0, 2.0, 2.0], [-4.0, 0.0, 3.0], [0.0, 1.0, 0.0]], [0.2, 0.3, 0.5])],
    wrong={
        "raw rows": Wrong(_raw, "For {case} you answer {given}; it should be {right}. You weigh the gradients themselves, and the longest "
                                "one decides again. Lines 5 and 7 use the unit rows g_k / ‖g_k‖"),
        "normalised afterwards": Wrong(lambda G, mu: _raw(G, mu) / np.linalg.norm(_raw(G, mu)),
                                       "For {case} you answer {given}; it should be {right}. You add first and normalise the sum: a client who "
                                       "multiplies its gradient by ten still turns that sum. Each row is divided by its own length before"),
        "squared lengths": Wrong(lambda G, mu: np.asarray(mu, float) @ (np.asarray(G, float) / (np.asarray(G, float) ** 2).sum(1, keepdims=True)),
                                 "For {case} you answer {given}; it should be {right}. You divide by ‖g‖², the entry A_kk of the Gram matrix. "
                                 "Its square root is the length"),
        "columns": Wrong(
            lambda G, mu: np.asarray(mu, float) @ (np.asarray(G, float) / np.maximum(np.linalg.norm(G, axis=0), 1e-300)),
            "For {case} you answer {given}; it should be {right}. You divided by the lengths of the columns, one a parameter. A "
            "client is a row: `axis=1`",
        ),
        "divided by K": Wrong(
            lambda G, mu: _direction(G, mu) / len(G),
            "For {case} you answer {given}; it should be {right}. You divided by the number of clients as well. The weights μ sum to "
            "1 already",
        ),
    },
    praise="The weights on the gradients themselves are λ_k = μ_k / ‖g_k‖",
    hints=(
        "Line 7 adds the *unit* rows g_k / ‖g_k‖, with the weights μ.",
        "`np.linalg.norm(G, axis=1, keepdims=True)` is the column of the rows' lengths; the chapter's `unit` divides by it.",
        "Weights times a matrix, in this order, is the weighted sum of its rows.",
    ),
))

register(Exercise(
    slug="fedmgda.pair",
    task="μ₁ of the unit row of client 1, for g₁ = (3, 0), g₂ = (−1, 1) and ε = 1",
    right=0.5,
    wrong={
        "raw rows": Wrong(5 / 17, "You answer {given}: that is MGDA's weight, for the rows as they are. It is small because g₁ is long. FedMGDA+ looks "
                                  "at the unit rows, and between two vectors of equal length the nearest point is in the middle: {right}"),
        "weight on the gradient": Wrong(1 / 6, "You answer {given}, which is λ₁ = μ₁/‖g₁‖, the weight on the gradient itself. Asked is μ₁, on its unit row: "
                                               "{right}"),
        "shorter wins": Wrong(0.0, "You answer {given}: all weight on client 2. That would be right if g₂ were the nearest point of the segment, but its rate "
                                   "for client 1 would be g₁·g₂ = −3"),
        "cut": Wrong(
            1.0,
            "1 would be all weight on client 1, and client 2's rate would be negative. Draw the two unit rows: which point between "
            "them is nearest to the origin?",
        ),
    },
    praise="It is one half for any two clients: FedMGDA+ with two clients is FedAvg-n",
    hints=(
        "Divide both gradients by their lengths first. How far from the origin are the two points then?",
        "At ε = 1 the box forbids nothing: look for the point of the segment between the unit rows that is nearest to the origin.",
        "The origin and the two ends make a triangle with two equal sides. Where does its height meet the base?",
    ),
))

register(Exercise(
    slug="fedmgda.threshold",
    task="the smallest ε from which the box never matters, for 20 clients with unit rows and λ⁰ = 1/20",
    right=0.45,
    wrong={
        "forgot the centre": Wrong(0.5, "No weight above one half is needed, that is right. But ε counts from λ⁰ = 1/20, so that a weight reaches one half at "
                                        "ε = {right}"),
        "raw rows": Wrong(0.95, "You answer {given}, which is 1 − 1/K: what raw rows need, where one client may take all of the weight. Rows of length one "
                                "never need more than a half: {right}"),
        "only the lower end": Wrong(0.05, "You answer {given} = 1/K. That lets every weight fall to 0, but no weight may rise above 0.1. The upper end needs "
                                          "more: {right}"),
    },
    praise="For two and three clients it is the other term that counts: the weights must be able to fall to zero",
    hints=(
        "Formula (3) has two terms: how far a weight must be able to fall from 1/K, and how far it must be able to rise.",
        "With unit rows no weight above one half is ever needed.",
        "Put K = 20 into both terms. The box is out of the way only if it allows both moves.",
    ),
))


def _step_size(t, T, eta, decay):
    return eta * decay ** (100 / T * (t // 100))


register(Exercise(
    slug="fedmgda.step_size",
    task="η β^⌊t/100⌋ with β = decay^(100/T)",
    right=_step_size,
    cases=[(250, 1000, 1.5, 0.1), (0, 500, 1.0, 0.1), (99, 400, 2.0, 0.5), (399, 400, 2.0, 0.025)],
    wrong={
        "every hundred rounds the whole decay": Wrong(lambda t, T, eta, decay: eta * decay ** (t // 100),
                                                      "For t, T, η and decay {case} you answer {given}; it should be {right}. You multiply by the whole "
                                                      "\"decay\" every hundred rounds. It is what is lost over all T rounds: β = decay^(100/T) is lost each time"),
        "every round": Wrong(lambda t, T, eta, decay: eta * decay ** (t / T),
                             "For t, T, η and decay {case} you answer {given}; it should be {right}. Your step shrinks a little in every round; the paper's "
                             "stays for a hundred rounds and then drops: there is a floor in ⌊t/100⌋"),
        "forgot η": Wrong(lambda t, T, eta, decay: decay ** (100 / T * (t // 100)),
                          "For t, T, η and decay {case} you answer {given}; it should be {right}. That is the paper's printed formula to the letter, and it "
                          "lacks the factor η: its own tables list η from 0.5 to 1.5"),
        "T/100": Wrong(
            lambda t, T, eta, decay: eta * decay ** (T / 100 * (t // 100)),
            "For t, T, η and decay {case} you answer {given}; it should be {right}. Turn the exponent over: in T rounds there are "
            "T/100 drops, and each is the (T/100)-th root of the decay",
        ),
        "once": Wrong(
            lambda t, T, eta, decay: eta * decay ** (100 / T),
            "For t, T, η and decay {case} you answer {given}; it should be {right}. That is η β, one drop whatever the round. By "
            "round t there have been ⌊t/100⌋ of them",
        ),
    },
    praise="In runs of 100 rounds or fewer it never decays at all",
    hints=(
        "First β: over all T rounds `decay` is lost, in T/100 equal factors.",
        "⌊t/100⌋ counts the full hundreds of rounds so far; `//` rounds down.",
        "Then η, times β once for each of these hundreds.",
    ),
))

register(Question(
    slug="fedmgda.shifted_box",
    task="what changes for the tenth office if the box is centred at the data shares",
    hints=(
        "The box is |μ_k − λ⁰_k| ≤ ε. Between which two weights may the tenth office move, with each of the two centres?",
        "Unit rows would give a lone dissenter nearly one half. Which of its two bounds matters, then?",
        "Run `train` twice, with `lambda0=\"uniform\"` and with `\"shares\"`, and put the nine's mean accuracy beside the tenth's.",
    ),
))
