"""A rule of one's own that answers something else is told so by its name, before anybody reckons with the answer."""

import math

import numpy as np
import pytest
import torch

from fairfl import Direction, rules
from fairfl.errors import Diverged, Refused

from .samples import updates

ROUND = updates(torch.eye(2, 3))
V = torch.ones(3, dtype=torch.float64)


def mine(base, method, answer):
    return type("Mine", (base,), {method: lambda self, *given: answer})()


@pytest.mark.parametrize("base", [rules.GramRule, rules.WeightRule])
class TestWeights:
    @pytest.mark.parametrize(
        "answer, words",
        [
            ([1.0], r"shape of Mine's weights is \(1,\); allowed: \(2,\), one number per client"),
            (torch.ones(3), r"\(3,\)"),
            (np.ones((2, 1)), r"\(2, 1\)"),
            (3.0, r"Mine's weights is \(\)"),
            (None, "Mine returns as weights is None"),
            ("ab", "Mine returns as weights is 'ab'"),
            ([1j, 1], "Mine returns as weights is 'torch.complex64'; allowed: real numbers"),
            (rules.Weights(torch.ones(3)), r"Mine's weights is \(3,\)"),
        ],
        ids=str,
    )
    def test_what_is_not_one_real_number_per_client_is_refused(self, base, answer, words):
        with pytest.raises(Refused, match=words):
            mine(base, "weights", answer).direction(ROUND)

    @pytest.mark.parametrize("answer", [[0.1, 0.2], np.array([0.1, 0.2]), rules.Weights([0.1, 0.2])], ids=repr)
    def test_lists_and_arrays_are_taken_as_they_are(self, base, answer):
        got = mine(base, "weights", answer).direction(ROUND)
        assert got.weights.tolist() == got.rates.tolist() == [0.1, 0.2] and torch.is_tensor(got.weights)


@pytest.mark.parametrize(
    "answer, words",
    [
        (None, "what Mine.combine returns is None; allowed: a Direction"),
        (V, "what Mine.combine returns is tensor"),
        (V.numpy(), "what Mine.combine returns is array"),
        (Direction([1.0, 2.0, 3.0]), r"what Mine.combine returns is Direction\(vector=\[1.0, "),
        (Direction(V, rates=torch.ones(2, 1)), r"shape of Mine's rates is \(2, 1\); allowed: a tensor \(K,\)"),
        (Direction(V, rates=torch.ones(0)), r"shape of Mine's rates is \(0,\)"),
        (Direction(V, rates=[1.0, 2.0]), "shape of Mine's rates is 'list'; allowed: a tensor"),
        (Direction(V, weights=torch.tensor(1.0)), r"shape of Mine's weights is \(\)"),
    ],
    ids=str,
)
def test_what_is_no_direction_for_these_clients_is_refused(answer, words):
    with pytest.raises(Refused, match=words):
        mine(rules.Rule, "combine", answer).direction(ROUND)


def test_rates_that_are_no_numbers_are_found():
    with pytest.raises(Diverged, match="Mine's rates have non-finite entries"):
        mine(rules.Rule, "combine", Direction(V, rates=torch.tensor([math.nan, 1]))).direction(ROUND)


@pytest.mark.parametrize(
    "answer", [Direction(V), Direction(V, torch.ones(2), torch.ones(2)), Direction(V, *V.expand(2, 3))]
)
def test_what_a_direction_may_leave_out_or_say_of_remembered_rows(answer):
    assert mine(rules.Rule, "combine", answer).direction(ROUND) is answer
