import numpy as np
import pytest
import torch

from fairfl import LocalSGD, partition, train
from fairfl.clients.lbfgs import LBFGS


def dense_bfgs(pairs, b0, d):
    """The update of the inverse Hessian, written on full matrices."""
    B = b0 * np.eye(d)
    for s, y in pairs:
        rho = 1 / (s @ y)
        V = np.eye(d) - rho * np.outer(y, s)
        B = V.T @ B @ V + rho * np.outer(s, s)
    return B


def test_two_loops_are_the_dense_update():
    rng = np.random.default_rng(0)
    for _ in range(50):
        d, visits = 6, rng.integers(1, 8)
        M = rng.normal(size=(d, d))
        H = M @ M.T + np.eye(d)
        points = rng.normal(size=(visits, d))
        bfgs = LBFGS(memory=10)
        for w in points:
            bfgs.observe(torch.tensor(w), torch.tensor(H @ w))
        pairs = [(b - a, H @ (b - a)) for a, b in zip(points, points[1:])]
        v = rng.normal(size=d)
        assert np.allclose(bfgs.times(torch.tensor(v), 0.3).numpy(), dense_bfgs(pairs, 0.3, d) @ v)


def test_on_a_quadratic_enough_conjugate_visits_give_newton():
    """With pairs along H-conjugate directions that span the space, B is H⁻¹ whatever B₀ was."""
    rng = np.random.default_rng(1)
    M = rng.normal(size=(4, 4))
    H = M @ M.T + np.eye(4)
    _, directions = np.linalg.eigh(H)
    bfgs, w = LBFGS(memory=4), np.zeros(4)
    bfgs.observe(torch.tensor(w), torch.tensor(H @ w))
    for s in directions.T:
        w = w + s
        bfgs.observe(torch.tensor(w), torch.tensor(H @ w))
    v = rng.normal(size=4)
    assert np.allclose(bfgs.times(torch.tensor(v), 5.0).numpy(), np.linalg.solve(H, v))


def test_pairs_of_negative_curvature_are_skipped_and_memory_is_bounded():
    bfgs = LBFGS(memory=2)
    for w, g in (([0.0, 0.0], [0.0, 0.0]), ([1.0, 0.0], [-1.0, 0.0])):
        bfgs.observe(torch.tensor(w), torch.tensor(g))
    assert bfgs.pairs == []
    for i in range(5):
        bfgs.observe(torch.tensor([float(i), i**2]), torch.tensor([float(i), i**2]))
    assert len(bfgs.pairs) == 2


@pytest.mark.parametrize("cosine, kept", [(0.4, 0), (0.6, 1)])
def test_a_pair_counts_from_the_cosine_that_skip_names(cosine, kept):
    bfgs = LBFGS(skip=0.5)
    bfgs.observe(torch.zeros(2), torch.zeros(2))
    bfgs.observe(torch.tensor([7.0, 0.0]), 3 * torch.tensor([cosine, (1 - cosine**2) ** 0.5]))
    assert len(bfgs.pairs) == kept


def test_state_round_trip():
    bfgs = LBFGS()
    for i in range(3):
        bfgs.observe(torch.tensor([float(i), 1.0]), torch.tensor([2.0 * i, 1.0]))
    other = LBFGS()
    other.load_state_dict(bfgs.state_dict())
    v = torch.tensor([1.0, 2.0])
    assert torch.equal(bfgs.times(v, 0.1), other.times(v, 0.1))


def test_first_round_asks_for_each_clients_own_step(small):
    """Without pairs r_k = ‖g_k‖²: the direction meets G dir = (‖g_k‖²), to the accuracy of float32."""
    federation = partition.iid(small, 3)
    seen = {}

    def look(updates):
        seen.setdefault(updates.round, (updates.extras["newton_rates"], updates.gradients.clone()))
        return updates

    train(federation, "DQNFed", rounds=2, local=LocalSGD(lr=0.2), tamper=look)
    rates, rows = seen[0]
    assert torch.allclose(rates, (rows.double() ** 2).sum(1), rtol=1e-5)
    assert not torch.allclose(seen[1][0], (seen[1][1].double() ** 2).sum(1), rtol=1e-2)
