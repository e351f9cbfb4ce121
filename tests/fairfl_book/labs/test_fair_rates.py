"""The lab of α-fair rates: the package's rules at every α that they take, its ends, and what is said where no such weights exist."""

import numpy as np
import pytest
import torch
from fairfl_book import labs
from fairfl_book.build import node

from fairfl import Updates, rules

LAB = labs.FairRates()
needs_node = pytest.mark.skipif(node.find() is None, reason="node is not installed (the extra dev brings it)")
POWERS = np.arange(-40, 41) / 20


def told(*states):
    return node.each(
        "(state) => view.words(view.compute(state))", [[{**LAB.start, **s}] for s in states], {"{ view }": LAB.view}
    )


def tips(rng):
    """Three tips; of every five one has two that are parallel, or opposite, or a tip of zero."""
    turns, sizes = rng.uniform(0, 2 * np.pi, 3), rng.uniform(0.05, 0.99, 3)
    G = sizes[:, None] * np.stack([np.cos(turns), np.sin(turns)], 1)
    G[2] = {0: 0.4 * G[0], 1: -0.4 * G[0], 2: 0 * G[0]}.get(rng.integers(15), G[2])
    return np.trunc(100 * G) / 100


def test_the_weights_are_fairgrads_wherever_it_takes_alpha():
    rng, solved = np.random.default_rng(0), 0
    for power in np.resize(POWERS[POWERS >= -0.3], 100):
        G = tips(rng)
        numbers = LAB.numbers(power=float(power), tips=G.tolist())
        rule = rules.NashMTL() if power == 0 else rules.FairGrad(numbers["alpha"])
        found = rule.direction(Updates(torch.from_numpy(G)))
        assert numbers["solved"] == bool(found.vector.any())
        if numbers["solved"] and found.exact:
            solved += 1
            assert np.allclose(numbers["weights"], found.weights.numpy(), rtol=1e-7, atol=1e-12)
            assert np.allclose(numbers["rates"], found.rates.numpy(), rtol=1e-7)
    assert solved > 33


def test_below_the_package_no_direction_of_the_circle_is_fairer():
    rng, turns = np.random.default_rng(1), np.linspace(0, 2 * np.pi, 40001)
    circle = np.stack([np.cos(turns), np.sin(turns)])
    for power in np.resize(POWERS[(POWERS < -0.3) & (POWERS > -2)], 60):
        G = tips(rng)
        numbers = LAB.numbers(power=float(power), tips=G.tolist())
        if numbers["solved"]:
            G, power_of_rates = G[G.any(1)], 1 - numbers["alpha"]
            allowed = (G @ circle).min(0) > 0
            best = ((G @ circle[:, allowed]) ** power_of_rates).sum(0).max(initial=-np.inf)
            assert best <= (np.maximum(G @ numbers["step"], 0) ** power_of_rates).sum() * (1 + 1e-12)
            # and the weights solve the equation, as far as rates are not below what a product can tell from 0
            heard = np.array(numbers["G"]).any(1)
            felt, wanted = G @ (G.T @ numbers["weights"][heard]), numbers["rates"][heard]
            assert np.abs(felt - wanted).max() < 1e-8 * (1 + felt.max())


def test_at_its_ends_it_is_the_means_projection_and_fedmgda():
    rng, compared = np.random.default_rng(2), 0
    for _ in range(100):
        G = tips(rng)
        for power, rule in ((-2.0, rules.DualProj()), (2.0, rules.FedMGDA())):
            numbers = LAB.numbers(power=power, tips=G.tolist())
            if numbers["solved"] and G.any(1).all():
                vector = rule.direction(Updates(torch.from_numpy(G))).vector.numpy()
                assert np.abs(vector / np.linalg.norm(vector) - numbers["step"]).max() < 5e-3
                compared += 1
    assert compared > 60


def test_by_hand_the_rates_of_lengths_1_and_8_at_a_right_angle():
    state = LAB.tries["right angle, lengths 1 : 8"]
    for alpha_power in (-1.0, -0.3, 0.0, 0.3, 1.0):
        numbers = LAB.numbers(**state, power=alpha_power)
        ratio = numbers["rates"][1] / numbers["rates"][0]
        assert np.isclose(ratio, 64 ** (1 / (1 + 10**alpha_power)))


@needs_node
def test_what_is_said_at_the_ends_between_and_where_there_is_nothing_to_solve():
    nash, zero, infinity, right, stationary, absent, nothing, alike = told(
        {},
        *LAB.tries.values(),
        {"tips": [[0, 0], [0.5, 0.5], [0.3, 0.9]]},
        {"tips": [[0, 0]] * 3},
        {"tips": [[0.5, 0.5], [0.6, 0.6], [0.2, 0.2]]},
    )
    assert nash["lines"][0].startswith("α = 1, the Nash bargain") and "harm client 3" in nash["lines"][-1]
    assert "projection" in zero["lines"][0] and zero["lines"][1].startswith("Client 3 would pay")
    assert "FedMGDA" in infinity["lines"][0] and "client 2 has more, and weight 0" in infinity["lines"][1]
    assert "harm" not in "".join(right["lines"]) and right["tone"] == "good"
    assert stationary["tone"] == "soft" and stationary["lines"][0].startswith("No weights solve")
    assert absent["lines"][-1] == "Client 1 sent a zero gradient and is set aside."
    assert nothing["lines"] == ["All gradients are zero: there is nothing to follow."]
    assert "every α takes the same direction" in alike["lines"][1]


@needs_node
def test_every_client_lies_on_the_curve_that_is_drawn():
    states = [{**LAB.start, "power": float(power)} for power in POWERS]
    function = "(state) => { const n = view.compute(state); return [n.places, bend(n.exponent)]; }"
    for places, drawn in node.each(function, [[s] for s in states], {"{ bend, view }": LAB.view}):
        a, b = np.array(drawn)[:-1], np.array(drawn)[1:]
        for place in np.array(places):
            along = np.clip(((place - a) * (b - a)).sum(1) / np.maximum(((b - a) ** 2).sum(1), 1e-300), 0, 1)
            assert np.linalg.norm(a + along[:, None] * (b - a) - place, axis=1).min() < 5e-3
