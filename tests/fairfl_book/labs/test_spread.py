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


@pytest.mark.parametrize("tail", [1, 4, 15])
def test_no_clients_have_more_than_the_largest(tail):
    """Nor do any with accuracies from 0 to 100 have more: not even those at few levels, where the largest stands."""
    rng = np.random.default_rng(0)
    for _ in range(300):
        levels = np.concatenate([[0, 100], rng.uniform(0, 100, rng.integers(1, 4))])
        values = rng.choice(levels, 100, p=rng.dirichlet(np.full(len(levels), 0.5)))
        tails = [metrics.worst(values, tail), metrics.best(values, tail)]
        assert values.std() <= spread.largest(values.mean(), *tails, tail) + 1e-6


@pytest.mark.parametrize(
    "groups",
    [{20: 5, 25: 45, 60: 1, 70: 44, 80: 5}, {20: 51, 80: 49}, {0: 3, 44: 2, 45: 90, 47: 1, 100: 4}, {0: 40, 100: 60}],
)
def test_the_largest_is_some_clients_spread(groups):
    """It is at least the spread of clients that were made to differ much, and is theirs where they cannot differ more."""
    values = np.repeat(list(groups), list(groups.values())).astype(float)
    bound = spread.largest(values.mean(), metrics.worst(values, 5), metrics.best(values, 5), 5)
    assert bound >= values.std() - 1e-9
    if len(groups) == 2:
        assert np.isclose(bound, values.std())


def test_a_single_client_in_a_tail_cannot_be_spread():
    """Ninety-eight at 20 and two at 80 are as far apart as their mean and ends allow, where a tail that could be divided could do more."""
    assert np.isclose(spread.largest((20 * 98 + 160) / 100, 20, 80, 1), np.std([20.0] * 98 + [80.0] * 2))


def test_where_the_middle_lies_outside_no_clients_exist():
    assert LAB.numbers()["exist"]
    for state in ({"worst": 60.0, "best": 70.0}, {"mean": 80.0, "best": 70.0}):
        numbers = LAB.numbers(**state)
        assert not numbers["exist"] and numbers["room"] == 0 and "no such clients exist" in LAB.words(numbers)[0]


def test_the_start_and_the_buttons_keep_their_promises():
    start, equal, adafed, fedmgda = (LAB.numbers(**state) for state in ({}, *LAB.tries.values()))
    assert start["printed"] < start["least"] < start["spread"] - 0.5 and start["spread"] < start["largest"] < 20
    assert np.isclose(equal["spread"], equal["least"]) and equal["least"] == start["least"]
    assert adafed["printed"] < adafed["least"] - 4 and fedmgda["least"] + 5 < fedmgda["printed"] < fedmgda["largest"]


@pytest.mark.parametrize(("button", "paper", "table"), [(1, "adafed", "Table 1"), (2, "fedmgda_plus", "Table 8")])
def test_a_printed_row_is_the_papers(button, paper, table):
    state = list(LAB.tries.values())[button]
    rows = wide(published(paper=paper, table=table)).query("algorithm == 'FedAvg'")
    printed = rows[["mean_accuracy", "worst_5pct", "best_5pct", "std_accuracy_as_printed"]].to_numpy()
    assert (np.abs(printed - [state[name] for name in ("mean", "worst", "best", "printed")]) < 1e-9).all(1).any()


@needs_node
def test_the_words_say_whether_the_printed_spread_can_be():
    states = [
        {},
        {"printed": 9.0, "uneven": 0.0},
        {"printed": 31.0},
        {"worst": 60.0, "best": 70.0, "mean": 50.0},
        {"worst": 80.0, "best": 20.0},
    ]
    told = node.each(
        "(state) => view.words(view.compute(state)).lines",
        [[{**LAB.start, **state}] for state in states],
        {"{ view }": "spread"},
    )
    assert told == [
        [
            "A spread of 3.00 cannot be: with this mean and these tails it is at least 6.12.",
            "These hundred clients have 6.98: those in the middle differ, and that only adds.",
        ],
        [
            "A spread of 9.00 is not ruled out: with this mean and these tails anything from 6.12 to 18.61 can be.",
            "These hundred clients have the least: within each of the three groups all are equal.",
        ],
        [
            "A spread of 31.00 cannot be: with this mean and these tails it is at most 18.61.",
            "These hundred clients have 6.98: those in the middle differ, and that only adds.",
        ],
        ["No such clients exist: the other 90 would have to average 48.3 %, less than the worst 5."],
        ["No such clients exist: the worst 5 would be better than the best 5."],
    ]


@needs_node
def test_a_handle_goes_as_far_as_its_control():
    """Dragged far up or right and far down or left, each handle stops at its control's ends."""
    pull = "(s, far) => Object.fromEntries(view.handles(view.compute(s)).map(h => [h.name, h.move({ ...s }, far)[h.name]]))"
    high, low = node.each(pull, [[LAB.start, [9e3, -9e3]], [LAB.start, [-9e3, 9e3]]], {"{ view }": "spread"})
    assert high == {name: control.high for name, control in LAB.controls.items()}
    assert low == {name: control.low for name, control in LAB.controls.items()}
