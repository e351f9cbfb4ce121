"""Compare four scales times two hulls on the digits, each with its own step size: writes scales_and_hulls.csv next to this file.

Ten clients, a logistic model, one local step of 0.5 on all rows, so updates are gradients; 60 rounds. Three federations: nine offices
of eight digits and one of two; shards; Dirichlet 0.1. Scales are divided by their mean, so a common factor does not act as a step size.
The server's step is tuned for each rule and federation on three separate seeds (100 to 102): the one with the highest mean accuracy in the
last round. Then twelve other seeds (0 to 11) are run, the same for all rules. One line per run; ``part`` is "tuning" or "race", and
``negative`` is the number of rounds in which some weight was negative.
"""

import csv
import os
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
import torch

from fairfl import Updates, data, metrics, models, partition, rules
from fairfl.clients.lbfgs import LBFGS

STEPS, TUNING, RACE, ROUNDS = (1, 2, 4, 8, 16, 32, 64, 128), range(100, 103), range(12), 60
LR, SHARE = 0.5, {"scored_on": "pool", "test": 0.4}
SCALES = {
    "1": lambda gram, updates: torch.ones(len(gram), dtype=torch.float64),
    "length": lambda gram, updates: gram.diagonal().sqrt(),
    "loss": lambda gram, updates: updates.losses,
    "newton": lambda gram, updates: updates.extras["newton_rates"],
}
NEEDS = {"loss": frozenset({"losses"}), "newton": frozenset({"newton_rates"})}
HULLS = ("convex", "affine")
NEGATIVE: dict[tuple, int] = defaultdict(int)


class Place(rules.GramRule):
    """The point of smallest norm in a hull of ``g_k / s_k``, where s has mean 1. ``place``: the key in ``NEGATIVE``."""

    def __init__(self, scale: str, hull: str, place: tuple):
        self.scale, self.hull, self.place = scale, hull, place
        self.needs = NEEDS.get(scale, frozenset())

    def weights(self, gram: torch.Tensor, updates: Updates) -> torch.Tensor:
        s = SCALES[self.scale](gram, updates)
        here = (gram.diagonal() > 0) & (s > 0)
        s = s[here] / s[here].mean()
        weights = torch.zeros(len(gram), dtype=torch.float64)
        weights[here] = rules.min_norm(gram[here][:, here] / torch.outer(s, s), hull=self.hull).weights / s
        NEGATIVE[self.place] += bool((weights < -1e-9).any())
        return weights


def federations() -> dict:
    digits = data.load("digits")
    return {
        "offices": lambda seed: partition.by_class(digits, [range(8)] * 9 + [[8, 9]], seed=seed, **SHARE),
        "shards": lambda seed: partition.shards(digits, 10, seed=seed, **SHARE),
        "Dirichlet 0.1": lambda seed: partition.dirichlet(digits, 10, 0.1, seed=seed, **SHARE),
    }


def contestants(at: tuple) -> dict:
    """The rules by (scale, hull): the eight combinations and three others."""
    eight = {(scale, hull): Place(scale, hull, (*at, scale, hull)) for scale in SCALES for hull in HULLS}
    return eight | {("FedAvg", ""): rules.FedAvg(), ("FedAvg-n", ""): rules.FedAvgN(), ("FedFV", ""): rules.FedFV()}


def run(federation, rule: rules.Rule, seed: int, step: float) -> tuple[np.ndarray, np.ndarray]:
    """Test accuracies and training losses (K,) after ``ROUNDS`` rounds, in float64.

    Equivalent to ``train`` with ``LocalSGD(lr=0.5)``, in a tenth of the time: a full-batch step of a linear model is one product.
    """
    held, K = federation.dataset, len(federation)
    inputs, labels = held.inputs.double().flatten(1), held.targets
    inputs = torch.cat([inputs, torch.ones(len(inputs), 1)], 1)  # the last column carries the biases
    longest = int(federation.sizes.max())
    x, hit, each = (
        torch.zeros(K, longest, inputs.shape[1]),
        torch.zeros(K, longest, held.outputs),
        torch.zeros(K, longest),
    )
    x, hit, each = x.double(), hit.double(), each.double()  # padding rows have weight 0
    for k, rows in enumerate(federation.train):
        x[k, : len(rows)], each[k, : len(rows)] = inputs[rows], 1 / len(rows)
        hit[k, : len(rows)] = torch.nn.functional.one_hot(labels[rows], held.outputs).double()
    layer = models.build("logistic", held, seed=seed)
    w = torch.cat([p.detach().double().reshape(held.outputs, -1) for p in layer.parameters()], 1).flatten()
    memories = [LBFGS() for _ in range(K)]

    def losses_and_slopes() -> tuple[torch.Tensor, torch.Tensor]:
        logs = torch.log_softmax(x @ w.view(held.outputs, -1).T, 2)
        error = (logs.exp() - hit) * each[..., None]
        return -((logs * hit).sum(2) * each).sum(1), torch.bmm(error.transpose(1, 2), x).flatten(1)

    for t in range(ROUNDS):
        losses, slopes = losses_and_slopes()
        extras = {}
        if "newton_rates" in rule.needs:
            for memory, slope in zip(memories, slopes):
                memory.observe(w, slope)
            falls = [LR * slope @ memory.times(slope, LR) for memory, slope in zip(memories, slopes)]
            extras["newton_rates"] = torch.stack(falls)
        updates = Updates(LR * slopes, losses=losses, shares=federation.shares, round=t, extras=extras)
        w = w - step * rule.direction(updates).vector
    named = (inputs @ w.view(held.outputs, -1).T).argmax(1) == labels
    right = [float(named[rows].double().mean()) for rows in federation.test]
    return np.array(right), losses_and_slopes()[0].numpy()


def runs(part: str, name: str, split, seed: int, steps: dict):
    """One line per rule and step. ``steps``: the steps to run, by rule."""
    federation = split(seed)
    for scale, hull in contestants(()):
        for step in steps[scale, hull]:
            at = (part, name, seed, step)
            right, losses = run(federation, contestants(at)[scale, hull], seed, step)
            summary = metrics.summary(right)
            yield [
                part, name, scale, hull, seed, step, *(f"{summary[key]:.4f}" for key in ("mean", "worst 10 %", "std")),
                f"{losses.mean():.6f}", f"{losses.max():.6f}", NEGATIVE[(*at, scale, hull)],
                torch.__version__.split("+")[0], federation.digest,
            ]  # fmt: skip


def main() -> None:
    target = Path(__file__).with_suffix(".csv")
    torch.set_num_threads(1)
    part = target.with_suffix(".part")
    with open(part, "w", newline="") as file:
        table = csv.writer(file)
        head = "part federation scale hull seed step mean worst_10 std loss_mean loss_worst negative torch split"
        table.writerow(head.split())
        for name, split in federations().items():
            tried = defaultdict(list)
            for seed in TUNING:
                for row in runs("tuning", name, split, seed, defaultdict(lambda: STEPS)):
                    table.writerow(row)
                    tried[row[2], row[3], row[5]].append(float(row[6]))
                print(name, "tuning", seed, file=sys.stderr, flush=True)
            best = {rule: max(STEPS, key=lambda step: np.mean(tried[(*rule, step)])) for rule in contestants(())}
            for seed in RACE:
                table.writerows(runs("race", name, split, seed, {rule: [step] for rule, step in best.items()}))
                file.flush()
    os.replace(part, target)


if __name__ == "__main__":
    main()
