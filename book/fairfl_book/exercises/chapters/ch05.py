"""Chapter 5: FedMGDA+."""

import numpy as np

from fairfl_book.exercises.registry import Exercise, Question, Wrong, register

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
    task="the smallest ε from which the box never matters, for unit rows and λ⁰ of nine times 0.08 and once 0.28",
    right=0.42,
    wrong={
        "equal shares": Wrong(0.4, "0.4 is (3) for ten clients of equal share. Here a client that starts from 0.08 may need one half, and 0.08 + 0.4 falls short of it"),
        "forgot the centre": Wrong(0.5, "No weight above one half is needed, that is right. But ε counts from λ⁰: even from 0.08 a weight reaches one half at "
                                        "ε = {right}"),
        "raw rows": Wrong(0.92, "You answer {given}, which is 1 − 0.08: what raw rows need, where one client may take all of the weight. Rows of length one "
                                "never need more than a half: {right}"),
        "only the lower end": Wrong(0.28, "With ε = 0.28 every weight can fall to 0. But none of the nine can rise above 0.36, and one of them may need one half"),
        "the way to all": Wrong(0.72, "0.72 is 1 − 0.28, the way of the client with the largest share to all of the weight. With rows of length one no client ever needs more "
                                      "than one half, and the longest way to one half starts from 0.08"),
        "largest share": Wrong(0.22, "0.22 lifts the client of the largest share to one half. A client that starts from 0.08 has a longer way, and may need as much"),
    },
    praise="The largest share sets how far a weight must be able to fall, the smallest how far it must rise: max(max λ⁰, ½ − min λ⁰), which is (3) for equal shares of three clients or more",
    hints=(
        "Formula (3) has two terms: how far a weight must be able to fall from 1/K, and how far it must be able to rise. Go back to why.",
        "With unit rows no weight above one half is ever needed, whatever λ⁰ is. Who has the longest way to one half, and who to zero?",
        "The box is out of the way only if it allows both moves to everybody.",
    ),
))


def _minority(m, K, epsilon):
    return min(0.5, m * (1 / K + epsilon))


register(Exercise(
    slug="fedmgda.minority",
    task="the weight that m of K clients have together who send one unit row, while all others send a different one",
    right=_minority,
    cases=[(1, 10, 0.2), (3, 10, 0.05), (2, 8, 0.5), (1, 4, 0.0), (5, 20, 0.1)],
    wrong={
        "one box for all": Wrong(lambda m, K, epsilon: min(0.5, m / K + epsilon),
                                 "For m, K, ε = {case} you answer {given}; it should be {right}. You let the group move by ε. The box is around "
                                 "every client's own weight: m clients may each take ε more"),
        "no half": Wrong(lambda m, K, epsilon: min(1.0, m * (1 / K + epsilon)),
                         "For m, K, ε = {case} you answer {given}; it should be {right}. That is what the box allows. But between two unit rows the "
                         "nearest point is in the middle, and a larger box does not move it"),
        "no half, no one": Wrong(lambda m, K, epsilon: m * (1 / K + epsilon),
                                 "For m, K, ε = {case} you answer {given}; it should be {right}. That is what the box allows, and it can even exceed 1. But between two "
                                 "unit rows the nearest point is in the middle, and a larger box does not move it"),
        "what the others can give": Wrong(lambda m, K, epsilon: min(0.5, m / K + (K - m) * epsilon),
                                          "For m, K, ε = {case} you answer {given}; it should be {right}. You count what the K − m others may give. The m clients may take "
                                          "only ε each, so the group gains at most m ε"),
        "no box": Wrong(lambda m, K, epsilon: 0.5,
                        "For m, K, ε = {case} you answer {given}, the middle between the two rows. It should be {right}: the box may not allow that much"),
        "shares": Wrong(lambda m, K, epsilon: m / K,
                        "For m, K, ε = {case} you answer {given}, the weight at ε = 0. It should be {right}: a nearer point has more of the smaller group"),
        "one client": Wrong(lambda m, K, epsilon: min(0.5, 1 / K + epsilon),
                            "For m, K, ε = {case} you answer {given}; it should be {right}. One client has that much at most, and there are m of them"),
        "the others": Wrong(lambda m, K, epsilon: 1 - _minority(m, K, epsilon),
                            "For m, K, ε = {case} you answer {given}, the weight of the K − m others. The m have {right}"),
    },
    praise="The angle between the two rows does not enter. One of ten at ε = 0.1 has twice its share, and still may pay",
    hints=(
        "Start without the box. How much of each of two unit vectors is in the point nearest to the origin between them?",
        "How much weight may one client have at most? And m clients together?",
        "Whichever of the two is smaller. (The others can always give that much: each of them may go down by ε, and they are at least as many.)",
    ),
))


