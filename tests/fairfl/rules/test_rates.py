"""Rates of rules without a Gram matrix: the same numbers, and nothing is kept alive for them."""

import copy
import gc
import pickle
import weakref

import pytest
import torch
from refusals import refused

from fairfl import rules
from fairfl.rules import base
from fairfl.rules.gram import gram_matrix
from fairfl.training import ServerStep
from fairfl.updates import Updates

WITHOUT_GRAM = ["FedAvg", "TERM", "AFL", "FedFA", "FedHEAL"]


def round_of(name, dtype=torch.float32):
    G = torch.randn(4, 50, generator=torch.Generator().manual_seed(0)).to(dtype)
    u = Updates(G, losses=torch.tensor([1.0, 2, 3, 4]), extras={"accuracies": torch.tensor([0.1, 0.2, 0.3, 0.4])})
    return u, rules.make(name).direction(u)


@pytest.mark.parametrize("name", ["FedAvg", "TERM", "AFL"])
def test_a_rule_that_only_weighs_computes_no_gram_matrix(name, monkeypatch):
    monkeypatch.setattr(base, "gram_matrix", lambda *rows: pytest.fail("no rule that only weighs needs A"))
    u, direction = round_of(name)
    assert torch.allclose(direction.rates, gram_matrix(u.gradients) @ direction.weights, rtol=1e-6)


@pytest.mark.parametrize("name", WITHOUT_GRAM)
@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda d: pickle.loads(pickle.dumps(d))], ids=["copy", "deepcopy", "pickle"]
)
def test_a_direction_is_copied_and_pickled_with_its_rates(name, again):
    _, direction = round_of(name)
    other = again(direction)
    assert torch.equal(other.rates, direction.rates) and repr(other) == repr(direction)


def test_a_server_step_holds_no_updates():
    u = round_of("FedAvg")[0]
    taken = ServerStep("FedAvg", torch.zeros(50), 1).take(u)
    rows = weakref.ref(u.gradients)
    del u
    gc.collect()
    assert rows() is None and taken.smallest_rate == float(taken.direction.rates.min())


def test_rates_stay_when_the_updates_are_written_over():
    u, direction = round_of("FedAvg")
    before = direction.rates.clone()
    u.gradients.mul_(2)
    assert torch.equal(direction.rates, before)


@pytest.mark.parametrize("size", [1e-200, 1e-160, 1e154, 1e200, 1e307])
def test_fedheal_weighs_updates_of_any_size_as_those_near_one(size):
    u, _ = round_of("FedHEAL", torch.float64)
    shift = 2.0 ** round(torch.tensor(size, dtype=torch.float64).log2().item())
    near, far = rules.FedHEAL(), rules.FedHEAL()
    for t in range(2):
        G = u.gradients.roll(t)
        expected, got = near.combine(Updates(G, round=t)), far.combine(Updates(G * shift, round=t))
        assert torch.equal(got.vector, expected.vector * shift) and got.vector.any()
    if size > 1e153:
        with refused("diverged", "FedHEAL"):
            far.direction(Updates(u.gradients * shift, round=2))
