"""One server step: `train`, a `Coordinator` and a loop written by hand move the model alike, and a refused round does not."""

import copy
import doctest
import io
from dataclasses import replace
from unittest.mock import ANY

import pytest
import torch
from refusals import refused

import fairfl.training.server_step
from fairfl import Direction, LocalSGD, Server, Updates, models, partition, rules, train
from fairfl.deployment import Coordinator, Member
from fairfl.errors import Diverged, Refused
from fairfl.training import ServerStep

N, ROUNDS, LOCAL = 4, 5, LocalSGD(lr=0.3, epochs=2, batch_size=4, decay=0.9)
CASES = {
    "FedAvg": ("FedAvg", Server()),
    "FedMGDAPlus": (rules.FedMGDAPlus(0.1), Server()),
    "FedFV": (rules.FedFV(tau=2), Server(momentum=0.5)),
    "AFL": (rules.AFL(step=1), Server()),
    "FedAdam": ("FedAvg", Server(0.05, "adam")),
}


@pytest.mark.parametrize("case", CASES)
def test_train_the_coordinator_and_a_loop_by_hand_give_the_same_bits(small, case):
    rule, server = CASES[case]
    fed, model = partition.iid(small, N, test=0.2), models.build("mlp", small, seed=1)
    told = []  # each round's losses: what a client computes alone may differ from them in the last bit
    history = train(
        fed,
        rule,
        model,
        rounds=ROUNDS,
        local=LOCAL,
        server=server,
        seed=1,
        engine="sequential",
        device="cpu",
        tamper=lambda updates: (told.append(updates.losses), updates)[1],
    )
    coordinator = Coordinator(rule, model, N, ROUNDS, server=server, local=LOCAL)
    loop = ServerStep(rule, torch.nn.utils.parameters_to_vector(model.parameters()), ROUNDS, server)
    members = [Member.of(fed, k, model, local=LOCAL, seed=1) for k in range(N)]
    sizes = torch.tensor([len(rows) for rows in fed.train], dtype=torch.float64)
    for t in range(ROUNDS):
        numbers = [{"losses": float(told[t][k])} if coordinator.needs else {} for k in range(N)]
        coordinator.receive(replace(m.work(coordinator.arrays(), t), numbers=numbers[m.client]) for m in members)
        torch.nn.utils.vector_to_parameters(loop.w.clone(), model.parameters())
        replies = [m.work(dict(model.named_parameters()), t) for m in members]
        rows = [loop.w - torch.cat([array.reshape(-1) for array in reply.arrays.values()]) for reply in replies]
        taken = loop.take(Updates(torch.stack(rows), losses=told[t], shares=sizes / sizes.sum(), round=t))
        assert taken.norm == coordinator.log[t].direction_norm == history.direction_norm[t]
    assert torch.equal(loop.w, coordinator.w) and loop.needs == coordinator.needs
    assert torch.equal(loop.reported, coordinator.reported) and torch.equal(
        loop.reported, torch.tensor(history.parameters)
    )


class Stumbling(rules.FedFV):
    """FedFV, which writes into its memory, with a ``fault`` after that."""

    fault = None

    def combine(self, updates):
        decided = super().combine(updates)
        self.undeclared = updates.round
        return self.fault(decided) if self.fault else decided

    def report(self, w):
        return {}["a slip"] if self.fault is lost else w


def short(decided):
    return Direction(decided.vector[:-1])


def not_a_number(decided):
    return Direction(decided.vector / 0)


def far(decided):
    return Direction(decided.vector * 1e25)


def lost(decided):
    return decided


def bits(step):
    state = step.state_dict()
    values = [*state["server"].values(), *state["rule"].values(), state["reported"]]
    return [value.clone() if torch.is_tensor(value) else value for value in values] + [step.rule.undeclared]


def same(a, b):
    return all(torch.equal(x, y) if torch.is_tensor(x) else x == y for x, y in zip(a, b, strict=True))


def rounds():
    chance = torch.Generator().manual_seed(0)
    return [
        Updates(
            torch.randn(3, 6, generator=chance),
            losses=torch.rand(3, generator=chance),
            clients=(torch.arange(3) + t) % 5,
            population=5,
            round=t,
        )
        for t in range(ROUNDS)
    ]


