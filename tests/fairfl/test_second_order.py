"""FedNL and FedNew against the algorithms as printed (``oracles.second_order``), and what both refuse."""

import dataclasses

import numpy as np
import pytest
import torch
from oracles import second_order as oracle
from refusals import refused

from fairfl import Dataset, Federation, LocalSGD, Server, models, partition, train
from fairfl.clients import Ditto, FedNew, FedNL, FlatModel, SecondOrder
from fairfl.clients.hessians import derivatives
from fairfl.clients.losses import cross_entropy
from fairfl.clients.slots import Examples
from fairfl.deployment import Member
from fairfl.errors import Diverged, Refused

COMPRESSED = [dict(rank=1), dict(rank=2), dict(rank=None, top=4), dict(rank=None)]
OTHERS = [dict(project=True, ridge=20.0), dict(project=True, warm=True), dict(warm=True), dict(step=0.5)]


@pytest.fixture
def federation(small):
    return partition.dirichlet(small, 4, 0.5, min_size=3, test=0.2)


def quadratics(rng, N=4, d=5):
    M = rng.normal(size=(N, d, d))
    H, c = M @ M.mT + np.eye(d), rng.normal(size=(N, d))
    return (lambda w: [(h @ (w - m), h) for h, m in zip(H, c)]), np.linalg.solve(
        H.mean(0), np.einsum("kij,kj->i", H, c) / N
    )


def compressor(method):
    return (
        oracle.rank(method.rank)
        if method.rank is not None
        else oracle.top(method.top)
        if method.top
        else lambda M: M.copy()
    )


def path(method, look, w, rounds, p=None):
    """The package's models w_0 … w_rounds, driven as a server would."""
    kept, out = {}, [w]
    for _ in range(rounds):
        G, H = (torch.tensor(np.array(part)) for part in zip(*look(w)))
        rows = method.rows(G, H, kept, None if p is None else torch.tensor(p))
        direction = rows.mean(0) if p is None else torch.tensor(p) @ rows
        method.heard(direction, kept)
        w = w - direction.numpy()
        out.append(w)
    return np.array(out), kept


def by_hand(federation, ridge):
    """``look`` for logistic regression on ``federation``, in NumPy."""
    x, y = federation.dataset.inputs.numpy().astype(float), federation.dataset.targets.numpy()
    rows, classes = [r.numpy() for r in federation.train], len(federation.dataset.classes)
    return lambda w: [oracle.softmax_regression(w, x[r], y[r], classes, ridge) for r in rows]


@pytest.mark.parametrize("settings", COMPRESSED + OTHERS, ids=str)
def test_fednl_is_the_algorithm_as_printed(settings):
    method = FedNL(**settings)
    for seed in range(5):
        rng = np.random.default_rng(seed)
        look, _ = quadratics(rng)
        w, p = rng.normal(size=5), rng.dirichlet(np.ones(4))
        expected = oracle.fednl(
            look, w, p, 8, compressor(method), method.step, 1 if method.project else 2, method.ridge, method.warm
        )
        assert np.abs(path(method, look, w, 8, p)[0] - expected).max() < 1e-9


def test_without_shares_clients_count_the_same():
    rng = np.random.default_rng(6)
    look, _ = quadratics(rng, N=3)
    expected = oracle.fednl(look, np.ones(5), [1 / 3] * 3, 8, oracle.rank(1))
    assert np.abs(path(FedNL(), look, np.ones(5), 8)[0] - expected).max() < 1e-10


def test_without_compression_fednl_is_newtons_method_on_a_quadratic_from_its_second_step_on():
    rng = np.random.default_rng(0)
    look, best = quadratics(rng)
    w = rng.normal(size=5)
    steps, _ = path(FedNL(rank=None), look, w, 2)
    assert np.abs(steps[2] - best).max() < 1e-10 < np.abs(steps[1] - best).max()
    warm, _ = path(FedNL(rank=None, warm=True), look, w, 1)
    assert np.abs(warm[1] - best).max() < 1e-10


