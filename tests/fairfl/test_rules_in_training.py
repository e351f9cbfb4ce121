"""Every rule in ``train``: it learns, it is resumed bit for bit, and a CUDA device changes nothing but rounding."""

import numpy as np
import pytest
import torch

from fairfl import LocalSGD, data, partition, rules, train

# FedLF is defined for one full gradient a round; the others are tried with local epochs as well.
LOCAL = {"FedLF": LocalSGD(lr=0.2), "DQNFed": LocalSGD(lr=0.2)}
SETTINGS = {
    "QFedAvg": dict(q=1.0),
    "TERM": dict(t=1.0),
    "AFL": dict(step=0.05),
    "AdaFed": dict(gamma=1.0),
    "FedFV": dict(alpha=0.1, tau=1),
    "FedMGDAPlus": dict(epsilon=0.3),
}


def settings_of(name):
    rule = rules.make(name, **SETTINGS.get(name, {}))
    return dict(
        rule=rule,
        model="logistic",
        participation=1.0 if rule.needs_everyone else 0.6,
        local=LOCAL.get(name, LocalSGD(lr=0.1, epochs=2, batch_size=20)),
        seed=1,
        engine="sequential",
    )


@pytest.fixture(scope="module")
def federation():
    return partition.dirichlet(data.load("digits"), 6, 0.5, test=0.3, validation=0.1)


@pytest.mark.parametrize("name", rules.names())
def test_learns(federation, name):
    history = train(federation, rounds=8, **settings_of(name))
    assert np.isfinite(history.loss).all()
    assert history.loss[-1].mean() < 0.97 * history.loss[0].mean(), history


@pytest.mark.parametrize("name", rules.names())
def test_resumed_in_the_middle_it_ends_with_the_same_bits(federation, resumed_and_whole, name):
    resumed, whole = resumed_and_whole(lambda **more: train(federation, rounds=6, **settings_of(name), **more))
    assert (resumed.parameters == whole.parameters).all() and (resumed.loss == whole.loss).all()


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
@pytest.mark.parametrize("name", rules.names())
def test_cuda_agrees_with_the_cpu(federation, name):
    there, here = (train(federation, rounds=3, device=d, **settings_of(name)) for d in ("cuda", "cpu"))
    assert np.allclose(there.loss, here.loss, rtol=1e-3)
