"""Settings and side inputs out of range: refused, with what was given, what is allowed and what to do."""

import numpy as np
import pytest
import torch

from fairfl import rules
from fairfl.errors import Refused
from fairfl.updates import Updates

from .samples import updates

G = torch.eye(3, dtype=torch.float64)


@pytest.mark.parametrize(
    "name, settings, words",
    [
        ("FedAvg", {"weighting": "share"}, "Did you mean 'shares'"),
        ("FedAvgN", {"weighting": "data"}, "weighting"),
        ("TERM", {"t": float("inf")}, "t is inf"),
        ("TERM", {"weighting": "x"}, "weighting"),
        ("QFedAvg", {"q": -1}, "q is -1; allowed: 0 or more"),
        ("QFedAvg", {"L": 0}, "positive"),
        ("AFL", {"step": -0.1}, "step"),
        ("FedFA", {"alpha": 1.5}, "0 to 1"),
        ("FedFA", {"momentum": -1}, "momentum"),
        ("FedMGDA", {"epsilon": 2}, "epsilon is 2; allowed: 0 to 1"),
        ("FedMGDA", {"lambda0": "data"}, "lambda0"),
        ("FedMGDAPlus", {"lambda0": [-1, 2]}, "non-negative"),
        ("FedMGDA", {"lambda0": None}, "lambda0 is None; allowed: numbers"),
        ("FedMGDA", {"lambda0": 1j}, "type of lambda0 is 'torch.complex64'; allowed: real numbers"),
        ("AdaFed", {"gamma": -1}, "gamma"),
        ("AdaFed", {"losses": "now"}, "losses"),
        ("FedFV", {"alpha": 2}, "alpha"),
        ("FedFV", {"tau": -1}, "tau"),
        ("FedFV", {"order": "down"}, "order"),
        ("FedHEAL", {"beta": 2}, "beta"),
        ("FedHEAL", {"threshold": float("nan")}, "threshold"),
        ("FedFV", {"tau": 1.5}, "tau is 1.5; allowed: a whole number, 0 or more"),
        ("FedFV", {"seed": 0.5}, "seed is 0.5; allowed: a whole number"),
        ("FedFV", {"tau": True}, "tau is True"),
        ("FedMGDA", {"normalise": "no"}, "normalise is 'no'; allowed: True or False"),
        ("FedMGDAPlus", {"normalise": 0}, "normalise is 0"),
        ("TERM", {"t": "high"}, "t is 'high'; allowed: any finite number"),
        ("AFL", {"step": None}, "step is None"),
        ("TERM", {"t": [1, 2]}, "t is"),
    ],
)
def test_settings(name, settings, words):
    with pytest.raises(ValueError, match=words):
        rules.make(name, **settings)


def test_numpy_s_numbers_are_settings_like_python_s():
    rule = rules.FedFV(alpha=np.float32(0.5), tau=np.int64(2), seed=np.uint8(3))
    assert [type(value) for value in vars(rule).values()] == [float, int, str, int]
    assert rules.FedMGDA(normalise=np.True_).normalise is True


@pytest.mark.parametrize(
    "name, extra, value, words",
    [
        ("DQNFed", "newton_rates", [1, -1, 1], "client 1.*newton_rates.*-1.0.*positive definite"),
        ("DQNFed", "newton_rates", [1, float("nan"), 1], "client 1"),
        ("FedFA", "accuracies", [1, 1, -1], "client 2"),
        ("FedFA", "accuracies", [[1], [1], [1]], "shape of accuracies"),
        ("AdaFed", "losses_after", [1, 1, float("inf")], "client 2"),
    ],
)
def test_what_clients_sent(name, extra, value, words):
    rule = rules.AdaFed(losses="after") if name == "AdaFed" else rules.make(name)
    with pytest.raises(ValueError, match=words):
        rule.direction(updates(G, extras={extra: value}))


@pytest.mark.parametrize("name", [name for name in rules.names() if rules.make(name).needs])
def test_what_is_missing_is_named(name):
    rule = rules.make(name)
    with pytest.raises(ValueError, match=f"{rule.name.replace('+', '.')} needs '({'|'.join(rule.needs)})'"):
        rule.direction(Updates(G))


def test_lambda0_is_for_the_whole_population():
    rule = rules.FedMGDA(0.0, [1, 2, 3, 4])
    got = rule.direction(updates(G[:2], clients=torch.tensor([1, 3]), population=4))
    torch.testing.assert_close(got.weights, torch.tensor([1 / 3, 2 / 3], dtype=torch.float64))
    with pytest.raises(ValueError, match="lambda0"):
        rule.direction(updates(G))


def test_q_fedavg_needs_a_step_size_only_where_it_takes_l_from_it():
    u = Updates(G, losses=[1, 2, 3], local_lr=0)
    with pytest.raises(Refused, match="local_lr .*is 0.0; allowed: 1e-30 or more, for q-FedAvg takes L = 1 / local_lr"):
        rules.QFedAvg().direction(u)
    assert rules.QFedAvg(L=1).direction(u).exact and rules.QFedAvg(q=0).direction(u).exact


def test_an_unknown_name_offers_the_nearest():
    with pytest.raises(ValueError, match="Did you mean 'AdaFed'"):
        rules.make("adafed")
