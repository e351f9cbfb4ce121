"""How do I compare rules over several seeds, with a split for each seed?

Give `sweep` a function from the seed to the split, and condense its table with `summary`. It holds mean ± s.d. over the seeds, the worst tenth of the clients, and differences from a reference rule, paired by seed.
"""

import matplotlib.pyplot as plt

from fairfl import LocalSGD, Server, data, partition, sweep
from fairfl.training import summary

dataset = data.load("digits")
# A step size for each rule. To choose it, score=["validation"] keeps the test rows out of the choice.
servers = {
    "FedAvg": Server(),
    "QFedAvg": Server(lr=4),
    "TERM": Server(),
    "FedMGDAPlus": Server(lr=3),
    "FedFV": Server(),
    "UPGrad": Server(),
}
table = sweep(
    lambda seed: partition.dirichlet(dataset, 10, 0.3, seed=seed, test=0.3),
    rules=[*servers],
    server=servers,
    seeds=[0, 1, 2],
    local=LocalSGD(lr=0.1, batch_size=16),
    rounds=10,
    evaluate_every=10,
)
short = summary(table, reference="FedAvg", percent=10)
shown = ["rule", "mean", "mean_sd", "worst", "worst_sd", "worst_difference", "worst_low", "worst_high"]
print(short[shown].round(3).to_string(index=False))

figure, axis = plt.subplots()
axis.errorbar(short["mean"], short["worst"], short["worst_sd"], short["mean_sd"], fmt="o")
for _, row in short.iterrows():
    axis.annotate(row["rule"], (row["mean"], row["worst"]))
axis.set(xlabel="mean accuracy", ylabel="accuracy of the worst tenth")
figure.savefig("compare_rules.png")
