"""Properties of the rules beyond the four papers' tables, each on many rounds, and the limits of these properties."""

import itertools

import numpy as np
import pytest
import torch
from oracles.problems import problem
from refusals import refused

from fairfl import rules
from fairfl.rules import min_norm

from .samples import length, updates


def draw(seed, K=6, d=20, **options):
    return problem(np.random.default_rng(seed), K, d, **options).gradients


def direction(rule, G, losses=None, **more):
    return rule.direction(updates(G, losses, **more))


def cosine(a, b):
    a, b = torch.as_tensor(a), torch.as_tensor(b)
    return float(a @ b / (a.norm() * b.norm()))


CONE = np.random.default_rng(1).normal(size=(12, 4)) + [3, 0, 0, 0]  # more clients than parameters, all on one side


class TestFairRates:
    @pytest.mark.parametrize("alpha", [0.5, 1, 2, 10, 100])
    def test_rates_are_a_power_of_the_weights(self, alpha):
        for seed, G in enumerate(
            [CONE, *(draw(s, spread=1e3) for s in range(12)), *(draw(s, 1 + s) for s in range(8))]
        ):
            got = direction(rules.FairGrad(alpha), G)
            felt = torch.as_tensor(G) @ got.vector
            assert got.exact and (got.weights > 0).all(), seed
            torch.testing.assert_close(
                felt.log() + got.weights.log() / alpha, torch.zeros(len(G)).double(), rtol=0, atol=1e-9
            )

    def test_no_direction_of_its_length_has_a_larger_product_of_rates(self):
        for seed in range(30):
            G, rng = draw(seed), np.random.default_rng(seed)
            got = direction(rules.NashMTL(), G)
            assert length(got.vector) == pytest.approx(6**0.5, rel=1e-12)
            best = got.rates.log().sum()
            for size in (1e-3, 0.1, 1):
                other = got.vector + torch.tensor(size * G.T @ rng.normal(size=6))
                felt = torch.as_tensor(G) @ (other / other.norm() * 6**0.5)
                assert (felt <= 0).any() or felt.log().sum() <= best + 1e-12

    def test_a_client_that_inflates_its_loss_changes_nothing_for_nash(self):
        for seed in range(10):
            G = draw(seed)
            loud = G * 10.0 ** np.random.default_rng(seed).uniform(-6, 6, (6, 1))
            one, two = (direction(rules.NashMTL(), rows).vector for rows in (G, loud))
            torch.testing.assert_close(one, two, rtol=0, atol=1e-9)

    def test_a_large_alpha_tends_to_the_nearest_point_and_one_is_nash(self):
        for seed in range(10):
            G = draw(seed)
            nearest = direction(rules.FedMGDA(), G).vector
            turns = [cosine(direction(rules.FairGrad(a), G).vector, nearest) for a in (1, 5, 50, 1000)]
            assert turns == sorted(turns) and turns[2] > 0.99 and turns[3] > 1 - 1e-5
            torch.testing.assert_close(direction(rules.FairGrad(1), G).vector, direction(rules.NashMTL(), G).vector)

    def test_two_opposite_updates_leave_nothing_and_dependent_ones_do_not_matter(self):
        G = draw(0)
        for rows in (np.vstack([G, -G[0]]), np.vstack([G, -G.mean(0)])):
            got = direction(rules.NashMTL(), rows)
            assert not got.vector.any() and not got.exact and "Pareto-stationary" in got.reason
        assert direction(rules.NashMTL(), CONE).exact and (direction(rules.NashMTL(), CONE).rates > 0).all()
        twins = direction(rules.NashMTL(), np.vstack([G, G[:2]]))
        assert twins.exact and torch.allclose(twins.weights[:2], twins.weights[6:])


