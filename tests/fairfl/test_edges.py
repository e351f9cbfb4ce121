"""Arguments of the wrong kind are refused at the edge, by kind; nothing raw comes out of PyTorch or Python."""

import copy
import pickle

import numpy as np
import pytest
import torch
from refusals import refused

from fairfl import Updates, data, metrics, models, partition, rules, sweep, train
from fairfl._validation import as_device
from fairfl.clients import LocalSGD
from fairfl.deployment import Coordinator, Member
from fairfl.deployment.secure_sums import SecureSum
from fairfl.federation import Federation
from fairfl.training import ServerStep
from fairfl.updates import Layout

DIGITS = data.load("digits")
LETTERS = data.Dataset(torch.zeros(9, 5, dtype=torch.int64), torch.arange(9))
MASKED = np.ma.array([[1.0, 2.0], [3.0, 4.0]], mask=[[False, True], [False, False]])
linear = lambda **how: torch.nn.Linear(64, 10, **how)
trained = lambda *given, **settings: train(partition.iid(DIGITS, 2), *given, rounds=1, progress=False, **settings)
swept = lambda split, **settings: sweep(split, rules="FedAvg", rounds=1, progress=False, **settings)
step = lambda: ServerStep("FedAvg", torch.ones(2), 5)


def twice():
    once = torch.nn.Linear(10, 10, bias=False)
    return torch.nn.Sequential(linear(), once, once)


class Counts(torch.nn.Module):
    """A model whose outputs depend on how often it was called."""

    def __init__(self, attribute):
        super().__init__()
        self.layer, self.seen = linear(), attribute

    def forward(self, inputs):
        self.seen = self.seen + inputs.detach().mean(0) if torch.is_tensor(self.seen) else self.seen + 1
        return self.layer(inputs - torch.as_tensor(self.seen) / 100)


REFUSED = {
    "a name that is a list": (lambda: rules.make(["x"]), "name"),
    "a model that is a list": (lambda: models.build(["x"], DIGITS), "name"),
    "a dataset that is a list": (lambda: data.load(["x"]), "name"),
    "a preset that is a list": (lambda: partition.preset(["x"]), "name"),
    "a column that is a list": (lambda: partition.by_column(DIGITS, ["x"]), "name"),
    "an engine that is a list": (lambda: trained("FedAvg", engine=["x"]), "name"),
    "one width": (lambda: models.build("mlp", DIGITS, hidden=5), "type"),
    "a width of text": (lambda: models.build("mlp", DIGITS, hidden=("a",)), "type"),
    "a width with a fraction": (lambda: models.build("mlp", DIGITS, hidden=(2.5,)), "type"),
    "a negative width": (lambda: models.build("mlp", DIGITS, hidden=(-3,)), "value"),
    "a switch of text": (lambda: models.build("mlp", DIGITS, softmax="no"), "type"),
    "another switch of text": (lambda: models.build("fedmgda_fashion_mnist", DIGITS, dropout="no"), "type"),
    "no layers": (lambda: models.build("char_lstm", LETTERS, layers=0), "value"),
    "groups of text": (lambda: models.build("resnet18", DIGITS, groups="2"), "type"),
    "undo of text": (lambda: ServerStep("FedAvg", torch.ones(2), 5, undo="no"), "type"),
    "a rule's state that is none": (lambda: rules.make("FedFV").load_state_dict(None), "state"),
    "a state that is not finite": (
        lambda: step().load_state_dict(step().state_dict() | {"reported": torch.tensor([torch.nan, 1.0])}),
        "state",
    ),
    "a shape with a fraction": (lambda: Layout(("a",), ((2.5,),)), "type"),
    "a negative shape": (lambda: Layout(("a",), ((-2,),)), "value"),
    "a name twice": (lambda: Layout(("a", "a"), ((2,), (2,))), "value"),
    "a model without values": (lambda: trained("FedAvg", linear(device="meta")), "type"),
    "a lazy model": (lambda: trained("FedAvg", torch.nn.LazyLinear(10)), "type"),
    "a compiled model": (lambda: trained("FedAvg", torch.jit.script(linear())), "type"),
    "a model that counts": (lambda: trained("FedAvg", Counts(0)), "value"),
    "a model with a running mean": (lambda: trained("FedAvg", Counts(torch.zeros(64))), "value"),
    "a trillion clients": (lambda: Coordinator("FedAvg", linear(), 2**40, 4), "value"),
    "a trillion epochs": (lambda: LocalSGD(epochs=10**12, steps=1), "value"),
    "classes that are a number": (lambda: data.load("digits", classes=5), "type"),
    "groups that are a dictionary": (lambda: partition.by_class(DIGITS, {0: [1, 2], 1: [0]}), "type"),
    "validation that is the test": (lambda: Federation(DIGITS, [[0]], [[1, 2]], [[2, 3]]), "combination"),
    "masked updates": (lambda: Updates(MASKED), "type"),
    "masked accuracies": (lambda: metrics.mean(MASKED), "type"),
    "masked inputs": (lambda: data.Dataset(MASKED, [0, 1]), "type"),
    "a path that no system has": (lambda: trained("FedAvg", checkpoint="a\0b"), "file"),
    "classes as a number of text": (lambda: data.load("digits", classes="10"), "type"),
    "classes of no letters": (lambda: data.load("digits", classes=""), "type"),
    "seven outputs for ten classes": (lambda: trained("FedAvg", torch.nn.Linear(64, 7)), "shape"),
    "a module with two names in stacks": (lambda: trained("FedAvg", twice(), engine="batched"), "combination"),
    "a callback without an argument": (lambda: trained("FedAvg", on_round=lambda: None), "type"),
    "a metric of one argument": (lambda: trained("FedAvg", score={"m": lambda o: 1.0}), "type"),
    "a loss of one argument": (lambda: trained("FedAvg", loss=lambda o: o.sum(1)), "type"),
    "a tamper of two arguments": (lambda: trained("FedAvg", tamper=lambda u, v: u), "type"),
    "a split without a seed": (lambda: swept(lambda: partition.iid(DIGITS, 2)), "type"),
    "histories that are a number": (lambda: swept(partition.iid(DIGITS, 2), histories=3), "type"),
    "more evaluations than there are": (lambda: swept(partition.iid(DIGITS, 2), last=3), "value"),
    "updates without values": (lambda: Updates(torch.ones(2, 2, device="meta")), "value"),
    "a list for a rule": (lambda: rules.make("FedAvg").direction([[1.0]]), "type"),
    "a number for a step": (lambda: step().take(3), "type"),
    "a weight that rounds a row away": (lambda: SecureSum(np.eye(4))([1, 1e-30, 1e-30, 0]), "value"),
}


