"""Who was asked, and how many nodes a round asks. None of this needs Flower."""

import pytest
import torch

from fairfl.deployment import Coordinator, Reply
from fairfl.deployment.sampling import sampled
from fairfl.errors import Refused


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
