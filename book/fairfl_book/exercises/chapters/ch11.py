"""Chapter 11: robustness."""

import numpy as np

from fairfl_book.exercises.registry import Exercise, Wrong, register


def _share(losses, q, bias):
    f = np.asarray(losses, float).copy()
    f[0] += bias
    return float(f[0] ** q / (f**q).sum())


register(Exercise(
    slug="robustness.share",
    task="the attacker's share of the weights f^q / Σ f^q after it adds a bias to its loss",
    right=_share,
    cases=[([1.0, 1.0], 1.0, 2.0), ([0.5, 1.0, 1.5], 2.0, 10.0), ([0.3, 0.4], 0.1, 1000.0)],
    wrong={
        "bias ignored": Wrong(lambda f, q, b: _share(f, q, 0.0), "For {case} you answer {given}; it should be {right}. That is the honest share: add the bias to the "
                                                                "first loss before you take powers"),
        "bias after the power": Wrong(lambda f, q, b: (f[0] ** q + b) / (np.power(f, q).sum() + b),
                                      "For {case} you answer {given}; it should be {right}. The client reports f + b, and the server raises what is reported to the power q: "
                                      "add first"),
        "everybody lies": Wrong(lambda f, q, b: float((f[0] + b) ** q / ((np.asarray(f) + b) ** q).sum()),
                                "For {case} you answer {given}; it should be {right}. You added the bias to every loss. Only the first client lies"),
    },
    praise="With q = 0.1 even a thousandfold lie buys little: the smaller q, the less a loss can say",
))

register(Exercise(
    slug="robustness.inflation",
    task="which of FedAvg, FedAvg-n, q-FedAvg (q = 1), FedMGDA+, AdaFed (γ = 1) keep their direction when one client multiplies loss and update by 10",
    right={"FedAvg-n", "FedMGDA+", "AdaFed"},
    wrong={
        "AdaFed missed": Wrong({"FedAvg-n", "FedMGDA+"}, "Look at AdaFed once more: it divides the row by the loss, and both are ten times larger. At γ = 1 the factor cancels"),
        "all fair rules": Wrong({"q-FedAvg", "FedMGDA+", "AdaFed", "FedAvg-n"}, "q-FedAvg multiplies where AdaFed divides: it reads the large loss as need, and takes the large update as it is"),
        "FedMGDA+ alone": Wrong({"FedMGDA+"}, "FedMGDA+ is unmoved because its rows have unit length. Which other rule of the list uses unit rows, and which divides by the loss?"),
    },
    praise="Two ways to be immune: forget the length, or divide by what was inflated with it",
))


def _lid(distances):
    r = np.asarray(distances, float)
    return float(-1 / np.mean(np.log(r / r.max())))


register(Exercise(
    slug="robustness.lid",
    task="the local intrinsic dimension from the distances to the k nearest neighbours, −1 / mean(log(r_i / r_k))",
    right=_lid,
    cases=[([1.0, 2.0, 4.0],), ([0.5, 0.6, 0.7, 1.0],), ([1.0, 3.0],)],
    wrong={
        "sign": Wrong(lambda r: -_lid(r), "For {case} you answer {given}; it should be {right}. Logarithms of ratios below 1 are negative; a dimension is not"),
        "not inverted": Wrong(lambda r: float(-np.mean(np.log(np.asarray(r) / np.max(r)))), "For {case} you answer {given}; it should be {right}. That is the mean logarithm. In m dimensions "
                              "distances grow like the m-th root of the count, so that the mean logarithm is about 1 / m"),
        "by the nearest": Wrong(lambda r: float(1 / np.mean(np.log(np.asarray(r) / np.min(r)))), "For {case} you answer {given}; it should be {right}. You divided by the smallest distance. The k-th, the largest, "
                                "is the scale"),
    },
    praise="On a line the distances grow evenly and this is near 1; predictions fitted to wrong labels scatter in every direction, and it grows",
))
