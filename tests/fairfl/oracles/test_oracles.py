"""Each oracle has the property that defines it. The package is then tested against the oracles."""

import numpy as np
import pytest

from . import rates, weights
from .minnorm import enumerate_faces, gap, slsqp_and_polish
from .problems import problem

SEEDS = range(5)


def draw(seed, clients=6, dimensions=30, **options):
    return problem(np.random.default_rng(seed), clients, dimensions, **options)


# --- weights -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_fedavg_is_the_weighted_mean(seed):
    p = draw(seed)
    expected = np.average(p.gradients, axis=0, weights=p.shares)
    np.testing.assert_allclose(weights.fedavg(p.gradients, p.shares), expected, atol=1e-14)
    np.testing.assert_allclose(weights.fedavg(p.gradients, 50 * p.shares), expected, atol=1e-14)


def test_fedavg_n_ignores_lengths_and_survives_a_zero_row():
    p = draw(0)
    scaled = p.gradients * np.arange(1, 7)[:, None]
    np.testing.assert_allclose(weights.fedavg_n(scaled), weights.fedavg_n(p.gradients), atol=1e-14)
    with_zero = np.vstack([p.gradients, np.zeros(30)])
    np.testing.assert_allclose(weights.fedavg_n(with_zero), weights.fedavg_n(p.gradients) * 6 / 7, atol=1e-14)


@pytest.mark.parametrize("seed", SEEDS)
def test_qfedavg(seed):
    p = draw(seed)
    mean = p.gradients.mean(axis=0)
    np.testing.assert_allclose(weights.qfedavg(p.gradients, p.losses, 0, 7.0), mean, atol=1e-14)
    # One client: f^q L g / (q f^(q-1) L^2 ||g||^2 + L f^q) = f g / (q L ||g||^2 + f).
    g, f = p.gradients[0], p.losses[0]
    np.testing.assert_allclose(weights.qfedavg(g[None], [f], 0.5, 7.0), f * g / (0.5 * 7.0 * g @ g + f), atol=1e-14)
    # A client that has nothing left to lose counts for nothing, and leaves the others alone.
    losses = np.array([0.0, *p.losses[1:]])
    np.testing.assert_allclose(
        weights.qfedavg(p.gradients, losses, 0.5, 7.0),
        weights.qfedavg(p.gradients[1:], losses[1:], 0.5, 7.0),
        atol=1e-14,
    )
    assert not weights.qfedavg(p.gradients, np.zeros(6), 2.0, 7.0).any()


@pytest.mark.parametrize("seed", SEEDS)
def test_term_is_the_gradient_of_the_tilted_loss(seed):
    p, t, h = draw(seed), 2.0, 1e-6
    tilted = lambda f: np.log(np.sum(p.shares * np.exp(t * f))) / t
    slopes = [(tilted(p.losses + h * e) - tilted(p.losses - h * e)) / (2 * h) for e in np.eye(6)]
    direction = weights.term(p.gradients, p.losses, t, p.shares)
    np.testing.assert_allclose(direction, p.gradients.T @ slopes, atol=1e-8)
    np.testing.assert_allclose(weights.term(p.gradients, p.losses + 1e4, t, p.shares), direction, atol=1e-8)
    np.testing.assert_allclose(weights.term(p.gradients, p.losses, 0.0), p.gradients.mean(axis=0), atol=1e-14)


@pytest.mark.parametrize("seed", SEEDS)
def test_afl_projects_onto_the_simplex(seed):
    p = draw(seed)
    direction, lam = weights.afl_step(p.gradients, p.losses, p.shares, 0.3)
    np.testing.assert_allclose(direction, p.shares @ p.gradients, atol=1e-14)
    assert abs(lam.sum() - 1) < 1e-14 and np.all(lam >= 0)
    # The projection x of v: no corner z of the simplex has (v - x).(z - x) > 0.
    away = p.shares + 0.3 * p.losses - lam
    assert max(away @ (z - lam) for z in np.eye(6)) < 1e-14
    shifted = weights.afl_step(p.gradients, p.losses + 5.0, p.shares, 0.3)[1]
    np.testing.assert_allclose(shifted, lam, atol=1e-14)


