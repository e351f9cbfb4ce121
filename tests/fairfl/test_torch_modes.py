"""Modes of PyTorch that the caller has switched on change no number and stop nothing."""

from contextlib import contextmanager

import numpy as np
import pytest
import torch

from fairfl import Updates, clients, data, models, partition, rules, train
from fairfl.deployment import Coordinator, Member


@contextmanager
def default_type(dtype):
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


MODES = {
    "no gradients": torch.no_grad,
    "inference": torch.inference_mode,
    "autocast": lambda: torch.autocast("cpu", dtype=torch.bfloat16),
    "float64": lambda: default_type(torch.float64),
    "another device": lambda: torch.device("meta"),
}


@pytest.fixture(scope="module")
def federation():
    return partition.iid(data.load("digits"), 3)


def trained(federation, engine):
    return train(federation, "FedMGDA", "mlp", rounds=2, engine=engine, progress=False).parameters


def deployed(federation):
    model = models.build("logistic", federation.dataset)
    coordinator = Coordinator("FedMGDA", model, population=3, rounds=1)
    members = [Member.of(federation, k, model) for k in range(3)]
    coordinator.receive([m.work(coordinator.arrays(), 0, coordinator.needs) for m in members])
    return coordinator.w.numpy(), np.array(list(members[0].score(coordinator.arrays()).values()))


def ruled(federation):
    generator = torch.Generator(device="cpu").manual_seed(0)
    updates = Updates(
        torch.randn(5, 40, generator=generator, device="cpu", dtype=torch.float32), losses=np.arange(1.0, 6.0)
    )
    return [rules.make(name).direction(updates).vector.numpy() for name in ("FedAvg", "FedMGDA+", "AdaFed", "FedFV")]


DOORS = {
    "train, one after another": lambda federation: [trained(federation, "sequential")],
    "train, all at once": lambda federation: [trained(federation, "batched")],
    "a deployment": deployed,
    "rules": ruled,
    "data": lambda _: [data.load("digits").inputs.numpy(), partition.dirichlet(data.load("digits"), 4, 0.5).digest],
    "one round": lambda federation: [clients.updates(federation, "logistic", needs=["losses"]).gradients.numpy()],
}


@pytest.mark.parametrize("door", DOORS)
def test_no_mode_changes_a_number(door, federation):
    wanted = DOORS[door](federation)
    for mode, switched_on in MODES.items():
        with switched_on():
            found = DOORS[door](federation)
        for one, other in zip(wanted, found, strict=True):
            assert np.array_equal(one, other) and getattr(one, "dtype", 0) == getattr(other, "dtype", 0), mode


def test_the_callers_modes_are_in_force_again(federation):
    with default_type(torch.float64), torch.autocast("cpu"), torch.device("meta"):
        models.build("logistic", federation.dataset)
        assert torch.get_default_dtype() == torch.float64 and torch.is_autocast_enabled("cpu")
        assert torch.empty(1).device.type == "meta"
