"""``WithMemory``: a rule over everybody's latest update, against a dictionary of rows, and in all places that run rules."""

import numpy as np
import pytest
import torch
from oracles import minnorm, weights
from refusals import refused

from fairfl import LocalSGD, models, partition, rules, sweep, train
from fairfl.deployment import Coordinator, Member
from fairfl.rules import WithMemory
from fairfl.testing import check_rule
from fairfl.updates import Updates

N, D, ROUNDS = 7, 9, 12


def stream(seed, participants=3):
    """Rounds of a few clients with constant sizes. Each repeats a client of the round before."""
    rng = np.random.default_rng(seed)
    sizes, last = rng.integers(1, 50, N).astype(float), int(rng.integers(N))
    for t in range(ROUNDS):
        others = rng.permutation([k for k in range(N) if k != last])[: participants - 1]
        who = rng.permutation([last, *others])
        last = int(who[0])
        yield t, who, rng.normal(size=(participants, D)), rng.uniform(0.1, 3, participants), sizes


def given(t, who, G, losses, sizes, **more):
    shares = sizes[who] / sizes[who].sum()
    return Updates(G, losses=losses, shares=shares, clients=who, population=N, round=t, **more)


def fedavg(G, losses, sizes):
    return weights.fedavg(G, sizes)


def uniform(G, losses, sizes):
    return weights.fedavg(G, np.ones(len(G)))


def term(G, losses, sizes):
    return weights.term(G, losses, 1.5)


def mgda(G, losses, sizes):
    return minnorm.minimum_norm(G) @ G


ORACLES = {
    "FedAvg": (rules.FedAvg(), fedavg),
    "FedAvg uniform": (rules.FedAvg("uniform"), uniform),
    "TERM": (rules.TERM(1.5), term),
    "FedMGDA": (rules.FedMGDA(), mgda),
}


@pytest.mark.parametrize("name", ORACLES)
@pytest.mark.parametrize("seed", range(8))
def test_the_direction_is_the_rule_s_for_the_last_row_of_everybody(name, seed):
    inner, oracle = ORACLES[name]
    rule, latest = WithMemory(inner), {}
    for t, who, G, losses, sizes in stream(seed):
        latest |= {int(k): (G[i], losses[i]) for i, k in enumerate(who)}
        known = sorted(latest)
        rows, old = np.stack([latest[k][0] for k in known]), np.array([latest[k][1] for k in known])
        direction = rule.direction(given(t, who, G, losses, sizes))
        np.testing.assert_allclose(direction.vector.numpy(), oracle(rows, old, sizes[known]), atol=1e-9)
        np.testing.assert_allclose(direction.rates.numpy(), G @ direction.vector.numpy(), atol=1e-9)
    assert len(latest) > 5


def test_other_numbers_are_remembered_with_their_rows():
    rule, last = WithMemory(rules.AdaFed(losses="after")), {}
    for t, who, G, losses, sizes in stream(1):
        last |= {int(k): value for k, value in zip(who, losses)}
        everyone = rule.with_absent(given(t, who, G, None, sizes, extras={"losses_after": losses}))
        assert everyone.losses is None and list(everyone.extras) == ["losses_after"]
        pairs = zip(everyone.clients.tolist(), everyone.extras["losses_after"].tolist())
        assert dict(pairs) == last
        rule.direction(given(t, who, G, None, sizes, extras={"losses_after": losses}))


@pytest.mark.parametrize("inner", [rules.FedAvg(), rules.FedMGDAPlus(), rules.TERM(), rules.DQNFed()], ids=repr)
def test_under_full_participation_it_is_the_rule_itself(small, inner):
    federation = partition.dirichlet(small, 4, 1.0)
    alone, remembering = (train(federation, r, rounds=4) for r in (inner, WithMemory(inner)))
    assert np.array_equal(alone.parameters, remembering.parameters) and np.array_equal(alone.rates, remembering.rates)


def test_weights_are_none_once_an_absent_client_has_one():
    rule = WithMemory("FedMGDA")
    assert rule.direction(Updates([[1.0, 0.0], [0.0, 1.0]], population=3)).weights.tolist() == [0.5, 0.5]
    far = rule.direction(Updates([[1.0, 0.0]], clients=[2], population=3, round=1))
    assert far.weights is None and far.rates.tolist() == [0.5]
    # The absent rows are longer multiples of the new one, so that the min-norm point has no weight on them.
    rule = WithMemory(rules.FedMGDA())
    rule.direction(Updates([[2.0, 0.0], [3.0, 0.0]], population=3))
    near = rule.direction(Updates([[1.0, 0.0]], clients=[2], population=3, round=1))
    assert near.weights.tolist() == [1.0] and near.rates.tolist() == [1.0]


def test_with_absent_gives_the_rows_behind_a_direction_and_changes_nothing():
    rule = WithMemory(rules.FedMGDA())
    for t, who, G, losses, sizes in stream(3):
        u = given(t, who, G, losses, sizes)
        everyone, again = rule.with_absent(u), rule.with_absent(u)
        assert torch.equal(everyone.gradients, again.gradients) and torch.equal(everyone.gradients[:3], u.gradients)
        vector = rule.direction(u).vector
        rates = everyone.gradients @ vector
        assert float(rates.min()) >= float(vector @ vector) - 1e-9


def test_a_round_without_a_known_client_has_the_mean_remembered_size():
    rule = WithMemory(rules.FedAvg())
    rule.direction(Updates(torch.eye(4)[:2], shares=[0.25, 0.75], clients=[0, 1], population=4))
    u = Updates(torch.eye(4)[2:], shares=[0.4, 0.6], clients=[2, 3], population=4, round=1)
    torch.testing.assert_close(rule.with_absent(u).shares, torch.tensor([0.2, 0.3, 0.125, 0.375], dtype=torch.float64))


