"""Chapter 13's lab: its clients have what they are said to have, its bound is reached, and its buttons keep their promises."""

import numpy as np
import pytest
from fairfl_book import labs
from fairfl_book.build import node
from fairfl_book.labs import spread

from fairfl import metrics
from reproductions.published import published, wide

LAB = labs.SpreadBound()
needs_node = pytest.mark.skipif(node.find() is None, reason="node is not installed (the extra dev brings it)")


@pytest.mark.parametrize("uneven", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("share", [1, 5, 15])
def test_the_clients_have_the_mean_and_the_tails(uneven, share):
    numbers = LAB.numbers(uneven=uneven, share=share)
    values = np.random.default_rng(0).permutation(numbers["values"])
    assert np.isclose(values.mean(), 46.5) and np.isclose(values.std(), numbers["spread"])
    assert np.isclose(metrics.worst(values, share), 31) and np.isclose(metrics.best(values, share), 69)
    assert (
        np.isclose(numbers["spread"], numbers["least"]) if uneven == 0 else numbers["spread"] > numbers["least"] + 0.2
    )


def test_no_clients_have_less():
    """Whatever a hundred accuracies are, the bound for their mean and tails is not above their spread."""
    rng = np.random.default_rng(0)
    for _ in range(200):
        values = 100 * rng.beta(*rng.uniform(0.3, 5, 2), 100)
        tails = [metrics.worst(values, 5), metrics.best(values, 5)]
        assert spread.least(values.mean(), *tails, 0.05) <= values.std() + 1e-12


def test_where_the_middle_lies_outside_no_clients_exist():
    assert LAB.numbers()["exist"]
    for state in ({"worst": 60.0, "best": 70.0}, {"mean": 80.0, "best": 70.0}):
        numbers = LAB.numbers(**state)
        assert not numbers["exist"] and numbers["room"] == 0 and "no such clients exist" in LAB.words(numbers)[0]


def test_the_start_and_the_buttons_keep_their_promises():
    start, equal, adafed, fedmgda = (LAB.numbers(**state) for state in ({}, *LAB.tries.values()))
    assert start["printed"] < start["least"] < start["spread"] - 0.5
    assert np.isclose(equal["spread"], equal["least"]) and equal["least"] == start["least"]
    assert adafed["printed"] < adafed["least"] - 4 and fedmgda["printed"] > fedmgda["least"] + 5


@pytest.mark.parametrize(("button", "paper", "table"), [(1, "adafed", "Table 1"), (2, "fedmgda_plus", "Table 8")])
def test_a_printed_row_is_the_papers(button, paper, table):
    state = list(LAB.tries.values())[button]
    rows = wide(published(paper=paper, table=table)).query("algorithm == 'FedAvg'")
    printed = rows[["mean_accuracy", "worst_5pct", "best_5pct", "std_accuracy_as_printed"]].to_numpy()
    assert (np.abs(printed - [state[name] for name in ("mean", "worst", "best", "printed")]) < 1e-9).all(1).any()


@needs_node
def test_the_words_say_whether_the_printed_spread_can_be():
    states = [{}, {"printed": 9.0, "uneven": 0.0}, {"worst": 60.0, "best": 70.0, "mean": 50.0}]
    told = node.each(
        "(state) => view.words(view.compute(state)).lines",
        [[{**LAB.start, **state}] for state in states],
        {"{ view }": "spread"},
    )
    assert told == [
        [
            "A spread of 3.0 cannot be: with this mean and these tails it is at least 6.1.",
            "These hundred clients have 7.0: those in the middle differ, and that only adds.",
        ],
        [
            "A spread of 9.0 passes: with this mean and these tails it has to be at least 6.1.",
            "These hundred clients have the least: within each of the three groups all are equal.",
        ],
        ["No such clients exist: the other 90 would have to average 48.3 %, less than the worst 5."],
    ]


@needs_node
def test_a_handle_goes_as_far_as_its_control():
    """Dragged far up or right and far down or left, each handle stops at its control's ends."""
    pull = "(s, far) => Object.fromEntries(view.handles(view.compute(s)).map(h => [h.name, h.move({ ...s }, far)[h.name]]))"
    high, low = node.each(pull, [[LAB.start, [9e3, -9e3]], [LAB.start, [-9e3, 9e3]]], {"{ view }": "spread"})
    assert high == {name: control.high for name, control in LAB.controls.items()}
    assert low == {name: control.low for name, control in LAB.controls.items()}
