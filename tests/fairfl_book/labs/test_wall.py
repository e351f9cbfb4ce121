"""Chapter 8's lab of the wall: AdaFed's direction by the package's hulls, and Theorem 5.5's counterexample."""

import numpy as np
import pytest
from fairfl_book import labs
from fairfl_book.build import node

from fairfl import rules

LAB = labs.Wall()
CURVATURES = np.array([[1.0, 4.0], [4.0, 1.0]])


def test_each_step_is_the_packages_point_of_the_hull():
    rng = np.random.default_rng(0)
    for _ in range(20):
        turn, size = rng.uniform(0, 2 * np.pi), rng.uniform(0.5, 1.9)
        numbers = LAB.numbers(start=[(size * np.array([np.cos(turn), np.sin(turn)])).round(2).tolist()])
        for rule, hull in (("AdaFed", "affine"), ("FedMGDA", "convex")):
            path = numbers[rule]["path"]
            for t in (0, 1, 5):
                G = CURVATURES * path[t]
                weights = rules.min_norm(G @ G.T, hull=hull).weights.numpy()
                assert np.allclose((path[t] - path[t + 1]) / 0.1, weights @ G, atol=1e-6)


def test_adafed_stops_at_a_wall_while_both_losses_could_fall():
    numbers = LAB.numbers()
    end, last = numbers["AdaFed"]["path"][-1], numbers["AdaFed"]["path"][-2]
    assert np.linalg.norm(end - last) < 1e-9 and numbers["AdaFed"]["away"] > 1
    G = CURVATURES * end
    assert rules.min_norm(G @ G.T).squared_norm > 1  # not Pareto stationary
    assert numbers["FedMGDA"]["away"] < 0.02
    assert (np.diff(numbers["AdaFed"]["losses"], axis=0) <= 1e-12).all()  # nobody's loss ever rises


@pytest.mark.skipif(node.find() is None, reason="node is not installed (the extra dev brings it)")
def test_the_buttons_and_the_words():
    wall, diagonal, beside = (LAB.numbers(**state)["AdaFed"] for state in LAB.tries.values())
    assert np.allclose(wall["path"], wall["path"][0]) and diagonal["away"] < 1e-6 and beside["away"] > 0.3
    told = node.each(
        "(state) => view.words(view.compute(state)).lines[0]",
        [[{**LAB.start, **state}] for state in [{}, *LAB.tries.values(), {"start": [[0.0, 0.0]]}]],
        {"{ view }": LAB.view},
    )
    assert told == [
        "AdaFed comes to rest at a wall, 1.18 away from the minimiser of both losses.",
        "AdaFed does not take a single step: this start is on a wall.",
        "AdaFed arrives at the minimiser of both losses.",
        "AdaFed comes to rest at a wall, 0.53 away from the minimiser of both losses.",
        "The start is the minimiser of both losses: nobody has anything to gain.",
    ]
