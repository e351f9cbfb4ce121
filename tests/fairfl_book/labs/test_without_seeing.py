"""What the lab of sums promises: sums that are mixtures, a step that hurts nobody, and shares that say who is given away."""

import numpy as np
import pytest
from fairfl_book import labs
from fairfl_book.build import node
from fairfl_book.labs.without_seeing import LAST, SHADOWS

from fairfl.deployment.secure_sums import known

LAB = labs.WithoutSeeing()
needs_node = pytest.mark.skipif(node.find() is None, reason="node is not installed (the extra dev brings it)")


def tips(seed):
    return np.random.default_rng(seed).uniform(-1.3, 1.3, (3, 2)).round(2).tolist()


@pytest.mark.parametrize("seed", range(12))
def test_shadows_hurt_nobody_and_two_sums_are_enough(seed):
    for sums in (1, 2, 5):
        numbers = LAB.numbers(step=SHADOWS, sums=sums, tips=tips(seed))
        assert numbers["rates"].min() >= -1e-9
        squared = numbers["direction"] @ numbers["direction"]
        assert (numbers["G"] @ numbers["direction"]).min() >= squared - 1e-9
        assert numbers["hope"] >= np.linalg.norm(numbers["best"]) - 1e-9
        if sums > 1:
            assert np.allclose(numbers["direction"], numbers["best"])


@pytest.mark.parametrize("seed", range(6))
def test_frank_wolfe_gets_shorter_and_its_sums_are_the_answers_of_these_weights(seed):
    lengths = [np.linalg.norm(LAB.numbers(step=LAST, sums=n, tips=tips(seed))["direction"]) for n in range(1, 9)]
    assert all(a >= b - 1e-12 for a, b in zip(lengths, lengths[1:]))


def test_the_known_shares_are_those_of_the_weights():
    start = LAB.numbers()
    assert np.allclose(start["known"], known(np.full((1, 3), 1 / 3)))
    corner = int(np.argmin(start["G"] @ start["direction"]))
    second = LAB.numbers(sums=2)["known"]
    assert np.allclose(second, known([np.full(3, 1 / 3), np.eye(3)[corner]]))
    assert np.allclose(LAB.numbers(sums=8)["known"], 1)


@needs_node
def test_the_start_shows_who_pays_and_the_buttons_keep_their_promises():
    states = [LAB.start, *({**LAB.start, **state} for state in LAB.tries.values())]
    told = node.each("(state) => view.words(view.compute(state))", [[s] for s in states], {"{ view }": LAB.view})
    assert [one["tone"] for one in told] == ["bad", "good", "good", "good"]
    assert told[0]["lines"][0].startswith("Client 2 pays")
    assert "row of client 2" in told[1]["lines"][-1] and "every client" in told[2]["lines"][-1]
