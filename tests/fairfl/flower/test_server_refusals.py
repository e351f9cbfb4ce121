"""What the server's and the client's side refuse when they are made, and that no reply stops a round."""

from dataclasses import replace
from unittest.mock import ANY

import numpy as np
import pytest
import torch
from answers import replies
from refusals import refused

from fairfl import Dataset, Server, models, partition, rules
from fairfl.clients.slots import Examples
from fairfl.deployment import Coordinator, Member, Reply
from fairfl.deployment.reported_scores import scores_of
from fairfl.training import ServerStep

N = 3


@pytest.fixture
def fed(small):
    return partition.iid(small, N)


@pytest.fixture
def model(small):
    return models.build("logistic", small, seed=1)


@pytest.fixture
def members(fed, model):
    return [Member.of(fed, k, model) for k in range(N)]


@pytest.mark.parametrize(
    "change, mentions",
    [
        (dict(rule=rules.FedAvg), ["rule is <class", "FedAvg()"]),
        (dict(rule=5), ["rule is 5"]),
        (dict(local="x"), ["local is 'x'", "LocalSGD"]),
        (dict(local=None), ["local is None"]),
        (dict(server="adam"), ["server is 'adam'", "Server"]),
        (dict(server=Server), ["server is <class"]),
        (dict(model="logistic"), ["model is 'logistic'", "torch.nn.Module", "models.build"]),
        (dict(rounds=float("nan")), ["rounds is nan"]),
    ],
)
def test_a_coordinator_refuses_its_settings_before_clients_have_trained(model, change, mentions):
    with refused(ANY, *mentions):
        Coordinator(**({"rule": "FedAvg", "model": model, "population": N, "rounds": 2} | change))


@pytest.mark.parametrize(
    "change, mentions",
    [
        (dict(rule=rules.FedAvg), ["rule is <class", "FedAvg()"]),
        (dict(w=[1.0, 2.0]), ["w is 'list'", "(d,)"]),
        (dict(w=5), ["w is 'int'"]),
        (dict(w=torch.ones(2, 2)), ["w is 'torch.float32", "(2, 2)"]),
        (dict(w=torch.arange(3)), ["w is 'torch.int64"]),
        (dict(rounds=0), ["rounds is 0", "1 or more"]),
        (dict(rounds=float("nan")), ["rounds is nan"]),
        (dict(server=0.1), ["server is 0.1"]),
    ],
)
def test_a_step_refuses_its_settings(change, mentions):
    with refused(ANY, *mentions):
        ServerStep(**({"rule": "FedAvg", "w": torch.ones(2), "rounds": 2} | change))


def test_what_is_no_state_leaves_all_as_it_was(model, members):
    c = Coordinator("FedAvg", model, N, 4, server=Server(momentum=0.5))
    c.receive(replies(c, members))
    good, w = c.state_dict(), c.w.clone()
    short = {name: value[:-1] for name, value in good["server"].items()}
    for bad, kind, mentions in (
        ({}, "state", ["round", "state_dict()"]),
        ({"round": 1, "log": []}, ANY, ["server, rule, reported"]),
        (good | {"log": [{"who": 1}]}, "state", ["log", "state_dict()"]),
        (good | {"server": 5}, ANY, ["saved state"]),
        (good | {"server": short}, ANY, ["server's w", "(17,)", "(18,)"]),
        (good | {"server": good["server"] | {"first": None}}, ANY, ["server's first", "NoneType"]),
        (good | {"round": -1}, "value", ["the saved round is -1"]),
        (None, "state", ["round", "state_dict()"]),
    ):
        with refused(kind, *mentions):
            c.load_state_dict(bad)
        assert torch.equal(c.w, w) and c.round == 1 and len(c.log) == 1
    with refused(ANY, "server, rule, reported"):
        ServerStep("FedAvg", w, 2).load_state_dict({})
    c.load_state_dict(good)


STRAYS = {
    "None": None,
    "a number": 5,
    "a sender that is a number": Reply(sender=5),
    "a sender that is an array": Reply(sender=np.ones(2)),
    "an error that is a number": Reply(error=5),
    "an error that is an array": Reply("node", error=np.ones(2)),
}


