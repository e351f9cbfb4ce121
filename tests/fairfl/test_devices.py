"""Device discipline without a card: nothing mixes devices, and a round waits for the card no oftener than it has to."""

import numpy as np
import pretend
import pytest
import torch

from fairfl import Dataset, LocalSGD, Server, attacks, data, partition, rules, train
from fairfl.clients import Ditto, batched, cuda_graphs, uint8_images

SETTINGS = {"FedFV": dict(alpha=0.1, tau=2), "AdaFed": dict(gamma=1.0), "FedMGDAPlus": dict(epsilon=0.3)}
# Waits for the card a round: looks at updates, direction and model, what the rule's own arithmetic needs, losses.
WAITS = {"FedAvg": 4, "FedMGDA": 4, "FedFV": 7} | dict.fromkeys(("NashMTL", "CAGrad", "UPGrad", "PCGrad", "ConFIG"), 4)


@pytest.fixture
def card(monkeypatch):
    monkeypatch.setattr(batched, "GRAPHS", False)
    for name, answer in (
        ("is_available", True),
        ("device_count", 1),
        ("get_device_name", "a pretended card"),
        ("get_rng_state", torch.zeros(1)),
        ("mem_get_info", (10**12, 10**12)),
    ):
        monkeypatch.setattr(torch.cuda, name, lambda *given, answer=answer: answer)
    with pretend.Pretend() as card:
        yield card


@pytest.fixture(scope="module")
def federation():
    return partition.dirichlet(data.load("digits"), 6, 0.5, test=0.3, validation=0.1)


def settings_of(name, **more):
    rule = rules.make(name, **SETTINGS.get(name, {}))
    part = 1.0 if rule.needs_everyone else 0.7
    return dict(rule=rule, model="mlp", rounds=3, seed=1, participation=part, progress=False) | more


@pytest.mark.parametrize("engine", ("batched", "sequential"))
@pytest.mark.parametrize("name", rules.names())
def test_every_rule_stays_on_its_device(federation, card, name, engine):
    settings = settings_of(name, engine=engine)
    there = train(federation, device="cuda", **settings)
    assert card.calls > 100  # it was used
    here = train(federation, device="cpu", **settings)
    assert np.allclose(there.parameters, here.parameters, atol=3e-6)


@pytest.mark.parametrize(
    "more",
    [
        dict(personal=Ditto(0.1)),
        dict(server=Server(0.01, optimiser="adam")),
        dict(server=Server(momentum=0.9)),
        dict(tamper=attacks.Scaling(0, 3.0)),
        dict(local=LocalSGD(lr=0.01, optimiser="adam", epochs=2, batch_size=20)),
        dict(local=LocalSGD(lr=0.1, momentum=0.9, proximal=0.1, batch_size=16)),
        dict(score=("test", "train")),
    ],
    ids=lambda more: next(iter(more)),
)
def test_everything_around_a_rule_stays_there_too(federation, card, more):
    settings = settings_of("FedAvg", **more)
    there, here = (train(federation, device=device, **settings) for device in ("cuda", "cpu"))
    assert np.allclose(there.parameters, here.parameters, atol=3e-6)


@pytest.mark.parametrize("local", [LocalSGD(lr=0.1), LocalSGD(lr=0.1, momentum=0.9, proximal=0.1, batch_size=16)])
def test_a_graph_finds_everything_where_it_left_it(federation, card, monkeypatch, local):
    """Steps work in the buffers that a graph was recorded with, so what they are given may not move from round to round."""
    places = {}

    def run(graphs, key, step):
        given = [t for thing in step.args[2:7] for t in (thing if isinstance(thing, list) else [thing])]
        given = [t for thing in given for t in (thing if isinstance(thing, list) else [thing]) if t is not None]
        assert places.setdefault(key, now := [t.data_ptr() for t in given]) == now
        step()

    monkeypatch.setattr(batched, "GRAPHS", True)
    monkeypatch.setattr(cuda_graphs.Graphs, "run", run)
    settings = settings_of("FedAvg", local=local, engine="batched", participation=1.0)
    there, here = (train(federation, device=device, **settings) for device in ("cuda", "cpu"))
    assert places and np.allclose(there.parameters, here.parameters, atol=3e-6)


@pytest.mark.parametrize("engine", ("batched", "sequential"))
def test_a_crowded_card_trains_the_same_model_on_bytes(card, monkeypatch, engine):
    images = torch.randint(256, (200, 1, 8, 8), generator=torch.Generator().manual_seed(0)) / 255
    federation = partition.iid(Dataset(images, torch.arange(200) % 10, tuple("0123456789")), 5, test=0.3)
    whole, made, trained = uint8_images.coded, [], []
    monkeypatch.setattr(uint8_images, "coded", lambda *given: made.append(whole(*given)) or made[-1])
    settings = settings_of("QFedAvg", local=LocalSGD(lr=0.1, batch_size=16), engine=engine, device="cuda")
    for free in (10**12, 1000):
        monkeypatch.setattr(torch.cuda, "mem_get_info", lambda device, free=free: (free, 10**12))
        trained.append(train(federation, **settings))
    assert [held.codes.dtype for held in made] == [torch.uint8] and made[0].device.type == "cuda"
    assert (trained[0].parameters == trained[1].parameters).all() and (trained[0].loss == trained[1].loss).all()


def test_seeds_and_rules_side_by_side(federation, card):
    settings = settings_of("FedAvg", rule=["FedMGDA", "FedAvg"], seed=[1, 2])
    there, here = (train(federation, device=device, **settings) for device in ("cuda", "cpu"))
    for one, other in zip(there, here):
        assert np.allclose(one.parameters, other.parameters, atol=3e-6)


def test_broken_off_and_resumed(federation, card, resumed_and_whole):
    settings = settings_of("FedFV", device="cuda", rounds=6)
    resumed, whole = resumed_and_whole(lambda **more: train(federation, **settings | more))
    assert (resumed.parameters == whole.parameters).all()


@pytest.mark.parametrize("name", WAITS)
def test_a_round_waits_no_oftener_than_it_did(federation, card, name):
    seen = []
    for rounds in (4, 8):
        card.copies = 0
        train(federation, device="cuda", **settings_of(name, rounds=rounds, evaluate_every=100))
        seen.append(card.copies)
    assert (seen[1] - seen[0]) / 4 <= WAITS[name]
