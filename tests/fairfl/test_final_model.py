"""``history.model()`` and ``history.personal``: the modules that the last scores belong to."""

import copy
import pickle
from functools import partial

import numpy as np
import pytest
import torch
from refusals import refused

from fairfl import Dataset, History, LocalSGD, models, partition, train
from fairfl.clients import Ditto
from fairfl.errors import Diverged
from fairfl.training import BestModel


@pytest.fixture
def federation(small):
    return partition.iid(small, 3, test=0.3)


def accuracies(module, federation):
    with torch.no_grad():
        guess = module(federation.dataset.inputs).argmax(1) == federation.dataset.targets
    return [float(guess[rows].double().mean()) for rows in federation.test]


class Own(torch.nn.Module):
    """A frozen layer with random weights, a buffer, dropout, and a layer that trains."""

    def __init__(self, shape=(5,), classes=3):
        super().__init__()
        self.frozen = torch.nn.Linear(shape[0], 6)
        self.frozen.requires_grad_(False)
        self.register_buffer("shift", torch.full((6,), 0.5))
        self.drop, self.out = torch.nn.Dropout(0.2), torch.nn.Linear(6, classes)

    def forward(self, x):
        return self.out(self.drop(torch.tanh(self.frozen(x)) + self.shift))


def own(shape, classes):
    return Own(shape, classes)


NAMED = ["logistic", "mlp", partial(models.mlp, hidden=(7, 6)), models.logistic]
IDS = ["logistic", "mlp", "a partial mlp", "a function of the package"]


@pytest.mark.parametrize("model", [*NAMED, own, Own()], ids=[*IDS, "a function", "a module"])
def test_it_scores_as_the_history_says(federation, model):
    history = train(federation, "FedMGDA", model, rounds=3, local=LocalSGD(lr=0.3, epochs=2, batch_size=8))
    module = history.model()
    assert accuracies(module, federation) == pytest.approx(history.accuracy[-1]) and not module.training
    flat = torch.cat([p.flatten() for p in module.parameters() if p.requires_grad])
    assert (flat.detach().numpy() == history.parameters).all()
    with torch.no_grad():
        flat = [p.zero_() for p in module.parameters()]
    assert accuracies(history.model(), federation) == pytest.approx(history.accuracy[-1])  # a copy each time


@pytest.mark.parametrize("model", NAMED, ids=IDS)
def test_a_named_model_comes_back_from_a_file(federation, model, tmp_path):
    history = train(federation, "FedMGDA", model, rounds=2, seed=[3, 4])[1]
    history.save(tmp_path / "h.npz")
    state = torch.get_rng_state()
    module = History.load(tmp_path / "h.npz").model()
    assert torch.equal(torch.get_rng_state(), state)
    assert accuracies(module, federation) == pytest.approx(history.accuracy[-1])


def test_text_and_numbers_to_predict_come_back_too(tmp_path):
    text = Dataset(torch.randint(8, (30, 5)), torch.arange(30) % 8, classes=range(8))
    make = partial(models.char_lstm, hidden=4, layers=1)
    numbers = Dataset(torch.randn(30, 5), torch.randn(30, 2))
    for dataset, model in ((text, make), (numbers, "logistic")):
        history = train(partition.iid(dataset, 2), model=model, rounds=1)
        history.save(tmp_path / "h.npz")
        module = History.load(tmp_path / "h.npz").model()
        assert torch.allclose(module(dataset.inputs), history.model()(dataset.inputs))


@pytest.mark.parametrize("model", [own, Own()], ids=["function", "module"])
def test_a_module_of_ones_own_is_asked_for_after_loading(federation, model, tmp_path):
    history = train(federation, model=model, rounds=2)
    history.save(tmp_path / "h.npz")
    for other in (History.load(tmp_path / "h.npz"), pickle.loads(pickle.dumps(history)), copy.deepcopy(history)):
        with refused("missing", "history.model(module)"):
            other.model()
        found = other.model(history.model())
        assert accuracies(found, federation) == pytest.approx(history.accuracy[-1])
    with refused("shape", "21", "18"):
        history.model(torch.nn.Linear(5, 3))
    with refused("type", "Module"):
        history.model("logistic")


def test_every_run_of_a_batch_has_its_own(federation):
    histories = train(federation, model=Own(), rounds=2, rule=["FedAvg", "AFL"], seed=[0, 0], local=LocalSGD(lr=0.5))
    for history in histories:
        assert accuracies(history.model(), federation) == pytest.approx(history.accuracy[-1])
    assert not np.array_equal(histories[0].parameters, histories[1].parameters)


def test_personal_models_are_there_saved_and_loaded(federation, tmp_path):
    history = train(federation, rounds=3, personal=Ditto(0.1, LocalSGD(lr=0.3)))
    assert history.personal.shape == (3, len(history.parameters))
    for k in range(3):
        module = history.model(client=k)
        assert accuracies(module, federation)[k] == pytest.approx(history.accuracy[-1, k])
    history.save(tmp_path / "h.npz")
    assert (History.load(tmp_path / "h.npz").personal == history.personal).all()
    with refused("value", "client", "0 to 2"):
        history.model(client=3)
    plain = train(federation, rounds=1)
    assert plain.personal is None
    with refused("missing", "personal"):
        plain.model(client=0)


def test_other_parameters_become_a_module(federation):
    best = BestModel(part="test", by="worst")
    history = train(federation, "FedAvg", own, rounds=5, local=LocalSGD(lr=3.0), on_round=best)
    assert best.round < 4, "the best model is not the last one"
    for parameters in (best.parameters, best.parameters.numpy()):
        found = history.model(parameters=parameters)
        assert accuracies(found, federation) == pytest.approx(history.accuracy[best.round + 1])
    with refused("shape"):
        history.model(parameters=best.parameters[1:])
    with refused("shape"):
        history.model(parameters=best.parameters[None])
    with refused("combination"):
        history.model(parameters=best.parameters, client=0)


def test_a_run_that_diverged_has_its_last_model(federation):
    with pytest.raises(Diverged) as caught:
        train(federation, model=own, rounds=50, local=LocalSGD(lr=1e30), loss=lambda o, t: o.square().sum(1))
    assert isinstance(caught.value.history.model(), Own)


def test_images_keep_their_shape(tmp_path):
    images = Dataset(torch.rand(12, 1, 28, 28), torch.arange(12) % 3)
    history = train(partition.iid(images, 2), model="fedmgda_fashion_mnist", rounds=1)
    history.save(tmp_path / "h.npz")
    assert torch.equal(History.load(tmp_path / "h.npz").model()(images.inputs), history.model()(images.inputs))
