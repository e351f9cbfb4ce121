"""A server must survive what comes over a network. None of this needs Flower."""

import copy
import re
import subprocess
import sys
from dataclasses import replace
from functools import partial
from unittest.mock import ANY

import numpy as np
import pytest
import torch
from answers import replies
from fairfl_book.fault_injection import FAULTS, Crash, spoil
from refusals import refused

from fairfl import LocalSGD, Server, models, partition, rules, train
from fairfl._randomness import generator
from fairfl.deployment import Coordinator, Member, Reply, collect
from fairfl.deployment.reported_scores import scores_of

LOCAL = LocalSGD(lr=0.3, epochs=2, batch_size=4)
N, ROUNDS = 4, 5


@pytest.fixture
def fed(small):
    return partition.iid(small, N, validation=0.2)


@pytest.fixture
def model(small):
    return models.build("logistic", small, seed=1)


@pytest.fixture
def members(fed, model):
    return [Member.of(fed, k, model, local=LOCAL, seed=1) for k in range(N)]


def coordinator(rule, model, **more):
    return Coordinator(rule, model, N, ROUNDS, **({"local": LOCAL} | more))


RULES = [
    rules.FedAvg(),
    rules.FedMGDAPlus(),
    rules.FedFV(tau=2),
    rules.AFL(),
    rules.AdaFed(),
    rules.DQNFed(),
    rules.FedFA(),
    rules.FedLF(),
    rules.FedHEAL(),
    rules.QFedAvg(),
]


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.name)
@pytest.mark.parametrize("server", [Server(), Server(lr=0.1, optimiser="adam")], ids=["sgd", "adam"])
def test_replies_give_what_train_gives(fed, model, members, rule, server):
    c, losses = coordinator(rule, model, server=server), []
    for _ in range(ROUNDS):
        c.receive(replies(c, reversed(members)))  # whoever answers first: rows are in the order of numbers
        losses.append([m.score(c.arrays(reported=True))["loss"] for m in members])
    history = train(
        fed, rule, model, rounds=ROUNDS, local=LOCAL, server=server, seed=1, engine="sequential", device="cpu"
    )
    # A client's loss, computed alone or among others, may differ in its last bit by the processor. Where no rule reads
    # losses the models have the same bits.
    same = np.array_equal if not c.needs else partial(np.allclose, rtol=1e-5, atol=1e-6)
    assert same(history.direction_norm, [r.direction_norm for r in c.log])
    assert same(history.parameters, c.reported.numpy())
    assert np.allclose(history.loss[1:], np.array(losses), rtol=1e-5, atol=1e-6)


