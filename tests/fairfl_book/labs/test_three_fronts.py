"""What the lab of three clients' front shows: weights, the minimiser, and the least largest loss."""

import numpy as np
import pytest
from fairfl_book import labs
from fairfl_book.build import node

LAB = labs.ThreeFronts()
needs_node = pytest.mark.skipif(node.find() is None, reason="node is not installed (the extra dev brings it)")


def test_weights_are_the_nearest_of_the_simplex():
    assert np.allclose(LAB.numbers()["shares"], 1 / 3)
    assert np.allclose(LAB.numbers(weights=[[0.0, 1.0]])["shares"], [0, 0, 1])
    assert np.allclose(LAB.numbers(weights=[[0.0, -1.0]])["shares"], [0.5, 0.5, 0])  # outside the triangle


def test_no_model_has_a_smaller_largest_loss():
    rng = np.random.default_rng(0)
    for _ in range(30):
        centres = rng.uniform(-0.7, 0.7, (3, 2)).round(2)
        numbers = LAB.numbers(centres=centres.tolist())
        rivals = np.concatenate([rng.uniform(-1, 1, (2000, 2)), numbers["fair"] + 0.02 * rng.normal(size=(2000, 2))])
        worst = 0.5 * ((rivals[:, None] - centres) ** 2).sum(-1).max(1)
        assert worst.min() >= numbers["fairest"].max() - 1e-12


@needs_node
def test_the_start_shows_who_pays_and_a_handle_can_mend_it():
    shares = {"weights": [[-0.15, 0.15]]}
    states = [LAB.start, {**LAB.start, **shares}]
    told = node.each("(state) => view.words(view.compute(state))", [[s] for s in states], {"{ view }": LAB.view})
    assert "client 3 with the largest loss" in told[0]["lines"][0] and told[0]["tone"] == "bad"
    assert told[1]["tone"] == "good"