class TestEqualCosines:
    def test_imtl_g_and_config_share_a_line(self):
        for seed in range(30):
            G = draw(seed, spread=100.0)
            one, two = (direction(rule, G) for rule in (rules.IMTLG(), rules.ConFIG()))
            assert abs(cosine(one.vector, two.vector)) == pytest.approx(1, abs=1e-12)
            assert float(one.weights.sum()) == pytest.approx(1)
            assert (two.rates > 0).all() and length(two.vector) == pytest.approx(
                float((two.rates / length(two.vector)).mean())
            )

    def test_imtl_g_can_make_every_loss_rise(self):
        """A short update between two long ones: its weight is negative, and the sum with it."""
        G = np.array([[1.0, 0.9, 0], [1, -0.9, 0], [0.1, 0, 0.02]])
        got, other = direction(rules.IMTLG(), G), direction(rules.ConFIG(), G)
        assert got.exact and (got.rates < 0).all() and (other.rates > 0).all()
        assert cosine(got.vector, other.vector) == pytest.approx(-1)

    def test_config_s_least_squares_for_dependent_updates(self):
        got = direction(rules.ConFIG(), CONE)
        units = CONE / np.linalg.norm(CONE, axis=1)[:, None]
        assert not got.exact and "equal cosines" in got.reason
        assert cosine(got.vector, np.linalg.lstsq(units, np.ones(12))[0]) == pytest.approx(1)
        row = np.array([0.13203279, -0.56436686, 0.3361402])  # with it and its multiple, U⁺ 1 is not 0 but rounding
        for opposite in (np.array([[1.0, 0], [-2, 0]]), np.stack([row, -1.9555 * row]), np.stack([row, -3 * row])):
            apart = direction(rules.ConFIG(), opposite)
            assert not apart.vector.any() and "cancel" in apart.reason


class TestDualCone:
    @pytest.mark.parametrize("rule", [rules.UPGrad(), rules.DualProj()], ids=repr)
    def test_nobody_loses_and_without_a_conflict_it_is_the_mean(self, rule):
        for seed in range(20):
            G = draw(seed, 12, 14, spread=1e6)
            got = direction(rule, G)
            assert got.exact and (torch.as_tensor(G) @ got.vector >= -1e-9 * got.rates.abs().max()).all()
        friends = np.abs(draw(0))
        torch.testing.assert_close(direction(rule, friends).vector, torch.tensor(friends.mean(0)))

    def test_dualproj_is_the_nearest_to_the_mean_and_upgrad_linear_in_each_length(self):
        for seed in range(10):
            G, rng = draw(seed, 5, 8), np.random.default_rng(seed)
            got = direction(rules.DualProj(), G).vector.numpy()
            for _ in range(50):
                other = got + G.T @ rng.normal(size=5) * rng.choice([1e-3, 1e-2, 0.1])
                if (G @ other >= 0).all():
                    assert np.linalg.norm(other - G.mean(0)) >= np.linalg.norm(got - G.mean(0)) - 1e-12
            steps = [direction(rules.UPGrad(), np.vstack([c * G[0], G[1:]])).vector for c in (1, 2, 3)]
            torch.testing.assert_close(steps[2] - steps[1], steps[1] - steps[0], rtol=1e-7, atol=1e-10)

    @pytest.mark.parametrize("dtype", [torch.float64, torch.float32], ids=str)
    def test_a_hundred_clients_are_solved_exactly(self, dtype):
        rng = np.random.default_rng(0)
        for K, d in ((100, 130), (100, 1000)):
            u = updates(rng.normal(size=(K, d)) * 10 ** rng.uniform(-1, 1, (K, 1)), dtype=dtype)
            got = rules.UPGrad().direction(u)
            assert got.exact and got.rates.min() >= -1e-10 * got.rates.max()
            assert (got.weights >= 1 / K - 1e-12).all()

    def test_where_only_a_line_harms_nobody_it_is_taken(self):
        G = np.array([[1.0, 0, 0], [-2, 0, 0], [3, 1, 0]])
        for rule in (rules.UPGrad(), rules.DualProj()):
            torch.testing.assert_close(direction(rule, G).vector, torch.tensor([0, 1 / 3, 0], dtype=torch.float64))


