"""Chapter 1: federated learning."""

import numpy as np

from fairfl_book.exercises.registry import Exercise, Question, Wrong, register


def _without(mean, total, model, size):
    return (total * np.asarray(mean, float) - size * np.asarray(model, float)) / (total - size)


register(Exercise(
    slug="fl.average",
    task="the mean of the others' models, weighted by their numbers of examples",
    right=_without,
    cases=[([1.0, 4.0], 4, [4.0, 1.0], 1), ([2.0], 10, [5.0], 2), ([1.0, 2.0, 3.0], 5, [0.0, 1.0, 0.0], 3)],
    wrong={
        "old total": Wrong(lambda mean, total, model, size: mean - size / total * model,
                           "For {case} you answer {given}; it should be {right}. The part is taken out, and what is left is still divided by all "
                           "examples: the shares of those who stay no longer sum to 1"),
        "not divided": Wrong(lambda mean, total, model, size: total * mean - size * model,
                             "For {case} you answer {given}; it should be {right}. That is the weighted *sum* of the others' models. Divide by the "
                             "number of their examples"),
        "unweighted": Wrong(lambda mean, total, model, size: mean - model,
                            "For {case} you answer {given}; it should be {right}. The model stands in the mean with its share only, size / total"),
        "mean in its place": Wrong(
            lambda mean, total, model, size: mean - size / total * (model - mean),
            "For {case} you answer {given}; it should be {right}. You have put the mean in the client's place, and the mean still contains the client",
        ),
        "put in": Wrong(
            lambda mean, total, model, size: (total * mean + size * model) / (total + size),
            "For {case} you answer {given}; it should be {right}. That puts the client in once more; it is to be taken out",
        ),
    },
    praise="It undoes one round. Later rounds have begun from a model with this client in it: to take a client out of a whole training costs more",
    hints=(
        "The mean times the number of all examples is the sum of n_k w_k over everybody. What is the withdrawing client's part of that sum?",
        "Take that part away. How many examples do the others have?",
    ),
))


def _pseudo_gradient(w, h, c, lr, epochs):
    return (1 - (1 - lr * h) ** epochs) * (w - c)


register(Exercise(
    slug="fl.pseudo_gradient",
    task="w_t − w_t^k after that many steps on ½ h (w − c)²",
    right=_pseudo_gradient,
    cases=[(0.0, 1.0, 8.0, 0.25, 2), (0.0, 2.0, -4.0, 0.25, 2), (3.0, 0.5, 1.0, 0.4, 5), (2.0, 3.0, 1.0, 0.5, 3)],
    wrong={
        "downhill": Wrong(lambda *a: -_pseudo_gradient(*a),
                          "For w, h, c, lr and epochs {case} you answer {given}; it should be {right}. That is the step that the client "
                          "took, which points downhill. With it, w − Σ p g would walk away from where the clients went"),
        "first gradient": Wrong(lambda w, h, c, lr, epochs: lr * h * (w - c) * epochs,
                                "For {case} you answer {given}; it should be {right}. You take the first step once for each epoch. Each "
                                "step starts where the one before has ended, nearer to c, and is another one"),
        "one step": Wrong(lambda w, h, c, lr, epochs: lr * h * (w - c),
                          "For {case} you answer {given}; it should be {right}. That is one step, and the client takes one for every epoch"),
        "where it ends": Wrong(lambda w, h, c, lr, epochs: c + (1 - lr * h) ** epochs * (w - c),
                               "For {case} you answer {given}: the model w_t^k at which the client arrives. Asked is w_t minus that: {right}"),
        "way left": Wrong(lambda w, h, c, lr, epochs: (1 - lr * h) ** epochs * (w - c),
                          "For {case} you answer {given}: the way to c that is left. Asked is the way that was walked: {right}"),
    },
    praise="With many epochs the factor comes near to 1 for every curvature (while lr h < 2): each client then votes with the whole way to its own minimum",
    hints=(
        "One step: w − lr h (w − c). Take c away on both sides: what is w − c multiplied by?",
        "After E steps that factor stands there E times. This is the way to c that is left.",
        "Formula (1) asks for the way that was walked: all of w − c, without what is left.",
    ),
))


def _worst_tenth(accuracies):
    return np.sort(accuracies)[:-(-len(accuracies) // 10)].mean()


_ACCURACIES = [([0.9, 0.2, 0.8, 0.7, 0.95, 0.85, 0.6, 0.75, 0.65, 0.5, 0.3, 0.99],), (list(np.linspace(0.1, 0.9, 20)),), ([0.4],),
               ([0.5] * 17 + [0.2, 0.2, 0.1],)]

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
        "rounded down to nobody": Wrong(lambda a: np.sort(a)[:len(a) // 10].mean() if len(a) >= 10 else np.nan,
                                        "For {case} you answer {given}. You round the number of clients down, so that of one client none is left; rounded up, it is {right}"),
        "one too many": Wrong(lambda a: np.sort(a)[:len(a) // 10 + 1].mean(),
                              "For {case} you answer {given}. Always adding one takes one too many where ten divides the number of clients; rounded up, it is {right}"),
        "last in part": Wrong(lambda a: (np.sort(a) * np.clip(len(a) / 10 - np.arange(len(a)), 0, 1)).sum() / (len(a) / 10),
                              "For {case} you answer {given}: CVaR, which counts the last client in part. Asked are whole clients, rounded up: {right}"),
        "below the percentile": Wrong(lambda a: a[a <= np.percentile(a, 10)].mean(),
                                      "For {case} you answer {given}: the mean of all who are at or below the 10th percentile. Where several clients have "
                                      "the same accuracy these are too many; count clients instead: {right}"),
        "last of them": Wrong(lambda a: np.sort(a)[-(-len(a) // 10) - 1],
                              "For {case} you answer {given}: the best of the worst tenth. Asked is their mean, {right}"),
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
    praise="The digits' whole pool has 719 images: too few for even one such client that shares no image with another",
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
        "from 0 to 1": Wrong(lambda a, m, b: np.sqrt(m * (1 - m)),
                             "For {case} you answer {given}, the bound for accuracies anywhere from 0 to 1. The report says that they go from a to b only: {right}"),
        "half the range": Wrong(lambda a, m, b: (b - a) / 2,
                                "For {case} you answer {given}, half the range. That needs half of the clients at either end, and then the mean is "
                                "in the middle; with this mean it is at most {right}"),
        "farther end": Wrong(lambda a, m, b: max(m - a, b - m),
                             "For {case} you answer {given}, the distance to the farther end. Not everybody can be that far from the mean: "
                             "who is must be made up for on the other side. It is at most {right}"),
        "nearer end": Wrong(lambda a, m, b: min(m - a, b - m),
                            "For {case} you answer {given}, the distance to the nearer end. A few clients at the other end do more: {right}"),
        "half at either end": Wrong(lambda a, m, b: np.sqrt(((m - a) ** 2 + (b - m) ** 2) / 2),
                                    "For {case} you answer {given}. That counts either end half, but half of the clients at a and half at b have their mean "
                                    "in the middle, and not at m. It is at most {right}"),
        "evenly spread": Wrong(lambda a, m, b: (b - a) / np.sqrt(12),
                               "For {case} you answer {given}: the standard deviation of accuracies that are spread evenly from a to b. Nobody says that they are; {right}"),
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
