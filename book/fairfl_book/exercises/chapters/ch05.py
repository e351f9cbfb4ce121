"""Chapter 5: FedMGDA+."""

import numpy as np

from fairfl_book.exercises.registry import Exercise, Question, Wrong, register

register(Exercise(
    slug="fedmgda.pair",
    task="μ₁ of the unit row of client 1, for g₁ = (3, 0), g₂ = (−1, 1) and ε = 1",
    right=0.5,
    wrong={
        "raw rows": Wrong(5 / 17, "You answer {given}, which is MGDA's weight, for the rows as they are. It is small because g₁ is long. FedMGDA+ "
                                  "works with the unit rows: which point between two vectors of equal length is nearest to the origin?"),
        "weight on the gradient": Wrong(1 / 6, "You answer {given}, which is λ₁ = μ₁/‖g₁‖, the weight on the gradient itself. The question asks for "
                                               "μ₁, the weight on its unit row"),
        "shorter wins": Wrong(0.0, "You answer {given}, which puts all weight on client 2. That would be right if g₂ were the nearest point of the "
                                   "segment, but then client 1's rate would be g₁·g₂ = −3"),
        "cut": Wrong(
            1.0,
            "1 puts all weight on client 1, and then client 2's rate is negative. Draw the two unit rows: which point between them is nearest to the "
            "origin?",
        ),
    },
    praise="It is one half for any two clients. So FedMGDA+ with two clients is FedAvg-n",
    hints=(
        "Divide both gradients by their lengths first. How far are the two points then from the origin?",
        "At ε = 1 the box excludes nothing, so look for the point nearest to the origin on the segment between the unit rows.",
        "The origin and the two ends form a triangle with two equal sides. Where does its height meet the base?",
    ),
))

register(Exercise(
    slug="fedmgda.threshold",
    task="the smallest ε from which the box never matters, for unit rows and a λ⁰ of 0.08 for nine clients and 0.28 for one",
    right=0.42,
    wrong={
        "equal shares": Wrong(0.4, "0.4 comes from (4) for ten clients with equal shares. Here a client that starts at 0.08 may need one half, and "
                                   "0.08 + 0.4 is less than that"),
        "forgot the centre": Wrong(0.5, "It is true that no weight above one half is needed. But ε counts from λ⁰, and a client that starts at 0.08 "
                                        "reaches one half before ε = {given}"),
        "raw rows": Wrong(0.92, "You answer {given}, which is 1 − 0.08. That is needed for raw rows, where one client may take all the weight. Rows "
                                "of length one never need a weight above one half"),
        "only the lower end": Wrong(0.28, "With ε = 0.28 every weight can fall to 0. But none of the nine can rise above 0.36, and one of them may need one half"),
        "the way to all": Wrong(0.72, "0.72 is 1 − 0.28, the distance from the largest share to all of the weight. With rows of length one, no client "
                                      "ever needs more than one half, and the longest way to one half starts at 0.08"),
        "largest share": Wrong(0.22, "0.22 lifts the client with the largest share to one half. A client that starts at 0.08 has further to go, and "
                                     "it may need one half as well"),
    },
    praise="The largest share determines how far a weight must be able to fall, and the smallest how far it must be able to rise: max(max λ⁰, ½ − min "
           "λ⁰). For equal shares of three or more clients, this is (4)",
    hints=(
        "Formula (4) has two terms: how far a weight must be able to fall from 1/K, and how far it must be able to rise. Go back to the reason for "
        "each.",
        "With unit rows no weight above one half is ever needed, whatever λ⁰ is. Which client has the longest way to one half, and which to zero?",
        "The box never matters only if it allows every client both moves.",
    ),
))


def _minority(m, K, epsilon):
    return min(0.5, m * (1 / K + epsilon))


