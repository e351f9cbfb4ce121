"""The rules against liars: literal versions, their promises, and what they cost an honest outlier."""

import numpy as np
import pytest
import torch
from oracles import robust

from fairfl import Updates, rules
from fairfl.errors import Refused

from .samples import updates
from .test_agreement import agree, problems


def test_coordinate_median():
    for _, _, p in problems(100, spread=10.0):
        agree(rules.CoordinateMedian().direction(updates(p.gradients)), robust.median(p.gradients))


@pytest.mark.parametrize("beta, cuts", [(0, lambda K: 0), (0.1, lambda K: K // 10), (0.3, lambda K: 3 * K // 10)])
def test_trimmed_mean(beta, cuts):
    for _, K, p in problems(100, spread=10.0):
        agree(rules.TrimmedMean(beta).direction(updates(p.gradients)), robust.trimmed_mean(p.gradients, cuts(K)))


@pytest.mark.parametrize("liars", [0, 1, 3])
def test_krum(liars):
    for _, K, p in problems(200, least=2 * liars + 3, spread=10.0):
        got = rules.Krum(liars).direction(updates(p.gradients))
        agree(got, robust.krum(p.gradients, liars), 1e-12)
        assert got.exact and sorted(got.weights.tolist()) == [0] * (K - 1) + [1]


def test_numbers_by_hand():
    u = Updates([[0.0], [2.0], [3.0], [7.0], [100.0]])
    answers = [
        rule.direction(u).vector.item() for rule in (rules.CoordinateMedian(), rules.TrimmedMean(0.2), rules.Krum())
    ]
    assert answers == [3, 4, 2]


@pytest.mark.parametrize(
    "rule, liars", [(rules.CoordinateMedian(), 4), (rules.TrimmedMean(0.3), 3), (rules.Krum(3), 3)]
)
def test_a_majority_that_agrees_decides(rule, liars):
    for seed in range(60):
        rng = np.random.default_rng(seed)
        same = rng.normal(size=6)
        G = np.vstack([np.tile(same, (10 - liars, 1)), rng.normal(size=(liars, 6)) * 10 ** rng.uniform(-2, 6)])
        if seed % 2:
            G[-liars:] = G[-1]  # the liars agree, too
        agree(rule.direction(updates(G[rng.permutation(10)])), same)


@pytest.mark.parametrize("rule", [rules.CoordinateMedian(), rules.TrimmedMean(), rules.Krum()])
def test_an_honest_outlier_is_outvoted(rule):
    answer = rule.direction(Updates([[5.0, 0.0]] * 9 + [[-3.0, 4.0]]))
    assert answer.vector.tolist() == [5, 0] and answer.rates[-1] == -15


def test_krum_with_too_few_clients_says_so():
    answer = rules.Krum().direction(Updates(torch.eye(4)))
    assert not answer.exact and "needs 5 clients" in answer.reason
    assert rules.Krum(0).direction(Updates(torch.eye(3))).exact


def test_krum_takes_the_smallest_number_of_a_tie():
    rows = torch.tensor([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0], [1.0, 0.0]])
    u = Updates(rows, clients=torch.tensor([4, 3, 2, 1, 0]), population=5)
    assert rules.Krum().direction(u).weights.argmax() == 4


def test_a_huge_row_makes_no_ties():
    rows = np.vstack([[[3.0, 0.0]], np.ones((5, 2)), [[1e9, 0.0]]])
    assert rules.Krum(2).direction(updates(rows)).vector.tolist() == [1, 1]


def test_large_entries_do_not_overflow():
    for rule in (rules.CoordinateMedian(), rules.TrimmedMean()):
        assert torch.isfinite(rule.direction(Updates(torch.full((4, 3), 3e38))).vector).all()


@pytest.mark.parametrize(
    "make", [lambda: rules.TrimmedMean(0.5), lambda: rules.TrimmedMean(-0.1), lambda: rules.Krum(-1)]
)
def test_settings_out_of_range_are_refused(make):
    with pytest.raises(Refused):
        make()
