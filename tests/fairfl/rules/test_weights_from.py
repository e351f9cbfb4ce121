"""``weights_from``: the weights that ``direction`` gives to rows with this Gram matrix."""

import numpy as np
import pytest
import torch
from refusals import refused

from fairfl import Updates, rules

from .samples import VARIANTS, updates

OF_GRAM = [name for name, make in VARIANTS.items() if isinstance(make(), (rules.GramRule, rules.WeightRule))]
OTHERS = [name for name in VARIANTS if name not in OF_GRAM]


def numbers(given):
    return dict(losses=given.losses, shares=given.shares, extras=dict(given.extras))


def drawn(K, d, seed):
    return np.random.default_rng(seed).normal(0.3, 1, (K, d)) * np.random.default_rng(seed + 1).uniform(0.1, 10, (K, 1))


@pytest.mark.parametrize("name", OF_GRAM)
@pytest.mark.parametrize("seed", range(3))
def test_weights_and_rates_are_those_of_the_rows(name, seed):
    rows = drawn(5, 9, seed)
    given = updates(rows, seed=seed)
    expected, found = VARIANTS[name]().direction(given), VARIANTS[name]().weights_from(rows @ rows.T, **numbers(given))
    scale = float(expected.weights.abs().max())
    assert torch.allclose(found.values, expected.weights, atol=1e-9 * scale, rtol=1e-7)
    assert torch.allclose(found.rates, expected.rates, atol=1e-8 * float(expected.rates.abs().max()), rtol=1e-6)
    assert found.exact == expected.exact


@pytest.mark.parametrize("name", OF_GRAM)
def test_dependent_rows_give_the_same_vector(name):
    """Their weights need not be unique."""
    rows = drawn(6, 3, 4)
    given = updates(rows)
    expected, found = VARIANTS[name]().direction(given), VARIANTS[name]().weights_from(rows @ rows.T, **numbers(given))
    vector = found.values.numpy() @ rows
    assert np.allclose(vector, expected.vector.numpy(), atol=1e-6 * max(1, np.abs(vector).max()))


@pytest.mark.parametrize("name", [name for name in OF_GRAM if name not in ("IMTLG", "ConFIG")])
def test_copies_and_rows_of_zeros_are_no_obstacle(name):
    rows = np.array([[1.0, 2.0], [1.0, 2.0], [0.0, 0.0], [2.0, -0.5]])
    given = updates(rows)
    expected, found = VARIANTS[name]().direction(given), VARIANTS[name]().weights_from(rows @ rows.T, **numbers(given))
    assert np.allclose(found.values.numpy() @ rows, expected.vector.numpy(), atol=1e-9)
    assert (found.reason == "") == (expected.reason == "")


@pytest.mark.parametrize("name", OTHERS)
def test_a_rule_that_reads_the_rows_refuses_by_name(name):
    with refused("combination", VARIANTS[name]().name, "direction"):
        VARIANTS[name]().weights_from(np.eye(3), losses=[1.0, 2.0, 3.0])


def test_a_state_lasts_from_call_to_call():
    rule, other = rules.AFL(step=0.5), rules.AFL(step=0.5)
    for losses in ([1.0, 2.0], [3.0, 0.5]):
        expected = other.direction(Updates(torch.eye(2, dtype=torch.float64), losses=losses))
        assert torch.equal(rule.weights_from(np.eye(2), losses=losses).values, expected.weights)
    assert rule.state_dict()["mixture"].tolist() != [0.5, 0.5]


@pytest.mark.parametrize(
    "gram, kind, mention",
    [
        (np.ones((2, 3)), "shape", "gram"),
        ([[1.0, np.nan], [np.nan, 1.0]], "value", "gram"),
        ([[1.0, 0.5], [0.2, 1.0]], "value", "not symmetric"),
        ([[1.0, 2.0], [2.0, 1.0]], "value", "not semidefinite"),
        # Every pair of rows is possible, all three together are not; the second has a short row.
        ([[1.0, -0.9, -0.9], [-0.9, 1.0, -0.9], [-0.9, -0.9, 1.0]], "value", "eigenvalue"),
        ([[1e-8, -0.9e-4, -0.9e-4], [-0.9e-4, 1.0, -0.9], [-0.9e-4, -0.9, 1.0]], "value", "eigenvalue"),
    ],
)
def test_what_is_no_gram_matrix_is_refused(gram, kind, mention):
    with refused(kind, mention):
        rules.FedMGDA().weights_from(gram)


def test_rounding_of_float32_products_is_forgiven():
    rows = torch.randn(4, 2, generator=torch.Generator().manual_seed(0))
    found = rules.FedMGDA().weights_from(rows @ rows.T)
    assert torch.allclose(found.values.float() @ rows, rules.FedMGDA().direction(Updates(rows)).vector, atol=1e-3)


def test_what_a_rule_needs_it_asks_for():
    with refused("missing", "TERM", "losses"):
        rules.TERM().weights_from(np.eye(2))
    with refused("combination", "AFL", "full participation"):
        rules.AFL().weights_from(np.eye(2), losses=[1.0, 2.0], population=5)