def test_without_compression_fednl_is_newtons_method_with_last_rounds_hessian(federation):
    look, w = by_hand(federation, 0.1), np.zeros(18)
    p = federation.shares.numpy()
    steps, _ = path(FedNL(rank=None, project=True, warm=True, ridge=0.1), look, w, 12, p)
    for t in range(1, 12):
        g = sum(a * gradient for a, (gradient, _) in zip(p, look(steps[t])))
        before = sum(a * hessian for a, (_, hessian) in zip(p, look(steps[t - 1])))
        assert np.abs(steps[t] - np.linalg.solve(before, g) - steps[t + 1]).max() < 1e-10
    assert np.abs(sum(a * g for a, (g, _) in zip(p, look(steps[-1])))).max() < 1e-10


@pytest.mark.parametrize("settings", COMPRESSED[:3], ids=str)
def test_fednl_learns_the_hessians_at_the_minimum(federation, settings):
    look, p = by_hand(federation, 0.1), federation.shares.numpy()
    steps, kept = path(FedNL(**settings), look, np.zeros(18), 300, p)
    now = look(steps[-1])
    assert np.abs(sum(a * g for a, (g, _) in zip(p, now))).max() < 1e-10
    assert np.abs(kept["estimates"].numpy() - np.array([h for _, h in now])).max() < 1e-6


def test_an_estimate_never_gets_worse_while_the_hessian_stands_still():
    """The compressors are contractive: ‖M − C(M)‖ ≤ ‖M‖, and by 1 − R/d, 1 − K/(d(d+1)/2) at least."""
    rng = np.random.default_rng(1)
    for method, share in ((FedNL(rank=2), 2 / 6), (FedNL(rank=None, top=5), 5 / 36)):
        M = rng.normal(size=(50, 6, 6))
        M = torch.tensor(M + M.mT)
        left = (M - method.compressed(M)).square().sum((1, 2)) / M.square().sum((1, 2))
        assert float(left.max()) <= 1 - share + 1e-12
    whole = torch.tensor(np.eye(3))[None]
    assert torch.equal(FedNL(rank=None, top=99).compressed(whole), whole)
    assert torch.allclose(FedNL(rank=99).compressed(whole), whole)


@pytest.mark.parametrize("settings", [dict(), dict(every=3), dict(every=None, alpha=0.0, rho=2.0)], ids=str)
def test_fednew_is_the_algorithm_as_printed(settings):
    method = FedNew(**settings)
    for seed in range(5):
        rng = np.random.default_rng(seed)
        H = [M @ M.T + np.eye(5) for M in rng.normal(size=(4, 5, 5))]
        look = lambda w, H=H: [(h @ w + 0.1 * k * w**3, h + 0.3 * k * np.diag(w**2)) for k, h in enumerate(H)]
        w, p = rng.normal(size=5), rng.dirichlet(np.ones(4))
        expected, multipliers = oracle.fednew(look, w, p, 10, method.alpha, method.rho, method.every)
        steps, kept = path(method, look, w, 10, p)
        assert np.abs(steps - expected).max() < 1e-9
        assert np.abs(kept["multipliers"].numpy() - multipliers).max() < 1e-9
        assert np.abs(p @ kept["multipliers"].numpy()).max() < 1e-9


def test_where_gradients_stand_still_fednew_is_admm_and_ends_at_newtons_damped_step():
    """ADMM minimises Σ p_k (½ yᵀ (H_k + α I) y − g_k · y): its optimum by one linear system, its multipliers by the gradients there."""
    rng = np.random.default_rng(2)
    look, _ = quadratics(rng)
    standing, p = look(rng.normal(size=5)), np.array([0.1, 0.2, 0.3, 0.4])
    G, H = (np.array(part) for part in zip(*standing))
    method, kept = FedNew(alpha=0.3, rho=2.0), {}
    for _ in range(2000):
        y = torch.tensor(p) @ method.rows(torch.tensor(G), torch.tensor(H), kept, torch.tensor(p))
        method.heard(y, kept)
    M = H + 0.3 * np.eye(5)
    best = np.linalg.solve(np.einsum("k,kij->ij", p, M), p @ G)
    assert np.abs(y.numpy() - best).max() < 1e-10
    assert np.abs(kept["multipliers"].numpy() - (G - M @ best)).max() < 1e-10


def test_fednew_rests_where_the_mean_gradient_is_zero():
    rng = np.random.default_rng(3)
    look, best = quadratics(rng)
    steps, kept = path(FedNew(alpha=0.1, rho=1.0), look, best + 0.5, 1000)
    assert np.abs(steps[-1] - best).max() < 1e-9
    assert np.abs(kept["multipliers"].numpy() - np.array([g for g, _ in look(best)])).max() < 1e-8


