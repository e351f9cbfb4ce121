"""A rule of one's own that returns something else than a direction or weights is refused, with its name."""

import math

import numpy as np
import pytest
import torch
from refusals import refused

from fairfl import Direction, rules

from .samples import updates

ROUND = updates(torch.eye(2, 3))
V = torch.ones(3, dtype=torch.float64)


def mine(base, method, answer):
    return type("Mine", (base,), {method: lambda self, *given: answer})()


@pytest.mark.parametrize("base", [rules.GramRule, rules.WeightRule])
class TestWeights:
    @pytest.mark.parametrize(
        "answer, kind, mentions",
        [
            ([1.0], "shape", ["Mine's weights", "(1,)", "(2,)"]),
            (torch.ones(3), "shape", ["(3,)"]),
            (np.ones((2, 1)), "shape", ["(2, 1)"]),
            (3.0, "shape", ["Mine's weights", "()"]),
            (None, "type", ["Mine", "weights", None]),
            ("ab", "type", ["Mine", "weights", "'ab'"]),
            ([1j, 1], "type", ["Mine", "weights", "torch.complex64"]),
            (rules.Weights(torch.ones(3)), "shape", ["Mine's weights", "(3,)"]),
        ],
        ids=str,
    )
    def test_anything_but_one_real_number_per_client_is_refused(self, base, answer, kind, mentions):
        with refused(kind, *mentions):
            mine(base, "weights", answer).direction(ROUND)

    @pytest.mark.parametrize("answer", [[0.1, 0.2], np.array([0.1, 0.2]), rules.Weights([0.1, 0.2])], ids=repr)
    def test_lists_and_arrays_are_taken_as_they_are(self, base, answer):
        got = mine(base, "weights", answer).direction(ROUND)
        assert got.weights.tolist() == got.rates.tolist() == [0.1, 0.2] and torch.is_tensor(got.weights)


@pytest.mark.parametrize(
    "answer, kind, mentions",
    [
        (None, "type", ["Mine.combine", None]),
        (V, "type", ["Mine.combine", "tensor"]),
        (V.numpy(), "type", ["Mine.combine", "array"]),
        (Direction([1.0, 2.0, 3.0]), "type", ["Mine.combine", "Direction(vector=[1.0, "]),
        (Direction(V, rates=torch.ones(2, 1)), "shape", ["Mine's rates", "(2, 1)", "(K,)"]),
        (Direction(V, rates=torch.ones(0)), "shape", ["Mine's rates", "(0,)"]),
        (Direction(V, rates=[1.0, 2.0]), "shape", ["Mine's rates", "'list'"]),
        (Direction(V, weights=torch.tensor(1.0)), "shape", ["Mine's weights", "()"]),
        (Direction(V, rates=torch.tensor([math.nan, 1])), "diverged", ["Mine's rates"]),
        (Direction(V, rates=torch.tensor([1, math.inf])), "diverged", ["Mine's rates"]),
    ],
    ids=str,
)
def test_anything_but_a_direction_for_these_clients_is_refused(answer, kind, mentions):
    with refused(kind, *mentions):
        mine(rules.Rule, "combine", answer).direction(ROUND)


def test_exact_follows_from_the_reason():
    for made in (lambda **more: Direction(V, **more), lambda **more: rules.Weights(V, **more)):
        assert made().exact and not made(reason="the updates cancel").exact
        with pytest.raises(TypeError):
            made(exact=False)
    with pytest.raises(TypeError):
        Direction(V, V, V, True)


@pytest.mark.parametrize(
    "answer", [Direction(V), Direction(V, torch.ones(2), torch.ones(2)), Direction(V, *V.expand(2, 3))]
)
def test_what_a_direction_may_leave_out_or_say_of_remembered_rows(answer):
    assert mine(rules.Rule, "combine", answer).direction(ROUND) is answer