BAD = {
    "nan": (lambda r: spoil(r, "not a number"), "1 non-finite entry"),
    "shape": (lambda r: spoil(r, "wrong shape"), r"of shape \(2, 5\); expected \(3, 5\)"),
    "names": (lambda r: spoil(r, "other names"), "another model's parameters: it lacks .* and has layer"),
    "lacking": (lambda r: replace(r, arrays={}), "it lacks"),
    "integers": (lambda r: replace(r, arrays={k: v.long() for k, v in r.arrays.items()}), "expected floating-point"),
    "text": (lambda r: replace(r, arrays=dict.fromkeys(r.arrays, "?")), "sent [a-z.]*(weight|bias) "),
    "far": (lambda r: replace(r, arrays={k: v.double() * 0 + 1e300 for k, v in r.arrays.items()}), "non-finite"),
    "no size": (lambda r: spoil(r, "no size"), "size as None"),
    "empty": (lambda r: replace(r, size=0), "positive number of rows"),
    "boolean": (lambda r: replace(r, size=True), "positive number of rows"),
    "no number": (lambda r: replace(r, client=None), "number as None; allowed: 0 to 3"),
    "stranger": (lambda r: replace(r, client=N), "number as 4; allowed: 0 to 3"),
    "real number": (lambda r: replace(r, client=2.0), "number as 2.0"),
    "no loss": (lambda r: replace(r, numbers={}), "sent no 'losses', which the rule reads"),
    "nan loss": (lambda r: replace(r, numbers={"losses": float("nan")}), "allowed: a finite number"),
    "error": (lambda r: Reply("node 9", error="timed out"), "sent no answer: timed out"),
    "list for a number": (lambda r: replace(r, client=[2]), r"number as \[2\]; allowed: 0 to 3"),
    "list for a size": (lambda r: replace(r, size=[4, 5]), r"size as \[4, 5\]; allowed"),
    "list for a loss": (lambda r: replace(r, numbers={"losses": [0.5]}), r"sent 'losses' = \[0.5\]; allowed: a finite"),
    "size that overflows a sum": (lambda r: replace(r, size=1.7e308), r"size as 1.7e\+308; allowed: up to 9007"),
    "integer beyond floats": (lambda r: replace(r, size=10**400), "allowed: up to 9007199254740992 rows"),
    "integer beyond print": (lambda r: replace(r, numbers={"losses": 10**5000}), "a value of type int; allowed"),
    "no mapping": (lambda r: replace(r, numbers=None), "sent its numbers as None; allowed: numbers by name"),
    "no model": (lambda r: replace(r, arrays=None), "sent its model as None; allowed: arrays by parameter name"),
    "names with escapes": (
        lambda r: replace(r, arrays={"\x1b[2Jgone\n": 0, **{f"x{i}": 0 for i in range(9)}}),
        r"and has \\x1b\[2Jgone\\n, x0, x1, x2, x3 and 5 more; expected",
    ),
    "error with escapes": (lambda r: Reply("node\r9", error="\x1b[31mred"), r"sent no answer: \\x1b\[31mred"),
}


@pytest.mark.parametrize("what", BAD)
def test_a_bad_reply_is_refused_by_name_and_the_rest_go_on(model, members, what):
    spoiled, words = BAD[what]
    c, without = coordinator(rules.AdaFed(), model), coordinator(rules.AdaFed(), model)
    sent = replies(c, members)
    record = c.receive([sent[0], sent[1], spoiled(sent[2]), sent[3]])
    without.receive([sent[0], sent[1], sent[3]])
    assert record.clients == (0, 1, 3) and torch.equal(c.w, without.w) and not record.skipped
    [refused] = record.refused
    who = {
        "error": "node 9",
        "no number": "an unnamed sender",
        "stranger": "client 4",
        "real number": "client 2.0",
        "list for a number": "client [2]",
        "error with escapes": "node\\r9",
    }
    assert refused.who == who.get(what, "client 2")
    assert str(record).isprintable()
    assert re.search(words, refused.reason) and refused.reason in str(c.log[-1])


def test_two_replies_in_one_name_are_both_refused(model, members):
    c = coordinator("FedAvg", model)
    sent = [replace(reply, sender=f"node {reply.client}") for reply in replies(c, members)]
    record = c.receive([sent[0], sent[1], sent[2], spoil(sent[3], "poses as client 0")])
    assert record.clients == (1, 2) and record.missing == (3,)
    assert [r.who for r in record.refused] == ["client 0, node 0", "client 0, node 3"]
    assert all(re.search("2 replies.* client 0", r.reason) for r in record.refused)


def test_arrays_that_belong_to_a_training_are_used(model, members):
    c, other = coordinator("FedMGDAPlus", model), coordinator("FedMGDAPlus", model)
    sent = replies(c, members)
    trained = [{name: a.clone().requires_grad_() for name, a in r.arrays.items()} for r in sent]
    record = c.receive([replace(r, arrays=arrays) for r, arrays in zip(sent, trained)])
    other.receive(sent)
    assert len(record.clients) == N and torch.equal(c.w, other.w) and not c.w.requires_grad


