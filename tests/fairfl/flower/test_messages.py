"""Between Flower's messages and ours: what is read, what is not believed. Needs Flower's records, and no network."""

from types import SimpleNamespace

import pytest
import torch

from fairfl.deployment import Coordinator, Reply

pytestmark = pytest.mark.flower
flwr = pytest.importorskip("flwr.app", reason="Flower is not installed: make test-flower installs it and runs this")

REPLY = Reply(client=0, arrays={"weight": torch.ones(1, 2), "bias": torch.zeros(1)}, size=3, numbers={"losses": 0.5})


def message(content=None, error=None, node=7):
    """What a strategy is handed; Flower makes these inside a run only."""
    return SimpleNamespace(
        metadata=SimpleNamespace(src_node_id=node),
        content=content,
        has_error=lambda: error is not None,
        error=SimpleNamespace(code=2, reason=error),
    )


def test_a_reply_survives_the_wire():
    from fairfl.deployment.flower.records import to_content, to_reply

    back = to_reply(message(to_content(REPLY)))
    assert (back.sender, back.client, back.size, back.numbers) == ("node 7", 0, 3, {"losses": 0.5})
    assert all(torch.equal(torch.as_tensor(back.arrays[name]), REPLY.arrays[name]) for name in REPLY.arrays)


def test_a_roster_says_who_is_who_and_the_reply_does_not():
    from fairfl.deployment.flower.records import to_content, to_reply

    assert to_reply(message(to_content(REPLY)), {7: 5}).client == 5
    assert to_reply(message(to_content(REPLY)), {8: 0}).client is None


def test_the_words_of_a_strangers_error_are_cut_short():
    from fairfl.deployment.flower.records import to_reply

    reply = to_reply(message(error='Traceback:\n  File "/secret/place.py"\n\x1b[31mValueError: ' + "x" * 1000))
    assert reply.error.startswith("ValueError: xx") and len(reply.error) <= 200
    assert to_reply(message(error="")).error == "error 2"
    assert "gone" in to_reply(message(error="heartbeat", node=1)).sender


def test_bytes_that_are_no_array_and_messages_without_records_do_not_stop_the_server():
    from fairfl.deployment.flower.records import to_reply
    from fairfl.deployment.flower.strategy import FairStrategy

    junk = flwr.RecordDict(
        {"arrays": flwr.ArrayRecord({"weight": flwr.Array("float32", (1, 2), "numpy.ndarray", b"junk")})}
    )
    assert "unreadable" in to_reply(message(junk)).error
    strategy = FairStrategy(Coordinator("FedAvg", torch.nn.Linear(2, 1), 2, 3))
    _, metrics = strategy.aggregate_train(1, [message(junk), message(flwr.RecordDict({})), message(error="crash")])
    assert dict(metrics) == {"clients": 0, "refused": 3, "missing": 2} and strategy.coordinator.log[0].skipped
    assert strategy.aggregate_evaluate(1, [message(flwr.RecordDict({}))]) is None and len(strategy.unread) == 1


def test_numbers_that_are_lists_and_names_with_escapes_do_not_stop_the_server():
    from fairfl.deployment.flower.records import to_content
    from fairfl.deployment.flower.strategy import FairStrategy

    def with_numbers(**numbers):
        content = to_content(REPLY)
        content["metrics"] = flwr.MetricRecord({"client": 0, "num-examples": 3, **numbers})
        return message(content)

    renamed = to_content(REPLY)
    renamed["arrays"] = flwr.ArrayRecord({"\x1b[31mweight": renamed["arrays"]["weight"]})
    strategy = FairStrategy(Coordinator("QFedAvg", torch.nn.Linear(2, 1), 2, 3))
    sent = [
        with_numbers(client=[0, 1], losses=0.5),
        with_numbers(losses=[0.5]),
        message(renamed),
        with_numbers(**{"num-examples": [1.0]}, losses=0.5),
        with_numbers(client=1, losses=0.5, more=[1, 2]),
    ]
    for one in sent[:4]:
        _, metrics = strategy.aggregate_train(1, [one, sent[4]])
        assert dict(metrics) == {"clients": 1, "refused": 1, "missing": 1 if one is sent[0] else 0}
        assert str(strategy.coordinator.log[-1]).isprintable()
    evaluated = flwr.RecordDict({"metrics": flwr.MetricRecord({"client": [0], "accuracy": 0.5, "loss": 1.0})})
    assert strategy.aggregate_evaluate(1, [message(evaluated)]) is None and "number as [0]" in strategy.unread[0][2]


def test_a_strategy_is_saved_with_its_scores_and_continues():
    from fairfl.deployment.flower.records import to_content
    from fairfl.deployment.flower.strategy import FairStrategy

    make = lambda: FairStrategy(Coordinator("FedAvg", torch.nn.Linear(2, 1, bias=True), 1, 3))
    one, other = make(), make()
    one.aggregate_train(1, [message(to_content(REPLY))])
    scores = flwr.RecordDict({"metrics": flwr.MetricRecord({"client": 0, "accuracy": 0.5, "loss": 1.0})})
    assert dict(one.aggregate_evaluate(1, [message(scores)])) == {"accuracy": 0.5, "worst accuracy": 0.5, "loss": 1.0}
    other.load_state_dict(one.state_dict())
    assert torch.equal(other.coordinator.w, one.coordinator.w) and other.coordinator.round == 1
    assert [done for done, _, _ in other.scores] == [1]


