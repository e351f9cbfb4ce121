"""Weight decay, clipping and schedules; that they agree with PyTorch in both engines is tested in test_clients.py."""

import math
from dataclasses import dataclass

import pytest
import torch
from refusals import refused

from fairfl import LocalSGD, models, partition, train
from fairfl.clients import FlatModel, RoundWork, Slot, train_slots
from fairfl.clients.local_method import clipped
from fairfl.clients.losses import cross_entropy
from fairfl.training.description import describe, identify


def one_round(dataset, local, start=None):
    flat = FlatModel(torch.nn.Linear(5, 3))
    start = flat.vector.clone() if start is None else start
    rows = torch.arange(20)
    work = RoundWork(dataset, [Slot(0, 0, 0, rows)], start[None], local, 0, cross_entropy)
    return start, train_slots(flat, work, "sequential")[0]


def test_clip_bounds_a_step_and_scales_every_parameter_alike(small):
    start, free = one_round(small, LocalSGD(lr=0.5))
    _, short = one_round(small, LocalSGD(lr=0.5, clip=0.01), start)
    assert free.norm() > 10 * short.norm() and float(short.norm()) == pytest.approx(0.5 * 0.01, rel=1e-3)
    assert torch.allclose(short / short.norm(), free / free.norm(), atol=1e-5)


def test_clip_looks_at_each_client_alone():
    g = [torch.tensor([[3.0], [0.03]]), torch.tensor([[[4.0]], [[0.04]]])]
    first, second = clipped(g, 1.0)
    assert torch.allclose(first.flatten(), torch.tensor([0.6, 0.03]), atol=1e-5)
    assert torch.allclose(second.flatten(), torch.tensor([0.8, 0.04]), atol=1e-5)


def test_weight_decay_pulls_to_zero(small):
    start, free = one_round(small, LocalSGD(lr=0.5))
    _, pulled = one_round(small, LocalSGD(lr=0.5, weight_decay=0.25), start)
    assert torch.allclose(pulled - free, 0.5 * 0.25 * start, atol=1e-6)


def test_a_rule_that_reads_gradients_refuses_clipped_ones_and_takes_decayed_ones(small):
    federation = partition.iid(small, 3)
    with refused("combination", "DQN-Fed", "clip=0.5"):
        train(federation, "DQNFed", local=LocalSGD(clip=0.5), rounds=1)
    train(federation, "DQNFed", local=LocalSGD(weight_decay=0.1), rounds=1)


FIRST_EDITION = ["lr", "epochs", "batch_size", "momentum", "proximal", "decay", "steps", "correct", "optimiser"]


def test_settings_that_are_left_out_leave_no_trace_in_a_run_s_identity():
    plain = LocalSGD(lr=0.3)
    assert list(describe(plain)) == [*FIRST_EDITION, "betas", "eps"]
    assert list(identify("local", plain)) == ["class", *FIRST_EDITION, "betas", "eps"]
    assert describe(LocalSGD(weight_decay=0.1))["weight_decay"] == 0.1 and describe(LocalSGD(clip=1))["clip"] == 1
    assert describe(LocalSGD(weight_decay=0, clip=None)) == describe(LocalSGD())


def cosine(t):
    return 0.5 * (1 + math.cos(math.pi * t / 4))


def falling(t):
    return 0.5 / (1 + t)


@dataclass(frozen=True)
class Cosine:
    high: float
    rounds: int

    def __call__(self, t):
        return self.high * 0.5 * (1 + math.cos(math.pi * t / self.rounds))


@dataclass
class Loose:
    high: float

    def __call__(self, t):
        return self.high


@pytest.mark.parametrize("engine", ["sequential", "batched"])
def test_a_schedule_gives_each_round_its_step_size(small, engine):
    """One client and full batches: the run is gradient descent with these steps."""
    federation, seen = partition.iid(small, 1, test=0.2), []
    tamper = lambda updates: seen.append((updates.local_lr, updates.gradients[0])) or updates
    train(federation, local=LocalSGD(lr=falling), rounds=3, engine=engine, tamper=tamper)
    assert [lr for lr, _ in seen] == [0.5, 0.25, 0.5 / 3]
    model, rows = models.build("logistic", small), federation.train[0]
    optimiser = torch.optim.SGD(model.parameters())
    for t, (_, row) in enumerate(seen):
        optimiser.zero_grad()
        cross_entropy(model(small.inputs[rows]), small.targets[rows]).mean().backward()
        expected = falling(t) * torch.cat([p.grad.flatten() for p in model.parameters()])
        assert torch.allclose(row, expected, atol=1e-6)
        optimiser.param_groups[0]["lr"] = falling(t)
        optimiser.step()


def test_decay_and_schedule_multiply():
    local = LocalSGD(lr=cosine, decay=0.5)
    assert local.lr_at(0) == 1.0 and local.lr_at(1) == pytest.approx(cosine(1) / 2)
    assert local.pseudo_lr(10, 1) == local.lr_at(1)


@pytest.mark.parametrize(
    "lr, mentions",
    [
        (lambda t: 0.1 - 0.05 * t, ["lr of round 2", "0.0"]),
        (lambda t: 0.1 if t < 2 else float("nan"), ["lr of round 2", "nan"]),
        (lambda t: 0.1 if t < 2 else 1e39, ["lr of round 2", "1e+38"]),
    ],
)
def test_a_step_size_out_of_range_names_its_round(small, lr, mentions):
    with refused("value", *mentions) as caught:
        train(partition.iid(small, 3, test=0.2), rounds=4, local=LocalSGD(lr=lr))
    assert list(caught.value.history.rounds) == [0, 1, 2]


def test_a_schedule_that_gives_no_number_names_its_round():
    with refused("type", "lr of round 3", "'0.1'"):
        LocalSGD(lr=lambda t: "0.1").lr_at(3)


@pytest.mark.parametrize("lr", [Cosine, Loose(0.1)])
def test_a_schedule_that_may_change_is_refused(lr):
    with refused("type", "lr", "frozen=True"):
        LocalSGD(lr=lr)


def test_a_checkpoint_tells_schedules_apart(small, tmp_path):
    federation, path = partition.iid(small, 3, test=0.2), tmp_path / "c.pt"
    run = lambda lr: train(federation, rounds=2, local=LocalSGD(lr=lr), checkpoint=path)
    run(Cosine(0.5, 4))
    run(Cosine(0.5, 4))
    with refused("state", "local.lr.rounds: 5 here, 4 in the checkpoint"):
        run(Cosine(0.5, 5))
    path.unlink()
    run(cosine)
    with refused("state", "local.lr"):
        run(falling)
    with refused("type", "local.lr", "lambda"):
        run(lambda t: 0.1)
