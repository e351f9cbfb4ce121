"""A client whose numbers a rule cannot work with is left out, and the round goes on. None of this needs Flower."""

import re
from dataclasses import replace
from unittest.mock import ANY

import pytest
import torch
from answers import replies
from refusals import refused

from fairfl import LocalSGD, Server, models, partition, rules
from fairfl.deployment import Coordinator, Member
from fairfl.errors import Refused

N, ROUNDS = 4, 4
LOCAL = LocalSGD(lr=0.3, epochs=2, batch_size=4)


@pytest.fixture
def model(small):
    return models.build("logistic", small, seed=1)


@pytest.fixture
def members(small, model):
    fed = partition.iid(small, N, validation=0.2)
    return [Member.of(fed, k, model, local=LOCAL, seed=1) for k in range(N)]


def coordinator(rule, model, **more):
    return Coordinator(rule, model, N, ROUNDS, local=LOCAL, **more)


def says(**numbers):
    return lambda reply, c: replace(reply, numbers={**reply.numbers, **numbers})


def moves_by(size):
    """Far away from the server's model in every entry."""
    return lambda reply, c: replace(reply, arrays={name: a.double() + size for name, a in c.arrays().items()})


SMALL, BIG = torch.float32, torch.float64
LIES = {
    "negative loss, q-FedAvg": (rules.QFedAvg(), says(losses=-1.0), SMALL, "sent 'losses' = -1.0"),
    "power of a loss, AdaFed": (rules.AdaFed(gamma=5), says(losses=1e100), SMALL, r"gamma = 5 .*1e\+100"),
    "negative rate, DQN-Fed": (rules.DQNFed(), says(newton_rates=-1.0), SMALL, "sent 'newton_rates' = -1.0"),
    "negative accuracy, FedFA": (rules.FedFA(), says(accuracies=-1.0), SMALL, "sent 'accuracies' = -1.0"),
    "enormous rate, DQN-Fed": (
        rules.DQNFed(),
        says(newton_rates=1e300),
        SMALL,
        r"'newton_rates' of size 1e\+300 .*median",
    ),
    "long update, FedAvg": (rules.FedAvg(), moves_by(1e200), BIG, r"update .*1e\+200"),
}


@pytest.mark.parametrize("what", LIES)
def test_a_liar_is_left_out_as_if_it_had_not_answered_and_the_rounds_go_on(model, members, what):
    rule, lie, dtype, words = LIES[what]
    c, without = (coordinator(rule, model.to(dtype)) for _ in range(2))
    for _ in range(ROUNDS):
        sent = replies(c, members)
        record = c.receive([*sent[:2], lie(sent[2], c), sent[3]])
        without.receive([*sent[:2], sent[3]])
        assert record.clients == (0, 1, 3) and not record.skipped and torch.equal(c.w, without.w)
        [refused] = record.refused
        assert refused.who == "client 2"
        if what != "long update, FedAvg":  # which no rule was asked about
            assert refused.reason.endswith(f"({c.rule.name})")
        assert re.search(words, refused.reason)


def test_all_who_lie_are_left_out(model, members):
    c = coordinator(rules.QFedAvg(), model)
    sent = replies(c, members)
    lies = [says(losses=loss)(reply, c) for reply, loss in zip(sent[1:], (-1.0, -2.0, float("nan")))]
    record = c.receive([sent[0], *lies])
    assert record.clients == (0,) and not record.skipped
    assert [(r.who, r.reason.split(";")[0]) for r in record.refused] == [
        ("client 3", "sent 'losses' = nan"),
        ("client 1", "sent 'losses' = -1.0"),
        ("client 2", "sent 'losses' = -2.0"),
    ]


@pytest.mark.parametrize("optimiser", ["adam", "adagrad", "yogi"])
def test_what_the_server_remembers_stays_finite(model, members, optimiser):
    c, before = coordinator("FedAvg", model, server=Server(optimiser=optimiser)), []
    for _ in range(ROUNDS):
        sent = replies(c, members)
        record = c.receive([*sent[:3], moves_by(1e25)(sent[3], c)])
        before.append(c.w.clone())
        assert record.clients == (0, 1, 2) and "1e+25" in record.refused[0].reason
        assert bool(torch.isfinite(c.w).all()) and bool(torch.isfinite(c.state_dict()["server"]["second"]).all())
    assert not torch.equal(before[0], before[-1])


