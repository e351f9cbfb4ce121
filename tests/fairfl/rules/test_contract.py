"""What every rule inherits from its base class: a state, its checkpoints, and a readable ``repr``."""

import copy
import pickle

import pytest
import torch
from refusals import refused

from fairfl import rules

from .samples import updates


class Counter(rules.GramRule):
    """Weights that follow how often each client took part. No ``__init__``: the base class provides the memory."""

    remembers = ("counts",)

    def weights(self, gram, updates):
        if self._counts is None:
            self._counts = torch.zeros(updates.population, dtype=torch.float64)
        self._counts[updates.clients] += 1
        return self._counts[updates.clients] / self._counts[updates.clients].sum()


class Slower(Counter):
    remembers = ("counts", "pace")


ROUND = updates(torch.eye(3), clients=torch.tensor([0, 1, 3]), population=4)


def test_what_a_rule_remembers_is_none_before_the_first_round():
    rule = Counter()
    assert rule._counts is None and rule.state_dict() == {}
    assert Slower()._counts is None and Slower()._pace is None and not hasattr(rules.FedAvg(), "_counts")


@pytest.mark.parametrize(
    "again",
    [copy.copy, copy.deepcopy, lambda rule: pickle.loads(pickle.dumps(rule))],
    ids=["copy", "deepcopy", "pickle"],
)
def test_a_rule_without_an_init_can_be_copied_before_and_after_a_round(again):
    rule = Counter()
    assert again(rule)._counts is None
    rule.direction(ROUND)
    assert torch.equal(again(rule)._counts, torch.tensor([1.0, 1, 0, 1], dtype=torch.float64))
    assert Counter()._counts is None


def test_a_rule_without_an_init_is_saved_loaded_and_begun_afresh():
    rule, other = Counter(), Counter()
    rule.direction(ROUND)
    other.load_state_dict(rule.state_dict())
    rule.direction(ROUND)
    assert other._counts.tolist() == [1, 1, 0, 1] and rule._counts.tolist() == [2, 2, 0, 2]
    rule.load_state_dict({})
    assert rule._counts is None


@pytest.mark.parametrize(
    "what, name, instead", [("remembers", "counts", "('counts',)"), ("needs", "losses", "frozenset({'losses'})")]
)
def test_one_name_where_several_are_meant_is_refused_where_the_class_is_written(what, name, instead):
    with refused("type", f"Mine.{what} is '{name}'", f"{what} = {instead}"):
        type("Mine", (rules.Rule,), {what: name})


def test_needs_are_a_set_however_they_are_written():
    assert type("Mine", (rules.Rule,), {"needs": ("losses", "layout")}).needs == frozenset({"layout", "losses"})


class Wrapped(rules.Rule):
    def __init__(self, rule, strength=1.0):
        self.rule, self.strength = rule, strength


@pytest.mark.parametrize(
    "rule, printed",
    [
        (rules.FedAvg(), "FedAvg()"),
        (rules.FedMGDA(epsilon=0.1), "FedMGDA(epsilon=0.1)"),
        (rules.FedMGDAPlus(), "FedMGDAPlus()"),
        (
            rules.FedMGDA(normalise=True, lambda0=range(9)),
            "FedMGDA(lambda0=[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, ...], normalise=True)",
        ),
        (rules.AdaFed(2, "after"), "AdaFed(gamma=2.0, losses='after')"),
        (rules.FedLF(), "FedLF()"),
        (Counter(), "Counter()"),
        (Wrapped(rules.FedFV(tau=3)), "Wrapped(rule=FedFV(tau=3))"),
        (Wrapped(None, 0.5), "Wrapped(rule=None, strength=0.5)"),
    ],
    ids=str,
)
def test_a_rule_prints_as_the_call_that_makes_it(rule, printed):
    assert repr(rule) == printed


@pytest.mark.parametrize("name", rules.names())
def test_a_rule_with_a_memory_prints_the_same_after_a_round(name):
    rule = rules.make(name)
    rule.direction(updates(torch.eye(3)))
    assert repr(rule) == f"{name}()"
