"""Chapter 14: real federations."""

import numpy as np

from fairfl_book.exercises.registry import Exercise, Question, Wrong, register

register(Exercise(
    slug="real.chance",
    task="the chance q for which a client's mean weight is ¼, beside one that answers with chance ½",
    right=1 / 5,
    tolerance=1e-3,
    wrong={
        "in proportion": Wrong(1 / 6, "1/6 is a third of 1/2. Weights of ¼ and ¾ are in the ratio 1 to 3, but by (2) the weights differ more than the "
                                      "chances do, so a smaller difference between the chances is enough"),
        "half as often": Wrong(1 / 4, "With 1/4 it answers half as often as the other, and its mean weight is 0.3: 3q / (2 (1 + q))"),
        "empty round counted": Wrong(1 / 3, "You counted the rounds in which no client answers. Divide by the chance that some client does, (1 + q) / "
                                            "2"),
        "first always": Wrong(1 / 2, "1/2 would be right if the first client always answered, as in the section's example. Here it is absent in every "
                                     "second round on average, and the second may then have all the weight"),
        "never alone": Wrong(1, "With q = 1 the second client's mean weight is 3/4. You counted the rounds in which both answer, but not those in "
                                "which the second answers alone and has all the weight"),
    },
    praise="Two fifths of the other's chance give a third of its weight",
    hints=(
        "If both answer, the second client has the weight ½; if it answers alone, 1. How likely is each case, in terms of q?",
        "Its mean weight is q/4 + q/2, divided by the chance that some client answers.",
        "Some client answers with the chance 1 − ½ (1 − q). Set the quotient equal to ¼.",
    ),
))


def _keep(numbers):
    return [i for i, k in enumerate(numbers) if numbers.count(k) == 1]


register(Exercise(
    slug="real.names",
    task="the positions of the replies whose client number no other reply uses",
    right=_keep,
    cases=[((0, 3, 0, 2),), ((1, 1, 1),), ((4, 2, 0),)],
    wrong={
        "first wins": Wrong(lambda numbers: [i for i, k in enumerate(numbers) if k not in numbers[:i]],
                            "For numbers {case} you answer {given}; it should be {right}. You keep whichever reply came first. A stranger with a fast "
                            "connection would then always replace the true client"),
        "last wins": Wrong(lambda numbers: [i for i, k in enumerate(numbers) if k not in numbers[i + 1:]],
                           "For numbers {case} you answer {given}; it should be {right}. You keep whichever reply came last. Then it is enough to "
                           "wait in order to replace another client"),
        "all kept": Wrong(lambda numbers: list(range(len(numbers))),
                          "For numbers {case} you answer {given}; it should be {right}. A client that is counted twice has two votes"),
        "numbers": Wrong(
            lambda numbers: [k for k in numbers if numbers.count(k) == 1],
            "For numbers {case} you answer {given}, which are the client numbers. The exercise asks for the positions of their replies: {right}",
        ),
        "mask": Wrong(
            lambda numbers: [numbers.count(k) == 1 for k in numbers],
            "For numbers {case} you answer {given}, which says for each reply whether to use it. The exercise asks for the positions of those to use: "
            "{right}",
        ),
        "numbers in a set": Wrong(
            lambda numbers: {k for k in numbers if numbers.count(k) == 1},
            "For numbers {case} these are the client numbers, in a set. The exercise asks for the positions of their replies, in a list: {right}",
        ),
        "each once": Wrong(
            lambda numbers: sorted(set(numbers)),
            "For numbers {case} you answer {given}, each client number once. A number that two replies use proves nothing for either of them, and "
            "the exercise asks for positions: {right}",
        ),
        "a set": Wrong(
            lambda numbers: set(_keep(numbers)),
            "For numbers {case} the positions are right, but they are in a set. Return a list: {right}",
        ),
        "repeated": Wrong(
            lambda numbers: [i for i, k in enumerate(numbers) if numbers.count(k) > 1],
            "For numbers {case} you answer {given}, the replies to reject. The exercise asks for those to use: {right}",
        ),
    },
    praise="The price is that a stranger who knows a client's number can silence that client. Only authentication, with a table of the clients' "
           "identities, prevents that",
    hints=(
        "If two replies carry the same number, which of them is the true one? Nothing proves it for either.",
        "Keep the positions whose number occurs exactly once; a tuple's `count` says how often it occurs.",
        "`enumerate` gives each number together with its position, starting at 0.",
    ),
))

