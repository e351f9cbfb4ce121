"""Chapter 2's lab: the formulas against rounds that are run, and what its start and its buttons promise."""

import numpy as np
import pytest
from fairfl_book import labs
from fairfl_book.build import node
from fairfl_book.labs.proximal import Clients

LAB = labs.ProximalAverage()
STEEP = {"quadratic": np.inf, "bounded slope": 0.2}


def rounds(shape, steps, h, c, w=21.0, lr=0.2):
    """FedAvg, run: gradients of Huber losses, E steps each, the mean; until it rests."""
    for _ in range(6000):
        local = np.full(3, w)
        for _ in range(steps):
            local = local - lr * np.clip(h * (local - c), -STEEP[shape], STEEP[shape])
        w = local.mean()
    return w


@pytest.mark.parametrize("shape", STEEP)
@pytest.mark.parametrize("steps", [1, 3, 30])
def test_fedavg_rests_where_its_rounds_end(shape, steps):
    h, c = np.array([0.9, 0.1, 0.3]), np.array([18.0, 23.5, 20.5])
    state = dict(zip(("h1", "h2", "h3", "c1", "c2", "c3"), (*h, *c)))
    assert abs(LAB.numbers(shape=shape, steps=steps, **state)["rest"] - rounds(shape, steps, h, c)) < 1e-8


@pytest.mark.parametrize("shape", STEEP)
def test_a_proximal_point_is_where_loss_and_leash_are_least(shape):
    clients = Clients(np.array([1.0, 0.1, 0.01]), np.array([18.0, 24.0, 19.0]), min(STEEP[shape], 1e3))
    tried = np.linspace(15, 27, 120_001)
    for eta in (0.1, 3.0, 200.0):
        found = clients.leashed(np.array([20.5]), np.array([eta]))[0]
        cost = clients.losses(tried[:, None]) + (tried[:, None] - 20.5) ** 2 / (2 * eta)
        assert np.allclose(tried[cost.argmin(0)], found, atol=1e-4)


@pytest.mark.parametrize("shape", STEEP)
def test_the_proximal_average_is_the_least_cost_of_a_split(shape):
    """Random splits of x never cost less, and it is least where rounds of proximal steps rest."""
    rng = np.random.default_rng(0)
    clients = Clients(np.array([1.0, 0.1, 0.05]), np.array([18.0, 24.0, 19.0]), min(STEEP[shape], 1e3))
    for x, eta in ((19.0, 0.5), (21.0, 20.0)):
        found = clients.average(np.array([x]), eta)[0]
        split = x + rng.normal(size=(20_000, 3)) * rng.uniform(0, 2, size=(20_000, 1))
        split -= split.mean(1, keepdims=True) - x
        costs = (clients.losses(split) + (split - x) ** 2 / (2 * eta)).mean(1)
        assert found <= costs.min() + 1e-12 and costs.min() < found + 0.05
    numbers = LAB.numbers(shape=shape, log_eta=1.0)
    assert numbers["lowest"] <= numbers["average"].min() < numbers["lowest"] + 0.01


def test_at_the_start_client_1_pays_and_nothing_agrees():
    numbers = LAB.numbers()
    assert numbers["best"] < 18.6 and numbers["rest"] > 19.4 and numbers["least"] > 20.4
    assert numbers["paid"][0] > 0.9 and numbers["paid"][1] < 0


@pytest.mark.skipif(node.find() is None, reason="node is not installed (the extra dev brings it)")
def test_the_buttons_keep_their_promises():
    fits, none, equal = (LAB.numbers(**state) for state in LAB.tries.values())
    assert abs(fits["rest"] - fits["least"]) < 0.02 < abs(fits["rest"] - fits["best"])
    assert none["rest"] > none["leasts"].max() + 0.1
    assert np.ptp([equal["best"], equal["rest"], equal["least"], *equal["rests"], *equal["leasts"]]) < 1e-8
    told = node.each(
        "(state) => view.words(view.compute(state)).lines",
        [[{**LAB.start, **state}] for state in LAB.tries.values()],
        {"{ view }": "proximal"},
    )
    assert "it says what these steps minimise" in told[0][1]
    assert "no leash fits" in told[1][1] and told[1][0].endswith("client 1 pays for it.")
    assert told[2][0].startswith("With equal curvatures all agree")


def test_with_equal_curvatures_local_steps_are_one_step_on_a_leash():
    h, steps = 0.3, 20
    eta = ((1 - 0.2 * h) ** -steps - 1) / h  # chapter 2, equation (10)
    clients, w = Clients(np.full(3, h), np.array([18.0, 24.0, 19.0]), 1e3), np.array([22.0])
    assert np.allclose(clients.worked(w, np.array([steps])), clients.leashed(w, np.array([eta])))


def test_with_bounded_slopes_fedavg_stays_for_twenty_steps():
    rests = [LAB.numbers(shape="bounded slope", steps=steps)["rest"] for steps in (1, 20, 40)]
    assert abs(rests[1] - rests[0]) < 1e-6 and rests[2] > rests[0] + 0.5
