"""A reader's own code type-checks against the package: lists where lists are taken, tensors where they are read."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

READERS = """
from dataclasses import replace

import numpy as np
import torch

from fairfl import Dataset, Direction, Federation, LocalSGD, Rule, Updates, WeightRule, attacks, metrics, partition, sweep, train
from fairfl.clients import Correction


class Loudest(WeightRule):
    needs = frozenset({"losses"})
    remembers = ("counts",)
    _counts: torch.Tensor | None

    def weights(self, updates: Updates) -> torch.Tensor:
        counts = torch.zeros(updates.population) if self._counts is None else self._counts
        self._counts = counts.index_add(0, updates.clients, torch.ones(len(updates)))
        return (updates.losses == updates.losses.max()).double()


class First(Rule):
    def combine(self, updates: Updates) -> Direction:
        return Direction(updates.gradients[0], None, updates.gradients @ updates.gradients[0])


class Clipped(Correction):
    def gradient(self, g: torch.Tensor, w: torch.Tensor, start: torch.Tensor, own: dict[str, torch.Tensor],
                 common: dict[str, torch.Tensor]) -> torch.Tensor:
        return g.clamp(-1, 1)


updates = Updates([[1.0, 0.0], [0.0, 2.0]], losses=[0.5, 1.5], shares=np.array([0.5, 0.5]), clients=[0, 4], population=5)
bigger = replace(updates, gradients=2 * updates.gradients)
worst: float = float(updates.losses.max() + bigger.shares.sum()) + updates.population
direction = Loudest().direction(attacks.Bias(0, 1.0)(updates))
rates = direction.rates
smallest: float = float("nan") if rates is None else float(rates.min())

dataset = Dataset(np.eye(8), np.arange(8) % 2, classes=("no", "yes"), columns={"town": [0, 0, 0, 0, 1, 1, 1, 1]})
names: int = len(dataset.classes) + dataset.test_from
halves: Federation = partition.split(dataset, [[0, 1, 2, 3], np.arange(4, 8)], test=0.25)
own: Federation = Federation(dataset, train=[[0, 1], [4, 5]], validation=[[], []], test=[[2], torch.tensor([6])])
dealt: Federation = partition.iid(dataset, 2, test=0.5)
history = train(own, First(), rounds=1, local=LocalSGD(correct=Clipped()), tamper=attacks.Scaling(0, 2.0))
table = sweep(dealt, rules=["FedAvg", Loudest()], seeds=[0, 1], rounds=1)
row: dict[str, float] = metrics.summary([0.5, 0.25], [10, 10])
"""

# Slips that types are for, one a line.
SLIPS = """
from fairfl import Dataset, Updates, partition

Updates([[1.0]], [0.5])
Updates([[1.0]], losses="high")
Updates([[1.0]], population="all")
partition.iid(Dataset([[0.0]], [0]), "ten")
"""


def test_a_readers_code_type_checks_and_slips_are_found(tmp_path):
    pytest.importorskip("mypy", reason="mypy is not installed: pip install 'fairfl[dev]'")
    files = [tmp_path / "readers.py", tmp_path / "slips.py"]
    for file, code in zip(files, (READERS, SLIPS)):
        file.write_text(code)
    # With the cache of ``make check``, for torch alone takes half a minute.
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", ROOT / "pyproject.toml", *files],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    errors = [line for line in done.stdout.splitlines() if ": error:" in line]
    assert [line for line in errors if "slips.py:" not in line] == [] and not done.stderr
    assert {int(line.split("slips.py:")[1].split(":")[0]) for line in errors} == {4, 5, 6, 7}


def test_the_readers_code_runs_as_well():
    exec(compile(READERS, "readers.py", "exec"), {"__name__": "readers"})