def _step_size(t, T, eta, decay):
    return eta * decay ** (100 / T * (t // 100))


register(Exercise(
    slug="fedmgda.step_size",
    task="η β^⌊t/100⌋, where T/100 factors β make the decay together",
    right=_step_size,
    cases=[(250, 1000, 1.5, 0.1), (0, 500, 1.0, 0.1), (99, 400, 2.0, 0.5), (399, 400, 2.0, 0.025)],
    wrong={
        "every hundred rounds the whole decay": Wrong(lambda t, T, eta, decay: eta * decay ** (t // 100),
                                                      "For t, T, η and decay {case} you answer {given}; it should be {right}. You multiply by the whole "
                                                      "\"decay\" every hundred rounds. It is the product of T/100 factors: β = decay^(100/T) is lost each time"),
        "every round": Wrong(lambda t, T, eta, decay: eta * decay ** (t / T),
                             "For t, T, η and decay {case} you answer {given}; it should be {right}. Your step shrinks a little in every round; the paper's "
                             "stays for a hundred rounds and then drops: there is a floor in ⌊t/100⌋"),
        "rounded": Wrong(lambda t, T, eta, decay: eta * decay ** (100 / T * round(t / 100)),
                         "For {case} you answer {given}; it should be {right}. You round t/100 to the nearest whole number. ⌊t/100⌋ rounds down: it counts the "
                         "hundreds of rounds that are over"),
        "forgot η": Wrong(lambda t, T, eta, decay: decay ** (100 / T * (t // 100)),
                          "For t, T, η and decay {case} you answer {given}; it should be {right}. That is the paper's printed formula to the letter, and it "
                          "lacks the factor η: its own tables list an η, from 0.5 up to 20"),
        "T/100": Wrong(
            lambda t, T, eta, decay: eta * decay ** (T / 100 * (t // 100)),
            "For t, T, η and decay {case} you answer {given}; it should be {right}. Turn the exponent over: T/100 factors make the "
            "decay, and each is its (T/100)-th root",
        ),
        "the drops inside": Wrong(
            lambda t, T, eta, decay: eta * decay ** (t // 100 / max(T / 100 - 1, 1)),
            "For t, T, η and decay {case} you answer {given}; it should be {right}. You share the decay among the drops that a "
            "round still sees, T/100 − 1 of them. The authors count T/100, with the one that is due after the last round",
        ),
        "once": Wrong(
            lambda t, T, eta, decay: eta * decay ** (100 / T),
            "For t, T, η and decay {case} you answer {given}; it should be {right}. That is η β, one drop whatever the round. By "
            "round t there have been ⌊t/100⌋ of them",
        ),
    },
    praise="In runs of 100 rounds or fewer it never decays at all",
    hints=(
        "First β: `decay` is the product of T/100 equal factors, the one due after the last round included.",
        "⌊t/100⌋ counts the full hundreds of rounds so far; `//` rounds down.",
        "Then η, times β once for each of these hundreds.",
    ),
))

def _worst_rate(K, epsilon):
    return min(0.0, 2 * (1 / K + epsilon) - 1)


register(Exercise(
    slug="fedmgda.worst_rate",
    task="the number below which no rate of unit rows can fall, for ε from 1/K on",
    right=_worst_rate,
    cases=[(10, 0.1), (10, 0.25), (10, 0.4), (5, 0.2), (20, 0.45), (4, 1.0)],
    wrong={
        "forgot the centre": Wrong(lambda K, epsilon: min(0.0, 2 * epsilon - 1),
                                   "For K, ε = {case} you answer {given}; it should be {right}. The largest weight is 1/K + ε: ε counts from 1/K"),
        "sign": Wrong(lambda K, epsilon: max(0.0, 1 - 2 * (1 / K + epsilon)),
                      "For K, ε = {case} you answer {given}: so much a client may pay. Asked is the rate, {right}"),
        "all against one": Wrong(lambda K, epsilon: min(0.0, -(1 - 1 / K - epsilon)),
                                 "For K, ε = {case} you answer {given}: the pull of all the others straight against the client. But its own row is in "
                                 "the mixture too, with the weight 1/K + ε and the rate 1: {right}"),
        "above zero": Wrong(lambda K, epsilon: 2 * min(1.0, 1 / K + epsilon) - 1,
                            "For K, ε = {case} you answer {given}; it should be {right}. A client may hold more than half of the weight here, but it need "
                            "not, and at a stationary point all rates are zero"),
        "above zero, no one": Wrong(lambda K, epsilon: 2 * (1 / K + epsilon) - 1,
                                    "For K, ε = {case} you answer {given}; it should be {right}. Where 1/K + ε exceeds one half, this number is positive. But a client may have less "
                                    "weight than it may, and at a stationary point all rates are zero"),
        "FedAvg-n": Wrong(lambda K, epsilon: min(0.0, 2 / K - 1),
                          "For K, ε = {case} you answer {given}, the worst at ε = 0, where a client keeps the weight 1/K. Here it may have 1/K + ε, so it should be {right}"),
        "a square": Wrong(lambda K, epsilon: -(1 - min(1.0, 1 / K + epsilon)) ** 2 / (4 * min(1.0, 1 / K + epsilon)),
                          "For K, ε = {case} you answer {given}, from (2) and ‖dir‖ alone. Who is at the upper bound is *in* dir with that weight. Use it: {right}"),
    },
    praise="At ε = 1/2 − 1/K it is zero: formula (3) once more, with the price of every smaller box",
    hints=(
        "Low ends are zero, so weight can be taken from any client that has some. If client k could be given more, compare its rate with those of the clients "
        "that have weight: (2) says ρ_k ≥ ‖dir‖².",
        "Else client k has the weight t = 1/K + ε, and dir = t h_k + (1 − t) v, where v is a mean of unit rows. What is h_k · dir, and how small can h_k · v be?",
        "That it is reached: one row against K − 1 equal ones, straight opposite. What weight does (1) give to the one, and what is its rate?",
    ),
))

register(Question(
    slug="fedmgda.one_server",
    task="rows, ε, λ⁰ and a server step that serve a lone office and survive a client with wrong labels",
    hints=(
        "Two numbers pull against each other: the most weight a dissenter can have on the offices, and the most it can have among the ten. What fixes both?",
        "Begin with unit rows and ε between 0.2 and 0.3, and put the three numbers of each run in one line. Then try `rules.FedMGDA(epsilon)`, raw rows, with a server step of 1.",
        "For what breaks it: two offices with wrong labels, a tenth office that sends ten times its gradient, or forty offices instead of ten. What becomes of "
        "the weight 1/K + ε in each?",
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
