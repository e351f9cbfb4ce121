"""The task and the clock that ``side_by_side.py`` uses to compare fairfl with other libraries.

FedAvg on synthetic images of MNIST's shape: 100 iid clients of 600 images, ten a round, one local epoch of SGD with
batches of 64, the 10,000 test images scored after every round, one thread each.
"""

import os
import time
from functools import cache
from pathlib import Path

import torch
from torch import nn

CLIENTS, TAKING_PART, EACH, TESTED = 100, 10, 600, 10_000
BATCH, LR = 64, 0.1


def mlp() -> nn.Module:
    """784-200-200-10: FLGo's MLP, and the one of McMahan et al. 2017."""
    relu = nn.ReLU
    return nn.Sequential(nn.Flatten(), nn.Linear(784, 200), relu(), nn.Linear(200, 200), relu(), nn.Linear(200, 10))


def cnn() -> nn.Module:
    """FLGo's CNN: two convolutions of 5 × 5 with pooling, 512 hidden units."""
    block = lambda here, there: [nn.Conv2d(here, there, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2)]
    return nn.Sequential(
        *block(1, 32), *block(32, 64), nn.Flatten(), nn.Linear(3136, 512), nn.ReLU(), nn.Linear(512, 10)
    )


MODELS = {"MLP": mlp, "CNN": cnn}


@cache
def images() -> tuple[torch.Tensor, torch.Tensor]:
    """Bytes (70,000, 1, 28, 28), a fifth of them not zero, and labels (70,000,); the last 10,000 rows are the test set."""
    g, rows = torch.Generator().manual_seed(0), CLIENTS * EACH + TESTED
    pixels = torch.randint(256, (rows, 1, 28, 28), generator=g, dtype=torch.uint8)
    pixels *= (torch.rand(rows, 1, 28, 28, generator=g) < 0.2).byte()
    return pixels, torch.randint(10, (rows,), generator=g)


@cache
def inputs() -> torch.Tensor:
    """The images as float32 from 0 to 1."""
    return images()[0].float() / 255


class Clock:
    """Marks one time per round: wall-clock seconds, and processor seconds of this process and its children."""

    def __init__(self) -> None:
        self.marks: list[tuple[float, float]] = []

    def mark(self) -> None:
        self.marks.append((time.perf_counter(), spent()))

    def rounds(self) -> list[tuple[float, float]]:
        """Seconds between marks. The set-up before the first mark is not included."""
        return [(after[0] - before[0], after[1] - before[1]) for before, after in zip(self.marks, self.marks[1:])]


def spent() -> float:
    """Processor seconds of this process and, where /proc exists, of its descendants."""
    tree, parents = {os.getpid()}, {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            number, told = int(stat.parent.name), stat.read_text().rpartition(")")[2].split()
        except (OSError, ValueError):  # it has ended since
            continue
        parents[number] = int(told[1]), sum(map(int, told[11:15]))
    if not parents:
        return time.process_time()
    while more := {number for number, (parent, _) in parents.items() if parent in tree} - tree:
        tree |= more
    return sum(parents[number][1] for number in tree if number in parents) / os.sysconf("SC_CLK_TCK")


def ours(model: str, rounds: int, validation: float = 0.0) -> Clock:
    """The task in fairfl. With ``validation``, that share of each client's rows is held out and evaluated every
    round."""
    from fairfl import Dataset, LocalSGD, partition, train

    pixels, labels = inputs(), images()[1]
    dataset = Dataset(pixels, labels, tuple("0123456789"), test_from=CLIENTS * EACH)
    federation = partition.iid(dataset, CLIENTS, scored_on="official", validation=validation)
    clock = Clock()

    def watch(updates):
        clock.mark()
        return updates

    train(
        federation,
        "FedAvg",
        MODELS[model](),
        rounds=rounds,
        participation=TAKING_PART / CLIENTS,
        local=LocalSGD(lr=LR, batch_size=BATCH),
        score=("test", "validation") if validation else "test",
        tamper=watch,
        progress=False,
    )
    return clock