class TestCAGrad:
    def test_no_vector_of_the_ball_is_better_for_the_worst(self):
        for seed, c in itertools.product(range(10), (0.2, 0.5, 1.5)):
            G, rng = draw(seed), np.random.default_rng(seed)
            mean, got = G.mean(0), direction(rules.CAGrad(c), G)
            reach, worst = c * np.linalg.norm(mean), float(got.rates.min())
            assert length(got.vector - torch.tensor(mean)) == pytest.approx(reach)
            for size in (1e-3, 0.1, 1):
                away = got.vector.numpy() - mean + size * G.T @ rng.normal(size=6)
                other = mean + away * min(1, reach / np.linalg.norm(away))
                assert (G @ other).min() <= worst + 1e-12

    def test_the_ends_of_c(self):
        for seed in range(10):
            G = draw(seed)
            torch.testing.assert_close(direction(rules.CAGrad(0), G).vector, torch.tensor(G.mean(0)))
            assert cosine(direction(rules.CAGrad(1e4), G).vector, direction(rules.FedMGDA(), G).vector) > 1 - 1e-6

    def test_at_pareto_stationary_updates_it_takes_what_harms_nobody_if_it_reaches_so_far(self):
        G = np.array([[1.0, 0, 0], [-2, 0, 0], [3, 1, 0]])
        near, far = (direction(rules.CAGrad(c), G) for c in (0.1, 4))
        assert near.exact and near.rates.min() < 0
        torch.testing.assert_close(far.vector, direction(rules.DualProj(), G).vector)
        assert not far.exact and "Pareto-stationary" in far.reason
        still = direction(rules.CAGrad(), np.array([[1.0, 2], [-1, -2]]))
        assert not still.vector.any() and "mean update is zero" in still.reason


def test_aligned_mtl_balances_the_rows():
    for seed in range(10):
        G = draw(seed)
        rows = torch.stack([direction(rules.AlignedMTL("shares"), G, shares=p).vector for p in torch.eye(6).double()])
        smallest = np.linalg.svd(G)[1].min()
        torch.testing.assert_close(rows @ rows.T, smallest**2 * torch.eye(6).double(), rtol=0, atol=1e-10)


def test_pcgrad_in_the_order_of_losses_is_fedfv_without_keepers_but_for_the_length():
    for seed in range(20):
        G = draw(seed)
        one = direction(rules.PCGrad("fixed"), G).vector
        two = direction(rules.FedFV(alpha=0), G, np.arange(1.0, 7)).vector
        assert cosine(one, two) == pytest.approx(1, abs=1e-12)
    drawn = {tuple(direction(rules.PCGrad(seed=s), G, round=t).vector.tolist()) for s in (0, 1) for t in (0, 1)}
    assert len(drawn) == 4


class TestWeightsFromLosses:
    def test_fedeba_s_weights_are_term_s(self):
        """Wang et al. 2023: the weights of largest entropy among those with a given mean loss, p_k = exp(f_k/tau)/sum."""
        rng = np.random.default_rng(0)
        for tau in (0.1, 0.5, 1, 10):
            f, lam = rng.uniform(0, 3, 7), direction(rules.TERM(t=1 / tau), np.eye(7)).weights
            lam = direction(rules.TERM(t=1 / tau), np.eye(7), f).weights.numpy()
            np.testing.assert_allclose(lam, np.exp(f / tau) / np.exp(f / tau).sum(), rtol=1e-12)
            entropy = lambda p: -(p * np.log(p)).sum()
            null = np.linalg.svd(np.stack([np.ones(7), f]))[2][2:]  # keeps the sum and the mean loss
            for _ in range(50):
                other = lam + 0.2 * lam.min() * rng.normal(size=5) @ null
                assert (other <= 0).any() or entropy(other) <= entropy(lam) + 1e-12

    def test_propfair_between_fedavg_and_the_largest_loss(self):
        f = [0.5, 1.0, 1.9, 7.0]
        lam = direction(rules.PropFair(weighting="uniform"), np.eye(4), f).weights
        torch.testing.assert_close(lam / lam[0], 1.5 * torch.tensor([1 / 1.5, 1, 5, 5], dtype=torch.float64))
        u = updates(np.eye(4), f)
        torch.testing.assert_close(rules.PropFair(M=1e9).direction(u).weights, u.shares)

    def test_cvar_is_the_mean_loss_of_the_worst_share(self):
        f = [3.0, 1.0, 2.0, 5.0, 4.0]
        for alpha, lam in (
            (1, [1 / 5] * 5),
            (0.4, [0, 0, 0, 0.5, 0.5]),
            (0.3, [0, 0, 0, 2 / 3, 1 / 3]),
            (0.01, [0, 0, 0, 1, 0]),
        ):
            got = direction(rules.CVaR(alpha), np.eye(5), f).weights
            torch.testing.assert_close(got, torch.tensor(lam, dtype=torch.float64))
        tied = direction(rules.CVaR(0.5), np.eye(4), [1.0, 2, 2, 2]).weights
        torch.testing.assert_close(tied, torch.tensor([0, 1, 1, 1], dtype=torch.float64) / 3)


