"""What a checkpoint would lose: a memory that a rule does not declare, or that could not be read back, is refused."""

import functools

import numpy as np
import pytest
import torch

from fairfl import partition, rules, train
from fairfl.errors import Refused


@pytest.fixture
def federation(small):
    return partition.iid(small, 3, test=0.2)


class Counting(rules.FedAvg):
    """Counts its rounds; how it keeps the count is for subclasses to say."""

    def combine(self, updates):
        self.count()
        return super().combine(updates)


class Undeclared(Counting):
    def count(self):
        self._rounds = getattr(self, "_rounds", 0) + 1


class UndeclaredPublic(Counting):
    def __init__(self):
        super().__init__()
        self.seen = []

    def count(self):
        self.seen.append(1)


class Chance(Counting):
    def __init__(self):
        super().__init__()
        self._chance = torch.Generator().manual_seed(0)

    def count(self):
        torch.rand(1, generator=self._chance)


class Wrapper(rules.Rule):
    def __init__(self):
        self.inner = rules.FedFV(0.1, tau=2)

    def combine(self, updates):
        return self.inner.combine(updates)

    needs = rules.FedFV.needs


class Numpys(Counting):
    remembers = ("total",)

    def __init__(self):
        super().__init__()
        self._total = None

    def count(self):
        self._total = np.float64(1.0)


class Declared(Counting):
    remembers = ("rounds",)

    def __init__(self):
        super().__init__()
        self._rounds = None

    def count(self):
        self._rounds = (self._rounds or 0) + 1

    @functools.cached_property
    def table(self):
        return torch.arange(3)

    def combine(self, updates):
        assert self.table is not None
        return super().combine(updates)


@pytest.mark.parametrize(
    "rule, words",
    [
        (Undeclared, r"Undeclared .*self._rounds .*remembers = \('rounds',\)"),
        (UndeclaredPublic, r"changed self.seen in a round.*self._seen.*remembers = \('seen',\)"),
        (Chance, "changed self._chance"),
        (Wrapper, "changed self.inner"),
        (Numpys, "Numpys remembers 'total' as a numpy.float64"),
    ],
)
def test_a_memory_that_a_checkpoint_would_lose_is_refused_in_the_first_round(federation, tmp_path, rule, words):
    with pytest.raises(Refused, match=words) as caught:
        train(federation, rule(), rounds=5, checkpoint=tmp_path / "c.pt")
    assert caught.value.history.rounds.tolist() == [0, 1] and not (tmp_path / "c.pt").exists()
    assert train(federation, rule(), rounds=5).rounds[-1] == 5, "without a checkpoint nothing can be lost"


class Late(Counting):
    def count(self):
        self._calls = None

    def combine(self, updates):
        if updates.round >= 2:
            self._late = 1
        return rules.FedAvg.combine(self, updates)


def test_a_memory_that_begins_later_is_refused_when_it_would_be_saved(federation, tmp_path):
    with pytest.raises(Refused, match="Late changed self._late"):
        train(federation, Late(), rounds=6, checkpoint=tmp_path / "c.pt", checkpoint_every=4)
    assert not (tmp_path / "c.pt").exists()


def test_declared_memories_and_cached_properties_pass(federation, tmp_path):
    assert train(federation, Declared(), rounds=3, checkpoint=tmp_path / "c.pt", checkpoint_every=1).rounds[-1] == 3
    for number, name in enumerate(rules.names()):
        train(federation, name, rounds=2, checkpoint=tmp_path / str(number), checkpoint_every=1)
