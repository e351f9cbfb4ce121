"""Chapter 14: real federations."""

import numpy as np

from fairfl_book.exercises.registry import Exercise, Question, Wrong, register

register(Exercise(
    slug="real.chance",
    task="the chance q with which a client's mean weight beside one that answers with chance ½ is ¼",
    right=1 / 5,
    tolerance=1e-3,
    wrong={
        "in proportion": Wrong(1 / 6, "1/6 is a third of 1/2. Weights ¼ and ¾ stand as 1 to 3, but by (1) the weights part more than the chances do, so that a smaller gap of chances is enough"),
        "half as often": Wrong(1 / 4, "With 1/4 it answers half as often as the other, and has the mean weight 0.3: 3q / (2 (1 + q))"),
        "empty round counted": Wrong(1 / 3, "You counted the rounds in which nobody answers. Divide by the chance that somebody does, (1 + q) / 2"),
        "first always": Wrong(1 / 2, "1/2 would do if the first one always answered, as in the section's example. Here it is away in every second round, and then the second has all the weight"),
        "never alone": Wrong(1, "With q = 1 the second one's mean weight is 3/4. You counted the rounds with both, and forgot those in which the second answers alone and has all the weight"),
    },
    praise="Two fifths of the other's chance, and a third of its weight",
    hints=(
        "With both the second has the weight ½, alone it has 1. How likely is each, in terms of q?",
        "Its mean weight is (q/4 + q/2), divided by the chance that somebody answers.",
        "Somebody answers with the chance 1 − ½ (1 − q). Set the quotient to ¼.",
    ),
))


def _keep(numbers):
    return [i for i, k in enumerate(numbers) if numbers.count(k) == 1]


register(Exercise(
    slug="real.names",
    task="the positions of the replies whose client number nobody else uses",
    right=_keep,
    cases=[((0, 3, 0, 2),), ((1, 1, 1),), ((4, 2, 0),)],
    wrong={
        "first wins": Wrong(lambda numbers: [i for i, k in enumerate(numbers) if k not in numbers[:i]],
                            "For numbers {case} you answer {given}; it should be {right}. You keep whoever was faster. A stranger with a good "
                            "line would then always replace the true client"),
        "last wins": Wrong(lambda numbers: [i for i, k in enumerate(numbers) if k not in numbers[i + 1:]],
                           "For numbers {case} you answer {given}; it should be {right}. You keep whoever came last: waiting would be enough to "
                           "replace another client"),
        "all kept": Wrong(lambda numbers: list(range(len(numbers))),
                          "For numbers {case} you answer {given}; it should be {right}. A client that is counted twice has two votes"),
        "numbers": Wrong(
            lambda numbers: [k for k in numbers if numbers.count(k) == 1],
            "For numbers {case} you answer {given}, the clients' numbers. Asked are the positions of their replies: {right}",
        ),
        "mask": Wrong(
            lambda numbers: [numbers.count(k) == 1 for k in numbers],
            "For numbers {case} you answer {given}: for each reply whether to use it. Asked are the positions of those to use: {right}",
        ),
        "repeated": Wrong(
            lambda numbers: [i for i, k in enumerate(numbers) if numbers.count(k) > 1],
            "For numbers {case} you answer {given}, the replies to refuse. Asked are those to use: {right}",
        ),
    },
    praise="The price: a stranger who knows a number can silence its owner. Only authentication, with a table of who is who, ends that",
    hints=(
        "If two replies carry the same number, which of them is the true one? Nothing proves it for either.",
        "Keep the positions whose number occurs exactly once; a tuple's `count` tells how often.",
        "`enumerate` gives each number together with its position, from 0.",
    ),
))

