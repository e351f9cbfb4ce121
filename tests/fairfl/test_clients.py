import re
from contextlib import suppress
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from refusals import refused

from fairfl import Dataset, LocalSGD, models, partition, train
from fairfl.clients import Ditto, FlatModel, RoundWork, Slot, choose, train_slots
from fairfl.clients.lbfgs import LBFGS
from fairfl.clients.losses import cross_entropy
from fairfl.errors import Diverged

RECIPES = {
    "full batch": LocalSGD(lr=0.3),
    "epochs": LocalSGD(lr=0.1, epochs=3, batch_size=7),
    "momentum": LocalSGD(lr=0.05, epochs=2, batch_size=7, momentum=0.9),
    "proximal": LocalSGD(lr=0.1, epochs=3, batch_size=7, proximal=0.5),
    "all": LocalSGD(lr=0.1, epochs=2, batch_size=4, momentum=0.5, proximal=0.1, decay=0.9),
    "steps": LocalSGD(lr=0.1, epochs=5, batch_size=7, steps=4),
    "batch above size": LocalSGD(lr=0.1, epochs=2, batch_size=1000),
    "adam": LocalSGD(lr=0.01, epochs=3, batch_size=7, optimiser="adam"),
    "adam, all": LocalSGD(
        lr=0.02, epochs=2, batch_size=4, proximal=0.1, decay=0.9, steps=9, optimiser="adam", betas=(0.8, 0.9), eps=1e-4
    ),
    "weight decay": LocalSGD(lr=0.1, epochs=2, batch_size=7, momentum=0.9, weight_decay=0.3),
    "weight decay, adam": LocalSGD(lr=0.01, epochs=2, batch_size=7, optimiser="adam", weight_decay=0.3),
    "clip": LocalSGD(lr=0.3, epochs=2, batch_size=7, clip=0.2, proximal=0.5, weight_decay=0.1),
    "clip, adam": LocalSGD(lr=0.01, epochs=2, batch_size=7, optimiser="adam", clip=0.2, steps=5),
    "clip above the norms": LocalSGD(lr=0.1, batch_size=7, clip=100.0),
    "schedule": LocalSGD(lr=lambda t: 0.8 / (1 + t), epochs=2, batch_size=7, decay=0.9),
}


def slots_of(federation, seeds=(0, 1)):
    return [Slot(run, seed, k, rows) for run, seed in enumerate(seeds) for k, rows in enumerate(federation.train)]


def by_hand(dataset, model, start, slot, local, round):
    """A plain PyTorch client: optimiser, loader order and all, sharing only the keyed order of rows."""
    torch.nn.utils.vector_to_parameters(start.clone(), model.parameters())
    anchor = [p.detach().clone() for p in model.parameters()]
    lr = (local.lr(round) if callable(local.lr) else local.lr) * local.decay**round
    optimiser = (
        torch.optim.SGD(model.parameters(), lr, local.momentum, weight_decay=local.weight_decay)
        if local.optimiser == "sgd"
        else torch.optim.Adam(model.parameters(), lr, local.betas, local.eps, weight_decay=local.weight_decay)
    )
    n, taken = len(slot.rows), 0
    batch = n if local.batch_size is None else local.batch_size
    for order in local.orders(n, slot.seed, round, slot.client):
        for piece in slot.rows[order].split(batch):
            if local.steps is not None and taken == local.steps:
                break
            taken += 1
            optimiser.zero_grad()
            loss = torch.nn.functional.cross_entropy(model(dataset.inputs[piece]), dataset.targets[piece])
            loss = loss + local.proximal / 2 * sum(((p - a) ** 2).sum() for p, a in zip(model.parameters(), anchor))
            loss.backward()
            if local.clip is not None:
                torch.nn.utils.clip_grad_norm_(model.parameters(), local.clip)
            optimiser.step()
    return start - torch.nn.utils.parameters_to_vector(model.parameters()).detach()


@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("engine", ["sequential", "batched"])
def test_both_engines_do_what_plain_pytorch_does(small, recipe, engine):
    federation = partition.dirichlet(small, 4, 1.0, min_size=2, test=0.1)
    local = RECIPES[recipe]
    flat = FlatModel(models.build("mlp", small, hidden=(6,)))
    starts = torch.stack([flat.vector.clone(), flat.vector.clone() * 0.5])
    slots = slots_of(federation)
    deltas = train_slots(flat, RoundWork(small, slots, starts, local, 3, cross_entropy), engine)
    plain = models.build("mlp", small, hidden=(6,))
    for slot, delta in zip(slots, deltas):
        expected = by_hand(small, plain, starts[slot.run], slot, local, 3)
        assert float((delta - expected).abs().max()) < 1e-5 * max(1.0, float(expected.abs().max()))


