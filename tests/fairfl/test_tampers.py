"""A tamper that remembers: every run has its own, and a resumed run has what it remembered, or is refused."""

import functools
import threading
from dataclasses import dataclass, field, replace

import numpy as np
import pytest
import torch

from fairfl import History, LocalSGD, partition, train
from fairfl.errors import Refused

COUNT = 0
PART = dict(rounds=6, local=LocalSGD(lr=0.3), model="logistic")


class Stop(Exception):
    pass


@pytest.fixture
def federation(small):
    return partition.iid(small, 3, test=0.2)


class Largest:
    """Sends the half of the entries that are largest, and what it left out with the next round's."""

    def __init__(self):
        self._left = None

    def __call__(self, updates):
        rows = updates.gradients + (0 if self._left is None else self._left)
        sent = torch.where(rows.abs() >= rows.abs().median(dim=1, keepdim=True).values, rows, 0)
        self._left = rows - sent
        return replace(updates, gradients=sent)


class Kept(Largest):
    """As ``Largest``, and a checkpoint can hold it. ``stop`` is no setting."""

    def __init__(self, stop=None):
        super().__init__()
        self._stop = stop

    def __call__(self, updates):
        if updates.round == self._stop:
            raise Stop
        return super().__call__(updates)

    def apply(self, updates):
        return self(updates)

    def state_dict(self):
        return {"left": self._left}

    def load_state_dict(self, state):
        self._left = state["left"]


@dataclass
class Public:
    mean: list = field(default_factory=list)

    def __call__(self, updates):
        self.mean.append(1)
        return replace(updates, gradients=updates.gradients * len(self.mean))


def scaled(updates, by):
    return by(updates)


def captured():
    seen = []

    def remembers(updates):
        seen.append(updates.round)
        return updates

    return remembers


def attributed(updates):
    attributed.calls = getattr(attributed, "calls", 0) + 1
    return updates


def counted(updates):
    global COUNT
    COUNT += 1
    return updates


@pytest.mark.parametrize(
    "make, what",
    [
        (Largest, "Largest changed .*_left"),
        (Public, "Public changed .*mean"),
        (captured, "remembers changed .*seen"),
        (lambda: functools.partial(scaled, by=Largest()), "_left"),
        (lambda: Largest().__call__, "_left"),
        (lambda: counted, "counted changed .*COUNT"),
        (lambda: attributed, "attributed changed .*calls"),
    ],
)
def test_a_memory_that_a_checkpoint_would_lose_is_refused_in_the_first_round(federation, tmp_path, make, what):
    with pytest.raises(Refused, match=what) as caught:
        train(federation, tamper=make(), checkpoint=tmp_path / "c.pt", **PART)
    assert caught.value.history.rounds.tolist() == [0, 1] and not (tmp_path / "c.pt").exists()
    assert train(federation, tamper=make(), **PART).rounds[-1] == 6, "without a checkpoint nothing can be lost"


@pytest.mark.parametrize("method", [False, True])
def test_a_tamper_with_a_state_goes_on_with_the_same_bits(federation, tmp_path, method):
    made = lambda *stop: Kept(*stop).apply if method else Kept(*stop)
    kept = dict(checkpoint=tmp_path / "c.pt", checkpoint_every=1, seed=[0, 1], **PART)
    with pytest.raises(Stop):
        train(federation, tamper=made(4), **kept)
    for one, other in zip(
        train(federation, tamper=made(), **kept), train(federation, tamper=made(), seed=[0, 1], **PART)
    ):
        assert (one.parameters == other.parameters).all() and (one.loss == other.loss).all()


def test_a_state_that_cannot_be_read_back_is_refused(federation, tmp_path):
    class Odd(Kept):
        def state_dict(self):
            return {"left": np.float64(1.0)}

    with pytest.raises(Refused, match="Odd remembers"):
        train(federation, tamper=Odd(), checkpoint=tmp_path / "c.pt", **PART)


@pytest.mark.parametrize("make", [Largest, Public, lambda: Largest().__call__])
def test_every_seed_and_every_call_has_its_own(federation, make):
    given = make()
    both = train(federation, tamper=given, seed=[0, 1], **PART)
    for seed, one in enumerate(both):
        alone = train(federation, tamper=make(), seed=seed, **PART)
        again = train(federation, tamper=given, seed=seed, **PART)
        np.testing.assert_allclose(one.parameters, alone.parameters, atol=1e-6)
        assert (again.parameters == alone.parameters).all()


def test_what_cannot_be_copied_is_refused_by_name(federation):
    class Locked(Largest):
        def __init__(self):
            super().__init__()
            self.lock = threading.Lock()

    with pytest.raises(Refused, match="tamper is Locked"):
        train(federation, tamper=Locked(), **PART)


def without(*dropped, rounds=range(99)):
    def tamper(updates):
        kept = torch.tensor([client not in dropped for client in updates.clients.tolist()])
        if updates.round not in rounds:
            return updates
        shares = updates.shares[kept] / updates.shares[kept].sum()
        return replace(updates, gradients=updates.gradients[kept], clients=updates.clients[kept], shares=shares)

    return tamper


@pytest.mark.parametrize(
    "tamper, expected",
    [
        (None, [[0, 1, 2], [0, 1, 2], [0, 1, 2]]),
        (without(1), [[0, 2], [0, 2], [0, 2]]),
        (without(0, 2, rounds=[1]), [[0, 1, 2], [1, -1, -1], [0, 1, 2]]),
    ],
)
def test_a_client_that_a_tamper_drops_did_not_take_part(federation, tmp_path, tamper, expected):
    history = train(federation, rounds=3, tamper=tamper)
    assert history.participants.tolist() == expected
    history.save(tmp_path / "h.npz")
    assert History.load(tmp_path / "h.npz").participants.tolist() == expected