def test_derivatives_are_those_by_hand(federation, small):
    flat = FlatModel(models.build("logistic", small, seed=3))
    w, before = torch.randn(18, generator=torch.Generator().manual_seed(0)), flat.vector.clone()
    for k, (g, H) in enumerate(by_hand(federation, 0.05)(w.double().numpy())):
        mine = derivatives(flat, Examples(small.inputs, small.targets), federation.train[k], w, cross_entropy, 0.05)
        assert mine[1] is not None and np.abs(mine[0].numpy() - g).max() < 1e-12
        assert np.abs(mine[1].numpy() - H).max() < 1e-12
    assert torch.equal(flat.vector, before)
    assert (
        derivatives(flat, Examples(small.inputs, small.targets), federation.train[0], w, cross_entropy, 0, False)[1]
        is None
    )


@pytest.mark.parametrize("method", [FedNL(rank=2, ridge=0.1), FedNew(ridge=0.1, every=2)], ids=str)
def test_train_runs_them(federation, small, method):
    history = train(federation, model="logistic", rounds=6, local=method, seed=0)
    start = FlatModel(models.build("logistic", small, seed=0)).vector.double().numpy()
    look, p = by_hand(federation, 0.1), federation.shares.numpy()
    if isinstance(method, FedNL):
        expected = oracle.fednl(look, start, p, 6, oracle.rank(2))[-1]
    else:
        expected = oracle.fednew(look, start, p, 6, 0.1, 0.1, every=2)[0][-1]
    assert np.abs(history.parameters - expected).max() < 1e-5


def test_fednew_hears_the_servers_direction_and_not_its_step(federation, small):
    history = train(federation, rounds=6, local=FedNew(ridge=0.1), server=Server(0.5), seed=0)
    start = FlatModel(models.build("logistic", small, seed=0)).vector.double().numpy()
    expected = oracle.fednew(by_hand(federation, 0.1), start, federation.shares.numpy(), 6, 0.1, 0.1, lr=0.5)[0][-1]
    assert np.abs(history.parameters - expected).max() < 1e-5


@pytest.mark.parametrize("method", [FedNL(), FedNew(every=2)], ids=str)
def test_several_seeds_personal_models_and_a_stop(federation, resumed_and_whole, method):
    two = train(federation, rounds=4, local=method, seed=[0, 1])
    assert [
        np.allclose(h.parameters, train(federation, rounds=4, local=method, seed=s).parameters)
        for s, h in enumerate(two)
    ] == [True] * 2
    assert not np.allclose(two[0].parameters, two[1].parameters)
    resumed, whole = resumed_and_whole(train, federation=federation, rounds=6, local=method)
    assert (resumed.parameters == whole.parameters).all()
    ditto = train(federation, rounds=4, local=method, personal=Ditto(0.1, LocalSGD(lr=0.1)))
    assert (ditto.parameters == train(federation, rounds=4, local=method).parameters).all()


@pytest.mark.parametrize("method", [FedNL(), FedNL(rank=None, top=3), FedNew(ridge=0.05)], ids=str)
def test_one_client_one_class_and_one_row(method):
    rows = torch.randn(14, 3, generator=torch.Generator().manual_seed(0))
    dataset = Dataset(rows, [0] * 6 + [1] * 8, ("a", "b"))
    one = Federation(dataset, [range(12)], [[]], [[12, 13]])
    assert np.isfinite(train(one, rounds=5, local=method).loss).all()
    odd = Federation(dataset, [[0], range(1, 6), range(6, 12)], [[], [], []], [[12], [13], [12, 13]])
    history = train(odd, rounds=60, local=method)
    ends = by_hand(odd, method.ridge)(history.parameters.astype(float))
    assert np.abs(sum(n / 12 * g for n, (g, _) in zip((1, 5, 6), ends))).max() < 1e-4


