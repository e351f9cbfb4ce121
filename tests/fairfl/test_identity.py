"""What a checkpoint compares: equal runs continue, others are refused, and so is what cannot be told apart."""

import functools
import random
from dataclasses import dataclass, replace

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from refusals import refused

from fairfl import LocalSGD, partition, rules, train
from fairfl.errors import Refused
from fairfl.training.description import describe, identify


@pytest.fixture
def federation(small):
    return partition.iid(small, 3, test=0.2)


@pytest.fixture
def resume(federation, tmp_path):
    """``resume(first, second)``: train with two settings on one checkpoint; ``federation`` may be among them."""

    def run(first, second):
        for settings in (first, second):
            train(**({"federation": federation, "rounds": 1, "checkpoint": tmp_path / "c.pt"} | settings))

    return run


def smooth(amount):
    return functools.partial(F.cross_entropy, reduction="none", label_smoothing=amount)


def scaled_by(factor):
    def tamper(updates):
        return replace(updates, gradients=updates.gradients * factor)

    return tamper


def scaled_by_default(factor):
    def tamper(updates, factor=factor):
        return replace(updates, gradients=updates.gradients * factor)

    return tamper


class Scaled:
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, updates):
        return replace(updates, gradients=updates.gradients * self.factor)

    def apply(self, updates):
        return self(updates)


@dataclass(frozen=True)
class Grown:
    factor: float

    def __call__(self, updates):
        return replace(updates, gradients=updates.gradients * self.factor)


@dataclass(frozen=True)
class Shrunk:
    factor: float

    def __call__(self, updates):
        return replace(updates, gradients=updates.gradients / self.factor)


class Weighted(rules.GramRule):
    def __init__(self, weights):
        self.given = weights

    def weights(self, gram, updates):
        return torch.as_tensor(self.given)


DIFFERENT = {
    "another partial": (
        dict(loss=smooth(0.0)),
        dict(loss=smooth(0.5)),
        "loss.keywords.label_smoothing: 0.5 here, 0.0 in the checkpoint",
    ),
    "another loss module": (
        dict(loss=torch.nn.CrossEntropyLoss(reduction="none")),
        dict(loss=torch.nn.CrossEntropyLoss(reduction="none", label_smoothing=0.5)),
        "loss.label_smoothing: 0.5 here",
    ),
    "another closure": (dict(tamper=scaled_by(2)), dict(tamper=scaled_by(3)), "tamper.captured.factor: 3 here, 2 in"),
    "another default": (
        dict(tamper=scaled_by_default(2)),
        dict(tamper=scaled_by_default(3)),
        "tamper.captured.factor: 3 here, 2 in",
    ),
    "another object's method": (
        dict(tamper=Scaled(2).apply),
        dict(tamper=Scaled(3).apply),
        "tamper.of.factor: 3 here, 2 in",
    ),
    "another dataclass": (
        dict(tamper=Grown(2.0)),
        dict(tamper=Shrunk(2.0)),
        "tamper.class: .*Shrunk' here, .*Grown' in",
    ),
    "another array": (
        dict(rule=Weighted(np.array([0.2, 0.3, 0.5]))),
        dict(rule=Weighted(np.array([0.5, 0.3, 0.2]))),
        "rule.given: 'array",
    ),
    "another captured function": (dict(tamper=scaled_by(2)), dict(tamper=functools.partial(scaled_by(2))), "tamper"),
}


@pytest.mark.parametrize("case", DIFFERENT)
def test_another_setting_does_not_continue_a_checkpoint(resume, case):
    first, second, words = DIFFERENT[case]
    resume(first, first)
    with pytest.raises(Refused, match=words):
        resume(first, second)


def test_made_anew_the_same_settings_continue(resume):
    for make in (
        lambda: dict(loss=smooth(0.1)),
        lambda: dict(tamper=scaled_by(2)),
        lambda: dict(tamper=Grown(2.0)),
        lambda: dict(tamper=Scaled(3).apply),
        lambda: dict(rule=Weighted(np.array([0.2, 0.3, 0.5]))),
    ):
        first, second = make(), make()
        assert identify("a", first) == identify("a", second)
    resume(dict(loss=smooth(0.1), tamper=scaled_by(2)), dict(loss=smooth(0.1), tamper=scaled_by(2)))


class Holding:
    def __init__(self, thing):
        self.thing = thing

    def __call__(self, updates):
        return updates


@pytest.mark.parametrize(
    "settings, words",
    [
        (dict(tamper=lambda updates: updates), "tamper is a lambda"),
        (
            dict(loss=lambda o, t: F.cross_entropy(o, t, reduction="none")),
            "loss is a lambda.*a named function, a functools.partial of one, or a small class",
        ),
        (dict(tamper=functools.partial(lambda updates, a: updates, a=1)), "tamper.function is a lambda"),
        (dict(tamper=Holding(lambda x: x)), "tamper.thing is a lambda"),
        (dict(tamper=Holding(object())), "tamper.thing is a object, whose content cannot be compared"),
        (dict(rule=Weighted(lambda: 1)), "rule.given is a lambda"),
        (dict(rule=["FedAvg", "FedAvg"], seed=[0, 0], tamper=[None, lambda updates: updates]), "tamper is a lambda"),
    ],
)
def test_what_cannot_be_told_apart_is_refused_where_a_checkpoint_is_asked_for(federation, tmp_path, settings, words):
    with pytest.raises(Refused, match=words):
        train(federation, rounds=1, checkpoint=tmp_path / "c.pt", **settings)
    assert not (tmp_path / "c.pt").exists()


