"""The trial before the first round: chance inside ``forward``, buffers that change, streams that no seed reaches."""

import random

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from refusals import refused

from fairfl import models, partition, train
from fairfl.clients import FlatModel
from fairfl.clients.losses import cross_entropy
from fairfl.clients.model_checks import tried
from fairfl.errors import Refused


@pytest.fixture
def federation(small):
    return partition.iid(small, 3, test=0.2)


class Functional(torch.nn.Module):
    """Dropout as a function in ``forward``, where no look at the layers finds it."""

    def __init__(self, always=False):
        super().__init__()
        self.one, self.two, self.always = torch.nn.Linear(5, 16), torch.nn.Linear(16, 3), always

    def forward(self, inputs):
        return self.two(F.dropout(self.one(inputs), 0.5, training=self.always or self.training))


class Layered(Functional):
    def __init__(self):
        super().__init__()
        self.drop = torch.nn.Dropout(0.5)

    def forward(self, inputs):
        return self.two(self.drop(self.one(inputs)))


def test_dropout_inside_forward_is_keyed_and_leaves_the_global_stream_alone(federation):
    module = Functional()
    runs = []
    for stream in (1, 2):
        torch.manual_seed(stream)
        before = torch.get_rng_state()
        runs.append(train(federation, model=module, rounds=3, seed=[0, 1]))
        assert torch.equal(before, torch.get_rng_state())
    for one, two in zip(*runs):
        assert (one.parameters == two.parameters).all() and one.settings["engine"] == "sequential"
    assert not (runs[0][0].parameters == runs[0][1].parameters).all()


def test_a_function_and_a_layer_draw_the_same(federation):
    layered = Layered()
    function = Functional()
    function.load_state_dict(layered.state_dict())
    one, other = (train(federation, model=model, rounds=2) for model in (layered, function))
    assert (one.parameters == other.parameters).all()


class Counter(torch.nn.Module):
    """A float buffer that every forward pass moves."""

    def __init__(self, replaced=False):
        super().__init__()
        self.linear, self.replaced = torch.nn.Linear(5, 3), replaced
        self.register_buffer("seen", torch.zeros(1))

    def forward(self, inputs):
        if self.replaced:
            self.seen = self.seen + inputs.mean().detach()
        else:
            self.seen += inputs.mean().detach()
        return self.linear(inputs) + self.seen


class Drawing(torch.nn.Module):
    def __init__(self, draw):
        super().__init__()
        self.linear, self.draw = torch.nn.Linear(5, 3), draw

    def forward(self, inputs):
        return self.linear(inputs) * self.draw()


@pytest.mark.parametrize(
    "model, words",
    [
        (Counter(), "the model's buffer 'seen' changes in a forward pass.*leak to the next"),
        (Counter(replaced=True), "the model's buffer 'seen' changes"),
        (
            torch.nn.utils.parametrizations.spectral_norm(torch.nn.Linear(5, 3)),
            "buffer 'parametrizations.*changes in a forward pass",
        ),
        (Functional(always=True), "training=self.training"),
        (Drawing(lambda: np.random.rand()), "NumPy's global stream"),
        (Drawing(lambda: random.random()), "Python's random module"),
    ],
)
def test_what_would_leak_or_is_not_keyed_is_refused_by_name(federation, model, words):
    streams = np.random.get_state()[2], random.getstate()
    with pytest.raises(Refused, match=words):
        train(federation, model=model, rounds=1)
    assert streams == (np.random.get_state()[2], random.getstate())


def noisy_loss(outputs, targets):
    return cross_entropy(outputs, targets) + torch.rand(len(targets))


def test_a_loss_that_draws_is_refused(federation):
    with refused("value", "the loss", "random numbers"):
        train(federation, loss=noisy_loss, rounds=1)


@pytest.mark.parametrize("model", [Functional(), Layered()])
def test_the_batched_engine_is_refused_for_models_that_draw(federation, model):
    def never(updates):
        raise AssertionError("a round was trained")

    with refused("combination", "engine is 'batched'; allowed: 'sequential'"):
        train(federation, model=model, engine="batched", tamper=never)


def test_what_a_model_raises_passes_with_a_note(federation):
    with pytest.raises(RuntimeError, match="mat1 and mat2|shapes cannot be multiplied|dtype") as caught:
        train(federation, model=torch.nn.Linear(7, 3))
    assert not isinstance(caught.value, Refused)
    words = "a trial on 2 rows before the first round: inputs torch.float32 of shape (5,)"
    assert any(words in note for note in caught.value.__notes__)


def test_a_trial_leaves_no_trace(small):
    flat = FlatModel(models.build("mlp", small))
    before = flat.vector.clone()
    state = torch.get_rng_state()
    assert tried(flat, small.inputs[:2], small.targets[:2], cross_entropy) is False
    assert torch.equal(before, flat.vector) and torch.equal(state, torch.get_rng_state()) and not flat.gradient.any()
    assert flat.module.training and not flat.has_dropout


def test_unchanging_buffers_pass(federation):
    class Shifted(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = torch.nn.Linear(5, 3)
            self.register_buffer("mean", torch.tensor([0.0, float("nan"), 0.0, 0.0, 0.0]))

        def forward(self, inputs):
            return self.linear(inputs - self.mean.nan_to_num())

    assert train(federation, model=Shifted(), rounds=1).rounds[-1] == 1
