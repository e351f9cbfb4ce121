"""Chapter 1: federated learning."""

import numpy as np

from fairfl_book.exercises.registry import Exercise, Question, Wrong, register


def _average(models, sizes):
    return np.asarray(sizes, float) / np.sum(sizes) @ np.asarray(models, float)


register(Exercise(
    slug="fl.average",
    task="the mean of the models, weighted by n_k / Σ n",
    right=_average,
    cases=[([[0.0, 0.0], [1.0, 4.0]], [3, 1]), ([[2.0], [4.0], [9.0]], [1, 1, 2]), ([[1.0, 2.0, 3.0]], [5])],
    wrong={
        "unweighted": Wrong(lambda models, sizes: np.mean(models, axis=0),
                            "For models {case} you answer {given}; it should be {right}. You count every client once, but one "
                            "of them holds more examples than the other: the weights are n_k / Σ n"),
        "not normalised": Wrong(lambda models, sizes: np.asarray(sizes, float) @ np.asarray(models, float),
                                "For models {case} you answer {given}; it should be {right}. Your weights are the sizes "
                                "themselves, and they do not sum to 1: divide by their sum"),
        "weighted mean of entries": Wrong(
            lambda models, sizes: np.average(models, axis=-1) if len(np.shape(models)) == 2 else None,
            "For models {case} you answer {given}, the mean of each client's own parameters. The mean goes over the clients: one "
            "number a parameter, {right}",
        ),
        "divided by clients": Wrong(
            lambda models, sizes: np.asarray(sizes, float) @ np.asarray(models, float) / len(sizes),
            "For models {case} you answer {given}; it should be {right}. You divide by the number of clients. The weights n_k are to "
            "be divided by the sum of all n",
        ),
    },
    praise="Only shares count: ten times the data for everybody changes nothing",
    hints=(
        "Turn the sizes into shares first: p_k = n_k / Σ n, numbers that sum to 1.",
        "The answer is Σ p_k w_k, a vector with one number a parameter and not one a client.",
        "`models` has a row for each client: the shares times that matrix, in this order, is the weighted sum of its rows.",
    ),
))

register(Exercise(
    slug="fl.pseudo_gradient",
    task="w_t − w_t^k, which points uphill",
    right=lambda before, after: np.asarray(before, float) - np.asarray(after, float),
    cases=[([1.0, 2.0], [0.5, 2.5]), ([0.0, 0.0, 3.0], [1.0, -1.0, 1.0])],
    wrong={
        "downhill": Wrong(lambda before, after: np.asarray(after, float) - np.asarray(before, float),
                          "For before and after {case} you answer {given}; it should be {right}. That is the step that the client "
                          "took, which points downhill. With it, w − Σ p g would walk away from where the clients went"),
        "unit length": Wrong(lambda before, after: (np.asarray(before, float) - np.asarray(after, float))
                             / np.linalg.norm(np.asarray(before, float) - np.asarray(after, float)),
                             "The direction is right, but you scaled it to length 1: for {case} it should be {right}. Then "
                             "w − Σ p g is no longer the mean of the clients' models"),
    },
    praise="Equation (2) now holds as it stands",
    hints=(
        "Formula (1): one of the two models minus the other.",
        "Try it with one client, p = 1: the server must end exactly at `after`. Which difference has to be taken from `before` for that?",
    ),
))


