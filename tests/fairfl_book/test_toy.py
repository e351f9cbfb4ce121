import numpy as np
import pytest
from fairfl_book import toy
from refusals import refused

TOYS = {
    "two valleys": toy.two_valleys(),
    "Fonseca–Fleming": toy.FonsecaFleming(),
    "three": toy.Quadratics([[0, 0], [1, 0], [0, 1]], [1.0, 2.0, 3.0]),
}


@pytest.mark.parametrize("name", TOYS)
def test_gradients_are_finite_differences(name):
    problem, rng = TOYS[name], np.random.default_rng(0)
    for _ in range(20):
        w, h = rng.uniform(-2, 2, 2), 1e-6
        numeric = np.stack([(problem.losses(w + h * e) - problem.losses(w - h * e)) / (2 * h) for e in np.eye(2)], 1)
        assert np.allclose(problem.gradients(w), numeric, atol=1e-8)


@pytest.mark.parametrize("name", TOYS)
def test_no_random_point_dominates_the_pareto_set(name):
    problem = TOYS[name]
    front, rng = problem.front(41), np.random.default_rng(1)
    rivals = problem.losses(rng.uniform(-2, 2, (20000, 2)))
    for point in front:
        assert not ((rivals <= point - 1e-9).all(1)).any()


def test_shapes():
    x, y, values = toy.two_valleys().grid(30)
    assert values.shape == (30, 30, 2)
    assert np.allclose(values[3, 7], toy.two_valleys().losses([x[7], y[3]]))
    w, losses = toy.two_valleys().points(30)
    assert w.shape == (900, 2) and np.allclose(losses, toy.two_valleys().losses(w))
    assert np.allclose(losses[3 * 30 + 7], values[3, 7])


def test_descend_walks_downhill():
    problem = toy.two_valleys()
    path = toy.descend(lambda w: problem.gradients(w).mean(0), [1.5, -1.5], 0.2, 200)
    assert np.allclose(path[-1], problem.minimiser([0.5, 0.5]), atol=1e-6) and path.shape == (201, 2)


def test_minimisers_of_many_weightings_at_once():
    problem = toy.two_valleys()
    weights = np.random.default_rng(2).dirichlet([1, 1], (3, 4))
    points = problem.minimiser(weights)
    assert points.shape == (3, 4, 2)
    for lam, w in zip(weights.reshape(-1, 2), points.reshape(-1, 2)):
        assert np.allclose(lam @ problem.gradients(w), 0, atol=1e-12)


@pytest.mark.parametrize(
    "kind, named, bad",
    [
        ("shape", "(2,)", dict(centres=[1.0, 2.0])),
        ("value", "[-1.0]", dict(centres=[[0, 0]], curvatures=[-1.0])),
        ("value", "[0.0, 1.0]", dict(centres=[[0, 0]], curvatures=[[[1.0, 2.0], [0.0, 1.0]]])),
    ],
)
def test_refusals_teach(kind, named, bad):
    with refused(kind, named):
        toy.Quadratics(**bad)
