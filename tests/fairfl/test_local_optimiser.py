"""Optimisers of torch.optim on the clients."""

import functools

import numpy as np
import pytest
import torch
from refusals import refused

from fairfl import LocalSGD, models, partition, rules, train
from fairfl.clients import Correction, FlatModel, LocalOptimiser, RoundWork, Slot, choose, train_slots
from fairfl.clients.losses import cross_entropy
from fairfl.deployment.member import Member

adamw = functools.partial(torch.optim.AdamW, weight_decay=0.2)
MAKES = {
    "AdamW": adamw,
    "RMSprop": torch.optim.RMSprop,
    "Nesterov": functools.partial(torch.optim.SGD, momentum=0.9, nesterov=True),
    "Adagrad": torch.optim.Adagrad,
    "LBFGS": functools.partial(torch.optim.LBFGS, max_iter=3),
}


@pytest.fixture
def federation(small):
    return partition.dirichlet(small, 4, 1.0, min_size=2, test=0.2)


def by_hand(dataset, start, slot, local, round):
    """A plain PyTorch client that shares only the keyed order of rows."""
    model = models.build("mlp", dataset, hidden=(6,))
    torch.nn.utils.vector_to_parameters(start.clone(), model.parameters())
    anchor = [p.detach().clone() for p in model.parameters()]
    optimiser, taken = local.make(model.parameters(), lr=local.lr_at(round)), 0
    for order in local.orders(len(slot.rows), slot.seed, round, slot.client):
        for piece in slot.rows[order].split(local.batch_size or len(slot.rows)):
            if taken == local.steps_of(len(slot.rows)):
                break
            taken += 1

            def closure(piece=piece):
                optimiser.zero_grad()
                loss = torch.nn.functional.cross_entropy(model(dataset.inputs[piece]), dataset.targets[piece])
                pull = sum(((p - a) ** 2).sum() for p, a in zip(model.parameters(), anchor))
                (loss + local.proximal / 2 * pull).backward()
                if local.clip is not None:
                    torch.nn.utils.clip_grad_norm_(model.parameters(), local.clip)
                return loss

            optimiser.step(closure)
    return start - torch.nn.utils.parameters_to_vector(model.parameters()).detach()


MORE = dict(epochs=2, batch_size=7, steps=5, clip=0.3, proximal=0.5)


# L-BFGS with clipped gradients multiplies rounding, so it is compared in one step only.
@pytest.mark.parametrize(
    "make, more", [(make, more) for name, make in MAKES.items() for more in ({}, MORE) if name != "LBFGS" or not more]
)
def test_it_does_what_plain_pytorch_does(small, federation, make, more):
    local = LocalOptimiser(make, lr=0.05, **more)
    flat = FlatModel(models.build("mlp", small, hidden=(6,)))
    start = flat.vector.clone()
    slots = [Slot(0, 0, k, rows) for k, rows in enumerate(federation.train)]
    deltas = train_slots(flat, RoundWork(small, slots, start[None], local, 3, cross_entropy), "sequential")
    for slot, delta in zip(slots, deltas):
        expected = by_hand(small, start, slot, local, 3)
        assert float((delta - expected).abs().max()) < 1e-5 * max(1.0, float(expected.abs().max()))
        assert float(delta.abs().max()) > 1e-3


def test_sgd_agrees_with_local_sgd(federation):
    ours = train(federation, local=LocalSGD(lr=0.1, epochs=2, batch_size=7, momentum=0.9), rounds=3)
    sgd = functools.partial(torch.optim.SGD, momentum=0.9)
    theirs = train(federation, local=LocalOptimiser(sgd, lr=0.1, epochs=2, batch_size=7), rounds=3)
    assert np.allclose(ours.parameters, theirs.parameters, atol=1e-5)
    assert theirs.settings["engine"] == "sequential"


def test_its_state_starts_anew_for_every_client_and_round(federation):
    made = []

    def counted(parameters, lr):
        made.append((lr, torch.optim.AdamW(parameters, lr=lr)))
        return made[-1][1]

    train(federation, local=LocalOptimiser(counted, lr=lambda t: 0.1 / (1 + t)), rounds=3)
    assert [lr for lr, _ in made] == [0.1] * 4 + [0.05] * 4 + [0.1 / 3] * 4
    assert len({id(optimiser) for _, optimiser in made}) == 12


def test_a_step_size_out_of_range_names_its_round():
    with refused("value", "lr of round 7"):
        LocalOptimiser(adamw, lr=lambda t: 0.0).lr_at(7)


def test_the_engine_is_sequential(small, federation):
    flat = FlatModel(models.build("logistic", small))
    assert choose(flat, 100, LocalOptimiser(adamw, lr=0.1)) == "sequential" and choose(flat, 100) == "batched"
    with refused("combination", "'batched'", "LocalOptimiser"):
        train(federation, local=LocalOptimiser(adamw, lr=0.1), engine="batched", rounds=1)
    with refused("combination", "'batched'", "LocalOptimiser"):
        train(federation, local=[*[LocalSGD()] * 3, LocalOptimiser(adamw, lr=0.1)], engine="batched", rounds=1)


