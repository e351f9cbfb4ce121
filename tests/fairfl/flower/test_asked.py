"""Who was asked, and how many nodes a round asks. None of this needs Flower."""

import numpy as np
import pytest
import torch
from answers import replies
from refusals import refused

from fairfl import LocalSGD, WeightRule, models, partition, train
from fairfl.deployment import Coordinator, Member, Reply
from fairfl.deployment.sampling import nodes_of, refuse_two_samples, sampled
from fairfl.errors import Refused
from fairfl.training import CyclicSampler, PoissonSampler, SizeSampler

LOCAL = LocalSGD(lr=0.3, epochs=2, batch_size=4)


def reply(k):
    return Reply(client=k, arrays={"weight": torch.ones(1, 2), "bias": torch.zeros(1)}, size=3)


def test_only_who_was_asked_can_be_missing_and_one_line_says_so():
    c = Coordinator("FedAvg", torch.nn.Linear(2, 1), 10_000, 3)
    record = c.receive([reply(k) for k in range(60)], asked=range(100))
    assert record.missing == tuple(range(60, 100)) and len(record.lines()) == 2
    everybody = c.receive([reply(k) for k in range(100)])
    assert len(everybody.missing) == 9_900 and len(everybody.lines()) == 2
    assert c.receive([reply(0)], asked=[0, 7]).lines()[1] == "client 7 missing"
    with pytest.raises(Refused):
        c.receive([], asked=[10_000])


def test_as_many_nodes_are_drawn_as_flowers_fedavg_draws_and_the_draw_is_keyed():
    nodes = list(range(100, 200))
    draw = lambda *given: sampled(nodes, *given)
    assert [len(draw(f, n, 0, 0)) for f, n in ((0.1, 1), (0.019, 1), (0.0, 2), (1.0, 1), (0.5, 300))] == [
        10,
        1,
        2,
        100,
        100,
    ]
    assert draw(0.1, 1, 0, 3) == draw(0.1, 1, 0, 3) != draw(0.1, 1, 0, 4) != draw(0.1, 1, 1, 4)
    assert len({node for t in range(200) for node in draw(0.1, 1, 0, t)}) == 100


class Inverse(WeightRule):
    needs = frozenset({"inclusion"})

    def weights(self, updates):
        return 1 / (updates.population * updates.extras["inclusion"])


class Turns:
    """Asks the next two clients; its place is its state."""

    def __init__(self):
        self._place = 0

    def sample(self, round, generator):
        self._place += 2
        return [(self._place + i) % 6 for i in range(2)]

    def state_dict(self):
        return {"place": self._place}

    def load_state_dict(self, state):
        self._place = state["place"]


@pytest.fixture
def federation(small):
    return partition.dirichlet(small, 6, 0.7, test=0.2, min_size=2)


@pytest.fixture
def model(small):
    return models.build("logistic", small, seed=3)


@pytest.fixture
def members(federation, model):
    return [Member.of(federation, k, model, local=LOCAL, seed=3) for k in range(6)]


def answered(c, members):
    return c.receive(replies(c, [members[k] for k in c.asked]))


SAMPLERS = {
    "fraction": lambda f: 0.5,
    "count": lambda f: 2,
    "by size": lambda f: SizeSampler(3, f.sizes),
    "Poisson": lambda f: PoissonSampler(0.2, 6),
    "in turn": lambda f: CyclicSampler(4, 6),
    "own": lambda f: Turns(),
}


