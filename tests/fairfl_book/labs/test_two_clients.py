"""Chapter 0's lab: its start, the weights that hurt nobody, and what its buttons promise."""

import numpy as np
import pytest
from fairfl_book import labs
from fairfl_book.build import node

LAB = labs.TwoClients()
needs_node = pytest.mark.skipif(node.find() is None, reason="node is not installed (the extra dev brings it)")


def told(*states):
    return node.each(
        "(state) => view.words(view.compute(state)).lines",
        [[{**LAB.start, **state}] for state in states],
        {"{ view }": "two_clients"},
    )


def test_at_the_start_client_1_pays_and_another_weight_mends_it():
    numbers = LAB.numbers()
    assert np.allclose(numbers["A"], [[1, -1.6], [-1.6, 4]]) and np.allclose(numbers["rates"], [-0.3, 1.2])
    assert LAB.words(numbers)[-1] == "client 1 pays: its loss rises"
    assert LAB.numbers(weight=0.66)["rates"].min() > 0.1


def test_nobody_pays_with_exactly_the_weights_that_are_called_harmless():
    rng, conflicts = np.random.default_rng(0), 0
    for _ in range(1000):
        tips = rng.uniform(-1.4, 1.4, size=(2, 2)).round(2).tolist()
        low, high = LAB.numbers(tips=tips)["harmless"]
        assert 0 <= low <= high + 1e-12 <= 1 + 2e-12
        conflicts += (low, high) != (0, 1)
        for weight in rng.uniform(size=10):
            worst = LAB.numbers(weight=weight, tips=tips)["rates"].min()
            assert worst >= -1e-12 if low <= weight <= high else worst < 1e-12
    assert 400 < conflicts < 600


def test_gradients_that_oppose_each_other_leave_one_weight_and_it_stands_still():
    tips = [[1.0, -0.5], [-1.6, 0.8]]
    low, high = LAB.numbers(tips=tips)["harmless"]
    assert np.isclose(low, high) and np.allclose(LAB.numbers(tips=tips, weight=low)["direction"], 0)


@needs_node
def test_what_is_said_at_the_start_and_after_each_button():
    assert told({}, *LAB.tries.values()) == [
        [
            "Client 1 pays: its loss rises.",
            "Nobody would pay with λ₁ between 0.62 and 0.71, the green part of the line.",
        ],
        ["Nobody pays: both losses fall.", "So it is with every λ₁ between 0.62 and 0.71."],
        [
            "Nobody pays: both losses fall.",
            "The gradients agree, being at most a right angle apart, and no weight hurts anybody.",
        ],
        [
            "Client 1 pays: its loss rises.",
            "The gradients oppose each other: whatever helps one client hurts the other.",
        ],
    ]


@needs_node
def test_states_that_have_no_green_part_or_no_line():
    still, equal, nothing = told(
        {"tips": [[1, 0], [-1, 0]]}, {"tips": [[1, 1], [1, 1]]}, {"tips": [[0, 0], [1, 0]], "weight": 1.0}
    )
    assert still[0] == nothing[0] == "The server stands still: nobody gains, nobody pays."
    assert equal[0] == "Nobody pays: both losses fall."
    assert nothing[1] == "Client 1 has a zero gradient and asks for nothing."
    [apart], [together] = node.each(
        "(tips) => [view.handles(view.compute({ weight: 0.5, tips })).map((h) => h.name)]",
        [[[[1, 0], [0, 1]]], [[[1, 1], [1, 1]]]],
        {"{ view }": "two_clients"},
    )
    assert apart == ["tip1", "tip2", "weight"] and together == ["tip1", "tip2"]  # a dot on both tips could not be moved


@needs_node
def test_the_dot_goes_to_the_nearest_point_of_the_line_and_keys_lead_where_they_point():
    function = """(state, point, by) => {
      const dot = view.handles(view.compute(state)).at(-1); // on top: at either end it meets a tip
      return [dot.move(structuredClone(state), point).weight, dot.step(structuredClone(state), by).weight];
    }"""
    level, steep = {"weight": 0.5, "tips": [[1, 0], [-1, 0]]}, {"weight": 0.5, "tips": [[0, -1], [0, 1]]}
    calls = [[level, [217.5, 20], [0.02, 0]], [level, [999, 0], [-0.02, 0]], [steep, [0, 240], [0, 0.02]]]
    assert node.each(function, calls, {"{ view }": "two_clients"}) == [[0.75, 0.52], [1, 0.48], [1, 0.48]]
