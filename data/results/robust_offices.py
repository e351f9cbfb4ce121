"""Train the ten offices under every rule, with an honest first office and with one that lies, and record who gets what.

Writes robust_offices.csv next to this file: one line per rule, lie, seed and office with the accuracy after 30 rounds.

Nine offices have the digits 0 to 7, and the tenth has 8 and 9. Logistic regression, 30 rounds of five full-batch steps with step size
0.5, full participation. A seed draws the split and the first model: three seeds for the honest offices and the first three lies, one for
the others. The first office lies in every round:

- "loss": it adds 10 to its loss, and sends its true update;
- "turned": it sends minus the mean of the others' updates;
- "loud": it sends 100 times that;
- "aimed": it sends minus the tenth office's update, and "loud aimed" 100 times that;
- "shifted": it sends the others' mean minus 1.5 of their standard deviations, in every coordinate (Baruch et al. 2019).

A run whose numbers stop being finite is recorded without an accuracy.
"""

import csv
from dataclasses import replace
from pathlib import Path

from fairfl import LocalSGD, attacks, data, partition, rules, train
from fairfl.clients import Ditto
from fairfl.errors import Diverged

HERE = Path(__file__).parent
ROUNDS = 30
LOCAL = LocalSGD(lr=0.5, epochs=5)
CONTESTANTS = {
    "FedAvg": rules.FedAvg(),
    "FedAvg, equal weights": rules.FedAvg("uniform"),
    "FedAvg-n": rules.FedAvgN(),
    "q-FedAvg, q = 1": rules.QFedAvg(q=1.0),
    "TERM, t = 1": rules.TERM(t=1.0),
    "AFL": rules.AFL(),
    "FedFA": rules.FedFA(),
    "FedFV": rules.FedFV(alpha=0.1),
    "FedLF": rules.FedLF(),
    "FedMGDA": rules.FedMGDA(),
    "FedMGDA+": rules.FedMGDAPlus(),
    "FedMGDA+, ε = 0.1": rules.FedMGDAPlus(epsilon=0.1),
    "AdaFed, γ = 1": rules.AdaFed(gamma=1.0),
    "FedHEAL": rules.FedHEAL(),
    "CVaR, α = 0.5": rules.CVaR(0.5),
    "PropFair": rules.PropFair(),
    "capped MGDA, cap 1/2": rules.FedMGDA(epsilon=0.4),
    "capped MGDA, cap 1/4": rules.FedMGDA(epsilon=0.15),
    "capped MGDA, unit rows, cap 1/2": rules.FedMGDAPlus(epsilon=0.4),
    "capped MGDA, unit rows, cap 1/4": rules.FedMGDAPlus(epsilon=0.15),
    "median": rules.CoordinateMedian(),
    "trimmed mean, β = 0.1": rules.TrimmedMean(0.1),
    "Krum, one liar": rules.Krum(1),
}
# The common model's rule, and how strongly the personal models are pulled towards it.
PERSONAL = {
    "each office alone": ("FedAvg", 0.0),
    "Ditto, κ = 0.01": ("FedAvg", 0.01),
    "Ditto, κ = 0.1": ("FedAvg", 0.1),
    "Ditto, κ = 1": ("FedAvg", 1.0),
    "Ditto over the median, κ = 0.1": ("CoordinateMedian", 0.1),
    "Ditto over the median, κ = 1": ("CoordinateMedian", 1.0),
}


def offices(seed):
    return partition.by_class(data.load("digits"), [range(8)] * 9 + [[8, 9]], scored_on="pool", test=0.4, seed=seed)


def sends(row):
    """The tamper by which the first office sends ``row(rows)`` in place of its update."""

    def tamper(updates):
        rows = updates.gradients.clone()
        rows[0] = row(rows)
        return replace(updates, gradients=rows)

    return tamper


LIES = {
    "none": None,
    "loss": attacks.Bias(0, 10.0),
    "turned": sends(lambda rows: -rows[1:].mean(0)),
    "loud": sends(lambda rows: -100 * rows[1:].mean(0)),
    "aimed": sends(lambda rows: -rows[9]),
    "loud aimed": sends(lambda rows: -100 * rows[9]),
    "shifted": sends(lambda rows: rows[1:].mean(0) - 1.5 * rows[1:].std(0, correction=0)),
}


def accuracies(seed, lie):
    """(name, accuracies) of every contestant and every personal method, for one seed and one lie."""
    federation = offices(seed)
    settings = {"rounds": ROUNDS, "local": LOCAL, "evaluate_every": ROUNDS, "record_rates": False, "tamper": LIES[lie]}
    runs = {name: (rule, {}) for name, rule in CONTESTANTS.items()}
    runs |= {name: (rule, {"personal": Ditto(pull, LOCAL)}) for name, (rule, pull) in PERSONAL.items()}
    for name, (rule, more) in runs.items():
        try:
            yield name, train(federation, rule, "logistic", seed=seed, **settings, **more).accuracy[-1]
        except Diverged:
            yield name, None


def main():
    with open(HERE / "robust_offices.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["rule", "lie", "seed", "office", "accuracy"])
        for seed, lies in ((0, list(LIES)), (1, list(LIES)[:4]), (2, list(LIES)[:4])):
            for lie in lies:
                for name, found in accuracies(seed, lie):
                    for k in range(10):
                        writer.writerow([name, lie, seed, k, "" if found is None else f"{found[k]:.4f}"])
                file.flush()
                print("seed", seed, lie, flush=True)


if __name__ == "__main__":
    main()
