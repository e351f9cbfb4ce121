"""Code such as a reader might declare: a split, rules, an attack and a measure; and a small experiment that uses them."""

import os
import time
import uuid
from pathlib import Path

import numpy as np

from fairfl import Federation, Updates, data, partition, rules
from fairfl.errors import Diverged, Refused
from reproductions import catalogue


def offices(seed) -> Federation:
    return partition.by_class(data.load("digits"), [range(8)] * 4 + [[8, 9]], scored_on="pool", test=0.4, seed=seed)


class First(rules.GramRule):
    """The first client's update, times ``factor``."""

    def __init__(self, factor=1.0):
        self.factor = float(factor)

    def weights(self, gram, updates):
        return self.factor * (updates.clients == updates.clients[0]).double()


class Stops(First):
    """The first client's update, until the third round raises an exception of this kind."""

    def __init__(self, kind):
        super().__init__()
        self.kind = kind

    def weights(self, gram, updates):
        if updates.round == 2:
            raise {"diverged": Diverged, "refused": Refused, "bug": ValueError}[self.kind](
                "the third round was too much"
            )
        return super().weights(gram, updates)


class Waits(First):
    """``First``, which in its third round writes its process id and its parent's to a file in ``folder``, and waits for a file "struck"."""

    def __init__(self, factor, folder):
        super().__init__(factor)
        self.folder = str(folder)

    def weights(self, gram, updates):
        if updates.round == 2:
            place = Path(self.folder)
            (place / f"began-{uuid.uuid4().hex}").write_text(f"{os.getpid()} {os.getppid()}")
            while not (place / "struck").exists():
                time.sleep(0.02)
        return super().weights(gram, updates)


class Silent:
    """An attack that changes nothing."""

    def __init__(self, client=0):
        self.client = client

    def __call__(self, updates) -> Updates:
        return updates


def gap(accuracies, test_sizes) -> float:
    return 100 * np.ptp(accuracies)


TOML = """
title = "A small table"
paper = "fedfv"
table = "Table 3"
dataset = "Fashion-MNIST"
federation = "own:offices"
model = "logistic"
rounds = 6
seeds = 2
checkpoint_every = 1
local = { lr = 0.1, batch_size = 20 }
chosen = ["a split of our own"]

[columns]
mean_accuracy = "mean"
accuracy_shirt = "client 4"
variance_as_printed = { of = "own:gap", why = "a test" }

[[rows]]
label = "FedAvg"
algorithm = "FedAvg"

[[rows]]
label = "FedFV, a third"
rule = "FedFV"
settings = { alpha = "1/3" }
algorithm = "FedFV"
hyperparameters = "alpha=1/3;tau=0"

[[rows]]
label = "First"
rule = "own:First"
settings = { factor = 0.5 }
tamper = { attack = "Bias", client = 0, constant = 10.0 }
"""


def declared(folder, text=TOML, name="small"):
    path = folder / f"{name}.toml"
    path.write_text(text, encoding="utf-8")
    return path


def small(folder, text=TOML):
    return catalogue.load(declared(folder, text))
