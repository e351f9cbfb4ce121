"""The solver of α-fair rates: few steps on every kind of round, and correct rates."""

import numpy as np
import pytest

from fairfl import rules
from fairfl.rules.solvers import box_qp, fair_rates

from .samples import updates


def rows(kind, K, seed):
    rng = np.random.default_rng([K, seed])
    normal, half, little = rng.normal(size=(K, K + 10)), K // 2, 10 ** rng.uniform(-3, -1)
    plane, sizes = rng.normal(size=(K, max(2, K // 5))), 10 ** rng.uniform(-6, 6, (K, 1))
    opposed = np.vstack([little * normal[:half] - normal[K - half :], normal[half:]])
    return {
        "independent": normal,
        "lengths": sizes * normal,
        "rank": plane + 3 * np.eye(plane.shape[1])[0],
        "barely in a half space": np.hstack([little * rng.uniform(0.1, 1, (K, 1)), plane]),
        "parallel": normal[0] + little * normal,
        "opposed": opposed,
        "opposed, lengths": sizes * opposed,
        "copies": normal[rng.integers(0, half + 1, K)],
    }[kind]


@pytest.fixture
def solved(monkeypatch):
    """The number of linear systems that each search for the minimum solved."""
    counts, solve, product = [], np.linalg.solve, fair_rates._product

    def counted(*given):
        counts[-1] += 1
        return solve(*given)

    def search(C, y):
        counts.append(0)
        with monkeypatch.context() as patch:
            patch.setattr(np.linalg, "solve", counted)
            return product(C, y)

    monkeypatch.setattr(fair_rates, "_product", search)
    return counts


KINDS = [
    "independent",
    "lengths",
    "rank",
    "barely in a half space",
    "parallel",
    "opposed",
    "opposed, lengths",
    "copies",
]


@pytest.mark.parametrize("K", [2, 3, 10, 40, 100])
@pytest.mark.parametrize("kind", KINDS)
def test_the_minimum_is_found_in_few_steps(solved, kind, K):
    for seed in range(4):
        u = updates(rows(kind, K, seed))
        got = rules.NashMTL().direction(u)
        # What float64 leaves of a rate that is a small sum of large products.
        floor = 1e-15 * float((u.gradients @ u.gradients.T).abs().mul(got.weights).sum(1).div(got.rates).max())
        assert (got.weights > 0).all()
        assert float((got.rates * got.weights).log().abs().max()) <= max(1e-12, 20 * floor)
    assert len(solved) == 4 and max(solved) <= 30


def test_copies_cost_the_search_for_the_hull_s_point_nothing(monkeypatch):
    """With copies, faces have no unique minimiser; nearly opposed ones took 650 faces instead of 22, and then pairs."""
    faces, face = [], box_qp._face_step
    monkeypatch.setattr(box_qp, "_face_step", lambda *given: faces.append(len(given[4])) or face(*given))
    for seed in range(20):
        rng = np.random.default_rng(seed)
        # Products of whole numbers are exact on every processor, however many rows there are.
        G = np.hstack([np.ones((20, 1)), rng.integers(-9, 10, (20, 12))])
        seen = []
        for several in (G, np.vstack([G, G[rng.integers(0, 20, 40)]])):
            faces.clear()
            got = rules.NashMTL().direction(updates(several))
            assert got.exact and (got.weights > 0).all()
            seen.append(list(faces))
        assert seen[0] == seen[1]


def test_a_start_whose_rates_are_not_positive_does():
    """As if the rates of a hull that nearly contains the origin were lost in rounding."""
    C = np.array([[1.0, -0.9], [-0.9, 1.0]])
    found, missed = fair_rates.fair_rates(C, np.ones(2), 1.0, np.array([1.0, 0.1]))
    assert missed <= 1e-12
    np.testing.assert_allclose(found, [10**0.5, 10**0.5], rtol=1e-12)