def test_sizes_are_ragged_in_these_tests(small):
    sizes = partition.dirichlet(small, 4, 1.0, min_size=2, test=0.1).sizes
    assert len(sizes.unique()) > 2


def test_choice_is_a_fixed_function():
    from fairfl import data

    digits = data.load("digits")
    mnist_like = Dataset(torch.zeros(2, 1, 28, 28), torch.tensor([0, 9]), tuple("0123456789"))
    flat = FlatModel(models.build("mlp", digits, hidden=(16,)))
    assert choose(flat, 100) == "batched"
    assert choose(flat, 1) == "sequential"
    assert choose(FlatModel(models.build("fedfv_mnist", mnist_like)), 10) == "sequential"


def test_running_statistics_are_refused(small):
    module = torch.nn.Sequential(torch.nn.Linear(5, 4), torch.nn.BatchNorm1d(4), torch.nn.Linear(4, 3))
    with refused("value", "BatchNorm1d"):
        FlatModel(module)


def test_dropout_is_keyed_and_leaves_the_global_stream_alone(small):
    module = torch.nn.Sequential(torch.nn.Linear(5, 8), torch.nn.Dropout(0.5), torch.nn.Linear(8, 3))
    federation = partition.iid(small, 3)
    torch.manual_seed(5)
    first = train(federation, model=module, rounds=3, seed=0)
    after = torch.rand(1)
    torch.manual_seed(5)
    assert torch.equal(after, torch.rand(1))
    torch.manual_seed(99)
    assert (train(federation, model=module, rounds=3, seed=0).parameters == first.parameters).all()


@pytest.mark.parametrize("engine", ["sequential", "batched"])
def test_adam_starts_anew_in_every_round(small, engine):
    federation, local = partition.iid(small, 3), RECIPES["adam"]
    history = train(federation, model="logistic", rounds=3, local=local, engine=engine)
    plain = models.build("logistic", small)
    w = torch.nn.utils.parameters_to_vector(plain.parameters()).detach()
    for t in range(3):
        deltas = [by_hand(small, plain, w, Slot(0, 0, k, rows), local, t) for k, rows in enumerate(federation.train)]
        w = w - (federation.shares[:, None] * torch.stack(deltas)).sum(0).float()
    assert np.allclose(history.parameters, w, atol=1e-5)


@pytest.mark.parametrize(
    "settings, kind, mentions",
    [
        (dict(optimiser="adma"), "name", ["'adma'", "'adam'"]),
        (dict(optimiser="adam", momentum=0.9), "combination", ["momentum is 0.9", "'adam'", "'sgd'"]),
        (dict(betas=(0.5, 0.9)), "combination", ["betas is (0.5, 0.9)", "'sgd'", "'adam'"]),
        (dict(eps=1.0), "combination", ["eps is 1.0", "'sgd'", "'adam'"]),
        (dict(optimiser="adam", betas=(0.5, 1)), "value", ["betas is"]),
        (dict(optimiser="adam", eps=0), "value", ["eps is 0"]),
        (dict(optimiser="adam", lr=2e37), "value", ["lr is 2e+37", "1e+37"]),
        (dict(clip="1"), "type", ["clip", "'1'"]),
    ],
)
def test_what_adam_does_not_read_is_refused(settings, kind, mentions):
    with refused(kind, *mentions):
        LocalSGD(**settings)


@pytest.mark.parametrize("lr", [1e300, 10**400])
def test_a_step_that_float32_does_not_hold_is_refused(lr):
    with refused("value", f"lr is {lr}", "1e+38"):
        LocalSGD(lr=lr)


@pytest.mark.parametrize("longest", [dict(lr=1e38), dict(lr=9e36, optimiser="adam")])
def test_the_longest_step_diverges_at_worst(small, longest):
    with suppress(Diverged):
        assert train(partition.iid(small, 3), rounds=2, local=LocalSGD(**longest)).rounds[-1] == 2


def test_a_rule_that_reads_gradients_refuses_adam_s_updates(small):
    with refused("combination", "DQN-Fed", "local adam"):
        train(partition.iid(small, 3), "DQNFed", local=RECIPES["adam"], rounds=1)