def _exposed(Lam):
    Lam = np.atleast_2d(np.asarray(Lam, float))
    rank = np.linalg.matrix_rank
    return [k for k in range(Lam.shape[1]) if rank(np.vstack([Lam, np.eye(Lam.shape[1])[k]])) == rank(Lam)]


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
        ([[0.4, 0.6, 0.0, 0.0], [0.4, 0.6, 0.0, 0.0], [0.0, 0.0, 0.3, 0.7], [0.1, 0.1, 0.4, 0.4]],),
    ],
    wrong={
        "enough sums": Wrong(lambda Lam: list(range(len(Lam[0]))) if np.linalg.matrix_rank(Lam) == len(Lam[0]) else [],
                             "For {case} you answer {given}; it should be {right}. As many independent sums as clients give everybody away, but fewer can give away one: the "
                             "first case is a step of Frank–Wolfe"),
        "count": Wrong(lambda Lam: list(range(len(Lam[0]))) if len(Lam) >= len(Lam[0]) else [],
                       "For {case} you answer {given}; it should be {right}. Sums can say the same twice, and fewer sums than clients can be enough for some of them"),
        "alone": Wrong(lambda Lam: sorted({int(np.argmax(row)) for row in np.asarray(Lam) if np.count_nonzero(row) == 1}),
                       "For {case} you answer {given}; it should be {right}. A client that is asked alone is exposed; but the server may also combine sums"),
        "none": Wrong(lambda Lam: [], "For {case} you answer {given}; it should be {right}. The server may add and subtract multiples of the sums: sometimes one row is left over"),
        "all asked": Wrong(lambda Lam: np.flatnonzero(np.any(np.asarray(Lam) != 0, axis=0)).tolist(),
                           "For {case} you answer {given}; it should be {right}. To be in a sum is not yet to be known: the sum of two rows does not tell either"),
    },
    praise="Client k is safe as long as e_k is no combination of the weights that were asked for",
    hints=(
        "The server can form any combination of the sums it has. Which combinations of the rows of Lam would leave one client alone?",
        "Client k is exposed if the k-th unit vector is a combination of the rows of Lam.",
        "Adding a vector to others leaves their rank as it is exactly if it was a combination of them: `np.linalg.matrix_rank`.",
    ),
))

register(Exercise(
    slug="real.bearable",
    task="the largest c = −u · v at which a client heard in every P-th round does not lose under FedMGDA+",
    right=lambda P: 1 / (2 * P - 1),
    cases=[(1,), (2,), (3,), (5,)],
    wrong={
        "one silent round": Wrong(lambda P: 1 / 3, "For P = {case} you answer {given}; it should be {right}. 1/3 is right for P = 2. With P rounds there are P − 1 silent ones"),
        "all silent": Wrong(lambda P: 1 / (2 * P + 1), "For P = {case} you answer {given}; it should be {right}. In one of the P rounds it is heard: P − 1 are silent"),
        "mean of the two": Wrong(lambda P: 1 / P, "For P = {case} you answer {given}; it should be {right}. The direction when it is heard is (u + v)/2: its rate along that is (1 − c)/2, not 1 − c"),
        "both slips": Wrong(lambda P: 1 / (P + 1), "For P = {case} you answer {given}; it should be {right}. The heard round's rate is (1 − c)/2, half of 1 − c, and only P − 1 of the P rounds are silent"),
        "one half": Wrong(lambda P: 1 / (2 * P), "For P = {case} you answer {given}; it should be {right}. The heard round's rate is (1 − c)/2, and not ½; and only P − 1 of the P rounds are silent"),
        "upside down": Wrong(lambda P: 2 * P - 1.0, "For P = {case} you answer {given}; it should be {right}. A cosine is at most 1"),
        "silent free": Wrong(lambda P: 1.0, "For P = {case} you answer {given}; it should be {right}. You left out what a silent round costs: its rate is then v · u = −c"),
    },
    praise="A client that is heard in every fifth round can bear an angle of 96° with the others. The tenth office's is 116°",
    hints=(
        "Heard, the direction is the nearest point of the segment between u and v: which, if both have length 1?",
        "Its rates along it are (1 − c)/2 for both. Silent, the direction is u.",
        "One heard round and P − 1 silent ones: (1 − c)/2 − (P − 1) c ≥ 0.",
    ),
))

register(Question(
    slug="real.memory",
    task="a memory that speaks for the absent and lets go of those who have left",
    hints=(
        "What does the server know of a silent client, beside its last row? Count something.",
        "An age for every row, set to 0 when it is heard. How old may a row be that still serves every fifth round?",
        "Try a lifetime just too short and one just long enough. Is there a gentler way than to drop a row all at once?",
    ),
))

register(Question(
    slug="real.absent",
    task="what AdaFed makes of a client that is heard in every second round",
    hints=(
        "Whose losses does AdaFed read in a round: everybody's, or those of the clients that answered?",
        "In the rounds when the tenth office answers its large loss earns it a large rate. What rate has it in the others, and what do the nine do with its "
        "part of the model meanwhile?",
        "`compare` runs a rule through the same rounds as the others: it wants a name and the rule.",
    ),
))
