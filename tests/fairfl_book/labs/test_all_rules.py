"""Chapter 10's lab: what its start shows and its buttons promise, and rules that only Python can answer for."""

import re

import numpy as np
import pytest
from fairfl_book import labs
from fairfl_book.build import node
from fairfl_book.labs.all_rules import FAMILIES, RULES

from fairfl import rules

PAPERS = len(RULES["the four papers"])
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
    """The lab with one more rule in the package, the last."""
    monkeypatch.setitem(rules.RULES, "Newcomer", Newcomer)
    return labs.AllRules()


def place(name):
    return labs.AllRules().numbers()["names"].index(name)


def said(*calls):
    function = "(state, kernel) => { const n = view.compute(state, kernel); return { ...n, ...view.words(n), drawn: view.draw(n) }; }"
    return node.each(function, [list(call) for call in calls], {"{ view }": "all_rules"})


def test_at_its_start_rules_that_fix_weights_make_client_1_pay():
    numbers = labs.AllRules().numbers()
    lowest = numbers["rates"].min(1)
    fixed = {
        kind: [rate for rate, k in zip(lowest, numbers["kinds"]) if k == kind]
        for kind in ("weights", "rates", "neither")
    }
    assert min(fixed["rates"]) > 0.15 and sum(rate < -0.03 for rate in fixed["weights"]) == 8
    assert sum(rate < -0.03 for rate in fixed["neither"]) == 1 and lowest[place("FedFV")] < -0.1
    assert numbers["rates"][:, 1].min() > 0 and np.allclose(np.linalg.norm(numbers["steps"], axis=1), 1)
    assert np.ptp(numbers["rates"][place("FedMGDA")]) < 1e-9


def test_the_buttons_keep_their_promises():
    lab = labs.AllRules()
    sends, whole, near, every = (lab.numbers(**state) for state in lab.tries.values())
    deaf = lambda numbers: [
        n for n, a, b in zip(numbers["names"], numbers["rates"], numbers["honest"]) if np.abs(a - b).max() < 1e-9
    ]
    assert [n for n in deaf(sends) if place(n) < PAPERS] == ["FedAvg-n", "FedMGDA+"]
    # Of degree 1, with a loss that is not told, or not asked for.
    assert {"Nash-MTL", "IMTL-G", "ConFIG"} <= set(deaf(sends))
    assert deaf(whole)[:4] == ["FedAvg-n", "FedMGDA+", "AdaFed", "DQN-Fed"]
    assert list(every["sources"]) == list(RULES) and len(lab.words(every)) == 2 + len(FAMILIES)
    assert (sends["rates"] - sends["honest"])[place("FedAvg"), 1] > 0.1 > 0 > sends["rates"][place("FedAvg"), 0]
    assert np.allclose(near["rates"][place("AdaFed")] @ [3, -1], 0) and near["rates"].min() > 0


@needs_node
def test_the_words_say_who_pays_and_what_the_lie_changes():
    lab = labs.AllRules()
    start, sends, *_ = said(*([{**lab.start, **state}] for state in ({}, *lab.tries.values())))
    assert start["lines"][0] == "Client 1 pays under 7 of the 13 rules." and start["tone"] == "bad"
    assert "changes nothing under FedAvg-n and FedMGDA+." in sends["lines"][-1]
    none, nowhere, few, later, every = said(
        *(
            [{**lab.start, **state}]
            for state in (
                {"families": []},
                {"sources": []},
                {"families": ["rates"]},
                {"sources": ["other federated", "multi-task"]},
                {"sources": list(RULES)},
            )
        )
    )
    assert none["lines"] == nowhere["lines"] == ["No rule is switched on."]
    assert few["lines"] == ["Nobody pays under any of the 4 rules."]
    assert later["lines"][0] == "Client 1 pays under 2 of the 12 rules." and "PropFair and CVaR" in later["lines"][1]
    assert every["lines"][0] == f"Client 1 pays under 9 of the {len(FAMILIES)} rules."