def test_scores_are_used_or_refused_by_name_as_replies_are():
    scores = [(0.5, 1.0), (2.0, 1.0), (0.5, [1.0]), (float("nan"), 1.0), (0.5, 10**400), (True, 1.0), (1.0, 2.5)]
    sent = [Reply("node", k, numbers={"accuracy": a, "loss": f}) for k, (a, f) in enumerate(scores)]
    sent += [
        Reply("node", [7], numbers=sent[0].numbers),
        Reply("node", 8, numbers={"loss": 1}),
        Reply("node", error="\x1b[31mno"),
        *[Reply("node", 9, numbers=sent[k].numbers) for k in (0, 6)],
    ]
    accuracy, loss, refused = scores_of(sent, 10)
    assert np.flatnonzero(~np.isnan(accuracy)).tolist() == np.flatnonzero(~np.isnan(loss)).tolist() == [0, 6]
    assert (accuracy[6], loss[6]) == (1.0, 2.5)
    assert all(r.reason.isprintable() and r.who.endswith("node") for r in refused)
    words = [
        "'accuracy' = 2.0; allowed: 0 to 1",
        "'loss' = [1.0]; allowed: a finite",
        "'accuracy' = nan",
        "'loss' = 1000",
        "= True",
        "number as [7]",
        "sent no 'accuracy', which the server reads",
        "no answer: \\x1b[31mno",
        *["2 replies"] * 2,
    ]
    assert len(words) == len(refused) and all(word in r.reason for word, r in zip(words, refused))


def test_a_missing_client_is_missed_by_name(model, members):
    c = coordinator("FedAvg", model)
    record = c.receive(replies(c, members[:2]))
    assert record.clients == (0, 1) and record.missing == (2, 3) and "clients 2, 3 missing" in str(record)


@pytest.mark.parametrize(
    "sent", [lambda r: [], lambda r: [spoil(x, "not a number") for x in r]], ids=["none", "all bad"]
)
def test_a_round_without_sound_replies_is_skipped_and_says_so(model, members, sent):
    c = coordinator(rules.FedFV(tau=2), model)
    c.receive(replies(c, members))
    w, memory = c.w.clone(), c.rule.state_dict()
    record = c.receive(sent(replies(c, members)))
    assert "0 sound replies" in record.skipped and c.round == 2 and "skipped" in str(record)
    assert torch.equal(c.w, w) and torch.equal(c.rule.state_dict()["rows"], memory["rows"])
    assert not c.receive(replies(c, members)).skipped


def test_quorum(model, members):
    c = coordinator("FedAvg", model, quorum=3)
    assert c.receive(replies(c, members[:2])).skipped == "2 sound replies; needed: 3"
    assert not c.receive(replies(c, members[:3])).skipped


def test_a_rule_that_refuses_a_round_skips_it_and_keeps_its_memory(model, members):
    c = coordinator(rules.AFL(), model)
    c.receive(replies(c, members))
    before = c.rule.state_dict()
    record = c.receive(replies(c, members[:3]))
    after = c.rule.state_dict()
    assert "AFL is defined for full participation" in record.skipped and record.clients == (0, 1, 2)
    assert all(torch.equal(torch.as_tensor(before[k]), torch.as_tensor(after[k])) for k in before)


class Sulks(rules.Rule):
    """Changes its memory, then gives a direction that is not finite."""

    remembers = ("visits",)
    _visits = None

    def combine(self, updates):
        self._visits = (self._visits or 0) + 1
        return rules.Direction(updates.gradients[0] * (float("nan") if self._visits == 2 else 1))


def test_a_direction_that_is_not_finite_does_not_reach_the_model(model, members):
    c = coordinator(Sulks(), model)
    c.receive(replies(c, members))
    w = c.w.clone()
    assert "non-finite" in c.receive(replies(c, members)).skipped
    assert torch.equal(c.w, w) and c.rule.state_dict() == {"visits": 1}