def _exposed(Lam):
    Lam = np.atleast_2d(np.asarray(Lam, float))
    rank = np.linalg.matrix_rank
    return [k for k in range(Lam.shape[1]) if rank(np.vstack([Lam, np.eye(Lam.shape[1])[k]])) == rank(Lam)]


def _by_differences(Lam):
    rows = [np.asarray(row, float) for row in Lam]
    left = [*rows, *(a - b for a in rows for b in rows)]
    return sorted({int(np.argmax(row != 0)) for row in left if np.count_nonzero(row) == 1})


register(Exercise(
    slug="real.exposed",
    task="the clients whose row follows from the secure sums with these weights",
    right=_exposed,
    cases=[
        ([[0.25, 0.25, 0.25, 0.25], [0.2, 0.2, 0.2, 0.4]],),
        ([[0.5, 0.5, 0.0], [0.2, 0.3, 0.5]],),
        ([[0.5, 0.5, 0.0], [0.2, 0.8, 0.0]],),
        ([[1.0, 0.0, 0.0]],),
        ([[0.2, 0.3, 0.5], [0.5, 0.2, 0.3], [0.3, 0.5, 0.2]],),
        ([[1.0, 1.0, 0.0], [1.0, 1.0, 1.0]],),
        ([[0.4, 0.6, 0.0, 0.0], [0.4, 0.6, 0.0, 0.0], [0.0, 0.0, 0.3, 0.7], [0.1, 0.1, 0.4, 0.4]],),
    ],
    wrong={
        "enough sums": Wrong(lambda Lam: list(range(len(Lam[0]))) if np.linalg.matrix_rank(Lam) == len(Lam[0]) else [],
                             "For {case} you answer {given}; it should be {right}. As many independent sums as clients expose every client, but fewer "
                             "sums can expose one of them: the first case is a step of Frank–Wolfe"),
        "count": Wrong(lambda Lam: list(range(len(Lam[0]))) if len(Lam) >= len(Lam[0]) else [],
                       "For {case} you answer {given}; it should be {right}. Several sums may say the same thing, and fewer sums than clients can be "
                       "enough for some of the clients"),
        "alone": Wrong(lambda Lam: sorted({int(np.argmax(row)) for row in np.asarray(Lam) if np.count_nonzero(row) == 1}),
                       "For {case} you answer {given}; it should be {right}. You find only clients that are asked alone. The server may also combine sums. If your "
                       "function does combine them, it may compare computed numbers with `==`. They are seldom exact, so allow for 1e-9"),
        "differences": Wrong(_by_differences,
                             "For {case} you answer {given}; it should be {right}. You find clients that are asked alone and those that are left when one sum is subtracted "
                             "from another. The server may also multiply the sums by any numbers first. If your function allows that, it may compare computed "
                             "numbers with `==`. They are seldom exact, so allow for 1e-9"),
        "none": Wrong(lambda Lam: [], "For {case} you answer {given}; it should be {right}. The server may add and subtract multiples of the sums, "
                                      "and sometimes a single row is left"),
        "all asked": Wrong(lambda Lam: np.flatnonzero(np.any(np.asarray(Lam) != 0, axis=0)).tolist(),
                           "For {case} you answer {given}; it should be {right}. A client that appears in a sum is not yet known: the sum of two rows "
                           "reveals neither of them"),
    },
    praise="Client k is safe as long as e_k is not a combination of the weights that were asked for",
    hints=(
        "The server can form any combination of the sums it has. Which combinations of the rows of Lam leave one client alone?",
        "Client k is exposed if the k-th unit vector is a linear combination of the rows of Lam.",
        "Adding a vector to a set leaves its rank unchanged if and only if the vector is a combination of the others: `np.linalg.matrix_rank`.",
    ),
))

