"""Caps are judged before the rule, the culprit is named, and a flood of replies does not fill the log."""

import math

import pytest
import torch

from fairfl.deployment import Caps, Coordinator, Reply
from fairfl.deployment.caps import MOST_REFUSALS
from fairfl.errors import Refused
from fairfl.rules import WeightRule

K = 5


class Seen(WeightRule):
    """The mean, by losses; remembers which clients it saw."""

    needs = frozenset({"losses"})

    def weights(self, updates):
        SEEN.append(updates.clients.tolist())
        return torch.full((len(updates),), 1 / len(updates), dtype=torch.float64)


SEEN: list = []


def reply(coordinator, client, step=1.0, size=10, loss=1.0, sender=""):
    arrays = {name: value - step for name, value in coordinator.arrays().items()}
    return Reply(sender, client, arrays, size, {"losses": loss})


def coordinator(**settings):
    SEEN.clear()
    return Coordinator(Seen(), torch.nn.Linear(3, 1), population=K, rounds=9, **settings)


LIES = {
    "a long row": (dict(step=50.0), Caps(length=20)),
    "a row longer than the others": (dict(step=50.0), Caps(times_median=10)),
    "many rows": (dict(size=10_000), Caps(size=100)),
    "a large loss": (dict(loss=1e30), Caps(numbers={"losses": (0.01, 20)})),
    "no loss": (dict(loss=0.0), Caps(numbers={"losses": (0.01, 20)})),
    "a negative loss": (dict(loss=-1.0), Caps(numbers={"losses": (0.01, 20)})),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_lie_beyond_a_cap_reaches_no_rule_and_is_named(lie):
    given, caps = LIES[lie]
    free, capped = coordinator(), coordinator(caps=caps)
    for server, honest in ((free, False), (capped, True)):
        record = server.receive([reply(server, k) for k in range(K - 1)] + [reply(server, K - 1, **given)])
        assert (K - 1 in record.clients) != honest and not record.skipped
        assert [refusal.who for refusal in record.refused] == [f"client {K - 1}"] * honest
    assert SEEN[-1] == [0, 1, 2, 3]


def test_a_median_is_not_moved_by_two_of_five():
    server = coordinator(caps=Caps(times_median=10))
    record = server.receive([reply(server, k, 50.0 if k > 2 else 1.0) for k in range(K)])
    assert record.clients == (0, 1, 2) and len(record.refused) == 2


def test_honest_rows_move_the_model_as_without_caps():
    caps = Caps(length=1e3, times_median=10, size=1e3, numbers={"losses": (0, 20), "accuracies": (0, 1)})
    moved = []
    for given in ({}, {"caps": caps}):
        torch.manual_seed(0)
        server = coordinator(**given)
        server.receive([reply(server, k, 1.0 + k) for k in range(K)])
        moved.append(server.w)
    assert torch.equal(*moved)


@pytest.mark.parametrize(
    "given, kind",
    [
        (dict(length=0), "value"),
        (dict(length="3"), "type"),
        (dict(times_median=1), "value"),
        (dict(size=math.nan), "value"),
        (dict(numbers=5), "type"),
        (dict(numbers={"losses": 5}), "type"),
        (dict(numbers={"losses": (2, 1)}), "value"),
    ],
)
def test_caps_that_make_no_sense_are_refused(given, kind):
    with pytest.raises(Refused) as refused:
        Caps(**given)
    assert refused.value.kind == kind


def test_a_cap_on_a_number_that_no_rule_reads_is_refused():
    with pytest.raises(Refused, match="losses") as refused:
        coordinator(caps=Caps(numbers={"loss": (0.01, 20)}))
    assert refused.value.kind == "name"


def test_one_outsized_row_freezes_an_average_and_a_cap_stops_it():
    steps = {}
    for name, caps in {"free": Caps(), "capped": Caps(times_median=10)}.items():
        server = coordinator(caps=caps)
        first = server.receive([reply(server, k, 1e9 if k == 0 else 1e-3) for k in range(K)])
        assert [refusal.who for refusal in first.refused] == ["client 0"] * (name == "capped")
        steps[name] = [server.receive([reply(server, k, 1e-3) for k in range(1, K)]) for _ in range(3)]
        assert not any(record.refused for record in steps[name])
    assert [record.direction_norm for record in steps["free"]] == [0, 0, 0]
    assert min(record.direction_norm for record in steps["capped"]) > 1e-3


def test_caps_of_another_type_are_refused():
    with pytest.raises(Refused) as refused:
        coordinator(caps={"length": 3})
    assert refused.value.kind == "type"


def test_a_flood_of_forged_replies_neither_fills_the_log_nor_hides_a_culprit():
    server = coordinator(caps=Caps(length=20))
    flood = [Reply(f"node {n}", client=K + n, error="" if n % 2 else "x" * 10_000) for n in range(2_000)]
    record = server.receive([*flood, *(reply(server, k) for k in range(4)), reply(server, 4, 50.0)])
    assert record.clients == (0, 1, 2, 3) and len(record.refused) <= MOST_REFUSALS + 2
    assert "client 4" in [refusal.who for refusal in record.refused] and "1950" in str(record)
    assert sum(len(refusal.reason) + len(refusal.who) for refusal in record.refused) < 30_000
    server.load_state_dict(server.state_dict())
    assert server.log == [record]