@pytest.mark.parametrize("server", [Server(0.1, "adam"), Server(0.1, momentum=0.5)], ids=lambda s: s.optimiser)
@pytest.mark.parametrize(
    "fault, error, mentions",
    [
        (short, Refused, ["Stumbling", "(5,)", "(6,)"]),
        (not_a_number, Diverged, ["Stumbling", "round 3"]),
        (far, Diverged, ["second moment"]),
        (lost, KeyError, ["a slip"]),
    ],
    ids=lambda f: getattr(f, "__name__", ""),
)
def test_a_round_that_fails_leaves_no_trace(server, fault, error, mentions):
    if fault is far and server.optimiser == "sgd":
        fault, mentions = (lambda decided: Direction(torch.full_like(decided.vector, -3e38))), ["next model"]
        server = Server(2.0, momentum=0.5)
    step, other = (ServerStep(Stumbling(tau=4), torch.ones(6), ROUNDS, server) for _ in range(2))
    for updates in rounds():
        if updates.round == 3:
            before, rule = bits(step), step.rule
            rule.fault = fault
            with pytest.raises(error) as caught:
                step.take(updates)
            assert all(one in str(caught.value) for one in mentions)
            assert caught.type is error and step.rule is rule and same(bits(step), before)
            rule.fault = None
        given, held = step.w, step.w.clone()
        step.take(updates), other.take(updates)
        assert torch.equal(given, held) and not torch.equal(step.w, given)
    assert same(bits(step), bits(other))


@pytest.mark.parametrize("server", [Server(0.1, "yogi"), Server(0.1, momentum=0.5), Server(0.1)], ids=repr)
def test_a_saved_step_continues_bit_for_bit(server):
    whole, first, second = (ServerStep(Stumbling(tau=4), torch.ones(6), ROUNDS, server) for _ in range(3))
    for updates in rounds():
        if updates.round == 2:
            torch.save(first.state_dict(), file := io.BytesIO())
            second.load_state_dict(torch.load(io.BytesIO(file.getvalue()), weights_only=True))
        whole.take(updates), (first if updates.round < 2 else second).take(updates)
    assert same(bits(second), bits(whole))


@pytest.mark.parametrize(
    "other, mentions",
    [
        (ServerStep("FedAvg", torch.ones(7), 5), ["(6,)", "(7,)"]),
        (ServerStep("FedAvg", torch.ones(6), 5, Server(optimiser="adam")), ["optimiser"]),
        (ServerStep(rules.FedFV(tau=1), torch.ones(6), 5), ["FedFV"]),
    ],
    ids=["model", "server", "rule"],
)
def test_a_state_of_something_else_is_refused(other, mentions):
    step = ServerStep(rules.AFL(), torch.ones(6), 5)
    step.take(replace(rounds()[0], clients=torch.arange(3), population=3))
    before = copy.deepcopy(other.state_dict())
    with refused(ANY, *mentions):
        other.load_state_dict(step.state_dict())
    assert same(
        [other.w, other.reported, other.rule.state_dict()], [before["server"]["w"], before["reported"], before["rule"]]
    )


def test_a_training_says_when_what_it_keeps_is_no_longer_finite(small):
    far = lambda updates: replace(updates, gradients=updates.gradients * 1e30)
    with refused("diverged", "second moment", "round 0"):
        train(partition.iid(small, 3), rounds=2, server=Server(optimiser="adam"), tamper=far)


def test_an_attack_that_forgets_the_round_does_not_turn_back_the_clock(small):
    class Looking(rules.FedAvg):
        def combine(self, updates):
            seen.append(updates.round)
            return super().combine(updates)

    seen = []
    train(partition.iid(small, 3), Looking(), rounds=3, tamper=lambda updates: Updates(updates.gradients))
    assert seen == [0, 1, 2]


def test_a_training_takes_no_copy_of_a_rules_memory(small):
    class Streaming(rules.FedAvg):
        stream = None

        def combine(self, updates):
            self.stream = self.stream or (t for t in range(3))  # which nothing can copy
            assert next(self.stream) == updates.round
            return super().combine(updates)

    assert len(train(partition.iid(small, 3), Streaming(), rounds=3).rounds) == 4


def test_the_loop_in_the_docstring_runs():
    done = doctest.testmod(fairfl.training.server_step)
    assert done.attempted >= 7 and done.failed == 0
