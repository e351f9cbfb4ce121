"""Chapter 6: rules that change weights."""

import numpy as np

from fairfl_book.exercises.registry import Exercise, Question, Wrong, register

register(Exercise(
    slug="reweighting.threshold",
    task="the smallest λ₁ at which client 1's rate is not negative, for A = [[2, −4], [−4, 11]]",
    right=2 / 3,
    wrong={
        "equal": Wrong(0.5, "At equal weights client 1's rate is (2 − 4)/2 = −1: its loss rises. Set (A λ)₁ = 2 λ₁ − 4 (1 − λ₁) to zero"),
        "the other client": Wrong(11 / 15, "11/15 is where client 2's rate reaches zero, from above. Client 1's rate is the first row of A λ"),
        "complement": Wrong(1 / 3, "1/3 is client 2's weight there; λ₁ is what remains"),
        "lengths": Wrong(11 / 13, "11/13 makes λ_k A_kk equal for both. That is the rate each client gets from itself; the conflict −4 takes from both"),
        "roots": Wrong(np.sqrt(11) / (np.sqrt(2) + np.sqrt(11)), "That makes the two vectors λ_k g_k equally long. The rate asks for inner products, "
                                                                  "not for lengths: 2 λ₁ − 4 (1 − λ₁) = 0"),
        "sign": Wrong(
            -2.0,
            "−2 comes from 2 λ₁ − 4 − 4 λ₁: the minus before the bracket turns the sign of −λ₁ as well",
        ),
    },
    praise="Between 2/3 and 11/15 nobody pays. No loss was needed to find this interval, and no rule in this chapter looks for it",
    hints=(
        "Client 1's rate is the first row of A λ, with 1 − λ₁ for λ₂.",
        "It is a straight line in λ₁ that rises. Find where it crosses zero.",
        "Multiply out with care: −4 (1 − λ₁) adds to the λ₁ term.",
    ),
))


def _normalised(values):
    return values / values.sum()


def _powers(losses, q):
    return _normalised(np.asarray(losses, float) ** q)


register(Exercise(
    slug="reweighting.q_weights",
    task="weights proportional to f_k^q, of sum 1",
    right=_powers,
    cases=[([1.0, 2.0], 1.0), ([0.5, 0.2, 1.5], 2.0), ([1.0, 3.0], 0.0)],
    wrong={
        "one too many": Wrong(lambda f, q: _powers(f, q + 1),
                              "For {case} you answer {given}; it should be {right}. You raised to q + 1. That power is in the sum which is minimised; "
                              "differentiating brings it down to q"),
        "not scaled": Wrong(lambda f, q: np.asarray(f, float) ** q,
                            "The proportions are right, but the weights must sum to 1: for {case} they are {right}"),
        "exponential": Wrong(lambda f, q: _normalised(np.exp(q * np.asarray(f, float))),
                             "For {case} you answer {given}; it should be {right}. exp(q f) is TERM's weight. Powers compare losses by their ratio, "
                             "exponentials by their difference"),
        "upside down": Wrong(lambda f, q: _powers(f, -q),
                             "For {case} you answer {given}; it should be {right}. Your weights favour the clients with small losses: that is the sign of "
                             "α-fairness for utilities, and losses turn it round"),
        "times shares": Wrong(
            lambda f, q: np.asarray(f, float) * q / max(np.sum(np.asarray(f, float) * q), 1e-300),
            "For {case} you answer {given}; it should be {right}. You multiplied by q; f_k is raised to the power q",
        ),
        "largest one": Wrong(
            lambda f, q: np.asarray(f, float) ** q / np.max(np.asarray(f, float) ** q),
            "For {case} you answer {given}; it should be {right}. You divided by the largest, so that the worst client has weight 1. "
            "Weights sum to 1: divide by the sum",
        ),
    },
    praise="All losses times ten give the same weights; try it",
    hints=(
        "Gradient descent follows ∇F_q in (3), not F_q: which power of f_k stands before g_k there?",
        "Raise every loss to that power, then divide by the sum over all clients.",
    ),
))


def _tilted(f, t):
    f = np.asarray(f, float)
    return _normalised(np.exp(t * (f - (f.max() if t > 0 else f.min()))))


def _naive(f, t):
    with np.errstate(over="ignore", invalid="ignore"):
        return _normalised(np.exp(t * np.asarray(f, float)))


def _unscaled(f, t):
    with np.errstate(over="ignore"):
        return np.exp(t * np.asarray(f, float))