def test_a_renamed_lambda_is_a_lambda(federation, tmp_path):
    nothing = lambda updates: updates
    nothing.__name__ = nothing.__qualname__ = "nothing"
    with pytest.raises(Refused, match="tamper is a lambda"):
        train(federation, rounds=1, checkpoint=tmp_path / "c.pt", tamper=nothing)


def test_without_a_checkpoint_a_lambda_serves(federation):
    history = train(federation, rounds=1, tamper=lambda updates: updates)
    assert history.settings["tamper"].endswith("<lambda>") and "data" not in history.settings["federation"]


def test_other_tensors_under_the_same_name_are_refused(resume, federation, small):
    targets = small.targets.clone()
    targets[federation.train[0][0]] = (targets[federation.train[0][0]] + 1) % 3
    for changed, words in (
        (replace(small, targets=targets), r"federation.data.targets: 'tensor\(60,\):"),
        (replace(small, inputs=small.inputs + 1e-6), r"federation.data.inputs: 'tensor\(60, 5\):"),
    ):
        other = replace(federation, dataset=changed)
        assert other.digest == federation.digest
        with pytest.raises(Refused, match=words):
            resume({}, dict(federation=other))
    history = train(federation, rounds=1, checkpoint=None)
    assert history.settings["federation"]["digest"] == federation.digest


def test_tensors_changed_in_place_are_other_tensors(resume, federation):
    resume({}, {})
    federation.dataset.inputs[0] += 1
    with pytest.raises(Refused, match="federation.data.inputs"):
        resume({}, {})


class Net(torch.nn.Module):
    """A linear model whose text does not tell its temperature, nor a frozen weight."""

    def __init__(self, temperature=1.0, frozen=0.0):
        super().__init__()
        self.linear = torch.nn.Linear(5, 3)
        torch.nn.init.zeros_(self.linear.weight), torch.nn.init.zeros_(self.linear.bias)
        self.temperature = temperature
        self.shift = torch.nn.Parameter(torch.full((3,), frozen), requires_grad=False)

    def forward(self, inputs):
        return self.linear(inputs) / self.temperature + self.shift


@pytest.mark.parametrize(
    "other, words", [(Net(temperature=2.0), "temperature: 2.0 here, 1.0 in"), (Net(frozen=1.0), "shift: 'tensor")]
)
def test_what_a_models_text_leaves_out_is_compared(resume, other, words):
    with pytest.raises(Refused, match=words):
        resume(dict(model=Net()), dict(model=other))


def test_recorded_descriptions_stay_what_they_were():
    """Keys of recorded jobs are made of these."""
    assert describe(LocalSGD(lr=0.2)) == {
        "lr": 0.2,
        "epochs": 1,
        "batch_size": None,
        "momentum": 0.0,
        "proximal": 0.0,
        "decay": 1.0,
        "steps": None,
        "correct": None,
        "optimiser": "sgd",
        "betas": [0.9, 0.999],
        "eps": 1e-8,
    }
    assert describe(rules.FedAvg()) == {"class": "fairfl.rules:FedAvg", "weighting": "shares"}
    assert describe(rules.FedLF()) == {"class": "fairfl.rules:FedLF"}
    assert describe(rules.DQNFed())["class"] == "fairfl.rules:DQNFed"
    assert describe(torch.arange(3)) == "tensor(3,):20afc6f5c2aa" and describe(scaled_by) == f"{__name__}:scaled_by"
    assert describe((1, "a", {"b": {2, 1}})) == [1, "a", {"b": [1, 2]}]
    assert describe(torch.nn.Linear(2, 1)) == "Linear(in_features=2, out_features=1, bias=True)"


def test_descriptions_are_plain_whatever_they_describe():
    assert describe(torch.tensor(1.0)).startswith("tensor():")
    assert describe(np.float32(0.5)) == 0.5 and describe(np.int64(3)) == 3
    assert type(describe(np.float64(0.5))) is float
    loop = Holding(None)
    loop.thing = [loop]
    assert describe(loop)["thing"] == ["(itself)"]
    for generator, draw in (
        (torch.Generator(), lambda g: torch.rand(1, generator=g)),
        (np.random.default_rng(0), lambda g: g.random()),
        (random.Random(0), lambda g: g.random()),
    ):
        before = describe(generator)
        assert describe(generator) == before
        draw(generator)
        assert describe(generator) != before


def test_settings_of_numpys_types_survive_a_checkpoint(federation, tmp_path):
    settings = dict(
        rounds=np.int64(2), local=LocalSGD(lr=np.float64(0.1)), participation=np.float64(1.0), seed=np.int64(3)
    )
    first = train(federation, checkpoint=tmp_path / "c.pt", **settings)
    again = train(federation, checkpoint=tmp_path / "c.pt", **settings)
    assert (first.parameters == again.parameters).all()
    assert (first.parameters == train(federation, rounds=2, seed=3).parameters).all()


@pytest.mark.parametrize("content", [b"", b"not a checkpoint", "weights only", "cut"])
def test_a_broken_checkpoint_is_named_and_no_unsafe_advice_passed_on(federation, tmp_path, content):
    path = tmp_path / "c.pt"
    train(federation, rounds=1, checkpoint=path)
    if content == "weights only":
        torch.save({"settings": {}, "state": Holding(1)}, path)
    else:
        path.write_bytes(path.read_bytes()[:200] if content == "cut" else content)
    with refused("file", path) as caught:
        train(federation, rounds=1, checkpoint=path)
    assert "weights_only" not in str(caught.value)
    assert caught.value.__cause__ is None and caught.value.__suppress_context__