@pytest.mark.parametrize("rule", ["FedAvg", Inverse()])
@pytest.mark.parametrize("name", SAMPLERS)
def test_a_coordinator_asks_whom_train_draws_and_takes_the_same_steps(federation, model, members, name, rule):
    participation = SAMPLERS[name](federation)
    if rule != "FedAvg" and name in ("in turn", "own"):
        with refused("missing", "Inverse", type(participation).__name__):
            Coordinator(rule, model, 6, 6, local=LOCAL, participation=participation).receive([])
        return
    c = Coordinator(rule, model, 6, 6, local=LOCAL, participation=participation, seed=3)
    for _ in range(6):
        assert answered(c, members).missing == ()
    history = train(
        federation, rule, model, rounds=6, local=LOCAL, participation=participation, seed=3, engine="sequential"
    )
    assert [list(r.clients) for r in c.log] == [[k for k in row if k >= 0] for row in history.participants.tolist()]
    assert np.array_equal(c.reported.numpy(), history.parameters)
    if name == "Poisson":
        empty = [r for r in c.log if not r.clients]
        assert empty and all(r.skipped == "no client was asked" for r in empty)


def test_who_was_asked_is_drawn_once_a_round_and_again_after_a_restart(model, members):
    make = lambda: Coordinator("FedAvg", model, 6, 9, local=LOCAL, participation=Turns())
    c, whole = make(), make()
    for _ in range(4):
        answered(whole, members)
    for _ in range(4):
        assert c.asked == c.asked
        state, c = c.state_dict(), make()
        c.load_state_dict(state)
        answered(c, members)
    assert c.log == whole.log and torch.equal(c.w, whole.w)
    assert [r.clients for r in c.log] == [(2, 3), (4, 5), (0, 1), (2, 3)]


def test_a_client_that_was_not_asked_is_refused(model, members):
    c = Coordinator("FedAvg", model, 6, 9, local=LOCAL, participation=CyclicSampler(2, 6))
    record = c.receive(replies(c, members[:3]))
    assert record.clients == (0, 1) and record.missing == ()
    assert [r.who for r in record.refused] == ["client 2"] and "not asked" in record.refused[0].reason
    record = c.receive(replies(c, members[3:5]), asked=[4, 5])
    assert record.clients == (4,) and record.missing == (5,) and len(record.refused) == 1


@pytest.mark.parametrize(
    "settings, kind, mentions",
    [
        (dict(rule="AFL", participation=0.5), "combination", ["AFL", "participation is 0.5"]),
        (dict(participation=CyclicSampler(2, 5)), "combination", ["CyclicSampler", 5, 6]),
        (dict(participation=2, quorum=3), "combination", ["quorum is 3", "1 to 2"]),
        (dict(participation=7), "value", ["participation is 7"]),
        (dict(seed=0.5), "type", ["seed is 0.5"]),
    ],
)
def test_settings_that_cannot_be_used_are_refused(model, settings, kind, mentions):
    with refused(kind, *mentions):
        Coordinator(**{"rule": "FedAvg", "model": model, "population": 6, "rounds": 2} | settings)


def test_a_rule_that_reads_probabilities_cannot_be_told_whom_somebody_else_asked(model, members):
    c = Coordinator(Inverse(), model, 6, 9, local=LOCAL)
    assert c.needs == [], "the server knows the probabilities and asks no client for them"
    with refused("missing", "Inverse", "participation="):
        c.receive(replies(c, members), asked=range(6))
    assert c.round == 0 and answered(c, members).clients == tuple(range(6))


def test_a_roster_says_which_nodes_the_drawn_clients_are(model):
    roster = {30: 2, 10: 0, 20: 1}
    assert nodes_of((0, 2), [10, 20, 30, 40], roster) == [10, 30]
    assert nodes_of((0, 2), [20, 30], roster) == [30]
    c = Coordinator("FedAvg", model, 6, 2, participation=2)
    with refused("missing", "participation is 2", "roster"):
        refuse_two_samples(c, None, 1.0, 1)
    for given in ((0.5, 1), (1.0, 2)):
        with refused("combination", "participation is 2", "fraction_train"):
            refuse_two_samples(c, roster, *given)
    refuse_two_samples(c, roster, 1.0, 1)
    refuse_two_samples(Coordinator("FedAvg", model, 6, 2), None, 0.5, 2)