def test_simplex_projection_by_hand():
    np.testing.assert_allclose(weights.project_simplex([0.8, 0.6, -2.0]), [0.6, 0.4, 0.0], atol=1e-15)
    np.testing.assert_allclose(weights.project_simplex([0.2, 0.8]), [0.2, 0.8], atol=1e-15)
    np.testing.assert_allclose(weights.project_simplex([9.0, 1.0, 2.0]), [1.0, 0.0, 0.0], atol=1e-15)


def test_fedfa_weights():
    unit = np.eye(3)  # with these rows the direction *is* the weights
    np.testing.assert_allclose(weights.fedfa(unit, [0.5] * 3, [4] * 3), np.full(3, 1 / 3), atol=1e-15)
    lam = weights.fedfa(unit, [0.2, 0.5, 0.9], [4, 4, 4], alpha=1.0, beta=0.0)
    assert lam[0] > lam[1] > lam[2] and abs(lam.sum() - 1) < 1e-14
    lam = weights.fedfa(unit, [0.5, 0.5, 0.5], [1, 2, 5], alpha=0.0, beta=1.0)
    assert lam[0] < lam[1] < lam[2] and abs(lam.sum() - 1) < 1e-14
    for accuracies in ([0.0, 0.5, 0.9], [0.0, 0.0, 0.0]):
        assert abs(weights.fedfa(unit, accuracies, [1, 0, 0]).sum() - 1) < 1e-14
    np.testing.assert_allclose(weights.fedfa(unit[:1], [0.7], [3]), unit[0], atol=1e-15)
    np.testing.assert_allclose(weights.momentum(unit[0], unit[1], 0.5), [0.5, 1.0, 0.0])


# --- rates ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("clients", [1, 2, 5, 8, 14])
@pytest.mark.parametrize("normalise", [True, False])
def test_fedmgda_rates_are_at_least_the_squared_norm(clients, normalise):
    for seed in SEEDS:
        p = draw(seed, clients, spread=3.0)
        lam, objective = rates.fedmgda(p.gradients, normalise=normalise)
        rows = rates.used_rows(p.gradients, normalise)
        rate = rows @ (rows.T @ lam)
        assert abs(lam.sum() - 1) < 1e-12 and np.all(lam >= 0)
        assert abs(lam @ rate - objective) < 1e-12
        assert np.all(rate >= objective - 1e-11)
        np.testing.assert_allclose(rate[lam > 1e-8], objective, atol=1e-11)


def test_fedmgda_of_two_clients_by_hand():
    # min over a of ||a g + (1 - a) h||: a = (h - g).h / ||h - g||^2, clipped to [0, 1].
    for seed in SEEDS:
        p = draw(seed, 2, condition=2.0)
        g, h = p.gradients
        a = np.clip((h - g) @ h / ((h - g) @ (h - g)), 0, 1)
        np.testing.assert_allclose(rates.fedmgda(p.gradients, normalise=False)[0], [a, 1 - a], atol=1e-13)


@pytest.mark.parametrize("epsilon", [0.0, 0.05, 0.2, 0.6])
def test_fedmgda_box_is_kept_and_optimal_by_both_solvers(epsilon):
    for seed in SEEDS:
        p = draw(seed, 6, condition=4.0)
        rows = rates.used_rows(p.gradients, True)
        lower, upper = np.maximum(p.shares - epsilon, 0), np.minimum(p.shares + epsilon, 1)
        lam, objective = rates.fedmgda(p.gradients, epsilon, p.shares)
        assert abs(lam.sum() - 1) < 1e-12
        assert np.all(lam >= lower - 1e-14) and np.all(lam <= upper + 1e-14)
        assert gap(rows, lam, lower, upper) < 1e-13
        np.testing.assert_allclose(slsqp_and_polish(rows, lower, upper), lam, atol=1e-10)
        if epsilon == 0:
            np.testing.assert_allclose(lam, p.shares, atol=1e-15)


