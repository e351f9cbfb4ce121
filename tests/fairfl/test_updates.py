import math
import re

import numpy as np
import pandas as pd
import pytest
import torch
from refusals import refused

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
    "change, kind, mentions",
    [
        (dict(gradients=[1.0, 2.0]), "shape", ["gradients", "(2,)", "(K, d)"]),
        (dict(losses=[1.0, 2.0]), "shape", ["losses", "(2,)", "(3,)"]),
        (dict(losses=[1.0, 2.0, math.nan]), "diverged", ["client 2's loss", "round 0"]),
        (dict(shares=[0.5, 0.1, 0.1]), "value", ["shares", 0.7]),
        (dict(shares=[0.5, 0.25, 0.2498]), "value", ["shares", 0.9998]),
        (dict(shares=[1.5, -0.25, -0.25]), "value", ["shares", -0.25]),
        (dict(clients=[0, 0, 1]), "value", ["clients", [0, 0, 1]]),
        (dict(clients=[0, 1, 9], population=5), "value", ["clients", "(0, 9)", 4]),
        (dict(layout=Layout(("w",), ((3,),))), "shape", ["layout", 3, 2]),
        (dict(clients=[0.0, 1.5, 2.0]), "type", ["clients", [0.0, 1.5, 2.0]]),
        (dict(clients=[True, False, True]), "type", ["clients", [True, False, True]]),
        (dict(gradients=torch.ones(3, 2, dtype=torch.complex64)), "type", ["gradients", "torch.complex64"]),
        (dict(local_lr=-1), "value", ["local_lr", -1]),
        (dict(local_lr=math.inf), "value", ["local_lr", "inf"]),
        (dict(extras={"accuracies": torch.ones(2)}), "shape", ["extras['accuracies']", "(2,)", "(3, ...)"]),
        (dict(extras={"mine": [[1, 2], [3, math.nan], [5, 6]]}), "diverged", ["client 1's mine"]),
        (dict(extras={"mine": None}), "type", ["extras['mine']", None]),
        (dict(extras=[1, 2, 3]), "type", ["extras", [1, 2, 3]]),
        (dict(extras=None), "type", ["extras", None]),
        (dict(layout="x"), "type", ["layout", "'x'", "Layout"]),
        (dict(population=math.nan), "type", ["population", "nan", 1]),
        (dict(population="3"), "type", ["population", "'3'"]),
        (dict(population=3.9), "type", ["population", 3.9]),
        (dict(population=0), "value", ["population", 0, 1]),
        (dict(clients=[-1, 0, 1]), "value", ["clients", "(-1, 1)"]),
        (dict(round="x"), "type", ["round", "'x'", 0]),
        (dict(round=-3), "value", ["round", -3, 0]),
        (dict(round=1.5), "type", ["round", 1.5]),
        (dict(gradients=[[1e39, 0.0]]), "value", ["gradients", "1e+39", "torch.float32", "torch.float64"]),
        (dict(gradients=torch.eye(3).to_sparse()), "type", ["gradients", "torch.sparse_coo", "to_dense"]),
        (dict(gradients=[torch.ones(2)] * 3), "type", ["gradients", "torch.stack"]),
    ],
)
def test_refusals_teach(change, kind, mentions):
    with refused(kind, *mentions):
        Updates(**{"gradients": G, **change})


@pytest.mark.parametrize("what", ["gradients", "losses", "shares", "clients", "extras"])
@pytest.mark.parametrize(
    "value, mention",
    [
        ("abc", "'abc'"),
        (["a", "b", "c"], "['a', 'b', 'c']"),
        ([None] * 3, "[None, None, None]"),
        ([[1.0], [1.0, 2.0], [3.0]], "[[1.0], [1.0, 2.0], [3.0]]"),
        ([[10**400]], "[[1"),
        (np.array([1.0, "x", None], dtype=object), "array"),
        ([1j, 0, 0], "complex64"),
        (np.ones(3, dtype=complex), "complex128"),
    ],
    ids=str,
)
def test_what_is_not_a_number_is_refused_by_name(what, value, mention):
    change = {"extras": {"mine": value}} if what == "extras" else {what: value}
    with refused("type", what, mention):
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
    with pytest.raises(Diverged, match=r"client 7's update .*3 .*round 12"):
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

    with refused("missing", "Needy", "'losses'"):
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
        except Refused as error:
            what, where = re.search(r"'(\w+)'.*Updates\(\.\.\., (\w+)=", str(error)).groups()
        value = given.get(what, [0.5, 0.75])
        arguments[where] = value if where == what else arguments.get("extras", {}) | {what: value}
        asked += 1
    assert asked == len(rule.needs)


def test_losses_among_the_extras_are_not_taken_for_the_column():
    with refused("missing", "q-FedAvg", "'losses'"):
        rules.make("QFedAvg").direction(Updates(G, extras={"losses": [1.0] * len(G)}))


def test_layout_places():
    layout = Layout(("a", "b"), ((2, 3), (4,)))
    assert layout.dimension == 10 and layout.slices == (slice(0, 6), slice(6, 10))


def test_unknown_rule_offers_the_nearest():
    with refused("name", "'fedavgg'", "'FedAvg'?"):
        rules.make("fedavgg")


def test_unknown_setting_offers_the_nearest():
    with refused("name", "'epsilom'", "'epsilon'?"):
        rules.make("FedMGDAPlus", epsilom=0.1)
