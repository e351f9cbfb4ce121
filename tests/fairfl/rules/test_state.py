"""State: saved and loaded in the middle of a run, bit for bit, and refused by name if it does not fit."""

import numpy as np
import pytest
import torch
from refusals import refused

from fairfl import rules
from fairfl.rules.fedfv import FREE
from fairfl.rules.gram import SHORT
from fairfl.testing.case import Case
from fairfl.testing.check import verify
from fairfl.testing.properties import BY_NAME
from fairfl.testing.request import Request

from .samples import VARIANTS, updates

N, K, D, ROUNDS = 9, 5, 30, 7
WITH_MEMORY = {name for name in VARIANTS if name.endswith("with memory")}
STATEFUL = {"AFL", "FedFA", "FedFV tau", "FedLF", "FedHEAL", "FedMDFG", "FedMDFG theta=0"} | WITH_MEMORY


def rounds(everyone, dtype=torch.float64, d=D):
    rng = np.random.default_rng(1)
    for t in range(ROUNDS):
        count = N if everyone else K
        who = rng.permutation(N)[:count]
        yield updates(
            rng.normal(size=(count, d)), dtype=dtype, seed=t, clients=torch.tensor(who), population=N, round=t
        )


OWED = ("answer", "repeatable", "inputs", "state", "copy", "report")


@pytest.mark.parametrize("name", OWED)
@pytest.mark.parametrize("variant", sorted(set(VARIANTS) - set(rules.names())))  # the others: test_properties.py
def test_every_setting_has_what_every_rule_owes(variant, name):
    verify(VARIANTS[variant], Request(BY_NAME[name], None, ""))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("variant", VARIANTS)
def test_a_loaded_state_of_long_rows_continues_bit_for_bit(variant, dtype):
    stream = tuple(rounds(VARIANTS[variant]().needs_everyone, dtype, SHORT + 100))
    assert BY_NAME["state"].fault(VARIANTS[variant], Case(stream), None) == ""


@pytest.mark.parametrize("variant", VARIANTS)
def test_which_rules_have_a_state(variant):
    rule = VARIANTS[variant]()
    assert rule.state_dict() == {}
    for u in rounds(rule.needs_everyone):
        rule.direction(u)
    assert bool(rule.state_dict()) == (variant in STATEFUL)
    for value in rule.state_dict().values():
        assert value is None or isinstance(value, (torch.Tensor, int, float))


@pytest.mark.parametrize("name", rules.names())
def test_a_wrong_state_is_refused_by_name(name):
    with refused("state", rules.make(name).name, "something"):
        rules.make(name).load_state_dict({"something": 1})


@pytest.mark.parametrize("variant", sorted(STATEFUL))
def test_a_state_of_other_clients_or_another_model_is_refused(variant):
    rng = np.random.default_rng(0)
    for population, d in ((4, D + 1), (3, D)):
        if variant in {"FedFV tau", "FedLF"} | WITH_MEMORY and d == D:
            continue  # they remember rows, from any clients
        rule = VARIANTS[variant]()
        rule.direction(updates(rng.normal(size=(4, D)), round=0))
        rule.observe(torch.zeros(D))
        with refused("state", rule.name):
            rule.direction(updates(rng.normal(size=(population, d)), round=2))
            rule.observe(torch.zeros(d))


def test_afl_reports_the_mean_of_its_iterates():
    rule, seen = rules.AFL(), []
    for t in range(6):
        w = torch.randn(7, generator=torch.Generator().manual_seed(t), dtype=torch.float64)
        seen.append(w)
        rule.observe(w)
        torch.testing.assert_close(rule.report(w), torch.stack(seen).mean(0))
    assert rules.FedAvg().report(seen[0]) is seen[0] and rules.AFL().report(seen[0]) is seen[0]


def test_afl_refuses_a_sample_of_clients():
    with refused("combination", "AFL", 3, 5):
        rules.AFL().direction(updates(np.eye(3), clients=torch.arange(3), population=5))


def test_fedfv_s_memory_is_as_long_as_it_says():
    rule = rules.FedFV(tau=2)
    for u in rounds(False):
        rule.direction(u)
        assert len(rule.state_dict()["rows"]) <= min(N, 2 * K)
        kept = rule.state_dict()["rounds"]
        assert ((kept > u.round - 2) | (kept == FREE)).all() and (kept == u.round).sum() == len(u)


@pytest.mark.parametrize("rule", [rules.FedFV(tau=3), rules.FedLF()], ids=repr)
@pytest.mark.parametrize("dtype, d", [(torch.float64, D), (torch.float32, 3 * SHORT)], ids=str)
def test_the_products_that_are_kept_are_those_of_the_rows_that_are_kept(rule, dtype, d):
    rule.load_state_dict({})
    for u in rounds(False, dtype, d):
        rule.direction(u)
        state = rule.state_dict()
        live = state["rounds"] != FREE
        for part, products in zip([slice(None)] if len(state["products"]) == 1 else u.layout.slices, state["products"]):
            rows = state["rows"][live][:, part].double()
            torch.testing.assert_close(products[live][:, live], rows @ rows.T, rtol=1e-6, atol=1e-6 * d)
