"""The package against literal versions of the papers' algorithms, which share no code with it."""

import numpy as np
import pytest
import torch
from oracles import fedfv, fedheal, fedlf, minnorm, rates, weights
from oracles.problems import problem

from fairfl import rules
from fairfl._randomness import generator
from fairfl.rules.afl import project_to_simplex

from .samples import layout, updates

MANY = 300


def problems(count=MANY, least=1, **options):
    """(rng, K, problem) for K = 1 to 20, d from K to K + 40."""
    for seed in range(count):
        rng = np.random.default_rng(seed)
        K = least + seed % (21 - least)
        yield rng, K, problem(rng, K, K + int(rng.integers(0, 40)), common=float(rng.choice([0, 0.3, 2])), **options)


def agree(direction, expected, tolerance=1e-9):
    got = direction.vector.numpy()
    scale = max(np.linalg.norm(expected), 1e-300)
    assert np.linalg.norm(got - expected) <= tolerance * scale


def test_fedavg():
    for _, K, p in problems():
        u = updates(p.gradients, p.losses, shares=torch.tensor(p.shares))
        agree(rules.FedAvg().direction(u), weights.fedavg(p.gradients, p.shares))
        agree(rules.FedAvg("uniform").direction(u), weights.fedavg(p.gradients, np.ones(K)))


def test_fedavg_n():
    for _, _, p in problems(spread=100.0):
        u = updates(p.gradients, p.losses, shares=torch.tensor(p.shares))
        agree(rules.FedAvgN().direction(u), weights.fedavg_n(p.gradients))
        agree(rules.FedAvgN("shares").direction(u), weights.fedavg_n(p.gradients, p.shares))


@pytest.mark.parametrize("q", [0, 0.1, 1, 5])
def test_q_fedavg(q):
    for rng, K, p in problems(spread=10.0):
        L = float(rng.choice([0.1, 1, 10]))
        losses = p.losses * (rng.random(K) > 0.2)
        agree(rules.QFedAvg(q, L).direction(updates(p.gradients, losses)), weights.qfedavg(p.gradients, losses, q, L))
        agree(
            rules.QFedAvg(q).direction(updates(p.gradients, losses, local_lr=1 / L)),
            weights.qfedavg(p.gradients, losses, q, L),
        )


def test_term():
    for rng, _, p in problems():
        t = float(rng.choice([-2, 0, 0.1, 1, 5, 500]))
        u = updates(p.gradients, p.losses, shares=torch.tensor(p.shares))
        agree(rules.TERM(t).direction(u), weights.term(p.gradients, p.losses, t))
        agree(rules.TERM(t, "shares").direction(u), weights.term(p.gradients, p.losses, t, p.shares))


def test_afl_for_several_rounds():
    for rng, K, p in problems(100):
        gamma = float(rng.choice([0.01, 0.1, 0.5]))
        rule, lam = rules.AFL(gamma), np.full(K, 1 / K)
        for _ in range(4):
            losses = rng.uniform(0, 5, K)
            expected, lam = weights.afl_step(p.gradients, losses, lam, gamma)
            agree(rule.direction(updates(p.gradients, losses)), expected)


def test_afl_s_projection_is_the_nearest_point_of_the_simplex():
    for seed in range(MANY):
        rng = np.random.default_rng(seed)
        v = rng.normal(size=1 + seed % 20) * 10.0 ** rng.integers(-3, 3)
        np.testing.assert_allclose(project_to_simplex(torch.tensor(v)).numpy(), weights.project_simplex(v), atol=1e-12)


def test_fedfa_for_several_rounds():
    for rng, K, p in problems(100):
        alpha, N = float(rng.choice([0, 0.5, 0.8, 1])), 2 * K
        rule, counts, memory = rules.FedFA(alpha), np.zeros(N), 0
        for t in range(4):
            who = rng.permutation(N)[:K]
            counts[who] += 1
            accuracies = rng.uniform(0, 1, K) * (rng.random(K) > 0.1)
            u = updates(
                p.gradients,
                p.losses,
                clients=torch.tensor(who),
                population=N,
                round=t,
                extras={"accuracies": accuracies},
            )
            memory = weights.momentum(
                memory, weights.fedfa(p.gradients, accuracies, counts[who], alpha, 1 - alpha), 0.5
            )
            agree(rule.direction(u), memory)


@pytest.mark.parametrize("normalise", [False, True])
@pytest.mark.parametrize("epsilon", [1.0, 0.3, 0.05, 0.0])
def test_fedmgda_by_objective_and_gap(normalise, epsilon):
    for _, _, p in problems(40, spread=10.0):
        rule = rules.FedMGDA(epsilon, "shares", normalise)
        direction = rule.direction(updates(p.gradients, p.losses, shares=torch.tensor(p.shares)))
        _, objective = rates.fedmgda(p.gradients, epsilon, p.shares, normalise)
        rows = rates.used_rows(p.gradients, normalise)
        used = direction.weights.numpy() * (np.linalg.norm(p.gradients, axis=1) if normalise else 1)
        lower, upper = np.maximum(p.shares - epsilon, 0), np.minimum(p.shares + epsilon, 1)
        largest = (rows**2).sum(1).max()
        assert abs(used.sum() - 1) < 1e-12 and (used >= lower - 1e-12).all() and (used <= upper + 1e-12).all()
        assert float(direction.vector @ direction.vector) <= objective + 1e-10 * largest
        assert minnorm.gap(rows, used, lower, upper) <= 2e-10 * largest
        assert direction.exact