@pytest.mark.filterwarnings("ignore")  # PyTorch's, of torch.jit
@pytest.mark.parametrize("case", REFUSED)
def test_it_is_refused_by_its_kind(case):
    call, kind = REFUSED[case]
    with refused(kind):
        call()


def test_a_module_with_two_names_trains():
    history = train(partition.iid(DIGITS, 3), "FedAvg", twice(), rounds=2, progress=False)
    assert history.accuracy.shape == (3, 3) and history.loss[-1].mean() < history.loss[0].mean()


def test_a_federation_keeps_its_own_rows():
    given = torch.arange(3), np.arange(3, 6)
    federation = Federation(DIGITS, [given[0]], [[]], [given[1]])
    before = federation.digest
    given[0][:] = given[1][:] = 9
    assert federation.digest == before


@pytest.mark.parametrize("device", ["mps", "xla", "vulkan", "xpu", "hpu"])
def test_a_device_that_is_not_here(device):
    if device == "mps" and torch.backends.mps.is_available():
        pytest.skip("it is here")
    with refused("value", device, "cpu"):
        as_device(device)


class Keeps(rules.FedAvg):
    """A rule that keeps what it saw."""

    def direction(self, updates):
        self._last = updates
        return super().direction(updates)


def test_a_rule_may_keep_its_updates():
    federation = partition.iid(DIGITS, 3)
    coordinator = Coordinator(Keeps(), linear(), population=3, rounds=2)
    for t in range(2):
        members = [Member.of(federation, k, linear()) for k in range(3)]
        assert not coordinator.receive([m.work(coordinator.arrays(), t) for m in members]).skipped
    updates = Updates([[1.0, 2.0]], extras={"accuracies": [0.5]})
    for other in (copy.deepcopy(updates), pickle.loads(pickle.dumps(updates))):
        assert torch.equal(other.gradients, updates.gradients) and other.extras["accuracies"] == 0.5
        with pytest.raises(TypeError):
            other.extras["accuracies"] = 1


class Learned(rules.Rule):
    """A rule with a parameter that could be trained."""

    def __init__(self):
        self.scale = torch.nn.Parameter(torch.ones(()))

    def combine(self, updates):
        return rules.Direction(self.scale * updates.gradients.mean(0))


def test_a_model_keeps_no_graph_of_its_rule():
    server = ServerStep(Learned(), torch.ones(2), 5)
    server.take(Updates([[1.0, 1.0]]))
    assert not server.w.requires_grad and not server.reported.requires_grad


def test_no_mask_is_used_twice():
    secure = SecureSum(np.eye(4))
    difference = (secure.sent([2, 1, 1, 1]) - secure.sent([1, 1, 1, 1])).view(np.int64) / 2.0**40
    assert np.abs(difference).max() > 10  # with the masks used twice, it would be client 0's row


def test_accuracies_that_are_all_zero_have_a_row():
    row = metrics.summary([0.0, 0.0, 0.0])
    assert row["mean"] == row["std"] == 0 and np.isnan([row["KL"], row["Jain"], row["Gini"]]).all()
    assert metrics.mean([1e308, 1e308]) == 1e308
