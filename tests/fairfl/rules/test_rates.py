"""Rates on demand: read late or never, they are the same numbers, and nothing is kept alive for them."""

import copy
import gc
import pickle
import weakref

import pytest
import torch

from fairfl import rules
from fairfl.rules import base
from fairfl.rules.gram import gram_matrix, rates
from fairfl.training import ServerStep
from fairfl.updates import Updates

LATE = ["FedAvg", "TERM", "AFL", "FedFA", "FedHEAL"]


def round_of(name, dtype=torch.float32):
    G = torch.randn(4, 50, generator=torch.Generator().manual_seed(0)).to(dtype)
    u = Updates(G, losses=torch.tensor([1.0, 2, 3, 4]), extras={"accuracies": torch.tensor([0.1, 0.2, 0.3, 0.4])})
    return u, rules.make(name).direction(u)


@pytest.mark.parametrize("name", ["FedAvg", "TERM", "AFL"])
def test_a_rule_that_only_weighs_reads_the_rows_again_only_for_its_rates(name, monkeypatch):
    made = []
    monkeypatch.setattr(base, "gram_matrix", lambda *rows: pytest.fail("no rule that only weighs needs A"))
    monkeypatch.setattr(base, "rates", lambda *asked: made.append(1) or rates(*asked))
    u, direction = round_of(name)
    assert not made
    assert torch.allclose(direction.rates, gram_matrix(u.gradients) @ direction.weights, rtol=1e-6)
    assert torch.equal(direction.rates, direction.rates) and len(made) == 1


@pytest.mark.parametrize("name", LATE)
@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda d: pickle.loads(pickle.dumps(d))], ids=["copy", "deepcopy", "pickle"]
)
def test_a_direction_is_copied_and_pickled_with_its_rates(name, again):
    _, direction = round_of(name)
    other = again(direction)
    assert torch.equal(other.rates, direction.rates) and repr(other) == repr(direction)
    assert "function" not in repr(direction) and not any(map(callable, vars(other).values()))


@pytest.mark.parametrize("name", LATE)
def test_rates_hold_the_updates_only_until_they_are_read(name):
    u, direction = round_of(name)
    rows = weakref.ref(u.gradients)
    _ = direction.rates
    del u
    gc.collect()
    assert rows() is None


def test_a_server_step_holds_no_updates():
    u = round_of("FedAvg")[0]
    taken = ServerStep("FedAvg", torch.zeros(50), 1).take(u)
    rows = weakref.ref(u.gradients)
    del u
    gc.collect()
    assert rows() is None and taken.smallest_rate == float(taken.direction.rates.min())


def test_rates_of_updates_that_were_written_over_are_refused():
    u, direction = round_of("FedAvg")
    u.gradients.mul_(2)
    with pytest.raises(ValueError, match="in place"):
        _ = direction.rates


@pytest.mark.parametrize("size", [1e-200, 1e-160, 1e154, 1e200, 1e307])
def test_fedheal_weighs_updates_of_any_size_as_those_near_one(size):
    u, _ = round_of("FedHEAL", torch.float64)
    shift = 2.0 ** round(torch.tensor(size, dtype=torch.float64).log2().item())
    near, far = rules.FedHEAL(), rules.FedHEAL()
    for t in range(2):
        G = u.gradients.roll(t)
        expected, got = near.direction(Updates(G, round=t)), far.direction(Updates(G * shift, round=t))
        assert torch.equal(got.vector, expected.vector * shift) and got.vector.any()
    if size > 1e153:
        with pytest.raises(ValueError, match="float64 can hold"):
            _ = got.rates
