"""One finite reply of enormous size does not end a federation, and it is its sender who is named. None needs Flower."""

import io
from dataclasses import replace

import pytest
import torch
from answers import replies

from fairfl import LocalSGD, models, partition, rules
from fairfl.deployment import Coordinator, Member

N = 5
LOCAL = LocalSGD(lr=0.1)


@pytest.fixture
def fleet(small):
    fed = partition.iid(small, N, validation=0.2)
    model = models.build("mlp", small, seed=1)
    return model, lambda: [Member.of(fed, k, model, local=LOCAL, seed=1) for k in range(N)]


def far(reply, size):
    return replace(reply, arrays={name: torch.full_like(a, size) for name, a in reply.arrays.items()})


def again(c, model):
    """A coordinator that continues from what ``c`` saved."""
    file = io.BytesIO()
    torch.save(c.state_dict(), file)
    file.seek(0)
    new = Coordinator(c.rule, model, N, c.rounds, local=LOCAL)
    new.load_state_dict(torch.load(file, weights_only=True))
    return new


@pytest.mark.parametrize("name", rules.names())
def test_a_row_whose_square_overflows_is_refused_before_the_rule_and_all_others_go_on(fleet, name):
    model, members_of = fleet
    c, members = Coordinator(name, model, N, 3, local=LOCAL), members_of()
    for t in range(3):
        sent = replies(c, members)
        if t == 0:
            sent[4] = far(sent[4], 3e38)
        record = c.receive(sent)
        assert [r.who for r in record.refused] == ["client 4"] * (t == 0)
        assert bool(record.skipped) == (t == 0 and c.rule.needs_everyone)
        assert len(record.clients) == N - (t == 0)


@pytest.mark.parametrize("name", rules.names())
def test_a_shorter_row_that_ruins_the_model_is_taken_back_named_and_refused_the_next_time(fleet, name):
    model, members_of = fleet
    c, members = Coordinator(name, model, N, 6, local=LOCAL), members_of()
    for t in range(6):
        sent = replies(c, members)
        if t in (0, 2):
            before, sent[4] = c.w.clone(), far(sent[4], 1e15)
        record = c.receive(sent)
        if t == 1 and record.skipped:
            assert torch.equal(c.w, before) and record.refused[-1].who == "client 4"
            c = again(c, model)
            assert torch.equal(c.w, before)
    ruined = c.log[1].skipped
    assert len(c.log[-1].clients) == N and not c.log[-1].refused
    if ruined:
        assert bool(c.log[2].skipped) == c.rule.needs_everyone
        assert [r.who for r in c.log[2].refused] == ["client 4"] and len(c.log[2].clients) == N - 1


def test_such_a_row_ruins_the_model_under_averaging(fleet):
    model, members_of = fleet
    c, members = Coordinator("FedAvg", model, N, 3, local=LOCAL), members_of()
    sent = replies(c, members)
    c.receive([*sent[:4], far(sent[4], 1e15)])
    assert c.receive(replies(c, members)).skipped and not c.receive(replies(c, members)).refused


@pytest.mark.parametrize("size", [1e12, 1e25, 1e37])
def test_rows_of_comparable_length_are_never_refused_for_it(fleet, size):
    model, members_of = fleet
    c, members = Coordinator("FedAvg", model, N, 2, local=LOCAL), members_of()
    record = c.receive([far(reply, size * (1 + k)) for k, reply in enumerate(replies(c, members))])
    assert not record.refused and len(record.clients) == N


def test_from_a_sound_model_clients_that_break_down_change_nothing(fleet):
    model, members_of = fleet
    c, members = Coordinator("FedAvg", model, N, 4, local=LOCAL), members_of()
    c.receive(replies(c, members))
    c.receive(replies(c, members)[:1])
    sound = c.w.clone()
    sent = replies(c, members)
    c.receive([sent[0], *(far(reply, float("nan")) for reply in sent[1:])])
    assert len(c.log[-1].clients) == 1 and not torch.equal(c.w, sound)
    quorate = Coordinator("FedAvg", model, N, 4, local=LOCAL, quorum=2)
    quorate.receive(replies(quorate, members))
    kept = quorate.w.clone()
    quorate.receive([far(replies(quorate, members)[0], float("nan"))])
    assert torch.equal(quorate.w, kept)
