"""What the lab of weighted sums, bounds and goals says about its two fronts."""

import numpy as np
import pytest
from fairfl_book import labs, toy
from fairfl_book.build import node

LAB = labs.Scalarisation()
needs_node = pytest.mark.skipif(node.find() is None, reason="node is not installed (the extra dev brings it)")


@pytest.mark.parametrize("method", LAB.controls["method"].options)
def test_only_a_weighted_sum_on_the_dented_front_leaps(method):
    jumps = {problem: LAB.numbers(problem=problem, method=method)["jump"] for problem in ("dented", "convex")}
    assert (jumps["dented"] > 1.8) == (method == "weighted sum") and jumps["convex"] < 0.7


def test_a_weighted_sum_lands_where_the_two_valleys_minimiser_is():
    for weight in (0.1, 0.5, 0.85):
        landed = LAB.numbers(problem="convex", weight=weight)["w"]
        assert np.linalg.norm(landed - toy.two_valleys().minimiser([weight, 1 - weight])) < 2e-3


def test_the_wall_is_kept_and_the_goal_is_missed_by_the_same_excess():
    walled = LAB.numbers(method="ε-constraint", bound=0.5)["f"]
    aimed = LAB.numbers(method="Chebyshev", goal_1=0.3, goal_2=0.1)["f"]
    assert 0.498 < walled[1] <= 0.5 and abs((aimed - [0.3, 0.1]) @ [1, -1]) < 2e-3


def test_what_both_could_gain_is_nothing_exactly_on_the_front():
    landed = LAB.numbers(method="Chebyshev", goal_1=0.3)["w"].round(2).tolist()
    assert LAB.numbers(mine=[landed])["gain"] < 0.005 < 0.15 < LAB.numbers()["gain"]


@needs_node
def test_the_start_shows_who_pays_and_the_buttons_mend_it_or_not():
    states = [LAB.start, *({**LAB.start, **state} for state in LAB.tries.values())]
    told = node.each("(state) => view.words(view.compute(state))", [[s] for s in states], {"{ view }": LAB.view})
    assert [one["tone"] for one in told] == ["bad", "bad", "good", "good"]
    assert "client 1 pays" in told[0]["lines"][0] and "client 2 pays" in told[1]["lines"][0]
    assert told[2]["lines"][0] == "A compromise: losses 0.63 and 0.63, both 0.63 above the reference point s."


@needs_node
def test_the_region_that_is_better_for_both_is_just_that():
    """The lens in the plane of parameters has w at its rim, and whatever lies inside lowers both losses."""
    lens = (
        "(name, w) => { const known = front(name), lines = [0, 1].map((k) => through(known, k, w, 72).slice(1));"
        "return [overlap(lines[0], lines[1]), known.problem.losses(w)]; }"
    )
    rng = np.random.default_rng(0)
    calls = [[name, w.tolist()] for name in ("dented", "convex") for w in rng.uniform(-0.9, 0.9, (20, 2))]
    problems = {"dented": toy.FonsecaFleming(), "convex": toy.two_valleys()}
    for (name, w), (corners, image) in zip(calls, node.each(lens, calls, {"{ front, overlap, through }": "fronts"})):
        middle = np.mean(corners, 0)
        assert np.linalg.norm(np.array(corners) - w, axis=1).min() < 0.1
        inside = 0.98 * np.array(corners) + 0.02 * middle
        assert (problems[name].losses(inside) <= np.array(image) + 1e-3).all()
