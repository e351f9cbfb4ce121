"""Chapter 8's lab of the two hulls: the package's points, and what the chapter and its buttons say of them."""

import numpy as np
import pytest
import torch
from fairfl_book import labs
from fairfl_book.build import node

from fairfl import Updates, rules

LAB = labs.AffineHull()


def drawn(rng):
    return {
        "gamma": 0.25 * int(rng.integers(9)),
        "loss_1": round(1 + 0.1 * int(rng.integers(11)), 1),
        "loss_2": round(1 + 0.1 * int(rng.integers(11)), 1),
        "tips": rng.uniform(-1.4, 1.4, (2, 2)).round(2).tolist(),
    }


def test_the_points_are_the_packages():
    rng = np.random.default_rng(0)
    for _ in range(200):
        state = drawn(rng)
        numbers = LAB.numbers(**state)
        H = numbers["H"]
        for hull in ("convex", "affine"):
            weights = rules.min_norm(H @ H.T, hull=hull).weights.numpy() / numbers["s"]
            assert np.allclose(numbers[hull]["direction"], numbers["G"].T @ weights, atol=1e-7)
            assert np.allclose(numbers[hull]["rates"], numbers["G"] @ numbers[hull]["direction"])
        losses = torch.tensor([state["loss_1"], state["loss_2"]], dtype=torch.float64)
        updates = Updates(torch.from_numpy(numbers["G"]), losses=losses)
        found = rules.AdaFed(gamma=state["gamma"]).direction(updates)
        assert np.allclose(numbers["affine"]["direction"], found.vector, atol=1e-7)
        assert np.allclose(numbers["affine"]["weights"], found.weights, rtol=1e-6, atol=1e-7)


def test_rates_follow_the_losses_to_the_power_gamma():
    rng = np.random.default_rng(1)
    for _ in range(200):
        numbers = LAB.numbers(**drawn(rng))
        squared = numbers["affine"]["length"] ** 2
        assert np.allclose(numbers["affine"]["rates"], numbers["s"] * squared, atol=1e-9)
        assert (numbers["convex"]["rates"] >= numbers["s"] * numbers["convex"]["length"] ** 2 - 1e-9).all()
        assert numbers["affine"]["length"] <= numbers["convex"]["length"] + 1e-12
        assert (np.linalg.norm(numbers["H"], axis=1) <= np.linalg.norm(numbers["G"], axis=1) + 1e-12).all()


def test_what_the_chapter_says():
    start, nearly = LAB.numbers(), LAB.numbers(**LAB.also["parallel"])
    assert start["affine"]["weights"][1] < -0.3 and np.allclose(start["convex"]["direction"], start["H"][0])
    assert (start["convex"]["rates"] > start["affine"]["rates"]).all()
    assert nearly["affine"]["length"] < 0.25 and nearly["convex"]["rates"].min() > 0.99


def test_the_wall_and_its_only_gate():
    angle, nearly, parallel, gate = (LAB.numbers(**state) for state in LAB.tries.values())
    assert angle["affine"]["weights"].min() > 0.2
    assert nearly["affine"]["length"] < 0.25 * nearly["convex"]["length"]
    assert parallel["affine"]["length"] < 1e-12 and parallel["convex"]["rates"].min() > 0.7
    assert np.allclose(parallel["affine"]["weights"], [2, -1])
    assert np.allclose(gate["affine"]["direction"], gate["convex"]["direction"]) and gate["affine"]["rates"].min() > 0.7


def test_a_zero_gradient_has_no_weight():
    for tips in ([[0.0, 0.0], [1.0, 1.0]], [[1.0, 1.0], [0.0, 0.0]], [[0.0, 0.0]] * 2):
        numbers = LAB.numbers(tips=tips)
        for hull in ("convex", "affine"):
            assert not numbers[hull]["weights"].any() and not numbers[hull]["direction"].any()


@pytest.mark.skipif(node.find() is None, reason="node is not installed (the extra dev brings it)")
def test_the_words_say_what_happens():
    zero = {"tips": [[0.0, 0.0], [1.0, 1.0]]}
    nothing = {"tips": [[0.0, 0.0], [0.0, 0.0]]}
    opposite = {"gamma": 0.0, "tips": [[1.0, 0.5], [-1.0, -0.5]]}
    told = node.each(
        "(state) => view.words(view.compute(state))",
        [[{**LAB.start, **state}] for state in [{}, *LAB.tries.values(), zero, nothing, opposite]],
        {"{ view }": LAB.view},
    )
    assert [(words["tone"], words["lines"][0]) for words in told] == [
        ("good", "Client 2 has a negative weight, and still both losses fall."),
        ("good", "The two hulls agree: no weight is negative, and both losses fall."),
        ("bad", "AdaFed hardly moves, although both losses could fall: the line passes close by the origin."),
        (
            "bad",
            "AdaFed as its paper prints it stands still, although both losses could fall: the line through h₁ and h₂ contains the origin.",
        ),
        ("good", "h₁ and h₂ are one point: both hulls agree, and both losses fall."),
        ("soft", "Client 1 sent a zero gradient, and the nearest point of both hulls is the origin."),
        ("soft", "Both clients sent a zero gradient: nobody has anything to gain, and AdaFed stands still."),
        ("soft", "No direction lowers both losses: the nearest point of both hulls is the origin."),
    ]