def test_a_sample_of_the_nodes_is_asked_and_only_its_clients_can_be_missing(monkeypatch):
    from fairfl.deployment.flower import strategy as module

    monkeypatch.setattr(module, "Message", lambda content, message_type, dst_node_id: dst_node_id)
    grid, roster = SimpleNamespace(get_node_ids=lambda: range(100, 200)), {node: node - 100 for node in range(100, 200)}
    c = Coordinator("FedAvg", torch.nn.Linear(2, 1), 100, 3)
    strategy = module.FairStrategy(c, roster=roster, fraction_train=0.1)
    asked = list(strategy.configure_train(1, flwr.ArrayRecord({}), flwr.ConfigRecord({}), grid))
    strategy.aggregate_train(1, [])
    assert len(asked) == 10 and c.log[0].missing == tuple(roster[node] for node in asked)


def test_the_coordinators_participation_draws_clients_and_the_roster_says_which_nodes_they_are(monkeypatch):
    from fairfl.deployment.flower import strategy as module
    from fairfl.training import CyclicSampler

    monkeypatch.setattr(module, "Message", lambda content, message_type, dst_node_id: dst_node_id)
    roster = {node: 199 - node for node in range(100, 200)}
    grid = SimpleNamespace(get_node_ids=lambda: [node for node in roster if node != 199])  # client 0 is not connected
    for participation in (0.1, 10, CyclicSampler(10, 100)):
        c = Coordinator("FedAvg", torch.nn.Linear(2, 1), 100, 3, participation=participation, seed=4)
        strategy = module.FairStrategy(c, roster=roster, wait_for=99)
        for t in range(3):
            drawn = c.asked
            nodes = list(strategy.configure_train(t + 1, flwr.ArrayRecord({}), flwr.ConfigRecord({}), grid))
            assert sorted(roster[node] for node in nodes) == [k for k in drawn if k != 0]
            strategy.aggregate_train(t + 1, [])
            assert c.log[t].missing == drawn and len(drawn) == 10


def test_one_round_is_one_line_of_the_log(monkeypatch):
    from fairfl.deployment.flower import strategy as module

    lines = []
    monkeypatch.setattr(module, "log", lambda level, form, *values: lines.append(form % values))
    strategy = module.FairStrategy(
        Coordinator("FedAvg", torch.nn.Linear(2, 1), 10_000, 3, participation=100), roster={}
    )
    strategy.aggregate_train(1, [])
    assert len(lines) == 1 and len(lines[0]) < 200 and "95 more missing" in lines[0]


def test_clients_without_a_roster_and_two_ways_to_draw_are_refused():
    from refusals import refused

    from fairfl.deployment.flower import FairStrategy

    c = Coordinator("FedAvg", torch.nn.Linear(2, 1), 10, 3, participation=2)
    with refused("missing", "participation is 2", "roster"):
        FairStrategy(c)
    with refused("combination", "participation is 2", "fraction_train"):
        FairStrategy(c, roster={7: 0}, fraction_train=0.5)


def test_rounds_of_sampled_clients_in_flowers_loop_are_those_of_train(monkeypatch, small):
    from fairfl import models, partition, train
    from fairfl.deployment import Member
    from fairfl.deployment.flower import strategy as module
    from fairfl.deployment.flower.records import to_content
    from fairfl.training import SizeSampler

    federation, model = (
        partition.dirichlet(small, 5, 0.7, test=0.2, min_size=2),
        models.build("logistic", small, seed=3),
    )
    members, roster = [Member.of(federation, k, model, seed=3) for k in range(5)], {50 - k: k for k in range(5)}
    monkeypatch.setattr(module, "Message", lambda content, message_type, dst_node_id: (content, dst_node_id))

    class Grid:
        """Delivers messages in this process."""

        def get_node_ids(self):
            return list(roster)

        def send_and_receive(self, messages, timeout=None):
            for content, node in messages:
                arrays = {name: array.numpy() for name, array in content["arrays"].items()}
                reply = members[roster[node]].work(arrays, content["config"]["round"])
                yield message(to_content(reply), node=node)

    sampler = SizeSampler(2, federation.sizes)
    c = Coordinator("FedAvg", model, 5, 4, participation=sampler, seed=3)
    strategy = module.FairStrategy(c, roster=roster, evaluate=False)
    strategy.start(grid=Grid(), initial_arrays=strategy.initial, num_rounds=4)
    history = train(federation, "FedAvg", model, rounds=4, participation=sampler, seed=3, engine="sequential")
    assert [list(record.clients) for record in c.log] == history.participants.tolist()
    assert not any(record.missing or record.refused for record in c.log)
    assert torch.equal(c.reported, torch.as_tensor(history.parameters))