register(Exercise(
    slug="reweighting.tilted",
    task="weights proportional to exp(t f_k), of sum 1, also where f is large",
    right=_tilted,
    cases=[([1.0, 2.0], 1.0), ([0.5, 0.2, 1.5], 5.0), ([1000.0, 1001.0], 2.0), ([0.3, 0.6], 0.0)],
    wrong={
        "overflow": Wrong(_naive, "For small losses you are right; for {case} you answer {given}, because exp(2000) is more than a float holds. A constant "
                                  "added to all losses changes nothing, so subtract the largest t f first: {right}"),
        "turned round": Wrong(lambda f, t: _tilted(f, -t),
                              "For {case} you answer {given}; it should be {right}. With the minus sign the largest loss gets the smallest weight"),
        "powers": Wrong(_powers, "For {case} you answer {given}; it should be {right}. f^t is q-FFL's weight; TERM's is exp(t f)"),
        "temperature": Wrong(lambda f, t: _tilted(f, 1 / t) if t else np.full(len(f), 1 / len(f)),
                             "For {case} you answer {given}; it should be {right}. You divide by t as by a temperature; TERM multiplies, and a larger t "
                             "means more weight on the worst"),
        "not scaled": Wrong(
            _unscaled,
            "For {case} you answer {given}; it should be {right}. These are the factors exp(t f). Proportional weights that sum to 1 "
            "are these divided by their sum",
        ),
        "shifted, not scaled": Wrong(
            lambda f, t: np.exp(t * (np.asarray(f, float) - np.max(f))),
            "For {case} you answer {given}; it should be {right}. Subtracting the largest is the right idea. What is left is to "
            "divide by the sum",
        ),
    },
    praise="One unit of loss more is worth a factor exp(t) in weight, wherever you start",
    hints=(
        "Formula (4) says proportional to exp(t f_k): so divide by the sum.",
        "exp(2000) is more than a float holds. What happens to the weights if a constant is added to all t f_k?",
        "It multiplies every exponential by the same factor, which the sum takes out again. So you may subtract the largest t f_k from all of them "
        "first.",
    ),
))


def _project(v):
    v = np.asarray(v, float)
    down = np.sort(v)[::-1]
    excess = (down.cumsum() - 1) / np.arange(1, len(v) + 1)
    return np.maximum(v - excess[(down > excess).sum() - 1], 0)


def _cut(v):
    return _normalised(np.maximum(np.asarray(v, float), 0))


register(Exercise(
    slug="reweighting.project",
    task="the point of the simplex nearest to v",
    right=_project,
    cases=[([0.6, 0.6],), ([0.9, 0.5, -0.2],), ([0.4, 0.35, 0.25],), ([1.6, 0.3, 0.2],)],
    wrong={
        "cut and divide": Wrong(_cut, "For {case} you answer {given}; it should be {right}. Dividing by the sum gives a point of the simplex, but not the nearest: "
                                      "the nearest is reached by subtracting one number from all entries, then cutting at zero"),
        "subtract only": Wrong(lambda v: np.asarray(v, float) - (np.sum(v) - 1) / len(v),
                               "For {case} you answer {given}; it should be {right}. The sum is right, but a weight is negative. Once an entry is cut to zero, the "
                               "number to subtract from the others changes"),
        "subtract, cut": Wrong(lambda v: np.maximum(np.asarray(v, float) - (np.sum(v) - 1) / len(v), 0),
                               "For {case} you answer {given}; it should be {right}. After cutting, your weights no longer sum to 1: θ must be computed over those "
                               "that stay positive only"),
        "softmax": Wrong(lambda v: _tilted(v, 1.0), "For {case} you answer {given}; it should be {right}. A softmax lands on the simplex but moves even points that "
                                                    "are on it already"),
        "absolute": Wrong(
            lambda v: np.abs(np.asarray(v, float)) / np.abs(np.asarray(v, float)).sum(),
            "For {case} you answer {given}; it should be {right}. You divided sizes by their sum. A negative entry is far from the "
            "simplex, and its nearest weight is 0",
        ),
        "clipped": Wrong(
            lambda v: np.clip(np.asarray(v, float), 0, 1),
            "For {case} you answer {given}; it should be {right}. You cut each entry to between 0 and 1, and the weights do not sum "
            "to 1. Take one number from all entries before you cut at zero",
        ),
    },
    praise="Released codes have been found off by one index here; their weights do not sum to 1",
    hints=(
        "The nearest point is reached by taking one number θ away from every entry and cutting at zero: max(v_k − θ, 0).",
        "The right θ is the one at which what is left sums to 1. That sum only falls as θ grows, so there is just one.",
        "Halve your way to it: keep one θ that is too small and one that is too large, and try the middle. (Sorting gets there in one pass.)",
    ),
))

register(Question(
    slug="reweighting.band",
    task="whether a shorter server step calms TERM, and keeps the tenth office's weight in its band",
    hints=(
        "The weights follow the losses where the server stands. What does a long step do to the loss of a client that has just had a large weight, "
        "and then to its weight?",
        "Three times as many rounds of 0.3 go about as far. How much do losses change between two looks?",
        "`run` takes `tamper`, a function that is shown every round's updates: keep them, and ask `rule.direction` afterwards for weights and "
        "rates.",
    ),
))