@pytest.mark.parametrize("gamma", [0, 0.1, 1, 5])
def test_adafed(gamma):
    for _, _, p in problems(spread=10.0):
        agree(rules.AdaFed(gamma).direction(updates(p.gradients, p.losses)), rates.adafed(p.gradients, p.losses, gamma))
        after = rules.AdaFed(gamma, "after").direction(updates(p.gradients, extras={"losses_after": p.losses}))
        agree(after, rates.adafed(p.gradients, p.losses, gamma))


def test_dqn_fed():
    for rng, K, p in problems(spread=10.0):
        r = rng.uniform(0.1, 5, K)
        agree(rules.DQNFed().direction(updates(p.gradients, extras={"newton_rates": r})), rates.dqnfed(p.gradients, r))


@pytest.mark.parametrize("alpha", [0, 0.1, 1 / 3, 2 / 3, 1])
@pytest.mark.parametrize("tau", [0, 1, 3])
def test_fedfv_with_a_memory(alpha, tau):
    for rng, K, p in problems(40, spread=5.0):
        N, rule, oracle = 2 * K, rules.FedFV(alpha, tau), fedfv.FedFV(alpha, tau)
        for t in range(5):
            who, G = rng.permutation(N)[:K], p.gradients[rng.permutation(K)] + 0.1 * rng.normal(size=p.gradients.shape)
            losses = rng.uniform(0.1, 3, K)
            u = updates(G, losses, clients=torch.tensor(who), population=N, round=t)
            agree(rule.direction(u), oracle.direction(t, who.tolist(), G, losses))


def test_fedfv_never_projects_a_client_off_itself():
    """Client 3's gradient, projected off the others, conflicts with its raw self: Algorithm 2 skips k = i_j."""
    G = np.array([[0.9, -0.4, 0.2, -1.5], [0.5, -0.7, -0.3, 0.0], [-0.4, 0.8, 0.6, -0.4], [-1.2, 1.2, 0.0, 0.5]])
    losses = np.arange(1.0, 5)
    agree(rules.FedFV(0).direction(updates(G, losses)), fedfv.FedFV(0, 0).direction(0, list(range(4)), G, losses))


@pytest.mark.parametrize("order", ["random", "reversed"])
def test_fedfv_in_other_orders(order):
    for _, K, p in problems(100):
        u = updates(p.gradients, p.losses, round=3)
        theirs = "descending"
        if order == "random":
            theirs = torch.randperm(K, generator=generator(5, "fedfv-order", 3)).argsort().tolist()
        agree(
            rules.FedFV(0.3, order=order, seed=5).direction(u),
            fedfv.FedFV(0.3, 0).direction(3, list(range(K)), p.gradients, p.losses, theirs),
        )


def test_fedlf_with_a_memory():
    for rng, K, p in problems(80, least=2, spread=5.0):
        d, N = p.gradients.shape[1], 3 * K
        parts = layout(d).slices
        rule, oracle = rules.FedLF(), fedlf.FedLF([(part.start, part.stop) for part in parts])
        for t in range(3):
            who, losses = rng.permutation(N)[: min(K, 4)], rng.uniform(0.1, 3, min(K, 4))
            G = (p.gradients[rng.permutation(K)] + 0.1 * rng.normal(size=p.gradients.shape))[: len(who)]
            u = updates(G, losses, clients=torch.tensor(who), population=N, round=t)
            agree(rule.direction(u), oracle.direction(t, who.tolist(), G, losses))


def test_fedheal_with_its_history():
    for rng, K, p in problems(40):
        N, rule, oracle = K + 3, rules.FedHEAL(), fedheal.FedHEAL()
        for t in range(6):
            who, G = rng.permutation(N)[:K], p.gradients * rng.choice([-1, 1, 1], size=p.gradients.shape)
            u = updates(G, clients=torch.tensor(who), population=N, round=t)
            agree(rule.direction(u), oracle.direction(who.tolist(), G))


def test_fedheal_drops_a_sign_at_exactly_the_threshold():
    """Half of client 0's past entries were negative: at τ = ½ that is not above the threshold, either way."""
    rule, oracle = rules.FedHEAL(threshold=0.5), fedheal.FedHEAL(threshold=0.5)
    for t, first in enumerate(([1.0, 1], [-1, 1], [2, 2], [-3, 2])):
        G = np.array([first, [1, 2]])
        agree(rule.direction(updates(G, round=t)), oracle.direction([0, 1], G))