def test_whose_numbers_are_not_finite_is_named_and_the_others_can_go_on():
    look, _ = quadratics(np.random.default_rng(0))
    G, H = (torch.tensor(np.array(part)) for part in zip(*look(np.ones(5))))
    for method in (FedNL(), FedNew()):
        kept: dict = {}
        method.heard(method.rows(G, H, kept).mean(0), kept)
        before = {name: value.clone() if torch.is_tensor(value) else value for name, value in kept.items()}
        bad = H.clone()
        bad[1, 2, 2], bad[3, 0, 0] = torch.inf, torch.nan
        with pytest.raises(Diverged, match="clients 1, 3's gradient or Hessian") as caught:
            method.rows(G, bad, kept)
        assert set(caught.value.clients) == {1, 3}
        assert all(torch.equal(torch.as_tensor(kept[name]), torch.as_tensor(value)) for name, value in before.items())
        for name, value in kept.items():
            kept[name] = value[[0, 2]] if torch.is_tensor(value) and value.ndim > 1 else value
        assert torch.isfinite(method.rows(G[[0, 2]], H[[0, 2]], kept)).all()


def test_a_matrix_that_is_not_positive_definite_is_told_with_its_eigenvalue():
    G, H = torch.ones(2, 2), torch.diag(torch.tensor([1.0, -3.0])).expand(2, 2, 2).clone()
    H[0] = torch.eye(2)
    kept: dict = {}
    with refused("value", "client 1's Hessian + (α + ρ) I", "-2.8"):
        FedNew().rows(G, H, kept)
    assert kept == {}
    with refused("value", "FedNL's matrix", "-3"):
        FedNL(rank=None, warm=True).rows(G, H[1:].expand(2, 2, 2), kept)
    assert torch.isfinite(FedNL(rank=None, warm=True, project=True).rows(G, H, {})).all()


@pytest.mark.parametrize(
    "make, kind, mentions",
    [
        (lambda: FedNL(rank=0), "value", ["rank is 0"]),
        (lambda: FedNL(top=3), "combination", ["rank is 1", "top is 3", "rank=None"]),
        (lambda: FedNL(step=1.5), "value", ["step is 1.5"]),
        (lambda: FedNL(project=True, ridge=0), "combination", ["project=True", "ridge"]),
        (lambda: FedNL(ridge=-1), "value", ["ridge is -1"]),
        (lambda: FedNew(rho=0), "value", ["rho is 0"]),
        (lambda: FedNew(alpha=-1), "value", ["alpha is -1"]),
        (lambda: FedNew(every=0), "value", ["every is 0"]),
    ],
)
def test_settings_out_of_range(make, kind, mentions):
    with refused(kind, *mentions):
        make()


def test_shapes_that_do_not_fit():
    G, H = torch.ones(2, 3), torch.eye(3).expand(2, 3, 3)
    for arguments, kind, mentions in (
        ((torch.ones(3), H, {}), "shape", ["gradients is (3,)"]),
        ((G, H[:1], {}), "shape", ["hessians is (1, 3, 3)", "(2, 3, 3)"]),
        ((G, None, {}), "missing", ["hessians is None", "FedNL"]),
        ((G, H, {}, torch.tensor([0.5, 0.6])), "value", ["shares is"]),
        ((G, H, {}, torch.tensor([1.0])), "shape", ["shares is [1.0]"]),
    ):
        with refused(kind, *mentions):
            FedNL().rows(*arguments)
    with refused("missing", "rows"):
        FedNew().heard(torch.ones(3), {})


def test_what_train_refuses(federation, small):
    for settings, kind, mentions in (
        (dict(local=FedNL(), participation=0.5), "combination", ["FedNL", "participation is 0.5"]),
        (dict(local=FedNew(), rule="DQNFed"), "combination", ["DQN-Fed", "FedNew"]),
        (dict(local=FedNL(), model=models.mlp), "value", ["FedNL", "42003 × 42003", "each of 4 clients"]),
        (
            dict(local=FedNL(), model=torch.nn.Sequential(torch.nn.Dropout(0.5), torch.nn.Linear(5, 3))),
            "combination",
            ["FedNL", "'logistic'"],
        ),
    ):
        with refused(kind, *mentions):
            train(federation, rounds=1, **settings)
    with pytest.raises(Refused, match="local is <class"):
        train(federation, rounds=1, local=FedNL)
    with pytest.raises(Refused, match="FedNL and FedNew run only in fairfl.train"):
        Member.of(federation, 0, models.build("logistic", small), local=FedNL())


def test_both_say_what_they_are():
    assert all(issubclass(kind, SecondOrder) and dataclasses.is_dataclass(kind) for kind in (FedNL, FedNew))
    assert "Algorithm 1" in FedNL.__doc__ and "Algorithm 1" in FedNew.__doc__
