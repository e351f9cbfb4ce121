"""What the lab of the box promises: who pays, from which ε on nobody does, and that the box on the page is the rule's."""

import numpy as np
import pytest
import torch
from fairfl_book import labs
from fairfl_book.build import node

from fairfl import Updates, rules

LAB = labs.Box()
needs_node = pytest.mark.skipif(node.find() is None, reason="node is not installed (the extra dev brings it)")


@pytest.mark.parametrize("rows", ["unit", "raw"])
@pytest.mark.parametrize("crowd, sizes", [*zip(LAB.controls["crowd"].options, ([1, 1, 1], [8, 1, 1]))])
def test_the_direction_is_the_rules_own(crowd, sizes, rows):
    rng = np.random.default_rng(0)
    for epsilon in (0.0, 0.07, 0.2, 0.5, 1.0):
        tips = rng.uniform(-0.95, 0.95, (3, 2)).round(2)
        if epsilon == 0.2:
            tips[1] = 0  # set aside
        G = torch.from_numpy(tips[np.repeat([0, 1, 2], sizes)])
        found = rules.FedMGDA(epsilon=epsilon, normalise=rows == "unit").direction(Updates(G)).vector.numpy()
        ours = LAB.numbers(crowd=crowd, rows=rows, epsilon=epsilon, tips=tips.tolist())["direction"]
        assert np.abs(ours - found).max() < 1e-9 or np.linalg.norm(ours) < 1e-6


def test_from_enough_on_the_box_changes_nothing_and_just_below_it_does():
    for state in ({}, *LAB.tries.values()):
        numbers = LAB.numbers(**state)
        at, below = (LAB.numbers(**{**state, "epsilon": part * numbers["enough"]})["direction"] for part in (1.0, 0.9))
        assert np.allclose(at, numbers["best"]) and not np.allclose(below, numbers["best"], atol=1e-3)


def test_ten_clients_meet_at_two_fifths_as_in_the_chapter():
    nine = {**LAB.tries["nine against one: ten clients, ε = 0.2"], "tips": [[1, 0], [1, 0], [-0.5 * 3**0.5, 0.5]]}
    pays, meet = (LAB.numbers(**{**nine, "epsilon": epsilon}) for epsilon in (0.2, 0.4))
    assert pays["rates"][2] < -0.2 and np.isclose(pays["weights"][2], 0.3)
    assert np.ptp(meet["rates"]) < 1e-9 and np.isclose(meet["enough"], 0.4)


@needs_node
def test_the_start_shows_who_pays_and_the_buttons_keep_their_promises():
    states = [LAB.start, *({**LAB.start, **state} for state in LAB.tries.values())]
    told = node.each("(state) => view.words(view.compute(state))", [[s] for s in states], {"{ view }": LAB.view})
    assert [one["tone"] for one in told] == ["bad", "good", "good", "bad"]
    assert "Client 3 pays: its loss rises." == told[0]["lines"][0] == told[3]["lines"][0]
    opened, shouting = (LAB.numbers(**state) for state in list(LAB.tries.values())[:2])
    assert opened["rates"].min() > 0.05 > LAB.numbers()["rates"].min() + 0.05
    calm = LAB.numbers(**{**LAB.tries["g₃ shouts, and rows are raw"], "rows": "unit"})
    assert shouting["weights"][2] < 0.4 < calm["weights"][2]


@needs_node
def test_the_drawn_box_holds_exactly_the_weights_that_are_allowed():
    rng = np.random.default_rng(1)
    states = [
        {**LAB.start, "crowd": crowd, "epsilon": e} for crowd in LAB.controls["crowd"].options for e in (0.02, 0.2, 0.6)
    ]
    function = "(state) => { const { low, high } = view.compute(state); return corners(low, high); }"
    for state, found in zip(states, node.each(function, [[s] for s in states], {"{ corners, view }": "epsilon_box"})):
        sizes = [1, 1, 1] if state["crowd"] == "three" else [8, 1, 1]
        assert _allowed(np.array(found), sizes, state["epsilon"]).all()
        for goal in rng.normal(size=(20, 3)):
            some = rng.dirichlet(0.5 * np.ones(3), 4000)
            inside = some[_allowed(some, sizes, state["epsilon"])]
            assert (inside @ goal).max(initial=-np.inf) <= (np.array(found) @ goal).max() + 1e-9


def _allowed(weights, sizes, epsilon):
    """Which rows of ``weights`` (n, 3) keep every client within ε of an equal weight."""
    apart = np.abs(weights / sizes - 1 / sum(sizes))
    return (apart <= epsilon + 1e-9).all(1) & (weights > -1e-9).all(1)
