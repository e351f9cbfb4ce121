"""Settings and inputs out of range are refused, with the kind of the error and what was given."""

import numpy as np
import pytest
import torch
from refusals import refused

from fairfl import rules
from fairfl.updates import Updates

from .samples import updates

G = torch.eye(3, dtype=torch.float64)


@pytest.mark.parametrize(
    "name, settings, kind, mentions",
    [
        ("FedAvg", {"weighting": "share"}, "name", ["weighting", "'share'", "'shares'?"]),
        ("FedAvgN", {"weighting": "data"}, "name", ["weighting", "'data'"]),
        ("TERM", {"t": float("inf")}, "value", ["t is inf"]),
        ("TERM", {"weighting": "x"}, "name", ["weighting"]),
        ("QFedAvg", {"q": -1}, "value", ["q is -1", 0]),
        ("QFedAvg", {"L": 0}, "value", ["L is 0"]),
        ("AFL", {"step": -0.1}, "value", ["step", -0.1]),
        ("FedFA", {"alpha": 1.5}, "value", ["alpha", 1.5, "0 to 1"]),
        ("FedFA", {"momentum": -1}, "value", ["momentum", -1]),
        ("FedMGDA", {"epsilon": 2}, "value", ["epsilon is 2", "0 to 1"]),
        ("FedMGDA", {"lambda0": "data"}, "value", ["lambda0", "'data'", "'shares'"]),
        ("FedMGDAPlus", {"lambda0": [-1, 2]}, "value", ["lambda0", [-1.0, 2.0]]),
        ("FedMGDA", {"lambda0": None}, "type", ["lambda0 is None"]),
        ("FedMGDA", {"lambda0": 1j}, "type", ["lambda0", "torch.complex64"]),
        ("AdaFed", {"gamma": -1}, "value", ["gamma", -1]),
        ("AdaFed", {"losses": "now"}, "name", ["losses", "'now'"]),
        ("FedFV", {"alpha": 2}, "value", ["alpha", 2]),
        ("FedFV", {"tau": -1}, "value", ["tau", -1]),
        ("FedFV", {"order": "down"}, "name", ["order", "'down'"]),
        ("FedHEAL", {"beta": 2}, "value", ["beta", 2]),
        ("FedHEAL", {"threshold": float("nan")}, "value", ["threshold", "nan"]),
        ("FedFV", {"tau": 1.5}, "type", ["tau is 1.5", 0]),
        ("FedFV", {"seed": 0.5}, "type", ["seed is 0.5"]),
        ("FedFV", {"tau": True}, "type", ["tau is True"]),
        ("FedMGDA", {"normalise": "no"}, "type", ["normalise is 'no'", "True or False"]),
        ("FedMGDAPlus", {"normalise": 0}, "type", ["normalise is 0"]),
        ("TERM", {"t": "high"}, "type", ["t is 'high'"]),
        ("AFL", {"step": None}, "type", ["step is None"]),
        ("TERM", {"t": [1, 2]}, "type", ["t is [1, 2]"]),
    ],
)
def test_settings(name, settings, kind, mentions):
    with refused(kind, *mentions):
        rules.make(name, **settings)


def test_numpy_s_numbers_are_settings_like_python_s():
    rule = rules.FedFV(alpha=np.float32(0.5), tau=np.int64(2), seed=np.uint8(3))
    assert [type(value) for value in vars(rule).values()] == [float, int, str, int]
    assert rules.FedMGDA(normalise=np.True_).normalise is True


@pytest.mark.parametrize(
    "name, extra, value, kind, mentions",
    [
        ("DQNFed", "newton_rates", [1, -1, 1], "value", ["client 1", "newton_rates", -1.0]),
        ("DQNFed", "newton_rates", [1, float("nan"), 1], "diverged", ["client 1"]),
        ("FedFA", "accuracies", [1, 1, -1], "value", ["client 2", "accuracies", -1.0]),
        ("FedFA", "accuracies", [[1], [1], [1]], "shape", ["accuracies", "(3, 1)"]),
        ("AdaFed", "losses_after", [1, 1, float("inf")], "diverged", ["client 2"]),
    ],
)
def test_what_clients_sent(name, extra, value, kind, mentions):
    rule = rules.AdaFed(losses="after") if name == "AdaFed" else rules.make(name)
    with refused(kind, *mentions):
        rule.direction(updates(G, extras={extra: value}))


@pytest.mark.parametrize("name", [name for name in rules.names() if rules.make(name).needs])
def test_what_is_missing_is_named(name):
    rule = rules.make(name)
    with refused("missing", rule.name) as caught:
        rule.direction(Updates(G))
    assert any(f"'{name}'" in str(caught.value) for name in rule.needs)


def test_lambda0_is_for_the_whole_population():
    rule = rules.FedMGDA(0.0, [1, 2, 3, 4])
    got = rule.direction(updates(G[:2], clients=torch.tensor([1, 3]), population=4))
    torch.testing.assert_close(got.weights, torch.tensor([1 / 3, 2 / 3], dtype=torch.float64))
    with refused("shape", "lambda0", 4, 3):
        rule.direction(updates(G))


def test_q_fedavg_needs_a_step_size_only_where_it_takes_l_from_it():
    u = Updates(G, losses=[1, 2, 3], local_lr=0)
    with refused("value", "local_lr", 0.0, 1e-30, "q-FedAvg"):
        rules.QFedAvg().direction(u)
    assert rules.QFedAvg(L=1).direction(u).exact and rules.QFedAvg(q=0).direction(u).exact


def test_an_unknown_name_offers_the_nearest():
    with refused("name", "'adafed'", "'AdaFed'?"):
        rules.make("adafed")