def test_minimum_norm_of_dependent_rows():
    for seed in SEEDS:  # K > d, and every row twice: the point is unique, the weights are not
        p = draw(seed, 6, 3, common=0.5)
        lower, upper = np.zeros(6), np.ones(6)
        point = p.gradients.T @ enumerate_faces(p.gradients, lower, upper)
        np.testing.assert_allclose(p.gradients.T @ slsqp_and_polish(p.gradients, lower, upper), point, atol=1e-10)
        twice = np.vstack([p.gradients, p.gradients])
        np.testing.assert_allclose(twice.T @ slsqp_and_polish(twice, np.zeros(12), np.ones(12)), point, atol=1e-10)


@pytest.mark.parametrize("gamma", [0.0, 0.1, 1.0, 5.0])
def test_adafed_rates_and_closed_form(gamma):
    for seed in SEEDS:
        p = draw(seed)
        s = np.abs(p.losses) ** gamma
        direction = rates.adafed(p.gradients, p.losses, gamma)
        np.testing.assert_allclose(p.gradients @ direction, s * (direction @ direction), rtol=1e-9)
        u = np.linalg.lstsq(p.gradients, s, rcond=None)[0]  # G^T A^-1 s
        np.testing.assert_allclose(direction, u / (u @ u), rtol=0, atol=1e-10 * np.linalg.norm(direction))
        order = np.random.default_rng(seed).permutation(6)
        np.testing.assert_allclose(
            rates.adafed(p.gradients[order], p.losses[order], gamma), direction, atol=1e-10 * np.linalg.norm(direction)
        )


def test_gram_schmidt_is_orthogonal_and_the_point_is_their_nearest():
    p = draw(1)
    orthogonal = rates.scaled_gram_schmidt(p.gradients, p.losses)
    gram = orthogonal @ orthogonal.T
    size = np.sqrt(np.diag(gram))
    np.testing.assert_allclose(gram / np.outer(size, size), np.eye(6), atol=1e-12)
    direction = rates.adafed(p.gradients, p.losses, 1.0)
    lam, objective = rates.fedmgda(orthogonal, normalise=False)
    np.testing.assert_allclose(lam, rates.orthogonal_weights(orthogonal), atol=1e-9)
    assert abs(objective - direction @ direction) < 1e-12
    with pytest.raises(ZeroDivisionError):  # g_2 = g_1 + (0, 1), equal losses: 1 - 1 below the bar
        rates.adafed(np.array([[1.0, 0.0], [1.0, 1.0]]), [1.0, 1.0], 1.0)


@pytest.mark.parametrize("seed", SEEDS)
def test_dqnfed_is_the_least_norm_step_with_the_given_rates(seed):
    p = draw(seed)
    step = rates.dqnfed(p.gradients, p.losses)
    np.testing.assert_allclose(p.gradients @ step, p.losses, rtol=1e-9)
    np.testing.assert_allclose(step, np.linalg.pinv(p.gradients) @ p.losses, rtol=0, atol=1e-9)


def test_bfgs_rate_is_newtons_on_a_quadratic():
    rng = np.random.default_rng(3)
    axes = np.linalg.qr(rng.normal(size=(5, 5)))[0]
    H = (axes * np.array([0.5, 1, 2, 4, 8])) @ axes.T
    steps, g = [3 * a for a in axes.T], rng.normal(size=5)  # conjugate steps, so B_5 = H^-1
    changes = [H @ s for s in steps]
    newton = g @ np.linalg.solve(H, g)
    assert abs(rates.newton_rate_bfgs(steps, changes, g, 0.1) - newton) < 1e-12 * newton
    assert rates.newton_rate_bfgs([], [], g, 0.1) == pytest.approx(0.1 * g @ g)
    bad = rng.normal(size=5)
    skipped = rates.newton_rate_bfgs([bad, *steps], [-bad, *changes], g, 0.1)
    assert skipped == rates.newton_rate_bfgs(steps, changes, g, 0.1)
    # One pair: the secant condition B y = s, seen through r = y^T B y = y.s.
    s, y = steps[0] + steps[1], changes[0] + changes[1]
    assert rates.newton_rate_bfgs([s], [y], y, 0.1) == pytest.approx(s @ y)
