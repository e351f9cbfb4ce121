"""State: saved and loaded in the middle of a run, bit for bit, and refused by name if it does not fit."""

import io

import numpy as np
import pytest
import torch
from refusals import refused

from fairfl import rules
from fairfl.rules.fedfv import FREE
from fairfl.rules.gram import SHORT

from .samples import VARIANTS, updates

N, K, D, ROUNDS = 9, 5, 30, 7
STATEFUL = {"AFL", "FedFA", "FedFV tau", "FedLF", "FedHEAL", "FedMDFG", "FedMDFG theta=0"}


def rounds(everyone, dtype=torch.float64, d=D):
    rng = np.random.default_rng(1)
    for t in range(ROUNDS):
        count = N if everyone else K
        who = rng.permutation(N)[:count]
        yield updates(
            rng.normal(size=(count, d)), dtype=dtype, seed=t, clients=torch.tensor(who), population=N, round=t
        )


def a_round(rule, u, w):
    """The calls of a server in a round that leads to ``w``: the direction, and the model that the rule reports."""
    direction = rule.direction(u).vector
    rule.observe(w)
    return [direction, rule.report(w)]


def saved(rule):
    """The state as a checkpoint restores it: through a file, plain values only."""
    file = io.BytesIO()
    torch.save(rule.state_dict(), file)
    file.seek(0)
    return torch.load(file, weights_only=True)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
@pytest.mark.parametrize("variant", VARIANTS)
def test_a_loaded_state_continues_bit_for_bit(variant, dtype):
    d = D if dtype == torch.float64 else SHORT + 100
    whole, first, w = VARIANTS[variant](), VARIANTS[variant](), torch.zeros(d, dtype=dtype)
    expected, got = [], []
    for u in rounds(whole.needs_everyone, dtype, d):
        expected += a_round(whole, u, w + u.round)
    for u in rounds(whole.needs_everyone, dtype, d):
        if u.round == 4:
            state = saved(first)
            first = VARIANTS[variant]()
            first.load_state_dict(state)
        got += a_round(first, u, w + u.round)
    assert all(torch.equal(a, b) for a, b in zip(expected, got, strict=True))


@pytest.mark.parametrize("variant", VARIANTS)
def test_no_rule_writes_into_its_updates(variant):
    rule = VARIANTS[variant]()
    for u in rounds(rule.needs_everyone):
        before = u.gradients.clone()
        rule.direction(u)
        assert torch.equal(u.gradients, before)


@pytest.mark.parametrize("variant", VARIANTS)
def test_which_rules_have_a_state(variant):
    rule = VARIANTS[variant]()
    assert rule.state_dict() == {}
    for u in rounds(rule.needs_everyone):
        rule.direction(u)
    assert bool(rule.state_dict()) == (variant in STATEFUL)
    for value in rule.state_dict().values():
        assert value is None or isinstance(value, (torch.Tensor, int, float))


@pytest.mark.parametrize("variant", sorted(STATEFUL))
def test_an_empty_state_starts_afresh(variant):
    used, fresh = VARIANTS[variant](), VARIANTS[variant]()
    stream = list(rounds(used.needs_everyone))
    for u in stream:
        used.direction(u)
    used.load_state_dict({})
    assert torch.equal(used.direction(stream[0]).vector, fresh.direction(stream[0]).vector)


@pytest.mark.parametrize("variant", sorted(STATEFUL))
def test_a_saved_state_does_not_change_with_the_rule(variant):
    rule = VARIANTS[variant]()
    stream = list(rounds(rule.needs_everyone))
    rule.direction(stream[0])
    state = rule.state_dict()
    copy = {name: value.clone() if torch.is_tensor(value) else value for name, value in state.items()}
    for u in stream[1:]:
        rule.direction(u)
    assert all(torch.equal(state[n], copy[n]) if torch.is_tensor(state[n]) else state[n] == copy[n] for n in state)


@pytest.mark.parametrize("name", rules.names())
def test_a_wrong_state_is_refused_by_name(name):
    with refused("state", rules.make(name).name, "something"):
        rules.make(name).load_state_dict({"something": 1})


@pytest.mark.parametrize("variant", sorted(STATEFUL))
def test_a_state_of_other_clients_or_another_model_is_refused(variant):
    rng = np.random.default_rng(0)
    for population, d in ((4, D + 1), (3, D)):
        if variant in ("FedFV tau", "FedLF") and d == D:
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


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_report_is_a_question_and_changes_nothing(variant):
    rule, w = VARIANTS[variant](), torch.ones(D, dtype=torch.float64)
    for u in rounds(rule.needs_everyone):
        reported = a_round(rule, u, w * u.round)[1]
        before = rule.state_dict()
        for _ in range(3):
            assert torch.equal(rule.report(w * u.round), reported)
            rule.report(-w)
        after = rule.state_dict()
        assert all(torch.equal(a, after[n]) if torch.is_tensor(a) else a == after[n] for n, a in before.items())


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