register(Exercise(
    slug="fedmgda.minority",
    task="the total weight of m of the K clients that send one unit row, while all others send a different one",
    right=_minority,
    cases=[(1, 10, 0.2), (3, 10, 0.05), (2, 8, 0.5), (1, 4, 0.0), (5, 20, 0.1)],
    wrong={
        "one box for all": Wrong(lambda m, K, epsilon: min(0.5, m / K + epsilon),
                                 "For {case} you answer {given}; it should be {right}. You let the group as a whole move by ε. But the box is around "
                                 "each client's own weight, so each of the m clients may take ε more"),
        "no half": Wrong(lambda m, K, epsilon: min(1.0, m * (1 / K + epsilon)),
                         "For {case} you answer {given}; it should be {right}. That is what the box allows. But the point between two unit rows that "
                         "is nearest to the origin is in the middle, and a larger box does not move it"),
        "no half, no one": Wrong(lambda m, K, epsilon: m * (1 / K + epsilon),
                                 "For {case} you answer {given}; it should be {right}. That is what the box allows, and it can even exceed 1. But the "
                                 "point between two unit rows that is nearest to the origin is in the middle, and a larger box does not move it"),
        "what the others can give": Wrong(lambda m, K, epsilon: min(0.5, m / K + (K - m) * epsilon),
                                          "For {case} you answer {given}; it should be {right}. You count what the K − m others may give. But each of "
                                          "the m clients may take only ε, so the group gains at most m ε"),
        "no box": Wrong(lambda m, K, epsilon: 0.5,
                        "For {case} you answer {given}, the middle between the two rows. It should be {right}: the box may not allow that much"),
        "shares": Wrong(lambda m, K, epsilon: m / K,
                        "For {case} you answer {given}, the weight at ε = 0. It should be {right}: a point nearer to the origin gives the smaller "
                        "group more weight"),
        "one client": Wrong(lambda m, K, epsilon: min(0.5, 1 / K + epsilon),
                            "For {case} you answer {given}; it should be {right}. That is the most a single client can have, but there are m of them"),
        "the others": Wrong(lambda m, K, epsilon: 1 - _minority(m, K, epsilon),
                            "For {case} you answer {given}, the weight of the K − m others. The m clients have {right}"),
    },
    praise="The angle between the two rows does not matter. At ε = 0.1, a single client out of ten has twice its share, and it may still pay",
    hints=(
        "Start without the box. In the point between two unit vectors that is nearest to the origin, how much weight does each of them have?",
        "How much weight may one client have at most? And m clients together?",
        "The answer is the smaller of the two. (The others can always give that much: each of them may go down by ε, and there are at least as many "
        "of them.)",
    ),
))


