"""``clients.updates`` gives the bits that ``train`` gives its rule, in any round that depends on no earlier one."""

import pytest
import torch
from refusals import refused
from torch import nn

from fairfl import LocalSGD, attacks, clients, partition, rules, train
from fairfl.clients import Correction, FedNew, FedNL


class Dropping(nn.Module):
    def __init__(self, shape, classes):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(*shape, 8), nn.Dropout(0.5), nn.Linear(8, classes))

    def forward(self, x):
        return self.layers(x)


class Reads(rules.WeightRule):
    needs = frozenset({"losses", "losses_after", "accuracies", "pseudo_lr", "layout"})

    def weights(self, updates):
        return updates.shares


class Control(Correction):
    keeps = ("control",)

    def sent(self, delta, common, steps, shares):
        return delta * 2


@pytest.fixture
def federation(small):
    return partition.dirichlet(small, 4, 2.0, test=0.2, validation=0.2, seed=1)


def equal(one, other):
    assert torch.equal(one.gradients, other.gradients) and torch.equal(one.shares, other.shares)
    assert one.clients.tolist() == other.clients.tolist() and one.extras.keys() == other.extras.keys()
    assert all(torch.equal(one.extras[name], other.extras[name]) for name in one.extras)
    assert (one.losses is None) == (other.losses is None) and (
        one.losses is None or torch.equal(one.losses, other.losses)
    )
    for name in ("population", "round", "layout", "local_lr"):
        assert getattr(one, name) == getattr(other, name), name


@pytest.mark.parametrize(
    "model, settings",
    [
        ("logistic", dict()),
        ("logistic", dict(score=("train", "validation"))),  # whose losses the round before has already computed
        ("mlp", dict(local=LocalSGD(lr=0.2, epochs=2, batch_size=4, decay=0.9), seed=3)),
        (Dropping, dict(local=LocalSGD(batch_size=4), seed=2)),
        ("logistic", dict(local=LocalSGD(optimiser="adam", batch_size=3), engine="sequential")),
        ("mlp", dict(local=LocalSGD(proximal=0.1, steps=3, batch_size=2), engine="batched", participation=0.75)),
    ],
)
def test_rows_losses_and_extras_are_those_of_the_training(federation, model, settings):
    seen = []
    train(federation, Reads(), model, rounds=5, on_round=seen.append, **settings)
    plain = {name: value for name, value in settings.items() if name not in ("participation", "score")}
    for t in (0, 4):
        start = seen[t - 1].parameters if t else None
        chosen = seen[t].updates.clients if "participation" in settings else None
        equal(
            clients.updates(federation, model, round=t, parameters=start, clients=chosen, needs=Reads.needs, **plain),
            seen[t].updates,
        )


@pytest.mark.parametrize(
    "local, rule",
    [(FedNL(), "FedAvg"), (FedNew(), "FedAvg"), (LocalSGD(correct=Control()), "FedAvg"), (LocalSGD(), "DQNFed")],
)
def test_what_starts_in_the_first_round_is_the_same_there_and_refused_later(federation, local, rule):
    seen, needs = [], rules.make(rule).needs
    train(federation, rule, rounds=1, local=local, on_round=seen.append)
    equal(clients.updates(federation, local=local, needs=needs), seen[0].updates)
    with refused("combination", "round is 2", "on_round"):
        clients.updates(federation, local=local, needs=needs, round=2)


def test_a_need_that_depends_on_earlier_rounds_is_refused_later(federation):
    assert clients.updates(federation, needs="newton_rates").extras["newton_rates"].shape == (4,)
    with refused("combination", "newton_rates"):
        clients.updates(federation, needs=["newton_rates"], round=1)


def test_rows_come_in_the_given_order(federation):
    updates = clients.updates(federation, clients=[3, 1], engine="sequential")
    everybody = clients.updates(federation, engine="sequential")
    assert updates.clients.tolist() == [3, 1] and updates.population == 4
    assert torch.equal(updates.gradients, everybody.gradients[[3, 1]])


def test_an_attack_needs_no_training(federation):
    updates = clients.updates(federation, needs=["losses"])
    tripled = attacks.Scaling(client=2, factor=3.0)(updates)
    assert torch.equal(tripled.gradients[2], 3 * updates.gradients[2])


@pytest.mark.parametrize(
    "kind, change",
    [
        ("type", dict(local=3)),
        ("type", dict(round="1")),
        ("value", dict(round=-1)),
        ("name", dict(needs=["los"])),
        ("name", dict(engine="quick")),
        ("value", dict(clients=[4])),
        ("value", dict(clients=[1, 1])),
        ("value", dict(clients=[])),
        ("shape", dict(parameters=[1.0, 2.0])),
        ("combination", dict(model=Dropping, engine="batched")),
        ("name", dict(precision="half")),
    ],
)
def test_unusable_arguments_are_refused_by_name(federation, kind, change):
    with refused(kind, *(name for name in change if name not in ("model", "local"))):
        clients.updates(federation, **change)
    with refused("type", "federation"):
        clients.updates("digits")
