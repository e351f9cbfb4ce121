"""Chapter 10's lab: what its start shows and its buttons promise, and rules that only Python can answer for."""

import re

import numpy as np
import pytest
from fairfl_book import labs
from fairfl_book.build import node

from fairfl import rules

needs_node = pytest.mark.skipif(node.find() is None, reason="node is not installed (the extra dev brings it)")


class Newcomer(rules.GramRule):
    """Weights that follow the sum of a client's losses so far."""

    needs = frozenset({"losses"})
    remembers = ("total",)

    def weights(self, gram, updates):
        self._total = updates.losses + (0 if self._total is None else self._total)
        return self._total / self._total.sum()


class Picky(rules.WeightRule):
    """Refuses a loss above 3.5."""

    needs = frozenset({"losses"})

    def weights(self, updates):
        if updates.losses.max() > 3.5:
            raise ValueError("a loss above 3.5")
        return updates.shares


@pytest.fixture
def newcomer(monkeypatch):
    """The lab with one more rule in the package, at place 13."""
    monkeypatch.setitem(rules.RULES, "Newcomer", Newcomer)
    return labs.AllRules()


def place(name):
    return labs.AllRules().numbers()["names"].index(name)


def said(*calls):
    function = "(state, kernel) => { const n = view.compute(state, kernel); return { ...n, ...view.words(n), drawn: view.draw(n) }; }"
    return node.each(function, [list(call) for call in calls], {"{ view }": "all_rules"})


def test_at_its_start_rules_that_fix_weights_make_client_1_pay():
    numbers = labs.AllRules().numbers()
    lowest = dict(zip(numbers["names"], numbers["rates"].min(1)))
    fixed = {
        kind: [lowest[n] for n, k in zip(numbers["names"], numbers["kinds"]) if k == kind]
        for kind in ("weights", "rates")
    }
    assert min(fixed["rates"]) > 0.15 and sum(rate < -0.03 for rate in fixed["weights"]) == 6
    assert numbers["rates"][:, 1].min() > 0 and np.allclose(np.linalg.norm(numbers["steps"], axis=1), 1)
    assert np.ptp(numbers["rates"][place("FedMGDA")]) < 1e-9


def test_the_buttons_keep_their_promises():
    lab = labs.AllRules()
    sends, whole, near = (lab.numbers(**state) for state in lab.tries.values())
    deaf = lambda numbers: [
        n for n, a, b in zip(numbers["names"], numbers["rates"], numbers["honest"]) if np.abs(a - b).max() < 1e-9
    ]
    assert deaf(sends) == ["FedAvg-n", "FedMGDA+"]
    assert deaf(whole)[:4] == ["FedAvg-n", "FedMGDA+", "AdaFed", "DQN-Fed"]
    assert (sends["rates"] - sends["honest"])[place("FedAvg"), 1] > 0.1 > 0 > sends["rates"][place("FedAvg"), 0]
    assert np.allclose(near["rates"][place("AdaFed")] @ [3, -1], 0) and near["rates"].min() > 0


@needs_node
def test_the_words_say_who_pays_and_what_the_lie_changes():
    lab = labs.AllRules()
    start, sends, *_ = said(*([{**lab.start, **state}] for state in ({}, *lab.tries.values())))
    assert start["lines"][0] == "Client 1 pays under 7 of the 13 rules." and start["tone"] == "bad"
    assert "changes nothing under FedAvg-n and FedMGDA+." in sends["lines"][-1]
    none, few = said([{**lab.start, "families": []}], [{**lab.start, "families": ["rates"]}])
    assert none["lines"] == ["No rule is switched on."] and few["lines"] == ["Nobody pays under any of the 4 rules."]


@needs_node
def test_where_nothing_moves_nobody_is_praised():
    lab = labs.AllRules()
    [both] = said([{**lab.start, "tips": [[0.0, 0.0], [0.0, 0.0]]}])
    assert both["tone"] == "soft" and both["lines"] == [
        "Both gradients are zero: there is nothing to follow. Every rule shown stands still."
    ]


def test_a_rule_added_to_the_packages_rules_is_in_the_lab(newcomer):
    numbers = newcomer.numbers(tips=[[0.5, 0.0], [0.0, 0.5]], loss=3.0)
    assert numbers["names"][13] == "Newcomer" and numbers["kinds"][13] == "new"
    assert np.allclose(numbers["steps"][13], np.array([1, 3]) / 10**0.5)
    assert any("Newcomer" in line for line in newcomer.words(numbers))


@needs_node
def test_what_python_answers_is_drawn_with_the_state_that_it_belongs_to(newcomer):
    state = {**newcomer.start, "lie": ["loss"]}
    kernel = newcomer.kernel_numbers(state)
    here, late, alone = said([state, kernel], [newcomer.start, kernel], [state, {**kernel, "state": None}])
    ours = newcomer.numbers(**state)
    for key in ("steps", "rates", "honest"):
        assert np.abs(np.array(here[key]) - ours[key]).max() < 1e-9
    assert here["names"] == ours["names"] and here["kinds"] == ours["kinds"] and here["waits"] == [""] * 14
    assert "Newcomer" in here["figures"] and "of the 14 rules" in here["lines"][0]
    assert late["waits"][13] == "asking Python …" in late["drawn"]["rates"] and "Newcomer" not in late["figures"]
    assert (
        alone["lines"][-1] == "Newcomer answers only where Python runs."
        and "only with Python" in alone["drawn"]["rates"]
    )
    assert re.search(r'"kernel_numbers": \{"state".*"Newcomer"', newcomer.page("here"))


def test_the_widget_asks_python_for_each_state():
    pytest.importorskip("anywidget", reason="anywidget is not installed (the extra lab brings it)")
    lab = labs.AllRules(extra=[Newcomer(), Picky()])
    widget = lab.widget(loss=2.0)
    assert widget.kernel_numbers["names"] == ["Newcomer", "Picky"] and widget.kernel_numbers["state"]["loss"] == 2.0
    before, moved = widget.kernel_numbers["steps"], {**lab.start, "loss": 3.0}
    widget.set_state({"state": moved})
    assert widget.kernel_numbers["state"] == moved and widget.kernel_numbers["steps"] != before
    widget.set_state({"state": {**moved, "loss": 4.0}})
    assert widget.kernel_numbers["trouble"] == "ValueError: a loss above 3.5" and "steps" not in widget.kernel_numbers
    if node.find():
        [drawn] = said([widget.state, widget.kernel_numbers])
        assert drawn["lines"][-1] == "Python could not answer: ValueError: a loss above 3.5."
    assert labs.AllRules().widget().kernel_numbers == {}
