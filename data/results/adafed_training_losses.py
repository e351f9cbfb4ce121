"""Record three clients' training losses under AdaFed in the setting of its Table 12: writes adafed_training_losses.csv next to this file.

Fashion-MNIST, one class of clothing per client, full batch, local step size 0.1, one local step per round, server step 1, 300 rounds,
seed 0. One line per round, with the losses before the round and the norm of the direction taken in it. The table's own runs record test
losses only.
"""

import csv
from pathlib import Path

import torch

from fairfl import LocalSGD, partition, rules, train

GAMMAS = (0, 1, 10)


def main():
    federation = partition.preset("fedfv_fashion_mnist")
    with open(Path(__file__).with_suffix(".csv"), "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["gamma", "round", "shirt", "pullover", "t_shirt", "direction_norm", "torch", "split"])
        for gamma in GAMMAS:
            history = train(
                federation,
                rules.AdaFed(gamma=gamma),
                "mlp",
                rounds=300,
                local=LocalSGD(lr=0.1),
                seed=0,
                score=("test", "train"),
                progress=False,
            )
            for t, norm in enumerate(history.direction_norm):
                table.writerow(
                    [
                        gamma,
                        t,
                        *(f"{v:.5f}" for v in history.train_loss[t]),
                        f"{norm:.4g}",
                        torch.__version__.split("+")[0],
                        history.settings["federation"]["digest"],
                    ]
                )
            file.flush()


if __name__ == "__main__":
    main()
