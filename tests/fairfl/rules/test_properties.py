"""A table of the rules' properties. A property is tried on many rounds, and its absence is shown on one."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from fairfl import rules
from fairfl.rules import min_norm
from fairfl.testing import PROPERTIES, parametrize_with_properties
from fairfl.testing.comparison import close
from fairfl.testing.properties import BY_NAME

from .samples import updates

AVERAGE = "its weights do not look at conflicts"
FIXED = "it fixes weights, not rates"
KEEPS = "a fixed mixture of updates that cancel otherwise need not be zero"
COUNTS = "a larger update counts for more"
OWN = "its rates are of its own making"
MORE = "a client without a weight may get more"
UNIT = "its weights are divided by the updates' lengths"
SIZED = "its weights also set the step's length"
PROJECTS = "projections leave weights that do not sum to 1"
EACH = "there is no single weight per client"
OUTLIER = "an honest client that differs from the majority is outvoted"

one = True  # promised with the default: s_k = 1, or the power 1
lengths = lambda updates: updates.gradients.norm(dim=1)
losses = lambda updates: updates.losses
newton = lambda updates: updates.extras["newton_rates"]

COLUMNS = ("convex", "descent", "rates", "least_rates", "stationary", "homogeneous", "inflation")
# The promise (with its power or its scales s_k, if not 1), or the reason why it is not made.
TABLE = {
    "FedAvg": (True, AVERAGE, FIXED, FIXED, KEEPS, one, COUNTS),
    "FedAvgN": (UNIT, AVERAGE, FIXED, FIXED, KEEPS, 0, True),
    "QFedAvg": (SIZED, AVERAGE, FIXED, FIXED, KEEPS, "the normaliser mixes ‖g‖² and f", COUNTS),
    "TERM": (True, AVERAGE, FIXED, FIXED, KEEPS, one, COUNTS),
    "AFL": (True, AVERAGE, FIXED, FIXED, KEEPS, one, COUNTS),
    "FedFA": (True, AVERAGE, FIXED, FIXED, KEEPS, one, COUNTS),
    "FedMGDA": (True, True, MORE, one, True, one, COUNTS),
    "FedMGDAPlus": (UNIT, True, MORE, lengths, True, 0, True),
    "AdaFed": (UNIT, True, losses, losses, True, one, True),
    "DQNFed": (SIZED, True, newton, newton, True, -1, True),
    "FedFV": (
        PROJECTS,
        "the average of projected updates can conflict with an early target again",
        "it removes conflicts, whatever the rates",
        "it removes conflicts, whatever the rates",
        "pairwise projections do not see a conflict of three",
        one,
        COUNTS,
    ),
    "FedLF": (
        EACH,
        True,
        "its layers have their own hulls",
        "its layers have their own hulls",
        True,
        one,
        "the fairness row reads losses and raw updates",
    ),
    "FedHEAL": (EACH, "every coordinate is averaged on its own", "it masks coordinates", FIXED, KEEPS, one, COUNTS),
    "PropFair": (True, AVERAGE, FIXED, FIXED, KEEPS, one, COUNTS),
    "CVaR": (True, AVERAGE, FIXED, FIXED, KEEPS, one, COUNTS),
    "FedMDFG": (
        "the fairness row has a weight too",
        True,
        "the fairness row takes part in the hull",
        "the fairness row takes part in the hull",
        True,
        one,
        "the fairness row reads losses",
    ),
    "NashMTL": (SIZED, True, OWN, OWN, True, 0, True),
    "FairGrad": (SIZED, True, OWN, OWN, True, -1 / 3, "longer updates get longer rates, though not in proportion"),
    "IMTLG": (
        "weights may be negative",
        "one negative sum of weights, and every loss rises",
        lengths,
        lengths,
        True,
        one,
        "its weights sum to 1",
    ),
    "ConFIG": (
        SIZED,
        True,
        lengths,
        lengths,
        "the nearest to equal cosines need not vanish",
        one,
        "its length is the mean projection",
    ),
    "AlignedMTL": (SIZED, "orthogonal rows are mixed, the updates are not asked", OWN, OWN, KEEPS, one, COUNTS),
    "CAGrad": (SIZED, "it stays near the mean", OWN, OWN, "it stays near the mean", one, COUNTS),
    "DualProj": (PROJECTS, True, "nobody loses, and that is all", "nobody loses, and that is all", True, one, COUNTS),
    "UPGrad": (PROJECTS, True, "nobody loses, and that is all", "nobody loses, and that is all", True, one, COUNTS),
    "PCGrad": (PROJECTS, "an early target can be in conflict again", OWN, OWN, "it sees conflicts of two", one, COUNTS),
    "CoordinateMedian": (EACH, OUTLIER, FIXED, FIXED, KEEPS, one, COUNTS),
    "TrimmedMean": (EACH, OUTLIER, FIXED, FIXED, KEEPS, one, COUNTS),
    "Krum": (True, OUTLIER, FIXED, FIXED, "it returns an update, and no mixture", one, COUNTS),
}


def row(rule):
    return dict(zip(COLUMNS, TABLE[type(rule).__name__], strict=True))


def promised(rule):
    return {name: value for name, value in row(rule).items() if not isinstance(value, str)}


def absent(rule):
    return {name: value for name, value in row(rule).items() if isinstance(value, str)}


@parametrize_with_properties([rules.make(name) for name in TABLE], promised, absent)
def test_every_rule_has_its_properties_and_no_others(rule, check):
    check(rule)


def test_the_table_has_every_rule_and_every_promise():
    assert list(TABLE) == rules.names()
    assert list(COLUMNS) == [name for name in PROPERTIES if BY_NAME[name].promised]


def gradients(seed, K, d, common=0.5):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(K, d)) + common * rng.normal(size=d), rng.uniform(0.2, 3, K), rng


rounds = {"seed": st.integers(0, 2**32 - 1), "K": st.integers(1, 12), "extra": st.integers(0, 20)}
many = settings(max_examples=60, deadline=None, derandomize=True)


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
    asked = lambda seed: rules.AdaFed().direction(updates(*gradients(seed, 6, 36, 0)[:2]))
    assert 10 < sum(bool((asked(seed).weights >= 0).all()) for seed in range(100)) < 90
