"""Record FedAvg on FedFV's three-client Fashion-MNIST (the setting of its Table 3): writes fashion_three_clients.csv next to this file.

Full batch, local step size 0.1, one local step per round, 200 rounds, five seeds. Preprocessing: each pixel minus its mean over the
18,000 training images, divided by its standard deviation. 6,000 training and 1,000 official test images per client. The seed determines the
initial weights only, because with full batches and full participation nothing else is drawn. ``softmax``: the released code ends its model
with a softmax, below the cross-entropy that adds its own; both readings are recorded. The oscillation is the largest minus the smallest
accuracy of a class over the last ten rounds.
"""

import csv
from functools import partial
from pathlib import Path

import torch

from fairfl import LocalSGD, models, partition, train


def runs(model, softmax, seeds):
    federation = partition.preset("fedfv_fashion_mnist")
    build = partial(models.MODELS[model], softmax=softmax)
    return train(federation, "FedAvg", build, rounds=200, local=LocalSGD(lr=0.1), seed=seeds, progress=False)


def main():
    names = ("shirt", "pullover", "t_shirt")
    with open(Path(__file__).with_suffix(".csv"), "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(
            [
                "model",
                "softmax",
                "seed",
                *(f"{n}_last" for n in names),
                *(f"{n}_mean_of_last_10" for n in names),
                *(f"{n}_oscillation" for n in names),
                "std_last",
                "torch",
                "split",
            ]
        )
        for model in ("logistic", "mlp"):
            for softmax in (True, False):
                for seed, history in enumerate(runs(model, softmax, range(5))):
                    last = 100 * history.accuracy[-10:]
                    row = [*last[-1], *last.mean(0), *(last.max(0) - last.min(0)), last[-1].std()]
                    table.writerow(
                        [
                            model,
                            softmax,
                            seed,
                            *(f"{v:.2f}" for v in row),
                            torch.__version__.split("+")[0],
                            history.settings["federation"]["digest"],
                        ]
                    )
                    file.flush()


if __name__ == "__main__":
    main()