@pytest.mark.parametrize("stray", STRAYS.values(), ids=STRAYS)
def test_no_reply_stops_a_round(model, members, stray):
    c = Coordinator("FedAvg", model, N, 4)
    record = c.receive([stray, *replies(c, members)])
    assert record.clients == (0, 1, 2) and len(record.refused) == 1 and not record.skipped
    assert all(line.isprintable() for line in record.lines())
    accuracy, _, refused = scores_of([stray, Reply("node", 1, numbers={"accuracy": 0.5, "loss": 1.0})], N)
    assert np.isfinite(accuracy).tolist() == [False, True, False] and len(refused) == 1


def test_a_strange_sender_is_no_reason_to_refuse(model, members):
    c = Coordinator("FedAvg", model, N, 4)
    record = c.receive([replace(reply, sender=5, error=None) for reply in replies(c, members)])
    assert record.clients == (0, 1, 2) and not record.refused


@pytest.mark.parametrize(
    "change, kind, mentions",
    [
        (dict(client=-1), "value", ["client is -1", "0 or more"]),
        (dict(client="0"), ANY, ["client is '0'"]),
        (dict(data=None), "type", ["data is 'NoneType'", "a Dataset"]),
        (dict(model="logistic"), ANY, ["model is 'logistic'", "torch.nn.Module"]),
        (dict(seed="x"), ANY, ["seed is 'x'"]),
        (dict(seed=1.5), ANY, ["seed is 1.5"]),
        (dict(seed=None), ANY, ["seed is None"]),
        (dict(train=[]), "missing", ["client 0", "train rows"]),
        (dict(train=[0.5]), "type", ["client 0's train list"]),
        (dict(train={1, 2}), "type", ["client 0's train list is 'set'", "sorted(rows)"]),
        (dict(test=[60]), "value", ["client 0's test rows", "(60, 60)", "0 to 59"]),
        (dict(loss="squared"), ANY, ["'cross_entropy'"]),
        (dict(loss="sqared"), "name", ["'sqared'", "Did you mean 'squared'?"]),
        (dict(loss=5), ANY, ["loss is 5"]),
        (dict(local="x"), "type", ["local is 'x'", "LocalSGD"]),
    ],
)
def test_a_member_refuses_its_settings_before_it_trains(small, model, change, kind, mentions):
    with refused(kind, *mentions):
        Member(**({"client": 0, "data": small, "train": [0, 1, 2], "model": model} | change))


@pytest.mark.parametrize("client", [-1, N, True, "0"])
def test_a_member_of_a_federation_is_one_of_its_clients(fed, model, client):
    with refused(ANY, f"client is {client!r}", "0 to 2"):
        Member.of(fed, client, model)
    with refused("type", "federation is 'digits'"):
        Member.of("digits", 0, model)


def test_a_member_has_the_loss_that_fits():
    numbers = Dataset(np.eye(4), [0.0, 1.0, 2.0, 3.0])
    plain = Examples(numbers.inputs, numbers.targets)
    module = torch.nn.Linear(4, 1)
    sent = [
        Member(0, data, range(4), module, **given).work(dict(module.named_parameters()), 0)
        for data, given in ((numbers, {}), (numbers, {"loss": "squared"}), (plain, {}))
    ]
    assert all(torch.equal(one.arrays["weight"], sent[0].arrays["weight"]) for one in sent)


def test_a_member_trains_from_no_other_model(members):
    member = members[0]
    right = {name: torch.zeros(shape) for name, shape in zip(member.flat.layout.names, member.flat.layout.shapes)}
    weight = next(name for name in right if "weight" in name)
    assert member.work(right, 0).size == len(member.rows)
    bias = next(name for name in right if "bias" in name)
    for arrays, mentions in (
        (right | {weight: right[weight].T}, ["server", weight, "(5, 3)", "(3, 5)"]),
        (right | {weight: right[weight] + torch.nan}, ["15"]),
        ({weight: right[weight]}, [f"lacks {bias}"]),
        (right | {"more": torch.zeros(1)}, ["has more"]),
        (right | {weight: "?"}, [weight]),
        (None, ["None"]),
    ):
        for use in (lambda a: member.work(a, 0), member.score):
            with refused("value", "client 0", *mentions):
                use(arrays)
    with refused("value", "round is -1"):
        member.work(right, -1)