@needs_node
def test_rules_with_one_direction_share_an_arrow_and_a_label():
    """For two clients Nash-MTL, IMTL-G, ConFIG and FedMGDA+ all take the bisector, where FedAvg-n stands as well."""
    lab = labs.AllRules()
    numbers = lab.numbers()
    same = [place(name) for name in ("FedAvg-n", "FedMGDA+", "Nash-MTL", "IMTL-G", "ConFIG")]
    assert np.ptp(numbers["steps"][same], axis=0).max() < 1e-9
    few, every = said([lab.start], [{**lab.start, "sources": list(RULES)}])
    arrows = lambda one: one["drawn"]["plane"].count("<polygon") - 2  # without those of the gradients
    distinct = {tuple(np.round(step, 6)) for step in numbers["steps"]}
    assert arrows(few) < PAPERS and arrows(every) <= len(distinct) < len(FAMILIES) - 3
    numbered = [
        int(n)
        for words in re.findall(r">([\d–, ]+)</text>", every["drawn"]["plane"])
        for part in words.strip(", ").split(", ")
        for a, b in [(part.split("–") * 2)[:2]]
        for n in range(int(a), int(b) + 1)
    ]
    assert sorted(numbered) == list(range(1, len(FAMILIES) + 1))


@needs_node
def test_the_list_has_the_rules_of_the_chosen_sources_and_grows_with_them():
    lab = labs.AllRules()
    function = "(state) => { const n = view.compute(state); return [view.draw(n).rates, view.heights(n).rates]; }"
    states = [{**lab.start, "sources": sources} for sources in ([], ["multi-task"], ["the four papers"], list(RULES))]
    drawn = node.each(function, [[state] for state in states], {"{ view }": "all_rules"})
    listed = [[name for name in lab.numbers()["names"] if f">{name}<" in rows] for rows, _ in drawn]
    assert [len(names) for names in listed] == [0, 9, PAPERS, len(FAMILIES)] and "UPGrad" in listed[1]
    heights = [high for _, high in drawn]
    assert heights[0] == heights[1] == heights[2] < heights[3]


@needs_node
def test_where_nothing_moves_nobody_is_praised():
    lab = labs.AllRules()
    [both] = said([{**lab.start, "tips": [[0.0, 0.0], [0.0, 0.0]]}])
    assert both["tone"] == "soft" and both["lines"] == [
        "Both gradients are zero: there is nothing to follow. Every rule shown stands still."
    ]


def test_a_rule_added_to_the_packages_rules_is_in_the_lab(newcomer):
    numbers = newcomer.numbers(tips=[[0.5, 0.0], [0.0, 0.5]], loss=3.0)
    assert numbers["names"][-1] == "Newcomer" and numbers["kinds"][-1] == "new" and len(FAMILIES) == place("Newcomer")
    assert np.allclose(numbers["steps"][-1], np.array([1, 3]) / 10**0.5)
    assert any("Newcomer" in line for line in newcomer.words(numbers))


@needs_node
def test_what_python_answers_is_drawn_with_the_state_that_it_belongs_to(newcomer):
    state = {**newcomer.start, "lie": ["loss"]}
    kernel = newcomer.kernel_numbers(state)
    here, late, alone = said([state, kernel], [newcomer.start, kernel], [state, {**kernel, "state": None}])
    ours = newcomer.numbers(**state)
    for key in ("steps", "rates", "honest"):
        assert np.abs(np.array(here[key]) - ours[key]).max() < 1e-9
    assert (
        here["names"] == ours["names"]
        and here["kinds"] == ours["kinds"]
        and here["waits"] == [""] * (len(FAMILIES) + 1)
    )
    assert "Newcomer" in here["figures"] and "of the 14 rules" in here["lines"][0]
    assert late["waits"][-1] == "asking Python …" in late["drawn"]["rates"] and "Newcomer" not in late["figures"]
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