class TestFedMDFG:
    def test_the_fairness_row_makes_losses_more_equal_where_they_are_not(self):
        for seed in range(20):
            G, f = draw(seed), np.random.default_rng(seed).uniform(0.1, 3, 6)
            with_row, without = (direction(rules.FedMDFG(theta), G, f).vector for theta in (0, 90))
            unit = G / np.linalg.norm(G, axis=1)[:, None]
            assert (unit @ with_row.numpy() >= -1e-12).all()
            h = cosine(f, np.ones(6)) * f / np.linalg.norm(f) - 6**-0.5
            assert h @ unit @ with_row.numpy() >= -1e-12
            torch.testing.assert_close(with_row.norm(), without.norm())

    def test_a_loss_above_the_usual_one_calls_for_it(self):
        G, even = draw(3), np.full(6, 1.0)
        rule = rules.FedMDFG()
        calm = direction(rule, G, even).vector
        torch.testing.assert_close(calm, direction(rules.FedMDFG(90), G, even).vector)
        risen = even + [0.1, 0, 0, 0, 0, 0]  # an angle of two degrees
        torch.testing.assert_close(direction(rules.FedMDFG(), G, risen).vector, calm)
        assert not torch.allclose(direction(rule, G, risen, round=1).vector, calm)
        everybody = rules.FedMDFG()
        direction(everybody, G, even)
        torch.testing.assert_close(direction(everybody, G, risen + 0.1, round=1).vector, calm)


@pytest.mark.parametrize(
    "make, kind, mentions",
    [
        (lambda: rules.FairGrad(0.4), "value", ["alpha", 0.4, 0.5]),
        (lambda: rules.FairGrad(float("inf")), "value", ["alpha", "inf"]),
        (lambda: rules.CAGrad(-0.1), "value", ["c is", -0.1]),
        (lambda: rules.CVaR(0), "value", ["alpha", 0]),
        (lambda: rules.CVaR(1.1), "value", ["alpha", 1.1]),
        (lambda: rules.PropFair(M=0), "value", ["M is", 0]),
        (lambda: rules.PropFair(epsilon=0), "value", ["epsilon", 0]),
        (lambda: rules.FedMDFG(91), "value", ["theta", 91, 90]),
        (lambda: rules.PCGrad("sorted"), "name", ["order", "'sorted'"]),
        (lambda: rules.PCGrad(seed=0.5), "type", ["seed", 0.5]),
        (lambda: rules.UPGrad("equal"), "name", ["weighting", "'equal'"]),
        (lambda: rules.DualProj("equal"), "name", ["weighting", "'equal'"]),
        (lambda: rules.AlignedMTL("equal"), "name", ["weighting", "'equal'"]),
    ],
)
def test_settings_out_of_range_are_refused_by_name(make, kind, mentions):
    with refused(kind, *mentions):
        make()


@pytest.mark.parametrize("name", ["NashMTL", "FairGrad", "ConFIG", "DualProj", "UPGrad", "CAGrad"])
def test_long_float32_rows_agree_with_their_float64_copies(name):
    """Beyond 16,384 numbers a row, products are made in float32 unless rows are nearly dependent."""
    rng = np.random.default_rng(0)
    for spread in (1.0, 1e-3):
        G = torch.tensor(rng.normal(size=20_000) + spread * rng.normal(size=(6, 20_000)), dtype=torch.float32)
        one, two = (rules.make(name).direction(updates(G, dtype=t)) for t in (torch.float32, torch.float64))
        assert one.exact and two.exact
        assert length(one.vector.double() - two.vector) <= 2e-5 * length(two.vector)


def test_the_nearest_point_is_cagrad_s_of_the_shifted_hull():
    """The identity behind the solver: dir is 1/t times the nearest point of the hull of g_k + t mean."""
    G = draw(5)
    got, mean = direction(rules.CAGrad(), G).vector.numpy(), G.mean(0)
    w = (got - mean) / (0.5 * np.linalg.norm(mean))
    t = np.linalg.norm(np.linalg.lstsq(G.T, w)[0] @ G) / np.linalg.lstsq(G.T, w)[0].sum() / (0.5 * np.linalg.norm(mean))
    shifted = G + t * mean
    nearest = shifted.T @ min_norm(shifted @ shifted.T).weights.numpy()
    np.testing.assert_allclose(nearest / t, got, rtol=1e-9)
