"""The papers' models: their parameter counts, what they take, keyed weights, and vmap."""

import importlib.util
import warnings
from functools import partial

import pytest
import torch
from refusals import refused
from torch import nn
from torch.func import functional_call, grad, vmap

from fairfl import Dataset, models, partition, train


def dataset(shape, classes: int, rows: int = 3, text: bool = False) -> Dataset:
    make = torch.Generator().manual_seed(0)
    inputs = (
        torch.randint(0, classes, (rows, *shape), generator=make) if text else torch.rand(rows, *shape, generator=make)
    )
    return Dataset(inputs, torch.arange(rows) % classes, tuple(map(str, range(classes))))


# Name, dataset, parameters as the table prints them (or as the cited source has them).
TABLES = [
    ("logistic", dataset((99,), 2), 200),
    ("mlp", dataset((3, 32, 32), 10), 3072 * 200 + 200 + 200 * 200 + 200 + 2010),
    ("fedmgda_cifar10", dataset((3, 32, 32), 10), 797_962),
    ("fedmgda_fashion_mnist", dataset((1, 28, 28), 10), 21_840),
    ("fedmgda_femnist", dataset((1, 28, 28), 62), 1_206_590),
    ("fedfv_mnist", dataset((1, 28, 28), 10), 1_663_370),
    ("resnet18", dataset((3, 32, 32), 10), 11_173_962),
    (
        "char_lstm",
        dataset((80,), 80, text=True),
        80 * 8 + 4 * 256 * (8 + 256 + 2) + 4 * 256 * (256 + 256 + 2) + 257 * 80,
    ),
]
NAMES = [name for name, *_ in TABLES]


def count(model: nn.Module) -> int:
    return sum(p.numel() for p in model.parameters())


def built(name: str, data: Dataset, **settings) -> nn.Module:
    if name == "resnet18" and importlib.util.find_spec("torchvision") is None:
        pytest.skip("torchvision is not installed")
    return models.build(name, data, **settings)


def test_every_model_has_its_row_here():
    assert models.names() == sorted(NAMES)


@pytest.mark.parametrize("name, data, parameters", TABLES, ids=NAMES)
def test_parameters_and_logits(name, data, parameters):
    model = built(name, data)
    assert count(model) == parameters
    out = model(data.inputs)
    assert out.shape == (3, len(data.classes)) and out.isfinite().all()
    assert not [m for m in model.modules() if isinstance(m, nn.modules.batchnorm._BatchNorm)]
    assert not list(model.buffers())
    assert all(p.dtype == torch.float32 and p.device.type == "cpu" for p in model.parameters())


def test_table_2_layer_by_layer():
    """FedMGDA+ prints the output shape of every layer."""
    model = models.build("fedmgda_cifar10", dataset((3, 32, 32), 10))
    shapes, x = [], torch.rand(1, 3, 32, 32)
    for layer in model:
        x = layer(x)
        if not isinstance(layer, nn.ReLU):
            shapes.append(tuple(x.shape[1:]))
    assert shapes == [
        (3, 32, 32),
        (64, 28, 28),
        (64, 14, 14),
        (64, 14, 14),
        (64, 10, 10),
        (64, 10, 10),
        (64, 5, 5),
        (1600,),
        (384,),
        (192,),
        (10,),
    ]


@pytest.mark.parametrize("name, data, parameters", TABLES, ids=NAMES)
def test_weights_are_keyed_and_leave_every_global_state_alone(name, data, parameters):
    torch.manual_seed(5)
    before = torch.get_rng_state()
    first, again, other = (built(name, data, seed=s) for s in (3, 3, 4))
    assert torch.equal(torch.get_rng_state(), before)
    assert all(torch.equal(a, b) for a, b in zip(first.parameters(), again.parameters()))
    assert not any(torch.equal(a, b) for a, b in zip(first.parameters(), other.parameters()) if a.unique().numel() > 2)
    torch.manual_seed(6)
    assert torch.equal(next(built(name, data, seed=3).parameters()), next(first.parameters()))
    assert all(m.training for m in first.modules())


