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
                           "For {case} you answer {given}; it should be {right}. You take the client's part out, but still divide by the number of "
                           "all examples. So the shares of the remaining clients no longer sum to 1"),
        "not divided": Wrong(lambda mean, total, model, size: total * mean - size * model,
                             "For {case} you answer {given}; it should be {right}. That is the weighted *sum* of the others' models. Divide it by the "
                             "number of their examples"),
        "unweighted": Wrong(lambda mean, total, model, size: mean - model,
                            "For {case} you answer {given}; it should be {right}. In the mean, the client's model counts only with its share, size / "
                            "total"),
        "mean in its place": Wrong(
            lambda mean, total, model, size: mean - size / total * (model - mean),
            "For {case} you answer {given}; it should be {right}. You replaced the client's model by the mean, but the mean still contains that "
            "client",
        ),
        "put in": Wrong(
            lambda mean, total, model, size: (total * mean + size * model) / (total + size),
            "For {case} you answer {given}; it should be {right}. That adds the client a second time instead of taking it out",
        ),
    },
    praise="This undoes one round. Later rounds started from a model that already contained this client, so removing a client from a whole training "
           "run costs more",
    hints=(
        "The mean times the number of all examples is the sum of n_k w_k over all clients. What does the withdrawing client contribute to that sum?",
        "Subtract that contribution. How many examples do the other clients have?",
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
                          "For {case} you answer {given}; it should be {right}. That is the step that the client took, which points downhill. With "
                          "this sign, w − Σ p g would move away from where the clients went"),
        "first gradient": Wrong(lambda w, h, c, lr, epochs: lr * h * (w - c) * epochs,
                                "For {case} you answer {given}; it should be {right}. You multiply the first step by the number of epochs. But each "
                                "step starts where the last one ended, nearer to c, and so it is a different step"),
        "one step": Wrong(lambda w, h, c, lr, epochs: lr * h * (w - c),
                          "For {case} you answer {given}; it should be {right}. That is a single step, but the client takes one per epoch"),
        "no h": Wrong(lambda w, h, c, lr, epochs: (w - c) * (1 - (1 - lr) ** epochs),
                      "For {case} you answer {given}; it should be {right}. The gradient at w is h (w − c), so a step multiplies the way to c by 1 − lr h and "
                      "not by 1 − lr"),
        "where it ends": Wrong(lambda w, h, c, lr, epochs: c + (1 - lr * h) ** epochs * (w - c),
                               "For {case} you answer {given}, which is the model w_t^k where the client ends. The exercise asks for w_t minus that "
                               "model: {right}"),
        "way left": Wrong(lambda w, h, c, lr, epochs: (1 - lr * h) ** epochs * (w - c),
                          "For {case} you answer {given}, which is the distance to c that is left. The exercise asks for the distance covered: "
                          "{right}"),
    },
    praise="With many epochs the factor approaches 1 for every curvature (as long as lr h < 2). Each client then votes with the whole way to its own "
           "minimum",
    hints=(
        "One step gives w − lr h (w − c). Subtract c: by what is w − c multiplied?",
        "After E steps, that factor appears E times. The product is the part of the way to c that is left.",
        "Formula (1) asks for the way that was covered: all of w − c, minus what is left.",
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
        "minimum": Wrong(lambda a: np.min(a), "For {case} you answer {given}, which is the single worst client. With twelve clients, the worst tenth "
                                              "is two clients (1.2, rounded up), and their mean is {right}"),
        "percentile": Wrong(lambda a: np.percentile(a, 10), "For {case} you answer {given}, which is the 10th percentile: the value that a tenth of "
                                                            "the clients stay below. The exercise asks for the mean of those clients, {right}. Papers "
                                                            "use both and call both \"worst 10 %\""),
        "rounded down": Wrong(lambda a: np.sort(a)[:max(1, len(a) // 10)].mean(),
                              "For {case} you answer {given}. You round the number of clients down; rounded up, it is {right}"),
        "rounded down to nobody": Wrong(lambda a: np.sort(a)[:len(a) // 10].mean() if len(a) >= 10 else np.nan,
                                        "For {case} you answer {given}. You round the number of clients down, and so for a single client none is "
                                        "left; rounded up, it is {right}"),
        "one too many": Wrong(lambda a: np.sort(a)[:len(a) // 10 + 1].mean(),
                              "For {case} you answer {given}. Always adding one takes a client too many whenever ten divides the number of clients; "
                              "rounded up, it is {right}"),
        "last in part": Wrong(lambda a: (np.sort(a) * np.clip(len(a) / 10 - np.arange(len(a)), 0, 1)).sum() / (len(a) / 10),
                              "For {case} you answer {given}, which is CVaR: it counts the last client in part. The exercise asks for whole clients, "
                              "rounded up: {right}"),
        "below the percentile": Wrong(lambda a: a[a <= np.percentile(a, 10)].mean(),
                                      "For {case} you answer {given}, which is the mean of all clients at or below the 10th percentile. If several "
                                      "clients have the same accuracy, that can be too many clients. Count clients instead: {right}"),
        "last of them": Wrong(lambda a: np.sort(a)[-(-len(a) // 10) - 1],
                              "For {case} you answer {given}, which is the best client in the worst tenth. The exercise asks for the mean of the "
                              "worst tenth, {right}"),
        "best": Wrong(lambda a: np.sort(a)[-(-(-len(a) // 10)):].mean(),
                      "For {case} you answer {given}, which comes from the best clients. Sorting is ascending, so the worst come first"),
        "unsorted": Wrong(
            lambda a: np.mean(a[:-(-len(a) // 10)]),
            "For {case} you answer {given}, which is the mean of the first clients in the list. Find the worst ones first, by sorting",
        ),
        "sum": Wrong(
            lambda a: np.sum(np.sort(a)[:-(-len(a) // 10)]),
            "For {case} you answer {given}, which is the sum of the worst accuracies. The exercise asks for their mean, {right}",
        ),
    },
    praise="metrics.worst(accuracies, 10) is the same function",
    hints=(
        "Count first: a tenth of the clients, rounded up to a whole number. `math.ceil` rounds up, whereas `//` rounds down.",
        "`np.sort` puts the smallest first. Take as many as you counted from that end.",
        "The answer is their mean, a single number.",
    ),
))

register(Exercise(
    slug="fl.test_images",
    task="the number of test images per client at which sampling alone spreads an accuracy of 90 % by one percentage point",
    right=900.0,
    wrong={
        "coin": Wrong(2500.0, "2500 is the answer for a = 0.5, a fair coin. At a = 0.9 the variance a (1 − a) is only 0.09"),
        "not squared": Wrong(9.0, "You set a (1 − a) / n equal to 0.01, but that is the variance. It is its square root that must be 0.01, so n = a "
                                  "(1 − a) / 0.01²"),
        "no variance": Wrong(10000.0, "1 / 0.01² treats each image as if its variance were 1. A single answer, right or wrong, has variance a (1 − a) "
                                      "= 0.09"),
        "points": Wrong(0.09, "One percentage point is 0.01 as a fraction; you took it to be 1"),
        "two errors": Wrong(
            3600.0,
            "3,600 makes *two* standard deviations equal to one percentage point. The spread in (3) is one standard deviation",
        ),
        "no factor 1 − a": Wrong(
            9000.0,
            "9,000 is a / 0.01². The variance of a right-or-wrong answer is a (1 − a), which is small where nearly all answers are right",
        ),
        "wrong share": Wrong(
            1000.0,
            "1,000 is (1 − a) / 0.01². The variance of a right-or-wrong answer is a (1 − a), a tenth less",
        ),
    },
    praise="The whole digits pool has 719 images. That is too few for even one such client, if no two clients share an image",
    hints=(
        "If all clients have n images, formula (3) is the square root of a (1 − a) / n.",
        "One percentage point is 0.01 as a fraction. What is a (1 − a) for a = 0.9?",
        "Square both sides, then solve for n.",
    ),
))


def _largest_std(a, m, b):
    return np.sqrt((m - a) * (b - m))


register(Exercise(
    slug="fl.largest_std",
    task="the largest possible standard deviation of accuracies between a and b with mean m",
    right=_largest_std,
    cases=[(0.0, 0.5, 1.0), (0.2, 0.9, 1.0), (0.5, 0.6, 0.9), (0.7, 0.7, 0.7)],
    wrong={
        "variance": Wrong(lambda a, m, b: (m - a) * (b - m),
                          "For {case} you answer {given}, which is the largest *variance*. Its square root is {right}"),
        "from 0 to 1": Wrong(lambda a, m, b: np.sqrt(m * (1 - m)),
                             "For {case} you answer {given}, which is the bound for accuracies anywhere between 0 and 1. The report says that they "
                             "lie between a and b, which gives {right}"),
        "half the range": Wrong(lambda a, m, b: (b - a) / 2,
                                "For {case} you answer {given}, which is half the range. That needs half of the clients at each end, and then the "
                                "mean lies in the middle. With this mean, it is at most {right}"),
        "farther end": Wrong(lambda a, m, b: max(m - a, b - m),
                             "For {case} you answer {given}, which is the distance to the farther end. Not every client can be that far from the "
                             "mean: those who are have to be balanced by others on the other side. It is at most {right}"),
        "nearer end": Wrong(lambda a, m, b: min(m - a, b - m),
                            "For {case} you answer {given}, which is the distance to the nearer end. A few clients at the other end increase it to "
                            "{right}"),
        "half at either end": Wrong(lambda a, m, b: np.sqrt(((m - a) ** 2 + (b - m) ** 2) / 2),
                                    "For {case} you answer {given}. You give each end the weight one half. But with half of the clients at a and half "
                                    "at b, the mean is in the middle and not at m. It is at most {right}"),
        "evenly spread": Wrong(lambda a, m, b: (b - a) / np.sqrt(12),
                               "For {case} you answer {given}, which is the standard deviation of accuracies spread evenly from a to b. Nothing says "
                               "that they are evenly spread; the largest value is {right}"),
        "range": Wrong(lambda a, m, b: b - a, "For {case} you answer {given}, which is the whole range. A standard deviation is at most half of the "
                                              "range, and here it is at most {right}"),
    },
    praise="This is the bound of Bhatia and Davis: a paper that prints mean, worst and best has also printed a bound on the spread. Chapter 13 uses a "
           "related bound",
    hints=(
        "All a_k lie between a and b, so (a_k − a)(b − a_k) ≥ 0 for every client. Take the mean of these products over the clients.",
        "Multiply out. The mean of a_k² appears, and it equals σ² + m². The remaining terms contain only m, a and b.",
        "When are all the products zero? When each client is at one of the two ends. So the bound can be reached, and no smaller bound holds.",
    ),
))

register(Question(
    slug="fl.common_pool",
    task="a change to the distribution of the data that serves the tenth office",
    hints=(
        "The nine offices have never seen an 8 or a 9. How many such images would each of them need before its local training stops unlearning these "
        "digits?",
        "`partition.split(digits, lists, test=list(offices.test))` builds a federation from your own lists of rows; `offices.train` holds the current "
        "lists. Each row may appear in one list only: what one office receives, another has given away.",
        "Let the tenth office give 1, 5 or 12 images to each of the others. Which offices lose by it, and could images that belong to no office "
        "replace those?",
    ),
))

register(Question(
    slug="fl.equal_weights",
    task="whether equal weights help the tenth office, and whether the mean shows it",
    hints=(
        "In formula (2), a client's influence is its share p_k alone. By which factor does the tenth office's share change?",
        "The mean over clients counts every client once. By how much can one office out of ten move it at most?",
        "Run `train` twice for ten rounds, once with each rule. Look at the mean of `accuracy[-1]`, and at its last entry.",
    ),
))
