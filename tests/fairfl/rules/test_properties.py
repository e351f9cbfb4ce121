"""A table of the rules' properties. A property is tested on many rounds, and its absence is shown on one."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from fairfl import rules
from fairfl.rules import min_norm

from .samples import length, updates

AVERAGE = "its weights do not look at conflicts"
FIXED = "it fixes weights, not rates"
KEEPS = "a fixed mixture of updates that cancel otherwise need not be zero"
COUNTS = "a larger update counts for more"
OWN = "its rates are of its own making"

# True, or the reason why not. homogeneous: the power p with dir(c G) = c^p dir(G).
#              order  homogeneous  descent   rates    stationary  inflation
TABLE = {
    "FedAvg": (True, 1, AVERAGE, FIXED, KEEPS, COUNTS),
    "FedAvgN": (True, 0, AVERAGE, FIXED, KEEPS, True),
    "QFedAvg": (True, "the normaliser mixes ‖g‖² and f", AVERAGE, FIXED, KEEPS, COUNTS),
    "TERM": (True, 1, AVERAGE, FIXED, KEEPS, COUNTS),
    "AFL": (True, 1, AVERAGE, FIXED, KEEPS, COUNTS),
    "FedFA": (True, 1, AVERAGE, FIXED, KEEPS, COUNTS),
    "FedMGDA": (True, 1, True, True, True, COUNTS),
    "FedMGDAPlus": (True, 0, True, True, True, True),
    "AdaFed": (True, 1, True, True, True, True),
    "DQNFed": (True, -1, True, True, True, True),
    "FedFV": (
        True,
        1,
        "the average of projected updates can conflict with an early target again",
        "it removes conflicts, whatever the rates",
        "pairwise projections do not see a conflict of three",
        COUNTS,
    ),
    "FedLF": (True, 1, True, "its layers have their own hulls", True, "the fairness row reads losses and raw updates"),
    "FedHEAL": (True, 1, "every coordinate is averaged on its own", "it masks coordinates", KEEPS, COUNTS),
    "PropFair": (True, 1, AVERAGE, FIXED, KEEPS, COUNTS),
    "CVaR": (True, 1, AVERAGE, FIXED, KEEPS, COUNTS),
    "FedMDFG": (True, 1, True, "the fairness row takes part in the hull", True, "the fairness row reads losses"),
    "NashMTL": (True, 0, True, OWN, True, True),
    "FairGrad": (True, -1 / 3, True, OWN, True, "longer updates get longer rates, though not in proportion"),
    "IMTLG": (True, 1, "one negative sum of weights, and every loss rises", True, True, "its weights sum to 1"),
    "ConFIG": (
        True,
        1,
        True,
        True,
        "the nearest to equal cosines need not vanish",
        "its length is the mean projection",
    ),
    "AlignedMTL": (True, 1, "orthogonal rows are mixed, the updates are not asked", OWN, KEEPS, COUNTS),
    "CAGrad": (True, 1, "it stays near the mean", OWN, "it stays near the mean", COUNTS),
    "DualProj": (True, 1, True, "nobody loses, and that is all", True, COUNTS),
    "UPGrad": (True, 1, True, "nobody loses, and that is all", True, COUNTS),
    "PCGrad": (True, 1, "an early target can be in conflict again", OWN, "it sees conflicts of two", COUNTS),
}
COLUMNS = ("order", "homogeneous", "descent", "rates", "stationary", "inflation")


def test_the_table_has_every_rule():
    assert list(TABLE) == rules.names() and all(len(row) == len(COLUMNS) for row in TABLE.values())


def cells(column):
    """The rules with this property and its value, as test parameters; the others go to the test of absence."""
    return [
        pytest.param(name, row[COLUMNS.index(column)], id=name)
        for name, row in TABLE.items()
        if not isinstance(row[COLUMNS.index(column)], str)
    ]


def gradients(seed, K, d, common=0.5):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(K, d)) + common * rng.normal(size=d), rng.uniform(0.2, 3, K), rng


rounds = {"seed": st.integers(0, 2**32 - 1), "K": st.integers(1, 12), "extra": st.integers(0, 20)}
many = settings(max_examples=60, deadline=None, derandomize=True)


def direction(name, G, losses, **more):
    return rules.make(name).direction(updates(G, losses, **more))


def close(a, b, tolerance=1e-8):
    return length(a - b) <= tolerance * max(length(a), length(b), 1e-300)


# Each function returns whether the property holds in one round.


def order_holds(name, _, seed, K, extra):
    G, losses, rng = gradients(seed, K, K + extra)
    shuffled = torch.as_tensor(rng.permutation(K))
    base = updates(G, losses)
    other = updates(
        base.gradients[shuffled],
        base.losses[shuffled],
        shares=base.shares[shuffled],
        clients=shuffled,
        extras={key: value[shuffled] for key, value in base.extras.items()},
    )
    one, two = rules.make(name).direction(base), rules.make(name).direction(other)
    same = one.weights is None or torch.allclose(one.weights[shuffled], two.weights, rtol=1e-7, atol=1e-12)
    return (
        close(one.vector, two.vector) and same and torch.allclose(one.rates[shuffled], two.rates, rtol=1e-6, atol=1e-9)
    )


def homogeneous_holds(name, power, seed, K, extra):
    G, losses, rng = gradients(seed, K, K + extra)
    c = float(10.0 ** rng.uniform(-6, 6))
    one, two = direction(name, G, losses).vector, direction(name, c * G, losses).vector
    return close(one * c ** (power if not isinstance(power, str) else 1), two)


def descent_holds(name, _, seed, K, extra):
    G, losses, rng = gradients(seed, K, K + extra, common=0)
    G = G * 10 ** rng.uniform(-1, 1, (K, 1))
    got = direction(name, G, losses)
    return bool((got.rates >= -1e-9 * length(got.vector) * torch.as_tensor(G).norm(dim=1)).all())


def rates_holds(name, _, seed, K, extra):
    G, losses, _ = gradients(seed, K, K + extra)
    u = updates(G, losses)
    got = rules.make(name).direction(u)
    special = {"AdaFed": u.losses, "DQNFed": u.extras["newton_rates"]} | dict.fromkeys(
        ("FedMGDAPlus", "IMTLG", "ConFIG"), torch.as_tensor(G).norm(dim=1)
    )
    wanted = special.get(name, torch.ones(K, dtype=torch.float64))
    ratio = (torch.as_tensor(G) @ got.vector) / wanted
    # Inequalities may exceed the common value where the weight is zero.
    equal = (
        torch.ones(K, dtype=torch.bool)
        if name in ("AdaFed", "DQNFed", "IMTLG", "ConFIG") or got.weights is None
        else got.weights > 1e-9
    )
    common = ratio[equal].mean() if bool(equal.any()) else ratio.mean()
    return bool(
        ((ratio[equal] - common).abs() <= 1e-7 * common.abs()).all() and (ratio >= common - 1e-7 * common.abs()).all()
    )


def stationary_holds(name, _, seed, K, extra):
    G, losses, rng = gradients(seed, K + 2, K + 2 + extra)
    G[-1] = -rng.dirichlet(np.ones(K + 1)) @ G[:-1] * rng.uniform(0.1, 10)
    return length(direction(name, G, losses).vector) <= 1e-8 * np.linalg.norm(G, axis=1).max()


def inflation_holds(name, _, seed, K, extra):
    G, losses, rng = gradients(seed, K + 1, K + 1 + extra)
    k, c = int(rng.integers(K + 1)), float(10.0 ** rng.uniform(-3, 3))
    base = updates(G, losses)
    G, losses, newton = G.copy(), losses.copy(), base.extras["newton_rates"].clone()
    G[k], losses[k], newton[k] = c * G[k], c * losses[k], c * newton[k]
    return close(
        rules.make(name).direction(base).vector, direction(name, G, losses, extras={"newton_rates": newton}).vector
    )


@pytest.mark.parametrize("name, value", cells("order"))
@many
@given(**rounds)
def test_the_rows_order_does_not_matter(name, value, seed, K, extra):
    assert order_holds(name, value, seed, K, extra)


@pytest.mark.parametrize("name, power", cells("homogeneous"))
@many
@given(**rounds)
def test_positive_homogeneity(name, power, seed, K, extra):
    assert homogeneous_holds(name, power, seed, K, extra)


@pytest.mark.parametrize("name, value", cells("descent"))
@many
@given(**rounds)
def test_common_descent(name, value, seed, K, extra):
    assert descent_holds(name, value, seed, K, extra)


@pytest.mark.parametrize("name, value", cells("rates"))
@many
@given(**rounds)
def test_rates_are_the_prescribed_ones(name, value, seed, K, extra):
    assert rates_holds(name, value, seed, K, extra)


@pytest.mark.parametrize("name, value", cells("stationary"))
@many
@given(**rounds)
def test_zero_at_pareto_stationary_updates(name, value, seed, K, extra):
    assert stationary_holds(name, value, seed, K, extra)


@pytest.mark.parametrize("name, value", cells("inflation"))
@many
@given(**rounds)
def test_loss_inflation_changes_nothing(name, value, seed, K, extra):
    assert inflation_holds(name, value, seed, K, extra)


HOLDS = {column: globals()[f"{column}_holds"] for column in COLUMNS}
ABSENT = [
    pytest.param(name, column, id=f"{name}-{column}")
    for name, row in TABLE.items()
    for column, value in zip(COLUMNS, row)
    if isinstance(value, str)
]


@pytest.mark.parametrize("name, column", ABSENT)
def test_where_the_table_says_no_a_round_shows_it(name, column):
    assert not all(HOLDS[column](name, "", seed, 4, 4) for seed in range(200))


@pytest.mark.parametrize("name", ["AdaFed", "DQNFed"])
@many
@given(**rounds)
def test_affine_and_convex_points_agree_where_the_affine_weights_are_non_negative(name, seed, K, extra):
    G, losses, _ = gradients(seed, K, K + extra + 20, common=0)
    u = updates(G, losses)
    s = u.losses if name == "AdaFed" else u.extras["newton_rates"]
    got = rules.make(name).direction(u)
    convex = min_norm(torch.as_tensor(G @ G.T) / torch.outer(s, s))
    point = torch.as_tensor(G).T @ (convex.weights / s)
    point = point if name == "AdaFed" else point / convex.squared_norm
    affine = bool((got.weights >= 0).all())
    assert close(got.vector, point, 1e-6) == affine or bool((got.weights.abs() < 1e-6 * got.weights.max()).any())


def test_the_last_property_meets_both_cases():
    signs = [bool((direction("AdaFed", *gradients(seed, 6, 36, 0)[:2]).weights >= 0).all()) for seed in range(100)]
    assert 10 < sum(signs) < 90
