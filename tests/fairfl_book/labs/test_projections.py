"""Chapter 7's lab: its last meeting is FedFV's, and what the chapter and its buttons say of it."""

import numpy as np
import pytest
import torch
from fairfl_book import labs
from fairfl_book.build import node
from fairfl_book.labs.projections import ORDERS, meetings

from fairfl import Updates, rules

LAB = labs.Projections()


def drawn(rng):
    return rng.uniform(-2.8, 2.8, (3, 2)).round(2).tolist()


@pytest.mark.parametrize(("keepers", "alpha"), [(0, 0.0), (1, 0.1), (2, 0.5), (3, 1.0)])
@pytest.mark.parametrize(("order", "theirs"), [(ORDERS[0], "ascending"), (ORDERS[-1], "reversed")])
def test_meeting_six_is_the_packages_fedfv(order, theirs, keepers, alpha):
    rng = np.random.default_rng(0)
    for _ in range(50):
        numbers = LAB.numbers(step=6, order=order, keepers=keepers, tips=drawn(rng))
        updates = Updates(torch.from_numpy(numbers["G"]), losses=torch.tensor([1.0, 2.0, 3.0]))
        found = rules.FedFV(alpha, order=theirs).direction(updates)
        assert np.allclose(numbers["weights"], found.weights, atol=1e-9)
        assert np.allclose(numbers["direction"], found.vector, atol=1e-9)
        assert np.allclose(numbers["rates"], found.rates, atol=1e-9)


def test_what_the_chapter_says():
    mean, projected = LAB.numbers(), LAB.numbers(step=6)
    assert (mean["rates"][1:] < -0.05).all() and np.allclose(mean["rates"], mean["fedavg"])
    assert projected["rates"].min() > 0.05 and projected["rates"].argmax() == 0
    last, first = (LAB.numbers(step=6, order=order)["rates"][2] for order in (ORDERS[0], ORDERS[-1]))
    assert first > last + 0.02
    assert LAB.numbers(step=6, keepers=1)["rates"].round(2)[0] < 0


def test_in_the_plane_one_sweep_is_enough_if_a_direction_helps_everybody():
    rng, tried = np.random.default_rng(1), 0
    for _ in range(300):
        tips = np.array(drawn(rng))
        turns = np.sort(np.arctan2(*tips.T))
        if np.diff([*turns, turns[0] + 2 * np.pi]).max() > np.pi + 0.01:  # all in an open half-plane
            tried += 1
            order = ORDERS[rng.integers(6)]
            one, three = (LAB.numbers(step=step, order=order, tips=tips.tolist()) for step in (6, 24))
            assert one["rates"].min() > -1e-9 and np.allclose(one["projected"], three["projected"], atol=1e-9)
    assert tried > 100


def test_a_meeting_moves_one_arrow_to_the_nearest_point_of_a_half_plane():
    rng = np.random.default_rng(2)
    for _ in range(200):
        state = {"order": ORDERS[rng.integers(6)], "tips": drawn(rng)}
        step = int(rng.integers(1, 25))
        before, after = LAB.numbers(step=step - 1, **state), LAB.numbers(step=step, **state)
        k, j = meetings(state["order"])[step - 1]
        others = [i for i in range(3) if i != k]
        assert np.array_equal(before["projected"][others], after["projected"][others])
        target, was, now = after["G"][j], before["projected"][k], after["projected"][k]
        assert np.allclose(after["before"], was) and np.isclose(after["product"], was @ target, atol=1e-9)
        assert np.allclose(now, was - min(0, was @ target) / (target @ target) * target)


@pytest.mark.skipif(node.find() is None, reason="node is not installed (the extra dev brings it)")
def test_the_buttons_keep_their_promises():
    assert [step for step, (k, j) in enumerate(meetings(ORDERS[0]), 1) if k == j][0] > 6
    told = node.each(
        "(state) => view.words(view.compute(state)).lines",
        [
            [{**LAB.start, **state}]
            for state in [{}, *LAB.tries.values(), {"step": 6, "keepers": 3}, {"tips": [[0.0, 0.0]] * 3}]
        ],
        {"{ view }": LAB.view},
    )
    assert [lines[0] for lines in told] == [
        "Clients 2 and 3 pay: their losses rise when the server follows the mean.",
        "FedFV has made all its projections: nobody pays.",
        "FedFV has made all its projections, and still client 1 pays: its loss rises.",
        "FedFV has made all its projections, and still client 1 pays: its loss rises.",
        "FedFV has made all its projections, and still client 3 pays: its loss rises.",
        "All three are keepers, so nothing is projected and FedFV's step is FedAvg's; clients 2 and 3 pay: their losses rise.",
        "All three gradients are next to zero: nobody has anything to gain or to lose.",
    ]
    assert (
        told[1][1].startswith("Who gave up a part of its arrow: client 1 twice,")
        and "Client 3 is a keeper, and stays as sent." in told[2]
    )
    assert "Some directions (the green arc) would help everybody." in told[2]
    assert all("No direction helps everybody here, and FedFV moves all the same." in lines for lines in told[3:5])
