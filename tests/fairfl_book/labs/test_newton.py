"""Chapter 9's lab: its steps are the package's, its distances those of the Pareto set, and its buttons keep their promises."""

import numpy as np
import pytest
from fairfl_book import labs, toy
from fairfl_book.build import node
from fairfl_book.labs import newton

from fairfl import Updates, rules

LAB, BESIDE = labs.NewtonRates(), [[0.02, 0.08]]


def test_a_step_is_the_packages():
    rng = np.random.default_rng(0)
    for _ in range(50):
        H = [newton.curvature(tip) for tip in rng.uniform(-0.6, 0.6, (2, 2))]
        K = rng.integers(1, 3)
        G, r = newton.look(H[:K], rng.uniform(-1, 1, (K, 2)), rng.uniform(-1.4, 1.4, 2))
        package = rules.DQNFed().direction(Updates(G, extras={"newton_rates": r})).vector.numpy()
        assert np.allclose(newton.step(G, r), package, rtol=1e-6)


def test_without_independence_a_step_is_the_shortest_of_the_nearest():
    for G, r in (([(1.0, 2.0), (-2.0, -4.0)], [1.0, 3.0]), ([(0.0, 0.0), (1.0, 1.0)], [0.0, 2.0])):
        assert np.allclose(newton.step(G, r), np.linalg.lstsq(np.array(G), np.array(r))[0])
    assert newton.step([(0.0, 0.0)] * 2, [0.0, 0.0]) == newton.step([(0.0, 0.0)], [0.0]) == (0.0, 0.0)


def test_a_long_axis_sets_the_curvature():
    H = np.array(newton.curvature([0.6, 0.0]))
    assert np.allclose(H, [1, 0, 4])
    assert newton.curvature([0.0, 0.0]) == newton.curvature([0.0, 0.1]) == (1, 0, 1)


def test_distances_are_those_of_the_pareto_set():
    rng = np.random.default_rng(0)
    for _ in range(20):
        tips, c = rng.uniform(-0.65, 0.65, (2, 2)), rng.uniform(-0.8, 0.8, (2, 2))
        numbers = LAB.numbers(shapes=tips.tolist(), minimisers=c.tolist(), begin=rng.uniform(-1, 1, (1, 2)).tolist())
        dense = toy.Quadratics(c, numbers["H"]).pareto_set(100_001)
        for w, distance in zip(numbers["path"][:5], numbers["distance"]):
            least = np.linalg.norm(dense - w, axis=1).min()
            assert least - 1e-4 < distance <= least + 1e-12


def test_at_the_start_the_path_hops():
    numbers = LAB.numbers()
    assert numbers["fate"] == "cycle" and np.allclose(numbers["path"][::2], numbers["path"][0])
    assert (numbers["losses"][0] > numbers["losses"][1] + 0.1).all() and numbers["distance"][:2].min() > 0.5


def test_the_buttons_keep_their_promises():
    same, alone, shorter, stalled = (LAB.numbers(**state) for state in LAB.tries.values())
    assert same["fate"] == "at once" and same["distance"][0] > 1 and same["distance"][1] < 1e-9
    assert alone["fate"] == "shrinks" and 0.75 < newton.factor(alone["distance"]) < 9.1 / 11
    assert shorter["fate"] == "arrives" and (np.diff(shorter["losses"], axis=0) < 1e-6).all()
    first, second = newton.look([(h[0, 0], h[0, 1], h[1, 1]) for h in stalled["H"]], stalled["c"], stalled["path"][-1])[
        0
    ]
    assert stalled["fate"] == "stalls" and stalled["distance"][-1] > 0.5
    assert np.dot(first, second) > 0.999 * np.linalg.norm(first) * np.linalg.norm(second)


def test_beside_the_pareto_set_a_step_explodes():
    beside = LAB.numbers(begin=BESIDE)
    assert beside["fate"] == "cycle" and beside["distance"][0] < 0.05 and beside["distance"][1] > 5


@pytest.mark.skipif(node.find() is None, reason="node is not installed (the extra dev brings it)")
def test_the_words_say_what_became_of_the_path():
    round_ = {"clients": "client 1 alone", "shapes": [[0, 0]] * 2}
    kinks = {
        "clients": "client 1 alone",
        "steps": "half",
        "minimisers": [[-0.2, -0.3], [0.8, -0.2]],
        "begin": [[1.5, 0.9]],
    }
    states = [{}, *LAB.tries.values(), {"begin": BESIDE}, {"steps": "half"}, round_, kinks]
    first = [
        "The path hops between two points for ever: the clients disagree, and nothing is ever settled.",
        "One step, and both clients are at their best: they want the same point.",
        "The distance shrinks by a factor of 0.81 a round (a straight line).",
        "The path comes to the Pareto set: after 20 rounds it is less than 0.0001 away.",
        "The path stalls 0.68 from the Pareto set, although both losses could still fall.",
        "The path hops between two points for ever: the clients disagree, and nothing is ever settled.",
        "The path comes and goes, and does not settle.",
        "One step, and client 1 is at its best: round ellipses, so its gradient points there.",
        "The distance shrinks by a factor of 0.72 a round on average.",
    ]
    told = node.each(
        "(state) => view.words(view.compute(state)).lines",
        [[{**LAB.start, **state}] for state in states],
        {"{ view }": "newton"},
    )
    assert [lines[0] for lines in told] == first
    assert "a step explodes: this one is 9.3" in told[5][2] and len(told[0]) == 2
    assert told[6][-1] == "A part of the path lies outside the picture." and told[2][1].startswith(
        "To come ten times closer takes about 11"
    )
