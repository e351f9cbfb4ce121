"""Rows that almost agree: AdaFed and DQN-Fed against exact rational arithmetic on the rows as they are."""

from fractions import Fraction

import numpy as np
import pytest
import torch

from fairfl import rules

from .samples import updates

WANTED = np.array([0.3, 1.0, 2.0, 0.7, 1.5])


def rows(delta, dtype, d=500, K=5):
    rng = np.random.default_rng(0)
    return torch.as_tensor(rng.normal(size=d) + delta * rng.normal(size=(K, d))).to(dtype)


def least_norm(G, s):
    """``Gᵀ (G Gᵀ)⁻¹ s`` by Gauss–Jordan elimination on fractions, rounded only once, at the end."""
    G = [[Fraction(x) for x in row] for row in G.double().tolist()]
    system = [[sum(x * y for x, y in zip(g, h)) for h in G] + [Fraction(float(rate))] for g, rate in zip(G, s)]
    for i, pivot in enumerate(system):
        pivot[:] = [x / pivot[i] for x in pivot]
        for j, other in enumerate(system):
            if j != i:
                other[:] = [x - other[i] * y for x, y in zip(other, pivot)]
    return np.array([float(sum(row[-1] * g[c] for row, g in zip(system, G))) for c in range(len(G[0]))])


@pytest.mark.parametrize("name", ["AdaFed", "DQNFed"])
@pytest.mark.parametrize(
    "dtype, delta, tolerance",
    [
        (torch.float64, 1e-2, 1e-12),
        (torch.float64, 1e-4, 1e-11),
        (torch.float64, 1e-5, 1e-10),
        (torch.float32, 1e-2, 1e-6),
        (torch.float32, 3e-3, 1e-6),
        (torch.float32, 1e-4, 1e-6),
        (torch.float32, 1e-5, 1e-6),
    ],
)
def test_near_parallel_rows_keep_their_digits(name, dtype, delta, tolerance):
    G = rows(delta, dtype)
    got = rules.make(name).direction(updates(G, WANTED, dtype, extras={"newton_rates": WANTED}))
    expected = least_norm(G, WANTED)
    if name == "AdaFed":
        expected = expected / (expected @ expected)
    assert got.exact
    assert np.linalg.norm(got.vector.double().numpy() - expected) <= tolerance * np.linalg.norm(expected)


def test_long_float32_rows_are_refined_in_float64():
    G = rows(1e-3, torch.float32, d=2**14 + 600, K=3)
    got = rules.DQNFed().direction(updates(G, WANTED[:3], torch.float32, extras={"newton_rates": WANTED[:3]}))
    expected = least_norm(G, WANTED[:3])
    assert got.exact and np.linalg.norm(got.vector.double().numpy() - expected) <= 1e-6 * np.linalg.norm(expected)


@pytest.mark.parametrize("name", ["AdaFed", "DQNFed"])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_near_twins_that_ask_for_other_rates_are_dependent_only_below_what_the_rows_hold(name, dtype):
    G = rows(1.0, dtype, d=50)
    for distance, exact in ((1e-4, True), (0, False)):
        H = torch.cat([G, G[:1] * (1 + distance * torch.linspace(-1, 1, 50, dtype=dtype))])
        got = rules.make(name).direction(
            updates(H, np.append(WANTED, 0.9), dtype, extras={"newton_rates": np.append(WANTED, 0.9)})
        )
        assert got.exact == exact and ("linearly dependent" in got.reason) != exact


@pytest.mark.parametrize("scale", [1e-20, 1, 1e15])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
@pytest.mark.parametrize("rule", [rules.FedMGDA(), rules.FedMGDA(epsilon=0.9), rules.FedMGDAPlus()], ids=str)
def test_pareto_stationary_updates_give_zero_and_say_so(rule, dtype, scale):
    for d in (40, 2**14 + 100):
        G = rows(1.0, torch.float64, d=d)
        got = rule.direction(updates(torch.cat([G, -G.mean(0, keepdim=True)]) * scale, dtype=dtype))
        assert not got.vector.any() and not got.weights.any() and "Pareto-stationary" in got.reason
        aside = 1e-3 * torch.ones(d, dtype=torch.float64)
        almost = rule.direction(updates((torch.cat([G, -G.mean(0, keepdim=True)]) + aside) * scale, dtype=dtype))
        assert almost.exact and almost.vector.any()