@pytest.mark.parametrize("name, data, parameters", TABLES, ids=NAMES)
def test_functional_call_and_vmap_over_weights(name, data, parameters):
    """Two models' gradients at once, as the batched engine takes them, in float64 where rounding cannot hide a fault."""
    settings = {"dropout": False} if name in ("fedmgda_fashion_mnist", "fedmgda_femnist") else {}
    pair = [built(name, data, seed=s, **settings).double() for s in (0, 1)]
    inputs = data.inputs.double() if data.inputs.is_floating_point() else data.inputs
    stacked = {
        n: torch.stack([dict(m.named_parameters())[n].detach() for m in pair]) for n, _ in pair[0].named_parameters()
    }

    def loss(weights, x, y):
        return nn.functional.cross_entropy(functional_call(pair[0], weights, (x,)), y)

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "There is a performance drop")  # the LSTM's, documented
        together = vmap(grad(loss), in_dims=(0, None, None))(stacked, inputs, data.targets)
    for i, model in enumerate(pair):
        nn.functional.cross_entropy(model(inputs), data.targets).backward()
        for n, p in model.named_parameters():
            torch.testing.assert_close(together[n][i], p.grad, rtol=1e-8, atol=1e-12)
            assert p.grad.abs().max() > 0, f"{n} gets no gradient"


@pytest.mark.parametrize("name", ["fedmgda_fashion_mnist", "fedmgda_femnist"])
def test_dropout_is_the_tables_and_can_be_left_out(name):
    data = dataset((1, 28, 28), 10)
    model = models.build(name, data)
    assert not torch.equal(model(data.inputs), model(data.inputs))
    model.eval()
    assert torch.equal(model(data.inputs), model(data.inputs))
    plain = models.build(name, data, dropout=False)
    assert torch.equal(plain(data.inputs), model(data.inputs))  # same seed, same weights
    weights = {n: p.detach() for n, p in model.train().named_parameters()}
    out = vmap(lambda x: functional_call(model, weights, (x,)), randomness="different")(data.inputs[:, None])
    assert out.shape == (3, 1, 10)


def test_inputs_may_be_flat_or_lack_a_channel():
    for name in ("fedfv_mnist", "fedmgda_fashion_mnist"):
        outs = []
        for shape in ((1, 28, 28), (28, 28), (784,)):
            data = dataset(shape, 10)
            outs.append(models.build(name, data).eval()(data.inputs))
        assert torch.equal(outs[0], outs[1]) and torch.equal(outs[0], outs[2])
    digits = dataset((64,), 10)
    assert models.build("fedfv_mnist", digits)(digits.inputs).shape == (3, 10)
    colours = dataset((3072,), 10)
    assert count(models.build("fedmgda_cifar10", colours)) == 797_962


def test_settings():
    data = dataset((64,), 10)
    assert count(models.build("mlp", data, hidden=(32,))) == 64 * 32 + 32 + 330
    assert count(models.build("mlp", data, hidden=())) == count(models.build("logistic", data)) == 650
    for name in ("logistic", "mlp"):
        plain, soft = models.build(name, data), models.build(name, data, softmax=True)
        assert torch.equal(plain(data.inputs).softmax(1), soft(data.inputs))
    text = dataset((80,), 80, text=True)
    assert count(models.build("char_lstm", text, layers=1, embedding=4, hidden=16)) == 320 + 64 * (4 + 16 + 2) + 17 * 80
    assert [n for n, _ in models.build("mlp", data).named_parameters()][:2] == ["dense1.weight", "dense1.bias"]


def test_resnet_stems_and_groups():
    data = dataset((1, 28, 28), 10)
    model = built("resnet18", data, groups=32)
    assert {m.num_groups for m in model.modules() if isinstance(m, nn.GroupNorm)} == {32}
    assert model(data.inputs).shape == (3, 10)
    assert built("resnet18", data, stem="imagenet")(data.inputs).shape == (3, 10)
    assert count(built("resnet18", dataset((3, 64, 64), 200), stem="imagenet")) == 11_689_512 - 513 * 1000 + 513 * 200
    for settings, kind, word in (({"stem": "cifer"}, "name", "Did you mean 'cifar'?"), ({"groups": 3}, "value", "64")):
        with refused(kind, *settings, *settings.values(), word):
            built("resnet18", data, **settings)


