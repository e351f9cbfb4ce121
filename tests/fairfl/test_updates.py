import math
import re

import numpy as np
import pandas as pd
import pytest
import torch

from fairfl import Layout, Updates, rules
from fairfl.errors import Diverged, Refused

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
        (dict(shares=[0.5, 0.25, 0.2498]), "sum to 1"),
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
        (dict(extras={"mine": None}), r"extras\['mine'\] is None; allowed: numbers"),
        (dict(extras=[1, 2, 3]), r"extras is \[1, 2, 3\]; allowed: numbers by name"),
        (dict(extras=None), "extras is None; allowed: numbers by name"),
        (dict(layout="x"), "layout is 'x'; allowed: a Layout"),
        (dict(population=math.nan), "population is nan; allowed: a whole number, 1 or more"),
        (dict(population="3"), "population is '3'"),
        (dict(population=3.9), "population is 3.9"),
        (dict(clients=[-1, 0, 1]), r"range of clients is \(-1, 1\)"),
        (dict(round="x"), "round is 'x'; allowed: a whole number, 0 or more"),
        (dict(round=-3), "round is -3"),
        (dict(round=1.5), "round is 1.5"),
        (dict(gradients=[[1e39, 0.0]]), r"largest entry of gradients is 1e\+39; .* torch.float32 holds.*float64"),
        (dict(gradients=torch.eye(3).to_sparse()), "layout of gradients is 'torch.sparse_coo'.*to_dense"),
        (dict(gradients=[torch.ones(2)] * 3), "torch.stack"),
    ],
)
def test_refusals_teach(change, words):
    with pytest.raises(Refused, match=words):
        Updates(**{"gradients": G, **change})


@pytest.mark.parametrize("what", ["gradients", "losses", "shares", "clients", "extras"])
@pytest.mark.parametrize(
    "value, words",
    [
        ("abc", "is 'abc'; allowed: numbers"),
        (["a", "b", "c"], "allowed: numbers"),
        ([None] * 3, "allowed: numbers"),
        ([[1.0], [1.0, 2.0], [3.0]], "allowed: numbers"),
        ([[10**400]], "allowed: numbers"),
        (np.array([1.0, "x", None], dtype=object), "allowed: numbers"),
        ([1j, 0, 0], "complex64.*allowed: real numbers"),
        (np.ones(3, dtype=complex), "complex128.*allowed: real numbers"),
    ],
    ids=str,
)
def test_what_is_no_numbers_is_refused_by_name(what, value, words):
    change = {"extras": {"mine": value}} if what == "extras" else {what: value}
    with pytest.raises(Refused, match=f"{what}.*{words}"):
        Updates(**{"gradients": G, **change})


def test_python_s_floats_stay_as_exact_as_they_were_typed():
    typed = [0.1, 0.7, 0.2]
    updates = Updates(G, losses=typed, shares=typed, extras={"mine": typed, "counts": [1, 2, 3]})
    assert updates.losses.tolist() == updates.shares.tolist() == updates.extras["mine"].tolist() == typed
    assert updates.extras["counts"].dtype == torch.int64 and updates.gradients.dtype == torch.float32
    assert Updates(G).shares.tolist() == [1 / 3] * 3


def test_whole_numbers_of_any_kind_are_taken():
    updates = Updates(G, population=np.int64(4), round=torch.tensor(2))
    assert (updates.population, updates.round) == (4, 2) and type(updates.round) is int


@pytest.mark.parametrize("backwards", [False, True])
def test_an_array_is_copied_and_a_tensor_is_not(backwards):
    rows, losses = np.array(G[::-1])[::-1] if backwards else np.array(G), np.ones(3)
    updates = Updates(rows, losses=losses, extras={"mine": losses})
    direction = rules.FedAvg().direction(updates)
    rows[:] = np.nan
    losses[:] = np.nan
    assert updates.gradients.tolist() == G and not any(
        t.isnan().any() for t in (updates.losses, updates.extras["mine"])
    )
    assert (direction.rates > 0).all()
    tensor = torch.tensor(G, requires_grad=True)
    assert Updates(tensor).gradients.data_ptr() == tensor.data_ptr()


def test_tables_are_taken_too():
    updates = Updates(pd.DataFrame(G), losses=pd.Series([0.1, 0.2, 0.3], index=[7, 8, 9]))
    assert updates.gradients.tolist() == G and updates.losses.tolist() == [0.1, 0.2, 0.3]


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


@pytest.mark.parametrize("name", rules.names())
def test_the_way_out_that_a_refusal_names_works(name):
    """Losses and layout are columns of the record, and all else goes into extras; each was advised for the other."""
    rule = rules.make(name)
    given = {"losses": [1.0, 2.0], "layout": Layout(("w",), ((3,),))}
    rows = [[1.0, 2.0, 0.5], [0.5, -1.0, 2.0]]
    arguments, asked = {}, 0
    while True:
        try:
            rule.direction(Updates(rows, **arguments))
            break
        except Refused as refused:
            what, where = re.search(r"needs '(\w+)'.*Pass Updates\(\.\.\., (\w+)=", str(refused)).groups()
        value = given.get(what, [0.5, 0.75])
        arguments[where] = value if where == what else arguments.get("extras", {}) | {what: value}
        asked += 1
    assert asked == len(rule.needs)


def test_losses_among_the_extras_are_not_taken_for_the_column():
    with pytest.raises(Refused, match="q-FedAvg needs 'losses'"):
        rules.make("QFedAvg").direction(Updates(G, extras={"losses": [1.0] * len(G)}))


def test_layout_places():
    layout = Layout(("a", "b"), ((2, 3), (4,)))
    assert layout.dimension == 10 and layout.slices == (slice(0, 6), slice(6, 10))


def test_unknown_rule_offers_the_nearest():
    with pytest.raises(ValueError, match="Did you mean 'FedAvg'"):
        rules.make("fedavgg")


def test_unknown_setting_offers_the_nearest():
    with pytest.raises(ValueError, match="Did you mean 'epsilon'"):
        rules.make("FedMGDAPlus", epsilom=0.1)
