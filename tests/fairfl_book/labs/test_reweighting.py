"""Chapter 6's lab: its optima against a search, its AFL against the package's, and what its start and its buttons promise."""

import numpy as np
import pytest
import torch
from fairfl_book import labs
from fairfl_book.build import node
from fairfl_book.labs import reweighting

from fairfl import rules
from fairfl.updates import Updates

LAB = labs.Reweighting()
WISHES, FLOORS = (-1.0, -0.6, 1.4), (0.3, 0.1, 0.2)
STATE = {"floor1": 0.3, "floor3": 0.2}


def searched(objective):
    """The minimiser of a function of the losses (n, 3) of many models."""
    w = np.linspace(-1.6, 1.6, 640_001)
    f = np.stack([0.5 * h * (w - c) ** 2 + b for h, c, b in zip(reweighting.CURVATURE, WISHES, FLOORS)], 1)
    return w[objective(f).argmin()]


@pytest.mark.parametrize("lie", [0.0, 1.5])
@pytest.mark.parametrize("knob", [0.5, 4.0])
def test_the_optima_minimise_what_the_rules_minimise_for_the_reported_losses(knob, lie):
    """A liar's update is honest, so that its term's gradient is (f + a)^q f′ or exp(t (f + a)) f′: that of its reported loss."""
    told = np.array([lie, 0.0, 0.0])
    equal, by_power, tilted, _ = LAB.numbers(q=knob, t=knob, lie=lie, **STATE)["ends"]
    assert abs(equal - searched(lambda f: f.sum(1))) < 1e-5
    assert abs(by_power - searched(lambda f: ((f + told) ** (knob + 1)).sum(1))) < 1e-5
    assert abs(tilted - searched(lambda f: np.exp(knob * (f + told)).sum(1))) < 1e-5


def test_afl_is_the_packages():
    gamma, lie, rule = 0.03, 0.5, rules.AFL(step=0.03)
    w, seen, total = LAB.numbers(q=0.0, **STATE)["ends"][0], [], 0.0
    for _ in range(reweighting.ROUNDS):
        f, s = reweighting.losses(w, WISHES, FLOORS), reweighting.slopes(w, WISHES)
        reports = torch.tensor([f[0] + lie, f[1], f[2]], dtype=torch.float64)
        weights = rule.direction(Updates(torch.tensor(s, dtype=torch.float64)[:, None], losses=reports)).weights.numpy()
        w -= reweighting.STEP * weights @ s
        total += w
        seen.append(weights)
    end, mean = reweighting.afl(gamma, WISHES, FLOORS, lie)
    assert abs(end - total / reweighting.ROUNDS) < 1e-9 and np.allclose(mean, np.mean(seen, 0), atol=1e-9)


def test_weights_cancel_the_slopes_at_an_optimum():
    numbers = LAB.numbers(q=3.0, t=2.0, lie=1.0, **STATE)
    for w, weights in zip(numbers["ends"][:3], numbers["weights"]):
        assert abs(np.dot(weights, reweighting.slopes(w, WISHES))) < 1e-12 and abs(sum(weights) - 1) < 1e-12


def test_at_the_start_client_3_is_left_behind_and_the_rules_help_it():
    losses = LAB.numbers()["losses"]
    assert losses[0].argmax() == 2 and losses[0][2] > 1 and (losses[1:, 2] < losses[0][2] - 0.15).all()
    assert losses[3].std() < 0.55 * losses[0].std() and 0.02 < losses[3].mean() - losses[0].mean() < 0.04


def test_the_server_cannot_tell_a_lie_from_a_floor():
    lie, floor = LAB.numbers(lie=1.0), LAB.numbers(floor1=1.1)
    assert np.allclose(lie["ends"], floor["ends"], atol=1e-12)
    assert np.allclose(lie["weights"], floor["weights"], atol=1e-12)


@pytest.mark.skipif(node.find() is None, reason="node is not installed (the extra dev brings it)")
def test_the_buttons_keep_their_promises():
    lie, served, up = (LAB.numbers(**state) for state in LAB.tries.values())
    honest = lie["honest"]
    assert (lie["weights"][1:, 0] > honest["weights"][1:, 0] + 0.2).all() and lie["ends"][0] == honest["ends"][0]
    assert (lie["losses"][1:, 2] > honest["losses"][1:, 2] + 0.3).all()
    assert (served["losses"].argmax(1) == 2).all() and (served["losses"][1:, 0] > served["losses"][0, 0] + 0.3).all()
    assert up["losses"][1:].max() < 0.72
    told = node.each(
        "(state) => { const { tone, lines } = view.words(view.compute(state)); return [tone, ...lines]; }",
        [[{**LAB.start, **state}] for state in ({}, *LAB.tries.values())],
        {"{ view }": "reweighting"},
    )
    assert told[0][:2] == [
        "bad",
        "With equal weights client 3 is left behind: its loss is 1.03, the others' 0.40 and 0.17.",
    ]
    assert told[1][:2] == ["bad", "Client 1 reports 2.00 more than its loss, and client 3 pays for the lie."]
    assert told[2][1].startswith("Client 3 cannot be served") and told[2][2].endswith("clients 1 and 2 pay for it.")
    assert told[3][0] == "good" and "no w does better" in told[3][1]