def _worst_tenth(accuracies):
    return np.sort(accuracies)[:-(-len(accuracies) // 10)].mean()


_ACCURACIES = [([0.9, 0.2, 0.8, 0.7, 0.95, 0.85, 0.6, 0.75, 0.65, 0.5, 0.3, 0.99],), (list(np.linspace(0.1, 0.9, 20)),), ([0.4],)]

register(Exercise(
    slug="fl.worst_tenth",
    task="the mean over the worst 10 % of clients, rounded up to whole clients",
    right=_worst_tenth,
    cases=_ACCURACIES,
    wrong={
        "minimum": Wrong(lambda a: np.min(a), "For {case} you answer {given}, the single worst client. Twelve clients have two in their "
                                              "worst tenth (1.2, rounded up), and the mean of these two is {right}"),
        "percentile": Wrong(lambda a: np.percentile(a, 10), "For {case} you answer {given}, the 10th percentile: the value that a tenth of "
                                                            "the clients stay below. Asked is the mean of those who stay below, {right}. "
                                                            "Papers use both and call both \"worst 10 %\""),
        "rounded down": Wrong(lambda a: np.sort(a)[:max(1, len(a) // 10)].mean(),
                              "For {case} you answer {given}. You round the number of clients down; rounded up, it is {right}"),
        "best": Wrong(lambda a: np.sort(a)[-(-(-len(a) // 10)):].mean(),
                      "For {case} you answer {given}: these are the best clients. Sorting is ascending, so the worst come first"),
        "unsorted": Wrong(
            lambda a: np.mean(a[:-(-len(a) // 10)]),
            "For {case} you answer {given}, the mean of the first ones in the list. The worst have to be found first: sort",
        ),
        "sum": Wrong(
            lambda a: np.sum(np.sort(a)[:-(-len(a) // 10)]),
            "For {case} you answer {given}, the sum of the worst. Asked is their mean, {right}",
        ),
    },
    praise="metrics.worst(accuracies, 10) is the same function",
    hints=(
        "Count first: a tenth of the clients, rounded up to whole ones. `math.ceil` rounds up where `//` rounds down.",
        "`np.sort` puts the smallest first: take as many as you counted from that end.",
        "Asked is their mean, one number.",
    ),
))

register(Exercise(
    slug="fl.test_images",
    task="n such that sqrt(p (1 − p) / n) is 0.01 for p = 0.9",
    right=900.0,
    wrong={
        "coin": Wrong(2500.0, "2500 is the answer for p = 0.5, a coin. At p = 0.9 the variance p (1 − p) is only 0.09"),
        "not squared": Wrong(9.0, "You set p (1 − p) / n equal to 0.01, but that is the variance. Its square root is to be 0.01, so "
                                  "n = p (1 − p) / 0.01²"),
        "no variance": Wrong(10000.0, "1 / 0.01² counts an image as if its variance were 1. One right-or-wrong answer has variance "
                                      "p (1 − p) = 0.09"),
        "points": Wrong(0.09, "One percentage point is 0.01 as a fraction; you took it to be 1"),
        "two errors": Wrong(
            3600.0,
            "3,600 makes *two* standard deviations one percentage point. The spread in (3) is one standard deviation",
        ),
        "no factor 1 − p": Wrong(
            9000.0,
            "9,000 has p / 0.01². The variance of right or wrong is p (1 − p): it is small where nearly all are right",
        ),
        "wrong share": Wrong(
            1000.0,
            "1,000 has (1 − p) / 0.01². The variance of right or wrong is p (1 − p), a tenth less",
        ),
    },
    praise="The digits' whole pool has 719 images. Spreads of one point cannot be seen with it",
    hints=(
        "If all clients have n images, formula (3) is the root of p (1 − p) / n.",
        "One percentage point is 0.01 as a fraction. What is p (1 − p) for p = 0.9?",
        "Square both sides, then solve for n.",
    ),
))


def _largest_std(a, m, b):
    return np.sqrt((m - a) * (b - m))


register(Exercise(
    slug="fl.largest_std",
    task="the largest standard deviation of accuracies from a to b with the mean m",
    right=_largest_std,
    cases=[(0.0, 0.5, 1.0), (0.2, 0.9, 1.0), (0.5, 0.6, 0.9), (0.7, 0.7, 0.7)],
    wrong={
        "variance": Wrong(lambda a, m, b: (m - a) * (b - m),
                          "For a, m, b = {case} you answer {given}, the largest *variance*. Its root is {right}"),
        "half the range": Wrong(lambda a, m, b: (b - a) / 2,
                                "For {case} you answer {given}, half the range. That needs half of the clients at either end, and then the mean is "
                                "in the middle; with this mean it is at most {right}"),
        "farther end": Wrong(lambda a, m, b: max(m - a, b - m),
                             "For {case} you answer {given}, the distance to the farther end. Not everybody can be that far from the mean: "
                             "who is must be made up for on the other side. It is at most {right}"),
        "nearer end": Wrong(lambda a, m, b: min(m - a, b - m),
                            "For {case} you answer {given}, the distance to the nearer end. A few clients at the other end do more: {right}"),
        "range": Wrong(lambda a, m, b: b - a, "For {case} you answer {given}, the whole range. A standard deviation is at most half of it, here {right}"),
    },
    praise="Bhatia and Davis's bound: whoever prints mean, worst and best has printed a bound on the spread as well. Chapter 13 uses its kin",
    hints=(
        "All a_k lie between a and b, so (a_k − a)(b − a_k) ≥ 0 for every client. Take the mean of these products over the clients.",
        "Multiply out: the mean of a_k² appears, and that is σ² + m². What is left has m, a and b alone.",
        "When is every product zero? If each client is at one of the two ends: so the bound is reached, and no smaller one holds.",
    ),
))

register(Question(
    slug="fl.common_pool",
    task="a change to who holds what with which the tenth office is served",
    hints=(
        "The nine offices have never seen an 8 or a 9. How many such images would each need before its local training stops unlearning them?",
        "`partition.split(digits, lists, test=list(offices.test))` makes a federation of your own lists of rows; `offices.train` holds "
        "today's. A row may stand in one list only: what one office gets, another has given.",
        "Let the tenth office give 1, 5, 12 letters to each of the others. Who gives something up by it, and could the letters be "
        "replaced by images of nobody?",
    ),
))

register(Question(
    slug="fl.equal_weights",
    task="whether equal weights help the tenth office, and what the mean notices",
    hints=(
        "In formula (2) a client has a voice through its share p_k alone. By which factor does the tenth office's change?",
        "The mean over clients counts everybody once. By how much can one office among ten move it at most?",
        "Run `train` twice with ten rounds, once with each rule, and look at `accuracy[-1]`: at its mean, and at its last entry.",
    ),
))
