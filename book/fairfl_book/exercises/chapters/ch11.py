"""Chapter 11: robustness."""

import numpy as np

from fairfl_book.exercises.registry import Exercise, Question, Wrong, register


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
        "not divided": Wrong(
            lambda f, q, b: float((f[0] + b) ** q),
            "For {case} you answer {given}; it should be {right}. That is the liar's power alone. Divide by the sum over all clients, "
            "the liar included",
        ),
        "against the others": Wrong(
            lambda f, q, b: float((f[0] + b) ** q / np.sum(np.asarray(f)[1:] ** q)),
            "For {case} you answer {given}; it should be {right}. You divided by the others' sum: odds, not a share. The liar belongs "
            "into the sum as well",
        ),
        "honest sum": Wrong(
            lambda f, q, b: float((f[0] + b) ** q / np.sum(np.asarray(f) ** q)),
            "For {case} you answer {given}; it should be {right}. The sum below still has the honest loss of client 0. It is the "
            "reported losses that are summed",
        ),
    },
    praise="With q = 0.1 even a thousandfold lie buys little: the smaller q, the less a loss can say",
    hints=(
        "Only client 0 lies: add the bias to its loss, on a copy of the array.",
        "The weights are the powers of the *reported* losses, divided by their sum.",
        "Asked is the first of them, one number.",
    ),
))

register(Exercise(
    slug="robustness.inflation",
    task="which of FedAvg, FedAvg-n, q-FedAvg (q = 1), FedMGDA+, AdaFed (γ = 1) keep their direction when one client multiplies loss and update by 10",
    right={"FedAvg-n", "FedMGDA+", "AdaFed"},
    wrong={
        "AdaFed missed": Wrong({"FedAvg-n", "FedMGDA+"}, "Look at AdaFed once more: it divides the row by the loss, and both are ten times larger. At γ = 1 the factor cancels"),
        "all fair rules": Wrong({"q-FedAvg", "FedMGDA+", "AdaFed", "FedAvg-n"}, "q-FedAvg multiplies where AdaFed divides: it reads the large loss as need, and takes the large update as it is"),
        "FedMGDA+ alone": Wrong({"FedMGDA+"}, "FedMGDA+ is unmoved because its rows have unit length. Which other rule of the list uses unit rows, and which divides by the loss?"),
        "FedAvg too": Wrong(
            {"FedAvg", "FedAvg-n", "FedMGDA+", "AdaFed"},
            "FedAvg takes a tenfold update as it is: its mean turns towards that client",
        ),
    },
    praise="Two ways to be immune: forget the length, or divide by what was inflated with it",
    hints=(
        "Take the five in turn: does the rule read the length of an update, the loss, both, or neither?",
        "Unit rows forget any factor. And if a row is divided by f^γ, what becomes of the factor at γ = 1?",
        "Try it: two short updates, and the same with one of them and its loss ten times larger. A direction is kept if at most its length changes.",
    ),
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
        "last left out": Wrong(
            lambda r: float(-1 / np.mean(np.log(np.asarray(r)[:-1] / np.max(r)))),
            "For {case} you answer {given}; it should be {right}. You left the k-th neighbour out of the mean. Its logarithm is 0, "
            "but formula (1) divides by k. (Some programs do as you did)",
        ),
        "log10": Wrong(
            lambda r: float(-1 / np.mean(np.log10(np.asarray(r) / np.max(r)))),
            "For {case} you answer {given}; it should be {right}. You took logarithms to base 10. The formula's are natural: `np.log`",
        ),
        "sum": Wrong(
            lambda r: float(-1 / np.sum(np.log(np.asarray(r) / np.max(r)))),
            "For {case} you answer {given}; it should be {right}. You took the sum of the logarithms. Formula (1) has their mean",
        ),
    },
    praise="On a line the distances grow evenly and this is near 1; predictions fitted to wrong labels scatter in every direction, and it grows",
    hints=(
        "r / r.max() are ratios of at most 1, so that their logarithms are not positive.",
        "Formula (1) takes the mean over all k of them. The last ratio is 1, its logarithm 0, and it counts.",
        "Then minus one, divided by that mean.",
    ),
))

register(Question(
    slug="robustness.wrong_labels",
    task="which rules lose, and whom stage 1 suspects, at 20 % wrong labels",
    hints=(
        "With one label in five wrong, are the six still the clients with the largest losses at the end of training? Which rules would then go on "
        "following them?",
        "Stage 1 splits the scores into two groups. How far apart are they at 80 %, and what is left of that at 20 %?",
        "`attacks.noisy_labels` takes the share of wrong labels; `honest_accuracy`, `lid_scores` and `suspects` of this chapter do the rest.",
    ),
))
