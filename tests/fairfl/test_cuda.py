"""On a CUDA card: the same bits from run to run, whether a step is replayed or launched, and after a kill."""

import numpy as np
import pytest
import torch

from fairfl import Dataset, LocalSGD, Server, data, partition, rules, train
from fairfl.clients import Ditto, batched

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
LOCAL = {
    "one full batch": LocalSGD(lr=0.1),
    "batches": LocalSGD(lr=0.1, epochs=2, batch_size=20),
    "momentum and a pull": LocalSGD(lr=0.1, batch_size=16, momentum=0.9, proximal=0.1),
    "Adam": LocalSGD(lr=0.01, optimiser="adam", epochs=2, batch_size=20),
    "a decay": LocalSGD(lr=0.1, decay=0.9),
}


@pytest.fixture(scope="module")
def federation():
    return partition.dirichlet(data.load("digits"), 6, 0.5, test=0.3, validation=0.1)


def trained(federation, rule="FedFV", **more):
    rule = rules.make(rule, **({"tau": 2} if rule == "FedFV" else {})) if isinstance(rule, str) else rule
    settings = dict(model="mlp", rounds=6, seed=1, device="cuda", engine="batched", participation=0.7) | more
    if rule.needs_everyone:
        settings["participation"] = 1.0
    return train(federation, rule, **settings)


def same(one, other):
    return (one.parameters == other.parameters).all() and (one.loss == other.loss).all()


@pytest.mark.parametrize("name", rules.names())
def test_a_rule_gives_the_same_bits_twice_and_the_processors_numbers(federation, name):
    once, again = trained(federation, name), trained(federation, name)
    assert same(once, again)
    here = trained(federation, name, device="cpu", rounds=3)
    assert np.allclose(once.loss[:4], here.loss, rtol=1e-3)


@pytest.mark.parametrize("local", LOCAL.values(), ids=LOCAL)
def test_a_replayed_step_gives_the_bits_of_a_launched_one(federation, monkeypatch, local):
    replayed = trained(federation, local=local)
    monkeypatch.setattr(batched, "GRAPHS", False)
    assert same(replayed, trained(federation, local=local))


def test_a_model_that_no_graph_can_hold_is_launched(federation):
    class Looks(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(64, 10)

        def forward(self, x):
            torch.cuda.synchronize()  # refused while a graph is recorded
            return self.layer(x.flatten(1))

    def make(shape, classes):
        return Looks()

    there, here = (trained(federation, "FedAvg", model=make, device=device) for device in ("cuda", "cpu"))
    assert np.allclose(there.loss, here.loss, rtol=1e-3)


@pytest.mark.parametrize("engine", ("batched", "sequential"))
def test_convolutions_give_the_same_bits_twice(engine):
    images = torch.randn(300, 3, 32, 32, generator=torch.Generator().manual_seed(0))
    made_up = partition.iid(Dataset(images, torch.arange(300) % 10, tuple("0123456789")), 5, test=0.2)
    once, again = (trained(made_up, "FedMGDA", model="fedmgda_cifar10", engine=engine) for _ in range(2))
    assert same(once, again)


def test_broken_off_and_resumed_it_ends_with_the_same_bits(federation, resumed_and_whole):
    resumed, whole = resumed_and_whole(lambda **more: trained(federation, **more))
    assert same(resumed, whole)


def test_seeds_side_by_side_are_near_those_alone(federation):
    together = trained(federation, "FedFV", seed=[1, 2], participation=1.0)
    alone = [trained(federation, "FedFV", seed=s, participation=1.0) for s in (1, 2)]
    for one, other in zip(together, alone):
        assert np.allclose(one.loss, other.loss, rtol=1e-3)


def test_personal_models_and_server_optimisers_run(federation):
    assert np.isfinite(trained(federation, "FedAvg", personal=Ditto(0.1)).loss).all()
    assert np.isfinite(trained(federation, "FedAvg", server=Server(0.01, optimiser="adam")).loss).all()


def test_tf32_is_another_rounding_and_leaves_no_trace(federation):
    before = torch.backends.cudnn.allow_tf32, torch.get_float32_matmul_precision()
    exact, short = trained(federation, model="mlp"), trained(federation, model="mlp", precision="tf32")
    assert not same(exact, short) and np.allclose(exact.loss, short.loss, rtol=0.05)
    assert short.settings["precision"] == "tf32"
    assert before == (torch.backends.cudnn.allow_tf32, torch.get_float32_matmul_precision())