def test_later_writes_of_the_caller_do_not_reach_the_memory():
    rule, rows = WithMemory(rules.FedAvg()), torch.eye(3)
    rule.direction(Updates(rows, population=4))
    rows.fill_(5.0)
    assert torch.equal(rule.state_dict()["rows"], torch.eye(3))


def test_a_round_that_is_refused_is_not_remembered():
    rule = WithMemory(rules.QFedAvg())
    rule.direction(Updates(torch.eye(3), losses=[1, 2, 3], population=4))
    before = rule.state_dict()
    with refused("value", "client 3", -1.0):
        rule.direction(Updates(torch.ones(1, 3), losses=[-1.0], clients=[3], population=4, round=1))
    assert all(torch.equal(value, rule.state_dict()[name]) for name, value in before.items())


class Heard(rules.WeightRule):
    needs = frozenset({"inclusion"})


class Vectors(rules.WeightRule):
    needs = frozenset({"histogram"})

    def weights(self, updates):
        return updates.shares


@pytest.mark.parametrize(
    "inner", [rules.FedLF(), rules.FedFV(tau=1), rules.FedMDFG(), rules.FedHEAL(), rules.AFL(), rules.FedFA()], ids=repr
)
def test_a_rule_with_a_state_is_refused_by_name(inner):
    with refused("combination", repr(inner), inner.remembers[0], "without a state"):
        WithMemory(inner)


def test_other_rules_that_do_not_fit():
    with refused("combination", "WithMemory(", "without a state"):
        WithMemory(WithMemory(rules.FedAvg()))
    with refused("combination", "Heard", "inclusion"):
        WithMemory(Heard())
    with refused("type", "FedAvg()"):
        WithMemory(rules.FedAvg)
    with refused("shape", "histogram", (2, 5), "(2,)"):
        WithMemory(Vectors()).direction(Updates(torch.eye(2), extras={"histogram": torch.zeros(2, 5)}))


def test_its_names():
    rule = WithMemory("FedMGDA+")
    assert rule.name == "FedMGDA+ with memory" and repr(rule) == "WithMemory(rule=FedMGDAPlus())"
    assert eval(repr(rule), vars(rules)).name == rule.name


FAMILY = {
    "FedAvg": {"convex", "homogeneous"},
    "FedMGDA": {"convex", "descent", "least_rates", "stationary", "homogeneous"},
    "DQNFed": {"descent", "stationary", "inflation"},
}


@pytest.mark.parametrize("name", FAMILY)
def test_it_owes_what_every_rule_owes_and_promises_what_its_rule_does(name):
    check_rule(WithMemory(rules.make(name)), FAMILY[name])


@pytest.mark.parametrize("engine", ["sequential", "batched"])
def test_a_resumed_run_ends_with_the_same_bits(small, resumed_and_whole, engine):
    federation = partition.dirichlet(small, 5, 1.0)
    run = lambda **more: train(
        federation, WithMemory(rules.TERM()), rounds=6, participation=2, local=LocalSGD(lr=0.2), engine=engine, **more
    )
    resumed, whole = resumed_and_whole(run)
    assert (resumed.parameters == whole.parameters).all() and (resumed.loss == whole.loss).all()
    assert not (train(federation, "TERM", rounds=6, participation=2, local=LocalSGD(lr=0.2)).loss == whole.loss).all()


def test_a_checkpoint_of_another_rule_with_memory_is_refused(small, tmp_path):
    federation = partition.iid(small, 3)
    run = lambda rule: train(federation, WithMemory(rule), rounds=1, checkpoint=tmp_path / "c.pt")
    run(rules.TERM(1.0))
    with refused("state", "t", 2.0):
        run(rules.TERM(2.0))


def test_in_a_sweep_every_seed_has_its_own_memory(small):
    federation = partition.dirichlet(small, 5, 1.0)
    both = {"plain": rules.FedMGDA(), "memory": WithMemory(rules.FedMGDA())}
    table = sweep(federation, rules=both, seeds=[0, 1], rounds=4, participation=2, engine="sequential")
    for seed in (0, 1):
        alone = train(federation, both["memory"], rounds=4, participation=2, seed=seed, engine="sequential")
        mine = table[(table["rule"] == "memory") & (table["seed"] == seed)]
        np.testing.assert_allclose(mine["loss"], alone.loss[-1], rtol=1e-6)
    assert both["memory"].state_dict() == {}


def test_a_coordinator_saves_it_and_takes_train_s_steps(small):
    federation, model = partition.iid(small, 4), models.build("logistic", small, seed=0)
    local = LocalSGD(lr=0.3)
    members = [Member.of(federation, k, model, local=local) for k in range(4)]
    make = lambda: Coordinator(WithMemory("TERM"), model, 4, 5, local=local, participation=2)
    server, loaded = make(), make()
    for t in range(5):
        if t == 3:
            loaded.load_state_dict(server.state_dict())
        for one in (server, loaded) if t >= 3 else (server,):
            asked = [members[k] for k in one.asked]
            record = one.receive([m.work(one.arrays(), t, one.needs) for m in asked])
            assert not record.refused and not record.skipped
    assert torch.equal(server.w, loaded.w)
    history = train(federation, WithMemory("TERM"), "logistic", rounds=5, local=local, participation=2)
    np.testing.assert_allclose(server.w.numpy(), history.parameters, atol=1e-6)