def test_a_loss_does_not_poison_what_the_rule_remembers(model, members):
    c = coordinator(rules.AFL(step=10), model)
    sent = replies(c, members)
    record = c.receive([*sent[:3], says(losses=1.7e308)(sent[3], c)])
    assert record.refused[0].who == "client 3" and "AFL" in record.skipped
    assert not c.receive(replies(c, members)).skipped


def test_the_quorum_counts_who_is_left(model, members):
    c = coordinator(rules.QFedAvg(), model, quorum=3)
    sent = replies(c, members)
    w = c.w.clone()
    record = c.receive([*sent[:2], *(says(losses=-1.0)(r, c) for r in sent[2:])])
    assert record.skipped == "2 sound replies; needed: 3" and record.clients == (0, 1) and torch.equal(c.w, w)
    assert not c.receive([*replies(c, members)[:3], says(losses=-1.0)(sent[3], c)]).skipped


class Moody(rules.Rule):
    """Remembers in a declared place and in another, and then stumbles in round 1."""

    remembers = ("visits",)

    def __init__(self, error):
        self.error, self._visits, self.other = error, None, []

    def combine(self, updates):
        self._visits = (self._visits or 0) + 1
        self.other.append(updates.round)
        if updates.round == 1 and self.error is not None:
            raise self.error
        return rules.Direction(updates.gradients.mean(0))


@pytest.mark.parametrize("error", [ValueError, KeyError, KeyboardInterrupt])
def test_a_slip_in_a_rule_is_not_a_skipped_round_and_leaves_the_server_as_it_was(model, members, error, tmp_path):
    c, fine = (coordinator(Moody(slip), model, server=Server(momentum=0.5)) for slip in (error("a slip"), None))
    for one in (c, fine):
        one.receive(replies(one, members))
    w = c.w.clone()
    with pytest.raises(error) as caught:
        c.receive(replies(c, members))
    assert type(caught.value) is error and c.round == 1 and len(c.log) == 1
    assert torch.equal(c.w, w) and torch.equal(c.reported, w)
    assert c.rule.state_dict() == {"visits": 1} and c.rule.other == [0]
    torch.save(c.state_dict(), tmp_path / "state.pt")
    c.rule.error = None
    c.load_state_dict(torch.load(tmp_path / "state.pt", weights_only=True))
    c.receive(replies(c, members))
    fine.receive(replies(fine, members))
    assert torch.equal(c.w, fine.w) and c.round == 2


def test_a_slip_in_the_report_comes_after_the_step_and_undoes_it(model, members):
    class Reporter(rules.FedAvg):
        def report(self, w):
            raise IndexError("a slip")

    c = coordinator(Reporter(), model)
    w = c.w.clone()
    with pytest.raises(IndexError):
        c.receive(replies(c, members))
    assert torch.equal(c.w, w) and torch.equal(c.reported, w) and c.round == 0


def test_a_refusal_of_the_round_as_such_blames_nobody(model, members):
    class Closed(rules.FedAvg):
        def combine(self, updates):
            raise Refused("closed on Sundays")

    c = coordinator(Closed(), model)
    record = c.receive(replies(c, members))
    assert record.skipped == "closed on Sundays" and record.clients == (0, 1, 2, 3) and not record.refused


def test_a_rule_says_whose_numbers_it_refuses():
    from fairfl.updates import Updates

    updates = Updates(
        torch.eye(3), losses=torch.tensor([-1.0, 1.0, -2.0]), clients=torch.tensor([4, 5, 7]), population=9
    )
    with refused(ANY, "client 4", "losses") as caught:
        rules.QFedAvg().direction(updates)
    assert set(caught.value.clients) == {4, 7} and caught.value.clients[7].startswith("sent 'losses' = -2.0")
    tiny = replace(updates, losses=torch.full((3,), 1e-200, dtype=torch.float64))
    with refused(ANY, "gamma") as caught:
        rules.AdaFed(gamma=5).direction(tiny)
    assert not caught.value.clients  # nobody's loss is too small by itself