@pytest.mark.parametrize(
    "bad",
    [
        dict(lr=0),
        dict(epochs=0),
        dict(batch_size=0),
        dict(momentum=1.0),
        dict(proximal=-1),
        dict(decay=0),
        dict(steps=0),
        dict(epochs=1.5),
        dict(batch_size=2.5),
        dict(steps=1.5),
        dict(epochs=True),
        dict(epochs=None),
        dict(lr=None),
        dict(lr="0.1"),
        dict(lr=float("inf")),
        dict(lr=float("nan")),
        dict(proximal=float("inf")),
        dict(momentum=float("nan")),
        dict(decay="1"),
        dict(weight_decay=-0.1),
        dict(weight_decay=float("inf")),
        dict(clip=0),
        dict(clip=float("nan")),
    ],
)
def test_refusals_name_the_argument(bad):
    [(name, value)] = bad.items()
    with pytest.raises(ValueError, match=re.escape(f"{name} is {value!r}; allowed: ")):
        LocalSGD(**bad)


def test_what_is_given_is_kept_but_numpy_s_numbers_become_python_s():
    """A whole number given for ``lr`` stays one: recorded jobs' keys were made from settings as they were given."""
    given = LocalSGD(lr=1).lr, LocalSGD(lr=np.float32(1)).lr, LocalSGD(epochs=np.int64(2)).epochs
    assert [type(value) for value in given] == [int, float, int]


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda: Ditto("0.1"), "strength is '0.1'"),
        (lambda: Ditto(0.1, 0.2), "local is 0.2; allowed: LocalSGD"),
        (lambda: LBFGS(memory=0), "memory is 0; allowed: a whole number"),
        (lambda: LBFGS(memory=2.5), "memory is 2.5"),
        (lambda: LBFGS(skip=-1), "skip is -1"),
        (lambda: LBFGS(skip=float("nan")), "skip is nan"),
        (lambda: LBFGS(skip=None), "skip is None"),
    ],
)
def test_the_others_of_this_room_refuse_too(make, words):
    with pytest.raises(ValueError, match=words):
        make()


class Spare(torch.nn.Module):
    """A model with a layer that it does not use, as one that was cut down in haste."""

    def __init__(self):
        super().__init__()
        self.used, self.unused = torch.nn.Linear(5, 3), torch.nn.Linear(7, 2)

    def forward(self, inputs):
        return self.used(inputs)


@pytest.mark.parametrize("recipe", ["full batch", "all"])
def test_a_parameter_without_a_use_stays_where_it_is_in_both_engines(small, recipe):
    federation, flat = partition.dirichlet(small, 4, 1.0, min_size=2, test=0.1), FlatModel(Spare())
    starts = torch.stack([flat.vector.clone(), flat.vector.clone() * 0.5])
    work = RoundWork(small, slots_of(federation), starts, RECIPES[recipe], 3, cross_entropy)
    one, other = (train_slots(flat, work, engine) for engine in ("sequential", "batched"))
    assert torch.allclose(one, other, atol=1e-5) and one[:, :18].any()
    assert not one[:, 18:].any() and not other[:, 18:].any()


def test_a_group_of_slots_changes_nothing(small, monkeypatch):
    """More slots than fit one stack: groups are trained one after the other."""
    from fairfl.clients import batched

    federation = partition.dirichlet(small, 5, 1.0, min_size=5, test=0.2)
    settings = dict(
        model=partial(models.mlp, hidden=(6,)),
        rounds=2,
        engine="batched",
        local=LocalSGD(lr=0.1, epochs=2, batch_size=7),
    )
    whole = train(federation, **settings)
    monkeypatch.setattr(batched, "CPU_STACK", 130)
    assert abs(train(federation, **settings).parameters - whole.parameters).max() < 1e-6


@pytest.mark.parametrize(
    "name, shape", [("fedmgda_cifar10", (3, 32, 32)), ("fedfv_mnist", (1, 28, 28)), ("resnet18", (3, 32, 32))]
)
def test_engines_agree_on_the_papers_convolutional_models(name, shape):
    """In float64, where what is left is rounding: in float32 a ResNet's stacked gradients differ by up to 3e-4."""
    g = torch.Generator().manual_seed(0)
    dataset = Dataset(torch.rand(10, *shape, generator=g), torch.arange(10) % 10, tuple("0123456789"))
    flat = FlatModel(models.build(name, dataset).double())
    exact = SimpleNamespace(inputs=dataset.inputs.double(), targets=dataset.targets)
    slots = [Slot(0, 0, 0, torch.arange(4)), Slot(0, 0, 1, torch.arange(4, 10))]
    local, starts = LocalSGD(lr=0.1, batch_size=4, steps=1 if name == "resnet18" else 2), flat.vector.clone()[None]
    work = RoundWork(exact, slots, starts, local, 0, cross_entropy)
    one, two = (train_slots(flat, work, engine) for engine in ("sequential", "batched"))
    assert float((one - two).abs().max()) < 1e-5 and float(one.abs().max()) > 1e-3