def test_rules_that_need_gradients_or_the_step_size_of_sgd_refuse_it(federation):
    local = LocalOptimiser(adamw, lr=0.1)
    with refused("combination", "DQN-Fed", "LocalOptimiser"):
        train(federation, "DQNFed", local=local, rounds=1)
    seen = []
    with refused("combination", "q-FedAvg", "plain SGD", "L="):
        train(federation, "QFedAvg", local=local, rounds=1)
    train(federation, rules.QFedAvg(L=10), local=local, rounds=1, tamper=lambda u: seen.append(u.local_lr) or u)
    assert seen == [None]


class Halved(Correction):
    def gradient(self, g, w, start, own, common):
        return g / 2


def test_a_correction_is_applied_to_the_gradient(federation):
    sgd = torch.optim.SGD
    halved = train(federation, local=LocalOptimiser(sgd, lr=0.2, correct=Halved()), rounds=2)
    plain = train(federation, local=LocalOptimiser(sgd, lr=0.1), rounds=2)
    assert np.allclose(halved.parameters, plain.parameters, atol=1e-6)


class Forgetful(torch.optim.SGD):
    """An optimiser that drops gradients, as a step may."""

    def step(self, closure=None):
        loss = super().step(closure)
        self.zero_grad(set_to_none=True)
        return loss


def test_an_optimiser_that_drops_gradients_changes_nothing(federation):
    given = dict(lr=0.1, epochs=3, batch_size=7, clip=0.2)
    one, other = (train(federation, local=LocalOptimiser(m, **given), rounds=2) for m in (Forgetful, torch.optim.SGD))
    assert (one.parameters == other.parameters).all()


class Replacing(torch.optim.Optimizer):
    def __init__(self, parameters, lr):
        super().__init__(parameters, dict(lr=lr))

    def step(self, closure=None):
        closure()
        for group in self.param_groups:
            for p in group["params"]:
                p.data = p.data - group["lr"] * p.grad


@pytest.mark.parametrize(
    "make, kind, mentions",
    [
        (Replacing, "combination", ["Replacing", "in place"]),
        (lambda parameters, lr: None, "type", ["make(parameters, lr=...)", "NoneType"]),
    ],
)
def test_what_is_no_optimiser_is_refused_in_training(federation, make, kind, mentions):
    with refused(kind, *mentions):
        train(federation, local=LocalOptimiser(make, lr=0.1), rounds=1)


@pytest.mark.parametrize(
    "make, settings, kind, mentions",
    [
        ("adamw", dict(lr=0.1), "type", ["make", "'adamw'", "torch.optim.AdamW"]),
        (torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=0.1), dict(lr=0.1), "type", ["make"]),
        (functools.partial(torch.optim.SGD, lr=0.1), dict(lr=0.1), "combination", ["make's lr", "0.1"]),
        (adamw, dict(lr=0), "value", ["lr is 0"]),
        (adamw, dict(lr="0.1"), "type", ["lr is '0.1'"]),
        (adamw, dict(lr=0.1, clip=0), "value", ["clip is 0"]),
        (adamw, dict(lr=0.1, steps=0), "value", ["steps is 0"]),
        (adamw, dict(lr=0.1, correct=0), "type", ["correct is 0"]),
    ],
)
def test_what_does_not_fit_is_refused_at_once(make, settings, kind, mentions):
    with refused(kind, *mentions):
        LocalOptimiser(make, **settings)


def test_a_checkpoint_tells_optimisers_apart(federation, tmp_path):
    run = lambda make, **more: train(
        federation, local=LocalOptimiser(make, lr=0.1, **more), rounds=1, checkpoint=tmp_path / "c.pt"
    )
    run(adamw)
    run(functools.partial(torch.optim.AdamW, weight_decay=0.2))
    with refused("state", "local.make.keywords.weight_decay: 0.3 here, 0.2 in the checkpoint"):
        run(functools.partial(torch.optim.AdamW, weight_decay=0.3))
    with refused("state", "local.make.function"):
        run(functools.partial(torch.optim.Adam, weight_decay=0.2))
    with refused("state", "local.clip"):
        run(adamw, clip=1.0)
    with refused("type", "local.make", "lambda"):
        run(lambda parameters, lr: torch.optim.AdamW(parameters, lr=lr))


def test_a_member_trains_as_in_a_simulation(small, federation):
    local, seen = LocalOptimiser(adamw, lr=0.1, epochs=2, batch_size=7), []
    train(federation, local=local, rounds=1, tamper=lambda u: seen.append(u.gradients) or u)
    model = models.build("logistic", small)
    reply = Member.of(federation, 2, model, local=local).work(dict(model.named_parameters()), 0)
    start = torch.nn.utils.parameters_to_vector(model.parameters())
    after = torch.cat([reply.arrays[name].flatten() for name, _ in model.named_parameters()])
    assert torch.equal(start - after, seen[0][2])
