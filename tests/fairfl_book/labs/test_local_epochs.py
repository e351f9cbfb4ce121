"""Chapter 1's lab: rounds of FedAvg on its parabolas end where it says, and the share alone counts in the end."""

import numpy as np
import pytest
from fairfl_book import labs
from fairfl_book.build import node

LAB = labs.LocalEpochs()
needs_node = pytest.mark.skipif(node.find() is None, reason="node is not installed (the extra dev brings it)")


def rounds(epochs, share, steepness, w, n):
    """FedAvg as the chapter writes it: each of ten clients takes ``epochs`` gradient steps, and the server averages."""
    shares = np.array([(1 - share) / 9] * 9 + [share])
    h, c = np.array([1.0] * 9 + [steepness]), np.array([0.0] * 9 + [100.0])
    for _ in range(n):
        local = np.full(10, w)
        for _ in range(epochs):
            local = local - 0.1 * h * (local - c)
        w = shares @ local
    return w, local


@pytest.mark.parametrize("epochs, share, steepness", [(1, 0.2, 3.0), (5, 0.2, 3.0), (50, 0.2, 8.0), (20, 0.6, 1.0)])
def test_rounds_end_where_the_lab_says(epochs, share, steepness):
    numbers = LAB.numbers(epochs=epochs, share=share, steepness=steepness)
    w, local = rounds(epochs, share, steepness, w=70.0, n=400)
    assert np.isclose(w, numbers["rest"])
    assert np.isclose(local[0], numbers["nine"][-1]) and np.isclose(local[9], numbers["tenth"][-1])


def test_the_tenth_falls_from_its_steep_share_to_its_share():
    one, many = LAB.numbers(epochs=1), LAB.numbers(epochs=50)
    assert np.isclose(one["rest"], 100 * 0.2 * 3 / (0.2 * 3 + 0.8))
    assert abs(many["rest"] - 20) < 0.2 and (np.diff(one["rests"]) < 0).all()
    assert np.isclose(LAB.numbers(epochs=1, share=0.25)["rest"], 50)
    assert abs(LAB.numbers(epochs=50, share=0.5)["rest"] - 50) < 0.2
    assert np.allclose(LAB.numbers(steepness=1.0)["rests"], 20)


@needs_node
def test_the_knob_goes_from_one_epoch_to_fifty():
    pull = "(s, far) => view.handles(view.compute(s))[0].move({ ...s }, far).epochs"
    assert node.each(pull, [[LAB.start, [-9e3, 0]], [LAB.start, [9e3, 0]]], {"{ view }": "local_epochs"}) == [1, 50]
    assert node.each(
        "(s) => view.handles(view.compute(s))[0].step({ ...s }, [1, 0]).epochs",
        [[LAB.start]],
        {"{ view }": "local_epochs"},
    ) == [6]