def two_layers(shape, classes, width=5):
    return nn.Sequential(nn.Flatten(), nn.Linear(shape[0], width), nn.Linear(width, classes))


def test_a_model_of_ones_own():
    data = dataset((64,), 10)
    first, again = (models.build(two_layers, data, seed=1, width=7) for _ in range(2))
    assert first[1].out_features == 7 and torch.equal(first[1].weight, again[1].weight)


@pytest.fixture
def federation(small):
    return partition.iid(small, 3, test=0.2)


def test_train_builds_a_function_of_ones_own_as_build_does(federation, small):
    settings = dict(model=partial(two_layers, width=7), rounds=1, engine="sequential")
    first, again, other = (train(federation, seed=s, **settings) for s in (1, 1, 2))
    assert (first.parameters == again.parameters).all() and not (first.parameters == other.parameters).all()
    state = torch.get_rng_state()
    together = train(federation, seed=[1, 2], **settings)
    assert torch.equal(state, torch.get_rng_state())
    assert (together[0].parameters == first.parameters).all() and (together[1].parameters == other.parameters).all()
    module = models.build(two_layers, small, seed=1, width=7)
    assert (train(federation, seed=1, **settings | {"model": module}).parameters == first.parameters).all()


def test_a_models_name_and_its_function_are_one(federation):
    named, called = (train(federation, model=model, rounds=2, seed=1) for model in ("mlp", models.mlp))
    assert (named.parameters == called.parameters).all()


@pytest.mark.parametrize(
    "make, kind, mentions",
    [
        (lambda: nn.Linear(5, 3), "type", ["<lambda>", "(shape, classes)", "too many positional arguments"]),
        (partial(two_layers, wide=3), "type", ["two_layers", "'wide'"]),
        (lambda shape, classes: shape, "type", ["<lambda>", "'tuple'", "torch.nn.Module"]),
        (partial(models.mlp, hiden=3), "name", ["'mlp'", "'hiden'", "Did you mean 'hidden'?"]),
        (models.char_lstm, "combination", ["numbers", "'char_lstm'", "text"]),
    ],
)
def test_a_function_that_does_not_fit_is_refused(federation, make, kind, mentions):
    with refused(kind, *mentions):
        train(federation, model=make, rounds=1)


def test_a_default_device_does_not_change_the_weights():
    data = dataset((64,), 10)
    plain = models.build("mlp", data)
    with torch.device("meta"):
        other = models.build("mlp", data)
    assert all(torch.equal(a, b) for a, b in zip(plain.parameters(), other.parameters()))


@pytest.mark.parametrize(
    "name, data, settings, kind, mentions",
    [
        ("mpl", dataset((64,), 10), {}, "name", ["'mpl'", "Did you mean 'mlp'?"]),
        ("mlp", dataset((64,), 10), {"hiden": 3}, "name", ["'mlp'", "'hiden'", "hidden, seed, softmax"]),
        ("logistic", dataset((), 2), {}, "shape", ["inputs", "(3,)", "inputs[:, None]"]),
        ("char_lstm", dataset((), 80, text=True), {}, "shape", ["inputs", "(3,)", "text"]),
        ("fedmgda_cifar10", dataset((64,), 10), {}, "shape", ["(1, 8, 8)"]),
        ("fedfv_mnist", dataset((99,), 2), {}, "shape", ["(99,)", "(C, H, W)", "mlp"]),
        ("char_lstm", dataset((64,), 10), {}, "combination", ["numbers", "'char_lstm'", "text", "fedfv"]),
        ("mlp", dataset((80,), 80, text=True), {}, "combination", ["text", "'mlp'", "numbers", "char_lstm"]),
    ],
)
def test_what_does_not_fit_is_refused(name, data, settings, kind, mentions):
    with refused(kind, *mentions):
        models.build(name, data, **settings)