@pytest.mark.parametrize("rule", [rules.FedFV(tau=2), rules.AFL(), rules.FedFA(), rules.FedLF()], ids=lambda r: r.name)
def test_a_saved_coordinator_continues_bit_for_bit(model, members, rule, tmp_path):
    server = Server(momentum=0.5)
    whole = coordinator(rule, model, server=server)
    for _ in range(ROUNDS):
        whole.receive(replies(whole, members))
    first, second = (coordinator(rule, model, server=server) for _ in range(2))
    for t in range(ROUNDS):
        c = first if t < 2 else second
        if t == 2:
            torch.save(first.state_dict(), tmp_path / "state.pt")
            second.load_state_dict(torch.load(tmp_path / "state.pt", weights_only=True))
        c.receive(replies(c, members))
    assert torch.equal(second.w, whole.w) and torch.equal(second.reported, whole.reported)
    assert [str(r) for r in second.log] == [str(r) for r in whole.log]


def test_what_is_saved_does_not_change_afterwards(model, members):
    c = coordinator("FedAvg", model)
    state = copy.deepcopy(held := c.state_dict())
    c.receive(replies(c, members))
    assert torch.equal(state["server"]["w"], held["server"]["w"]) and torch.equal(state["reported"], held["reported"])


def test_a_state_of_another_model_or_rule_is_refused(small, model):
    other = Coordinator("FedAvg", models.build("mlp", small, seed=0), N, ROUNDS)
    with refused(ANY, "(18,)", "saved"):
        other.load_state_dict(coordinator("FedAvg", model).state_dict())


@pytest.mark.parametrize(
    "change, mentions",
    [
        ({"population": 0}, ["population is 0"]),
        ({"rounds": 0}, ["rounds is 0"]),
        ({"quorum": 9}, ["quorum is 9", "1 to 4"]),
    ],
)
def test_settings_out_of_range(model, change, mentions):
    with refused("value", *mentions):
        Coordinator(**({"rule": "FedAvg", "model": model, "population": N, "rounds": ROUNDS} | change))


def test_a_need_that_nobody_provides_is_refused_before_the_first_round(model, members):
    class Reader(rules.FedAvg):
        needs = frozenset({"horoscope"})

    with refused(ANY, "horoscope"):
        coordinator(Reader(), model)
    with refused("name", "horoscope"):
        members[0].work(coordinator("FedAvg", model).arrays(), 0, ["horoscope"])


def test_a_members_batches_are_those_of_train(fed, members):
    order = LOCAL.orders(len(fed.train[2]), 1, 3, 2)[0]
    assert torch.equal(order, torch.randperm(len(fed.train[2]), generator=generator(1, "batches", 3, 2)))


def test_a_member_without_test_rows_says_so(fed, model):
    with refused("missing", "client 0", "test"):
        Member(0, fed.dataset, fed.train[0], model).score(dict(model.named_parameters()))


def test_the_replies_that_are_left_have_shares_that_sum_to_one(model, members):
    c = coordinator("FedAvg", model)
    sent = [replace(r, size=size) for r, size in zip(replies(c, members), (10, 20, 30, 40))]
    updates, refused = collect(sent[1:], c.w, c.layout, N)
    assert not refused and updates.shares.tolist() == pytest.approx([2 / 9, 3 / 9, 4 / 9]) and updates.population == N


def test_a_crash_is_a_crash_and_an_unknown_fault_is_named(model, members):
    reply = replies(coordinator("FedAvg", model), members)[0]
    with pytest.raises(Crash):
        spoil(reply, "crash")
    with refused("name", "'wrong shap'", "Did you mean 'wrong shape'?"):
        spoil(reply, "wrong shap")
    assert set(FAULTS) >= {"not a number", "wrong shape", "other names", "poses as client 0"}


def test_the_package_imports_no_flower_and_without_it_an_error_says_what_to_install():
    code = (
        "import sys, fairfl.deployment.flower as f, fairfl.deployment as s\n"
        "print(s.Coordinator.__name__, 'flwr' in sys.modules)\n"
        "sys.modules['flwr'] = None\n"
        "f.FairStrategy"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "Coordinator False\n" and 'pip install "fairfl[flower]"' in done.stderr
