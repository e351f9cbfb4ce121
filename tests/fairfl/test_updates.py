import math

import pytest
import torch

from fairfl import Layout, Updates, rules
from fairfl.errors import Diverged

G = [[1.0, 2.0], [3.0, 4.0], [0.0, 1.0]]


def test_five_typed_vectors_are_enough():
    direction = rules.FedAvg().direction(Updates(G))
    assert torch.allclose(direction.vector, torch.tensor([4 / 3, 7 / 3]))
    assert torch.allclose(direction.rates, torch.tensor(G).double() @ direction.vector.double(), atol=1e-6)


def test_shares_decide():
    direction = rules.FedAvg().direction(Updates(G, shares=[0.0, 1.0, 0.0]))
    assert direction.vector.tolist() == [3.0, 4.0]


@pytest.mark.parametrize(
    "change, words",
    [
        (dict(gradients=[1.0, 2.0]), r"\(K, d\)"),
        (dict(losses=[1.0, 2.0]), r"\(3,\), one entry per participating client"),
        (dict(losses=[1.0, 2.0, math.nan]), "client 2's loss has 1 non-finite entry"),
        (dict(shares=[0.5, 0.1, 0.1]), "sum to 1"),
        (dict(shares=[1.5, -0.25, -0.25]), "non-negative"),
        (dict(clients=[0, 0, 1]), "each client once"),
        (dict(clients=[0, 1, 9], population=5), "0 to 4"),
        (dict(layout=Layout(("w",), ((3,),))), "length of a row"),
        (dict(clients=[0.0, 1.5, 2.0]), r"clients is \[0.0, 1.5, 2.0\]; allowed: integers"),
        (dict(clients=[True, False, True]), "clients is .*integers"),
        (
            dict(gradients=torch.ones(3, 2, dtype=torch.complex64)),
            "the type of gradients is 'torch.complex64'; allowed: real numbers",
        ),
        (dict(local_lr=-1), "local_lr is -1; allowed: 0 or more"),
        (dict(local_lr=math.inf), "local_lr is inf"),
        (dict(extras={"accuracies": torch.ones(2)}), "one entry per participating client|extras"),
        (dict(extras={"mine": [[1, 2], [3, math.nan], [5, 6]]}), "client 1's mine has 1 non-finite entry"),
    ],
)
def test_refusals_teach(change, words):
    with pytest.raises(ValueError, match=words):
        Updates(**{"gradients": G, **change})


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_a_broken_update_is_named(bad):
    rows = torch.ones(3, 10)
    rows[1, 2:5] = bad
    with pytest.raises(Diverged, match=r"client 7's update has 3 non-finite entries \(round 12\); lower the local"):
        Updates(rows, clients=[2, 7, 9], population=10, round=12)


@pytest.mark.parametrize("name", rules.names())
def test_rows_that_carry_a_graph_are_taken_without_it(name):
    rows = torch.eye(3, 4, dtype=torch.float64, requires_grad=True) * 2
    numbers = torch.ones(3, dtype=torch.float64, requires_grad=True) * 0.5
    rule = rules.make(name, **({"tau": 1} if name == "FedFV" else {}))
    extras = dict.fromkeys(rule.needs - {"losses", "layout"}, numbers)
    updates = Updates(rows, losses=numbers, shares=numbers / 1.5, layout=Layout(("w",), ((4,),)), extras=extras)
    decided = rule.direction(updates)
    held = (updates.gradients, updates.losses, updates.shares, *updates.extras.values(), decided.vector)
    assert not any(tensor.requires_grad for tensor in held)
    assert not any(torch.is_tensor(v) and v.requires_grad for v in rule.state_dict().values())


def test_large_finite_rows_are_not_mistaken_for_broken_ones():
    assert len(Updates(torch.full((2, 100), 1e38))) == 2


def test_a_missing_need_is_named():
    class Needy(rules.Rule):
        needs = frozenset({"losses"})

    with pytest.raises(ValueError, match="Needy needs 'losses' of every client"):
        Needy().direction(Updates(G))


def test_layout_places():
    layout = Layout(("a", "b"), ((2, 3), (4,)))
    assert layout.dimension == 10 and layout.slices == (slice(0, 6), slice(6, 10))


def test_unknown_rule_offers_the_nearest():
    with pytest.raises(ValueError, match="Did you mean 'FedAvg'"):
        rules.make("fedavgg")


def test_unknown_setting_offers_the_nearest():
    with pytest.raises(ValueError, match="Did you mean 'epsilon'"):
        rules.make("FedMGDAPlus", epsilom=0.1)
