import numpy as np
import pytest
import torch
from refusals import refused

from fairfl import LocalSGD, models, partition, train
from fairfl.clients import Ditto
from fairfl.errors import Diverged


@pytest.fixture
def federation(small):
    return partition.dirichlet(small, 4, 1.0, min_size=4, test=0.2)


@pytest.mark.parametrize("engine", ["sequential", "batched"])
def test_one_round_by_hand(federation, small, engine):
    history = train(
        federation,
        model="logistic",
        rounds=1,
        local=LocalSGD(lr=0.3),
        engine=engine,
        seed=0,
        personal=Ditto(0.7, LocalSGD(lr=0.2, epochs=3)),
    )
    for k, rows in enumerate(federation.train):
        model = models.build("logistic", small, seed=0)
        w0 = [p.detach().clone() for p in model.parameters()]
        for _ in range(3):
            gradients = torch.autograd.grad(
                torch.nn.functional.cross_entropy(model(small.inputs[rows]), small.targets[rows]), model.parameters()
            )
            with torch.no_grad():
                for v, g, w in zip(model.parameters(), gradients, w0):
                    v -= 0.2 * (g + 0.7 * (v - w))
        with torch.no_grad():
            loss = torch.nn.functional.cross_entropy(
                model(small.inputs[federation.test[k]]), small.targets[federation.test[k]]
            )
        assert history.loss[-1, k] == pytest.approx(float(loss), abs=1e-5)


def test_the_common_model_is_fedavgs(federation):
    plain = train(federation, rounds=4, local=LocalSGD(lr=0.3), participation=0.5)
    ditto = train(
        federation, rounds=4, local=LocalSGD(lr=0.3), participation=0.5, personal=Ditto(0.1, LocalSGD(lr=0.1, epochs=2))
    )
    assert (plain.parameters == ditto.parameters).all() and not np.allclose(plain.loss[-1], ditto.loss[-1])


def test_a_strong_pull_keeps_personal_models_at_the_common_start(federation):
    """Each step moves v by η (∇f − λ (w − v)); with η λ = 1 the next v is w − η ∇f, close to w for a small η."""
    pulled = train(federation, rounds=3, local=LocalSGD(lr=1e-6), personal=Ditto(1e5, LocalSGD(lr=1e-5, epochs=2)))
    assert np.allclose(pulled.loss[-1], pulled.loss[0], atol=1e-3)


@pytest.mark.parametrize("rule", ["FedAvg", "DQNFed"])
def test_memory_and_personal_models_survive_a_stop(federation, tmp_path, rule):
    settings = dict(
        rule=rule, rounds=6, local=LocalSGD(lr=0.2), participation=0.5, personal=Ditto(0.1, LocalSGD(lr=0.1))
    )
    whole = train(federation, **settings)

    def watch(updates):
        if updates.round == 4 and watch.armed:
            raise KeyboardInterrupt
        return updates

    watch.armed = True
    with pytest.raises(KeyboardInterrupt) as caught:
        train(federation, checkpoint=tmp_path / "c", checkpoint_every=1, tamper=watch, **settings)
    assert caught.value.history.rounds[-1] == 4
    watch.armed = False
    resumed = train(federation, checkpoint=tmp_path / "c", checkpoint_every=1, tamper=watch, **settings)
    assert (resumed.parameters == whole.parameters).all() and (resumed.loss == whole.loss).all()


@pytest.mark.parametrize(
    "bad, kind, mention",
    [
        (dict(strength=-1.0), "value", "strength is -1.0; allowed"),
        (dict(local=LocalSGD(proximal=0.1)), "combination", "local.proximal is 0.1; allowed"),
    ],
)
def test_refusals_teach(bad, kind, mention):
    with refused(kind, mention):
        Ditto(**bad)


@pytest.mark.parametrize("engine", ["sequential", "batched"])
def test_a_personal_model_that_stops_being_finite_is_a_divergence(federation, engine):
    wild = Ditto(strength=1, local=LocalSGD(lr=1e20, epochs=3))
    with pytest.raises(Diverged, match=r"client 0's personal model .*\(round \d\).* lr of Ditto's") as caught:
        train(federation, "FedAvg", rounds=3, personal=wild, engine=engine, evaluate_every=3)
    assert 0 in caught.value.clients and caught.value.history.rounds.tolist() == [0]