register(Exercise(
    slug="real.bearable",
    task="the largest c = −u · v at which a client that takes part in every P-th round does not lose under FedMGDA+",
    right=lambda P: 1 / (2 * P - 1),
    cases=[(1,), (2,), (3,), (5,)],
    wrong={
        "one silent round": Wrong(lambda P: 1 / 3, "For P = {case} you answer {given}; it should be {right}. 1/3 is right for P = 2. With P rounds, P "
                                                   "− 1 are silent"),
        "all silent": Wrong(lambda P: 1 / (2 * P + 1), "For P = {case} you answer {given}; it should be {right}. The client takes part in one of the P "
                                                       "rounds, so P − 1 are silent"),
        "mean of the two": Wrong(lambda P: 1 / P, "For P = {case} you answer {given}; it should be {right}. When the client takes part, the direction "
                                                  "is (u + v)/2, and its rate along it is (1 − c)/2, not 1 − c"),
        "both slips": Wrong(lambda P: 1 / (P + 1), "For P = {case} you answer {given}; it should be {right}. The rate in the round in which it takes part "
                                                   "is (1 − c)/2, half of 1 − c, and only P − 1 of the P rounds are silent"),
        "full rate": Wrong(lambda P: 1 / (P - 1) if P > 1 else 1.0,
                           "For {case} you answer {given}; it should be {right}. You gave the client the rate 1 in the round in which it takes part, as if the direction were its own "
                           "row. The direction is (u + v)/2, and the rate is (1 − c)/2"),
        "one half": Wrong(lambda P: 1 / (2 * P), "For P = {case} you answer {given}; it should be {right}. The rate in the round in which it takes part is "
                                                 "(1 − c)/2, not ½, and only P − 1 of the P rounds are silent"),
        "upside down": Wrong(lambda P: 2 * P - 1.0, "For P = {case} you answer {given}; it should be {right}. A cosine is at most 1"),
        "silent free": Wrong(lambda P: 1.0, "For P = {case} you answer {given}; it should be {right}. You left out the cost of a silent round, in "
                                            "which the client's rate is v · u = −c"),
    },
    praise="A client that takes part in every fifth round can bear an angle of 96° with the others. In Figure 14.2 the angle is 127°",
    hints=(
        "When the client takes part, the direction is the point between u and v that is nearest to the origin. Which point is that, if both have length "
        "1?",
        "Along that direction both have the rate (1 − c)/2. When the client is silent, the direction is u.",
        "One round in which it takes part and P − 1 silent ones: (1 − c)/2 − (P − 1) c ≥ 0.",
    ),
))

register(Question(
    slug="real.memory",
    task="a memory that speaks for the absent and lets go of those who have left",
    hints=(
        "What does the server know about a silent client, apart from its last row? Count something.",
        "Give every row an age, set to 0 when its client takes part. How old may a row become so that it still serves a client that takes part in every fifth "
        "round?",
        "Try a lifetime that is just too short and one that is just long enough. Is there a gentler way than dropping a row all at once?",
    ),
))

register(Question(
    slug="real.absent",
    task="what AdaFed does for a client that takes part in every second round",
    hints=(
        "Whose losses does AdaFed read in a round: every client's, or only those of the clients that answered?",
        "In the rounds when the tenth office answers, its large loss earns it a large rate. What rate does it have in the other rounds, and what do "
        "the nine meanwhile do to its part of the model?",
        "`training({name: rule}, 20, participation=Silent(2))` runs a rule as the others were run, and `over_a_period(runs[name], 2)` gives its "
        "accuracies.",
    ),
))
