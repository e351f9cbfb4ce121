"""Local methods of your own: what a subclass may override is what the engines use."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
import torch
from refusals import refused

from fairfl import LocalSGD, partition, train
from fairfl.clients import LocalMethod


@dataclass(frozen=True)
class SignSGD(LocalMethod):
    lr: float = 0.01
    epochs: int = 2
    batch_size: int | None = 7
    sends_gradients = False

    def lr_at(self, round):
        return self.lr / (1 + round)

    def descend(self, w, g, anchor, moments, lr, step, bound=None):
        for p, d in zip(w, self.follows(w, g, anchor, bound)):
            p.sub_(d.sign(), alpha=lr)


@dataclass(frozen=True)
class Extragradient(LocalMethod):
    """A step from the gradient at a point ahead, which ``descend`` cannot express."""

    lr: float = 0.1
    stacks = False

    def lr_at(self, round):
        return self.lr

    def begin(self, flat, round, anchor, bound):
        def step(closure):
            here = flat.vector.clone()
            closure()
            flat.vector.sub_(flat.gradient, alpha=self.lr)
            closure()
            flat.vector.copy_(here - self.lr * flat.gradient)

        return step


class InOrder(LocalSGD):
    """LocalSGD whose clients visit their rows in order."""

    def orders(self, size, seed, round, client):
        return [torch.arange(size)] * self.epochs


@pytest.fixture
def federation(small):
    return partition.dirichlet(small, 4, 1.0, min_size=2, test=0.2)


def rows(federation, local, **settings):
    seen = []
    train(federation, local=local, tamper=lambda u: seen.append(u.gradients) or u, **dict(rounds=2) | settings)
    return seen


@pytest.mark.parametrize("engine", ["sequential", "batched"])
def test_both_engines_take_the_steps_of_a_method_of_one_s_own(federation, engine):
    first, second = rows(federation, SignSGD(), engine=engine)
    assert torch.allclose(first / 0.01, (first / 0.01).round(), atol=1e-3) and float(first.abs().max()) > 0.015
    assert torch.allclose(second / 0.005, (second / 0.005).round(), atol=1e-3)  # the step size of round 1


def test_the_engines_agree_on_it(federation):
    one, other = (train(federation, local=SignSGD(), rounds=2, engine=e) for e in ("sequential", "batched"))
    assert np.allclose(one.parameters, other.parameters, atol=1e-4)


def test_a_step_that_needs_two_gradients_trains_one_client_after_another(federation):
    history = train(federation, local=Extragradient(), rounds=5)
    assert history.settings["engine"] == "sequential" and history.loss[-1].mean() < history.loss[0].mean()
    with refused("combination", "'batched'", "Extragradient"):
        train(federation, local=Extragradient(), engine="batched", rounds=1)


@pytest.mark.parametrize("engine", ["sequential", "batched"])
def test_an_order_of_one_s_own_is_the_order_of_the_visits(federation, engine):
    """With ``steps=1``, the first batch is all that is seen."""
    (one,) = rows(federation, InOrder(batch_size=2, steps=1), engine=engine, rounds=1)
    cut = replace(federation, train=tuple(own[:2] for own in federation.train))
    (expected,) = rows(cut, LocalSGD(), engine=engine, rounds=1)
    assert torch.allclose(one, expected, atol=1e-6)


def test_rules_that_need_gradients_ask_the_method(federation):
    with refused("combination", "DQN-Fed", "SignSGD"):
        train(federation, "DQNFed", local=SignSGD(), rounds=1)


def test_a_method_without_a_step_says_what_is_missing(federation):
    class Bare(LocalMethod):
        pass

    with pytest.raises(NotImplementedError, match="Bare.*lr_at"):
        train(federation, local=Bare(), rounds=1)

    class Idle(LocalMethod):
        def lr_at(self, round):
            return 0.1

    with pytest.raises(NotImplementedError, match="Idle.*descend.*begin"):
        train(federation, local=Idle(), rounds=1)


def test_a_checkpoint_tells_its_settings_apart(federation, tmp_path):
    run = lambda local: train(federation, local=local, rounds=1, checkpoint=tmp_path / "c.pt")
    run(SignSGD())
    run(SignSGD())
    with refused("state", "local.lr: 0.02 here, 0.01 in the checkpoint"):
        run(SignSGD(lr=0.02))
    with refused("state", "local.class"):
        run(Extragradient())
