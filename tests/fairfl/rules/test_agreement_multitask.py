"""The rules beyond the four papers' tables against literal versions, which share no code with them."""

import numpy as np
import pytest
import torch
from oracles import fedmdfg, multitask, weights
from oracles.problems import problem

from fairfl import rules
from fairfl._randomness import generator

from .samples import updates
from .test_agreement import agree, problems


def few(count=60, most=7, **options):
    """(rng, K, problem) for K = 1 to ``most``, with conflicts and rows of lengths spread tenfold."""
    for seed in range(count):
        rng = np.random.default_rng(seed)
        K = 1 + seed % most
        options = {"spread": 10.0, "common": float(rng.choice([0, 0.3, 2]))} | options
        yield rng, K, problem(rng, K, K + int(rng.integers(0, 40)), **options)


def even(p):
    return np.full(len(p.gradients), 1 / len(p.gradients))


@pytest.mark.parametrize("alpha", [0.5, 1, 2, 4])
def test_fairgrad_and_nash_mtl(alpha):
    for _, _, p in few(condition=3.0, spread=3.0):
        expected = multitask.fairgrad(p.gradients, alpha)
        agree(rules.FairGrad(alpha).direction(updates(p.gradients)), expected, 1e-8)
        if alpha == 1:
            agree(rules.NashMTL().direction(updates(p.gradients)), expected, 1e-8)


@pytest.mark.parametrize("K, d", [(5, 20), (20, 40), (12, 4), (30, 30), (30, 12)])
def test_upgrad_and_dualproj_for_dependent_rows_too(K, d):
    for seed in range(10):
        rng = np.random.default_rng(seed)
        p = problem(rng, K, d, spread=100.0, common=float(rng.choice([0, 0.3, 2])))
        u = updates(p.gradients, shares=torch.tensor(p.shares))
        for weighting, mix in (("uniform", even(p)), ("shares", p.shares)):
            for rule, oracle in ((rules.UPGrad, multitask.upgrad), (rules.DualProj, multitask.dualproj)):
                got, expected = rule(weighting).direction(u), oracle(p.gradients, mix)
                # Where the cone is the origin alone, the package says zero.
                longest = np.linalg.norm(p.gradients, axis=1).max()
                assert np.linalg.norm(got.vector.numpy() - expected) <= 1e-8 * longest
                assert float(got.rates.min()) >= -1e-9 * longest**2


@pytest.mark.parametrize("c", [0.1, 0.5, 0.9, 3])
def test_cagrad(c):
    for _, _, p in few():
        agree(rules.CAGrad(c).direction(updates(p.gradients)), multitask.cagrad(p.gradients, c), 1e-8)


def test_aligned_mtl():
    for _, _, p in problems(100, spread=10.0):
        u = updates(p.gradients, shares=torch.tensor(p.shares))
        agree(rules.AlignedMTL().direction(u), multitask.aligned_mtl(p.gradients, even(p)))
        agree(rules.AlignedMTL("shares").direction(u), multitask.aligned_mtl(p.gradients, p.shares))
    for seed in range(20):
        p = problem(np.random.default_rng(seed), 9, 4)
        agree(rules.AlignedMTL().direction(updates(p.gradients)), multitask.aligned_mtl(p.gradients, even(p)))


def test_imtl_g_and_config():
    for _, K, p in problems(100, spread=10.0):
        agree(rules.ConFIG().direction(updates(p.gradients)), multitask.config(p.gradients))
        if K > 1:
            agree(rules.IMTLG().direction(updates(p.gradients)), multitask.imtl_g(p.gradients), 1e-8)
    for seed in range(20):
        p = problem(np.random.default_rng(seed), 9, 4)
        agree(rules.ConFIG().direction(updates(p.gradients)), multitask.config(p.gradients))


def test_pcgrad_in_both_orders():
    for _, K, p in problems(60):
        agree(
            rules.PCGrad("fixed").direction(updates(p.gradients)), multitask.pcgrad(p.gradients, [list(range(K))] * K)
        )
        orders = [torch.randperm(K, generator=generator(5, "pcgrad-order", 3, k)).argsort().tolist() for k in range(K)]
        agree(rules.PCGrad(seed=5).direction(updates(p.gradients, round=3)), multitask.pcgrad(p.gradients, orders))


@pytest.mark.parametrize("M, epsilon", [(2, 0.2), (5, 0.01), (1, 0.5)])
def test_propfair(M, epsilon):
    for _, _, p in problems(60):
        u = updates(p.gradients, p.losses, shares=torch.tensor(p.shares))
        expected = weights.propfair(p.gradients, p.losses, M, epsilon, p.shares)
        agree(rules.PropFair(M, epsilon).direction(u), expected)
        expected = weights.propfair(p.gradients, p.losses, M, epsilon, even(p))
        agree(rules.PropFair(M, epsilon, "uniform").direction(u), expected)


@pytest.mark.parametrize("alpha", [0.01, 0.1, 0.5, 0.77, 1])
def test_cvar(alpha):
    for _, _, p in problems(60):
        u = updates(p.gradients, p.losses, shares=torch.tensor(p.shares))
        agree(rules.CVaR(alpha).direction(u), weights.cvar(p.gradients, p.losses, alpha, even(p)))
        agree(rules.CVaR(alpha, "shares").direction(u), weights.cvar(p.gradients, p.losses, alpha, p.shares))


@pytest.mark.parametrize("theta", [0, 11.25, 90])
def test_fedmdfg_with_its_memory(theta):
    for rng, K, p in problems(40, least=2, spread=5.0):
        N, rule, oracle = 2 * K, rules.FedMDFG(theta), fedmdfg.FedMDFG(theta)
        for t in range(4):
            who = rng.permutation(N)[: min(K, 4)]
            losses = rng.uniform(0.1, 3, len(who)) if t % 2 else rng.uniform(1, 1.2, len(who))
            G = (p.gradients[rng.permutation(K)] + 0.1 * rng.normal(size=p.gradients.shape))[: len(who)]
            u = updates(G, losses, clients=torch.tensor(who), population=N, round=t)
            agree(rule.direction(u), oracle.direction(who.tolist(), G, losses), 1e-8)
