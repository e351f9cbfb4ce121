"""Chapter 4's lab: its start, its second picture, what its buttons promise, and multipliers that prove stationarity."""

import numpy as np
import pytest
from fairfl_book import labs
from fairfl_book.build import node

LAB = labs.Hull()
needs_node = pytest.mark.skipif(node.find() is None, reason="node is not installed (the extra dev brings it)")


def seen(*states):
    """What the drawing says and shows of states: its lines, and the names of its lines and arrows."""
    function = """(state) => {
      const numbers = view.compute(state), { plane, bars } = view.draw(numbers);
      return [view.words(numbers).lines, ...[plane, bars].map((panel) => [...panel.matchAll(/<text[^>]*>([^<]*)</g)].map((found) => found[1]))];
    }"""
    return node.each(function, [[{**LAB.start, **state}] for state in states], {"{ view }": "hull"})


def test_at_the_start_the_mean_makes_client_2_pay_and_fedmgda_mends_it():
    before, after = LAB.numbers(), LAB.numbers(**LAB.also["mended"])
    assert np.array_equal(np.flatnonzero(before["rates"] < -0.1), [1]) and np.allclose(before["weights"], 1 / 3)
    assert after["weights"][2] == 0 and after["rates"][2] == max(after["rates"]) and after["rates"].min() > 0.2
    assert np.allclose(after["rates"][:2], after["squared"])


def test_the_buttons_keep_their_promises():
    matters, swallowed, negative = (LAB.numbers(**state) for state in LAB.tries.values())
    assert matters["weights"][2] > 0.3 and not swallowed["direction"].any()
    assert negative["weights"].min() < -0.2 and np.ptp(negative["rates"]) < 1e-12
    assert all(label.startswith(state["rule"]) for label, state in LAB.tries.items())


@pytest.mark.parametrize("rule", ["FedMGDA", "FedMGDA+", "AdaFed"])
def test_the_multipliers_prove_stationarity(rule):
    state = {**LAB.tries["FedMGDA: swallow the origin"], "rule": rule}
    numbers = LAB.numbers(**state)
    mu, rows = numbers["multipliers"], numbers["G"]
    if rule == "FedMGDA+":
        rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    assert not numbers["weights"].any() and mu.min() > 0.1 and np.isclose(mu.sum(), 1)
    assert np.allclose(mu @ rows, 0, atol=1e-12)
    if node.find():
        [theirs] = node.call("hull", [["view.compute", {**LAB.start, **state}]])
        assert np.allclose(theirs["multipliers"], mu, atol=1e-9)


def test_fedmgda_plus_weighs_unit_gradients_within_its_box():
    numbers = LAB.numbers(rule="FedMGDA+", epsilon=0.1)
    lengths = np.linalg.norm(numbers["G"], axis=1)
    assert np.allclose(numbers["weights"] * lengths, numbers["multipliers"])
    assert np.isclose(np.abs(numbers["multipliers"] - 1 / 3).max(), 0.1)


@needs_node
def test_what_is_said_and_named_at_the_start_and_after_each_button():
    start, mended, matters, swallowed, negative = seen({}, LAB.also["mended"], *LAB.tries.values())
    assert start[0] == ["Client 2 pays: its loss rises.", "Some directions (green) would help everybody."]
    assert {"dir = mean", "helps everybody"} <= set(start[1]) and "weight λ" in start[2]
    assert mended[0][0] == "Nobody pays: every loss falls." and {"equal rates", "mean"} <= set(mended[1])
    assert "nearest to 0" in matters[0][1] and "Clients 2 and 3 have the weight" in matters[0][2]
    assert swallowed[0] == [
        "The server stands still: no direction lowers every loss. This is Pareto stationarity.",
        "Its proof: the gradients' mean with the multipliers μ = 0.27, 0.33, 0.40 is zero.",
    ]
    assert {"multipliers μ", "0.27", "0.40"} <= set(swallowed[2]) and "helps everybody" not in swallowed[1]
    assert negative[0][1] == "All rates are equal; for that, client 1 has a negative weight."
    assert "line through the tips" in negative[1] and "−0.29" in negative[2]


@needs_node
def test_the_box_is_told_and_the_multipliers_shown_are_those_it_bounds():
    free, boxed, one_silent = seen(
        {"rule": "FedMGDA+"},
        {"rule": "FedMGDA+", "epsilon": 0.2},
        {"rule": "FedMGDA+", "epsilon": 0.2, "tips": [[0, 0], *LAB.start["tips"][1:]]},
    )
    assert "shortest mean of the unit gradients" in free[0][-1] and "μ of g/‖g‖" in free[2]
    assert "stays within 0.20 of 1/3" in boxed[0][-1]
    assert "stays within 0.20 of 1/2" in one_silent[0][-2] and "client 1 sent a zero" in one_silent[0][-1].lower()
