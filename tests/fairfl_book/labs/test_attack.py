"""The liar among four clients: what the lab shows at its start, and what its buttons promise."""

import numpy as np
import pytest
from fairfl_book import labs
from fairfl_book.build import node

LAB = labs.Attack()
UNMOVED = {"FedAvg-n", "FedMGDA+", "AdaFed"}


def still_rules(numbers):
    return {name for name, turn in zip(numbers["names"], numbers["turned"]) if turn is not None and turn < 1e-6}


def test_at_the_start_unit_rows_and_adafed_do_not_notice_and_fedavgs_honest_clients_pay():
    numbers = LAB.numbers()
    assert still_rules(numbers) == UNMOVED
    assert numbers["loses"][0] == [True, False, True] and numbers["lostBefore"][0] == [False] * 3
    assert not any(map(any, numbers["lostBefore"]))


def test_the_nothings_of_the_chapters_table():
    """Which rules a lie leaves alone, wherever the tips are."""
    rng = np.random.default_rng(0)
    for _ in range(50):
        tips = rng.uniform(-1.1, 1.1, (4, 2)).round(2).tolist()
        loss, update, both = (
            still_rules(LAB.numbers(tips=tips, lies=lies, power=2.0))
            for lies in (["its loss"], ["its update"], ["its loss", "its update"])
        )
        assert {"FedAvg", "FedAvg-n", "FedMGDA", "FedMGDA+"} <= loss
        assert {"FedAvg-n", "FedMGDA+"} <= update and both >= UNMOVED
        assert still_rules(LAB.numbers(tips=tips, lies=[])) == set(LAB.controls["rule"].options)


@pytest.mark.skipif(node.find() is None, reason="node is not installed (the extra dev brings it)")
def test_the_buttons_keep_their_promises():
    states = [{**LAB.start, **state} for state in LAB.tries.values()]
    loss, update, both = node.each(
        "(s) => view.words(view.compute(s)).lines", [[s] for s in states], {"{ view }": "attack"}
    )
    assert loss[:2] == [
        "The lie turns q-FedAvg by 74°: clients 1 and 3 now lose.",
        "Client 4 reports a loss of 19 instead of 0.6.",
    ]
    assert update[0] == "The lie turns AdaFed by 15°, and no honest client loses because of it."
    assert both[0] == "The lie changes nothing under FedMGDA+: its direction stays."
    [[told]] = node.each(
        "(s) => [view.words(view.compute(s)).lines]", [[{**LAB.start, "lies": []}]], {"{ view }": "attack"}
    )
    assert told[0] == "Client 4 tells the truth." and len(told) == 2


@pytest.mark.skipif(node.find() is None, reason="node is not installed (the extra dev brings it)")
def test_a_rule_that_stands_still_says_so_and_nobody_loses_without_honest_gradients():
    torn = {**LAB.start, "rule": "FedMGDA", "tips": [[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]]}
    nothing = {**LAB.start, "rule": "FedMGDA+", "tips": [[0.0, 0.0]] * 3 + [[-0.65, 0.8]]}
    function = "(s) => { const n = view.compute(s); return { ...view.words(n), ...view.draw(n) }; }"
    still, empty = node.each(function, [[torn], [nothing]], {"{ view }": "attack"})
    assert still["lines"][0] == "FedMGDA stands still, with the lie and without it."
    assert "FedMGDA stands still" in still["figures"] and ">stands still<" in still["rules"]
    assert any(line.split()[:3] == ["FedMGDA", "stands", "still"] for line in LAB.words(LAB.numbers(**torn)))
    assert empty["tone"] == "soft" and "nobody can lose" in empty["plane"]