def _step_size(t, T, eta, decay):
    return eta * decay ** (100 / T * (t // 100))


register(Exercise(
    slug="fedmgda.step_size",
    task="the server's step size (5) in round t of T, where the decay is the product of all T/100 factors",
    right=_step_size,
    cases=[(250, 1000, 1.5, 0.1), (0, 500, 1.0, 0.1), (99, 400, 2.0, 0.5), (399, 400, 2.0, 0.025)],
    wrong={
        "every hundred rounds the whole decay": Wrong(lambda t, T, eta, decay: eta * decay ** (t // 100),
                                                      "For {case} you answer {given}; it should be {right}. You multiply by the whole \"decay\" every "
                                                      "hundred rounds. It is the product of T/100 factors, so each drop multiplies by β = "
                                                      "decay^(100/T)"),
        "every round": Wrong(lambda t, T, eta, decay: eta * decay ** (t / T),
                             "For {case} you answer {given}; it should be {right}. Your step shrinks a little in every round. The paper's step stays "
                             "constant for a hundred rounds and then drops, because ⌊t/100⌋ rounds down"),
        "rounded": Wrong(lambda t, T, eta, decay: eta * decay ** (100 / T * round(t / 100)),
                         "For {case} you answer {given}; it should be {right}. You round t/100 to the nearest whole number. ⌊t/100⌋ rounds down: it "
                         "counts the completed hundreds of rounds"),
        "forgot η": Wrong(lambda t, T, eta, decay: decay ** (100 / T * (t // 100)),
                          "For {case} you answer {given}; it should be {right}. That is the paper's formula exactly as printed, but it lacks the "
                          "factor η. The paper's own tables list values of η, from 0.5 to 20"),
        "T/100": Wrong(
            lambda t, T, eta, decay: eta * decay ** (T / 100 * (t // 100)),
            "For {case} you answer {given}; it should be {right}. Invert the exponent: T/100 factors multiply to the decay, so each of them is its "
            "(T/100)-th root",
        ),
        "the drops inside": Wrong(
            lambda t, T, eta, decay: eta * decay ** (t // 100 / max(T / 100 - 1, 1)),
            "For {case} you answer {given}; it should be {right}. You divide the decay among the drops that happen before the last round ends, T/100 "
            "− 1 of them. The authors count T/100, including the one that is due after the last round",
        ),
        "per round": Wrong(
            lambda t, T, eta, decay: eta * decay ** (t // 100 / T),
            "For {case} you answer {given}; it should be {right}. Your β is decay^(1/T), as if the step dropped in every round. It drops once in a hundred "
            "rounds, T/100 times in all",
        ),
        "divided": Wrong(
            lambda t, T, eta, decay: eta * (100 * decay / T) ** (t // 100),
            "For {case} you answer {given}; it should be {right}. You divide the decay by the number of drops. The factors are multiplied, so take a root",
        ),
        "once": Wrong(
            lambda t, T, eta, decay: eta * decay ** (100 / T),
            "For {case} you answer {given}; it should be {right}. That is η β, a single drop whatever the round. By round t there have been ⌊t/100⌋ "
            "drops",
        ),
    },
    praise="In runs of 100 rounds or fewer, the step never decays at all",
    hints=(
        "First find β: `decay` is the product of T/100 equal factors, including the one that is due after the last round.",
        "⌊t/100⌋ counts the completed hundreds of rounds; `//` rounds down.",
        "Then multiply η by β once for each of these hundreds.",
    ),
))

def _worst_rate(K, epsilon):
    return min(0.0, 2 * (1 / K + epsilon) - 1)


register(Exercise(
    slug="fedmgda.worst_rate",
    task="the number below which no rate of unit rows can fall, for ε of 1/K or more",
    right=_worst_rate,
    cases=[(10, 0.1), (10, 0.25), (10, 0.4), (5, 0.2), (20, 0.45), (4, 1.0)],
    wrong={
        "forgot the centre": Wrong(lambda K, epsilon: min(0.0, 2 * epsilon - 1),
                                   "For {case} you answer {given}; it should be {right}. The largest weight is 1/K + ε, since ε counts from 1/K"),
        "sign": Wrong(lambda K, epsilon: max(0.0, 1 - 2 * (1 / K + epsilon)),
                      "For {case} you answer {given}, which is how much a client may pay. The exercise asks for the rate, {right}"),
        "all against one": Wrong(lambda K, epsilon: min(0.0, -(1 - 1 / K - epsilon)),
                                 "For {case} you answer {given}, the pull of all the others straight against the client. But the client's own row is "
                                 "in the mixture too, with the weight 1/K + ε and the rate 1: {right}"),
        "above zero": Wrong(lambda K, epsilon: 2 * min(1.0, 1 / K + epsilon) - 1,
                            "For {case} you answer {given}; it should be {right}. Here a client may hold more than half of the weight, but it need "
                            "not, and at a stationary point all rates are zero"),
        "above zero, no one": Wrong(lambda K, epsilon: 2 * (1 / K + epsilon) - 1,
                                    "For {case} you answer {given}; it should be {right}. Where 1/K + ε exceeds one half, your number is positive. "
                                    "But a client may have less weight than the box allows, and at a stationary point all rates are zero"),
        "nobody pays": Wrong(lambda K, epsilon: 0.0,
                             "For {case} you answer {given}; it should be {right}. In a small box a client can pay: its weight cannot rise above 1/K + ε, "
                             "and all the others may pull the opposite way"),
        "FedAvg-n": Wrong(lambda K, epsilon: min(0.0, 2 / K - 1),
                          "For {case} you answer {given}, the worst rate at ε = 0, where each client keeps the weight 1/K. Here it may have 1/K + ε, "
                          "so it should be {right}"),
        "a square": Wrong(lambda K, epsilon: -(1 - min(1.0, 1 / K + epsilon)) ** 2 / (4 * min(1.0, 1 / K + epsilon)),
                          "For {case} you answer {given}, which uses (2) and ‖dir‖ alone. A client at its upper bound is part of dir, with that "
                          "weight. Use this: {right}"),
    },
    praise="At ε = 1/2 − 1/K it is zero. That is formula (4) again, now with the price of every smaller box",
    hints=(
        "The lower bounds are zero, so weight can be taken from any client that has some. If client k could be given more weight, compare its rate "
        "with those of the clients that have weight: (2) says ρ_k ≥ ‖dir‖².",
        "Otherwise client k has the weight t = 1/K + ε, and dir = t h_k + (1 − t) v, where v is a mean of unit rows. What is h_k · dir, and how small "
        "can h_k · v be?",
        "To show that the bound is reached, take one row against K − 1 equal rows that point the opposite way. What weight does (1) give to the "
        "single row, and what is its rate?",
    ),
))

register(Question(
    slug="fedmgda.one_server",
    task="rows, ε, λ⁰ and a server step that serve a lone office and survive a client with wrong labels",
    hints=(
        "Two numbers pull against each other: the largest weight that a dissenter can have on the offices, and the largest that it can have among the "
        "ten. What determines both?",
        "Begin with unit rows and ε between 0.2 and 0.3, and print the three numbers of each run on one line. Then try `rules.FedMGDA(epsilon)`, "
        "which uses raw rows, with a server step of 1.",
        "To break it, try two offices with wrong labels, a tenth office that sends ten times its gradient, or forty offices instead of ten. What "
        "becomes of the weight 1/K + ε in each case?",
    ),
))

register(Question(
    slug="fedmgda.shifted_box",
    task="what changes for the tenth office if the box is centred at the data shares",
    hints=(
        "The box is |μ_k − λ⁰_k| ≤ ε. Between which two weights may the tenth office move, for each of the two centres?",
        "Unit rows would give a lone dissenter nearly one half. Which of its two bounds matters, then?",
        "Run `train` twice, with `lambda0=\"uniform\"` and with `\"shares\"`, and compare the nine's mean accuracy with the tenth's.",
    ),
))
