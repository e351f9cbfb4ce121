"""Record what happens to a client that is seldom heard, for chapter 14: writes absent_clients.csv next to this file.

Nine offices with the digits 0 to 7 and a tenth with 8 and 9, a logistic model, two local epochs in batches of 16 with step size 0.5. One
line per run and place: accuracies in %, averaged over the last rounds before ``rounds`` (ten of them, or the last whole period).

"drawn": all ten, five or three of ten in each round, seeds 0 to 7; for the rules with a memory, three of ten also with seeds 8 to 23.
"full first round": the same with three of ten, but everybody is drawn in the first round.
"pattern": the tenth office answers in every P-th round, from the first on; the nine always do. 100 rounds (99 for P = 3), read at 20, 40, …
"first heard": the same for FedMGDA+ with memory, heard for the first time in round 1, 5, 8 or 15 of 30.
"splits": "pattern" over 20 rounds (21 for P = 3) with the splits and seeds 1 to 3.
"server step": FedMGDA+ with server steps 1, 2 and 3, and at the length of the plain mean, with all ten and with five of ten.
"""

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch

from fairfl import LocalSGD, Server, data, partition, rules, train

LOCAL = LocalSGD(lr=0.5, epochs=2, batch_size=16)
COLUMNS = (
    "experiment",
    "rule",
    "setting",
    "seed",
    "rounds",
    "tenth",
    "after_heard",
    "after_silent",
    "nine",
    "times_heard",
    "first_heard",
)


class Corrected(rules.WeightRule):
    """FedAvg with the weights p_k / q_k, as in the chapter."""

    needs = frozenset({"inclusion"})

    def __init__(self, shares: list[float]):
        self.shares = tuple(shares)

    def weights(self, updates):
        return torch.tensor(self.shares, dtype=torch.float64)[updates.clients] / updates.extras["inclusion"]


class AtMeanLength(rules.Rule):
    """FedMGDA+'s direction at the length of the weighted mean of the rows."""

    def combine(self, updates):
        direction = rules.FedMGDAPlus().direction(updates)
        mean = updates.shares.to(updates.gradients.dtype) @ updates.gradients
        return replace(direction, vector=direction.vector * (mean.norm() / direction.vector.norm()))


class Pattern:
    """Client 9 answers in every P-th round from round ``first`` on (0 is the first), and the others always."""

    def __init__(self, P: int, first: int = 0):
        self.P, self.first = P, first

    def sample(self, round, generator):
        heard = round >= self.first and (round - self.first) % self.P == 0
        return list(range(9 + heard)), [1.0] * 9 + [1 / self.P] * heard


class FullFirst:
    """Everybody in the first round, then K of ten."""

    def __init__(self, K: int):
        self.K = K

    def sample(self, round, generator):
        if round == 0:
            return list(range(10)), [1.0] * 10
        return sorted(torch.randperm(10, generator=generator)[: self.K].tolist()), [self.K / 10] * self.K


def offices(seed: int = 0):
    return partition.by_class(data.load("digits"), [range(8)] * 9 + [[8, 9]], scored_on="pool", test=0.4, seed=seed)


def contestants(federation) -> dict:
    sizes = np.array([len(rows) for rows in federation.train], dtype=float)
    return {
        "FedAvg": rules.FedAvg(),
        "FedAvg with p/q": Corrected((sizes / sizes.sum()).tolist()),
        "TERM, t = 2": rules.TERM(t=2),
        "FedMGDA+": rules.FedMGDAPlus(),
        "FedFV, τ = 3": rules.FedFV(tau=3),
        "FedLF": rules.FedLF(),
        "mean of the latest": rules.WithMemory(rules.FedAvg()),
        "FedMGDA+ with memory": rules.WithMemory(rules.FedMGDAPlus()),
    }


def runs(federation, contestants: dict, rounds: int, seeds, **settings):
    """One (name, seed, history) per run; all are trained side by side."""
    together = [(name, seed) for name in contestants for seed in seeds]
    histories = train(
        federation,
        [contestants[name] for name, _ in together],
        "logistic",
        rounds=rounds,
        local=LOCAL,
        seed=[seed for _, seed in together],
        record_rates=False,
        progress=False,
        **settings,
    )
    for (name, seed), history in zip(together, histories, strict=True):
        yield name, seed, history


def line(experiment, name, setting, seed, history, rounds, last) -> list:
    a = 100 * history.accuracy[rounds - last + 1 : rounds + 1]
    heard = np.array([9 in drawn for drawn in history.participants])
    late = heard[rounds - last : rounds]
    mean = lambda values: f"{values.mean():.2f}" if len(values) else ""
    first = int(np.argmax(heard)) + 1 if heard.any() else ""
    return [
        experiment,
        name,
        setting,
        seed,
        rounds,
        mean(a[:, 9]),
        mean(a[late, 9]),
        mean(a[~late, 9]),
        mean(a[:, :9]),
        late.sum(),
        first,
    ]


def experiments():
    ten = offices()
    rivals = contestants(ten)
    memories = {name: rivals[name] for name in ("mean of the latest", "FedMGDA+ with memory")}
    steps = {"server step 1": (rules.FedMGDAPlus(), 1.0), "server step 2": (rules.FedMGDAPlus(), 2.0)}
    steps |= {"server step 3": (rules.FedMGDAPlus(), 3.0), "length of the mean": (AtMeanLength(), 1.0)}

    def drawn(experiment, contestants, setting, participation, seeds):
        for name, seed, history in runs(ten, contestants, 30, seeds, participation=participation):
            yield line(experiment, name, setting, seed, history, 30, 10)

    for setting, participation in (("all ten", 1.0), ("five of ten", 0.5), ("three of ten", 0.3)):
        yield from drawn("drawn", rivals, setting, participation, range(8))
    yield from drawn("full first round", memories, "three of ten", FullFirst(3), range(8))
    for P, rounds in ((2, 100), (3, 99), (5, 100)):
        for name, seed, history in runs(ten, rivals, rounds, (0,), participation=Pattern(P)):
            for place in (20, 40, 60, 80, 100):
                end = min(rounds, -(-place // P) * P)
                yield line("pattern", name, f"1 in {P}", seed, history, end, P)
        for first in (1, 5, 8, 15):
            only = {"FedMGDA+ with memory": memories["FedMGDA+ with memory"]}
            for name, seed, history in runs(ten, only, 30, (0,), participation=Pattern(P, first - 1)):
                yield line("first heard", name, f"1 in {P}", seed, history, 30, P)
    for setting, participation in (("all ten", 1.0), ("five of ten", 0.5)):
        for words, (rule, step) in steps.items():
            server = Server(lr=step)
            for _, seed, history in runs(ten, {words: rule}, 30, range(3), participation=participation, server=server):
                yield line("server step", words, setting, seed, history, 30, 10)
    for split in (1, 2, 3):
        federation = offices(split)
        for P, rounds in ((2, 20), (3, 21), (5, 20)):
            more = contestants(federation) | {"FedAvg, equal weights": rules.FedAvg("uniform")}
            for name, seed, history in runs(federation, more, rounds, (split,), participation=Pattern(P)):
                yield line("splits", name, f"1 in {P}", seed, history, rounds, P)
    yield from drawn("drawn", memories, "three of ten", 0.3, range(8, 24))


def main():
    with open(Path(__file__).with_suffix(".csv"), "w", newline="") as file:
        table = csv.writer(file)
        table.writerow([*COLUMNS, "torch"])
        for row in experiments():
            table.writerow([*row, torch.__version__.split("+")[0]])
            file.flush()


if __name__ == "__main__":
    main()
