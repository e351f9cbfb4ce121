"""``min_norm``: certified by its own gap, compared with an independent solver, and tried on hard matrices."""

import numpy as np
import pytest
import torch
from oracles import minnorm
from oracles.problems import problem
from refusals import refused

from fairfl.rules import min_norm
from fairfl.rules.gram import gram_matrix
from fairfl.rules.solvers import box_qp
from fairfl.rules.solvers.min_norm import nearest


def gap(A, point, low, high):
    """(‖dir‖² − min Σ λ'_k ρ_k) / max A_kk over the box, written out with a sort."""
    rates = A @ point
    corner, left = low.copy(), 1 - low.sum()
    for k in np.argsort(rates):
        step = min(left, high[k] - low[k])
        corner[k], left = corner[k] + step, left - step
    return float((point - corner) @ rates) / max(A.diagonal().max(), 1e-300)


def hard(rng, kind, K, d):
    G = rng.normal(size=(K, d))
    if kind == "cone":
        G += 1
    elif kind == "duplicates":
        G = np.vstack([G, G[: max(1, K // 2)]])
    elif kind == "stationary":
        G = np.vstack([G, -G.mean(0)])
    elif kind == "sizes":
        G *= 10.0 ** rng.uniform(-8, 8, (K, 1))
    elif kind == "extreme":
        G *= 10.0 ** rng.uniform(-30, 30, (K, 1))
    elif kind == "parallel":
        G = G[0] + 10.0 ** rng.uniform(-9, -2) * G
    elif kind == "zero":
        G[0] = 0
    elif kind == "wide":
        G = rng.normal(size=(K + 5, rng.integers(1, 5)))
    return G


KINDS = ["plain", "cone", "duplicates", "stationary", "sizes", "extreme", "parallel", "zero", "wide"]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("box", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_the_gap_is_closed_and_true(kind, box, dtype):
    for seed in range(40):
        rng = np.random.default_rng(seed)
        G = hard(rng, kind, 1 + seed % 20, 20 + int(rng.integers(0, 30))).astype(dtype)
        A = gram_matrix(torch.from_numpy(G))
        K, settings = len(A), {}
        low, high = np.zeros(K), np.ones(K)
        if box:
            centre, radius = rng.dirichlet(np.ones(K)), rng.uniform(0, 0.4)
            settings = {"centre": centre, "radius": radius}
            low, high = np.maximum(centre - radius, 0), np.minimum(centre + radius, 1)
        point = min_norm(A, **settings)
        weights = point.weights.numpy()
        assert point.exact and point.gap <= 1e-10 and not point.reason
        assert abs(weights.sum() - 1) <= 1e-12 and (weights >= low - 1e-12).all() and (weights <= high + 1e-12).all()
        assert gap(A.numpy(), weights, low, high) <= 1e-10
        assert point.squared_norm == pytest.approx(weights @ A.numpy() @ weights, abs=1e-14 * float(A.diagonal().max()))


@pytest.mark.parametrize("K", [50, 100])
def test_many_clients(K):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        for G in (
            rng.normal(size=(K, 300)),
            rng.normal(size=(K, 300)) + 0.3,
            rng.normal(size=(K, 2)),
            rng.normal(size=(K, 20)) + 1,
        ):
            assert min_norm(G @ G.T).gap <= 1e-14 and min_norm(G @ G.T, radius=0.5 / K).gap <= 1e-14


def boxed(K, seed):
    """Plain random rows and a box of a few times 1/K around equal weights: how FedMGDA+ is used. On some of them the active sets stall at a vertex."""
    rng = np.random.default_rng((K, seed))
    d = int(rng.integers(25, 150))
    G = rng.normal(size=(K, d)) + rng.choice([0, 0.3])
    return G @ G.T, np.full(K, 1 / K), rng.uniform(0, 5 / K)


@pytest.mark.parametrize("K, seed", [(50, 561), (50, 844), (100, 186)])
def test_a_search_that_stalls_at_a_vertex_is_led_on(K, seed):
    A, centre, radius = boxed(K, seed)
    point = min_norm(A, centre=centre, radius=radius)
    low, high = np.maximum(centre - radius, 0), np.minimum(centre + radius, 1)
    assert point.exact and gap(A, point.weights.numpy(), low, high) <= 1e-12


def test_pairs_alone_lead_from_the_worst_vertex_to_the_minimum():
    for seed in range(40):
        A, centre, radius = boxed(4 + seed, seed)
        low, high = np.maximum(centre - radius, 0), np.minimum(centre + radius, 1)
        worst = box_qp._filled(-(A @ centre), low, high)
        point = box_qp._along_pairs(A, worst, low, high)
        assert gap(A, point, low, high) <= 1e-12
        assert abs(point.sum() - 1) <= 1e-12 and (point >= low).all() and (point <= high).all()


@pytest.mark.parametrize("d", [2, 20, 10_000])
def test_two_thousand_clients(d):
    G = np.random.default_rng(0).normal(size=(2000, d))
    G[:2], G[2] = G[2:4], 0.5
    assert min_norm(gram_matrix(torch.from_numpy(G))).gap <= 1e-14


@pytest.mark.parametrize("box", [False, True])
def test_no_other_solver_finds_a_shorter_vector(box):
    for seed in range(60):
        rng = np.random.default_rng(seed)
        K = 1 + seed % 20
        G = problem(rng, K, K + 5, spread=20.0, common=float(seed % 3)).gradients
        centre, radius = rng.dirichlet(np.ones(K)), float(rng.uniform(0, 0.4)) if box else 1.0
        low, high = np.maximum(centre - radius, 0), np.minimum(centre + radius, 1)
        theirs = G.T @ minnorm.minimum_norm(G, low, high)
        ours = G.T @ min_norm(G @ G.T, centre=centre, radius=radius).weights.numpy()
        np.testing.assert_allclose(ours, theirs, atol=1e-7 * np.linalg.norm(G, axis=1).max())
        assert ours @ ours <= theirs @ theirs + 1e-12 * (G**2).sum(1).max()


def test_the_affine_hull():
    for seed in range(100):
        K = 1 + seed % 20
        G = problem(np.random.default_rng(seed), K, K + 5, spread=20.0).gradients
        point = min_norm(G @ G.T, hull="affine")
        solved = np.linalg.solve(G @ G.T, np.ones(K))
        np.testing.assert_allclose(point.weights.numpy(), solved / solved.sum(), rtol=1e-8, atol=1e-10)
        assert point.exact and point.gap <= 1e-12
    through = min_norm(np.array([[1.0, 2.0], [2.0, 4.0]]), hull="affine")
    assert through.squared_norm == 0 and not through.exact and "origin" in through.reason
    np.testing.assert_allclose(through.weights.numpy(), [2, -1], atol=1e-12)
    twins = min_norm(np.ones((3, 3)), hull="affine")
    assert twins.exact and twins.squared_norm == pytest.approx(1)
    assert min_norm(np.zeros((2, 2)), hull="affine").weights.tolist() == [0.5, 0.5]


def test_small_answers_by_hand():
    assert min_norm([[4.0]]).weights.tolist() == [1] and min_norm([[4.0]]).squared_norm == 4
    assert min_norm(torch.diag(torch.tensor([1.0, 4.0]))).weights.tolist() == pytest.approx([0.8, 0.2])
    assert min_norm([[1, 1], [1, 4]]).weights.tolist() == pytest.approx([1, 0])
    assert min_norm(torch.diag(torch.tensor([1.0, 4.0])), radius=0.1).weights.tolist() == pytest.approx([0.6, 0.4])
    assert min_norm(torch.diag(torch.tensor([1.0, 4.0])), radius=0).weights.tolist() == [0.5, 0.5]
    assert min_norm(torch.zeros(3, 3)).squared_norm == 0
    centred = min_norm(torch.diag(torch.tensor([1.0, 4.0])), centre=[0.3, 0.7], radius=0.1)
    assert centred.weights.tolist() == pytest.approx([0.4, 0.6])


@pytest.mark.parametrize(
    "given, kind, mentions",
    [
        (dict(gram=np.ones((2, 3))), "shape", ["gram", "(2, 3)"]),
        (dict(gram=np.ones(3)), "shape", ["gram", "(3,)"]),
        (dict(gram=np.array([[1, np.nan], [np.nan, 1]])), "value", ["gram"]),
        (dict(gram=-np.eye(2)), "value", ["gram", "diagonal"]),
        (dict(gram=np.eye(2), hull="cone"), "value", ["hull", "'cone'", "'convex'", "'affine'"]),
        (dict(gram=np.eye(2), hull="affine", radius=1), "combination", ["hull", "'affine'"]),
        (dict(gram=np.eye(2), centre=[1, 1], radius=1), "value", ["centre", [1.0, 1.0]]),
        (dict(gram=np.eye(2), centre=[1], radius=1), "value", ["centre", 2]),
        (dict(gram=np.eye(2), radius=-1), "value", ["radius", -1, 0]),
        (dict(gram=np.eye(2), radius="x"), "type", ["radius", "'x'", 0]),
        (dict(gram=np.eye(2), centre="x", radius=1), "type", ["centre", "'x'"]),
        (dict(gram=np.eye(2), centre=[0.5, 0.5]), "combination", ["radius", None, 0]),
        (dict(gram=np.eye(2), centre=[1, 2, 3]), "combination", ["radius", None]),
        (dict(gram=None), "type", ["gram", None]),
        (dict(gram=[[1, 1j], [-1j, 1]]), "type", ["gram", "torch.complex64"]),
        (dict(gram=[[1, 2], [0, 1]], hull="affine"), "value", ["symmetric", "A[0, 1] = 2, A[1, 0] = 0"]),
        (dict(gram=[[1, 5], [5, 1]]), "value", ["semidefinite", "A[0, 1] = 5"]),
        (dict(gram=[[1, 0, 0], [0, 0, -1], [0, -1, 0]]), "value", ["semidefinite", "A[1, 2] = -1"]),
    ],
)
def test_refusals(given, kind, mentions):
    with refused(kind, *mentions):
        min_norm(**given)


def test_rounding_in_what_is_handed_over_is_no_reason_to_refuse():
    rows = np.random.default_rng(0).normal(size=(4, 50)).astype(np.float32)[[0, 1, 2, 3, 3]]
    A = (rows @ rows.T) * np.float32(1 + 1e-4 * np.triu(np.ones((5, 5)), 1))
    assert (A != A.T).any() and A[3, 4] > A[3, 3] and min_norm(A).exact
    carries_a_graph = torch.eye(2, requires_grad=True)
    assert min_norm(carries_a_graph).weights.tolist() == [0.5, 0.5]


def test_rules_ask_without_the_look_at_every_pair():
    lopsided = [[1.0, 2.0], [0.0, 1.0]]
    assert nearest(lopsided).weights.sum() == 1
    with refused("value", "gram"):
        nearest([[np.inf, 0], [0, 1]])
