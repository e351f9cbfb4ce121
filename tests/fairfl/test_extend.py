"""More rounds on the same checkpoint: the bits of a run that was that long from the start."""

from dataclasses import dataclass

import numpy as np
import pytest
from refusals import refused

from fairfl import LocalSGD, Server, partition, train
from fairfl.clients import Ditto

PART = dict(local=LocalSGD(lr=0.3, batch_size=4, decay=0.9), evaluate_every=4, participation=0.75)


@pytest.fixture
def federation(small):
    return partition.iid(small, 4, test=0.2)


def same(one, other):
    assert one.rounds.tolist() == other.rounds.tolist()
    for name in ("parameters", "accuracy", "loss", "participants", "weights", "rates", "direction_norm"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)


@pytest.mark.parametrize(
    "settings",
    [
        dict(rule="FedMGDA"),
        dict(rule="FedFV", server=Server(lr=0.5, optimiser="adam")),
        dict(rule="FedHEAL", personal=Ditto(), score="train"),
        dict(rule="AFL", participation=1.0, score="train"),
    ],
)
@pytest.mark.parametrize("first", [1, 6])
def test_a_finished_run_is_continued_to_more_rounds(federation, tmp_path, settings, first):
    settings = PART | settings
    kept = dict(checkpoint=tmp_path / "c.pt", **settings)
    short = train(federation, rounds=first, **kept)
    assert short.rounds[-1] == first
    longer, whole = train(federation, rounds=10, **kept), train(federation, rounds=10, **settings)
    same(longer, whole)
    assert longer.settings["rounds"] == 10 and longer.rounds.tolist() == [0, 4, 8, 10]
    same(train(federation, rounds=10, **kept), whole)


def test_an_interrupted_run_may_become_longer_or_shorter(federation, tmp_path):
    for rounds in (4, 10):
        path = tmp_path / f"{rounds}.pt"
        kept = dict(checkpoint=path, checkpoint_every=1, seed=[0, 1], **PART)

        def broken(r):
            if r.round == 3:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            train(federation, rounds=6, on_round=broken, **kept)
        for one, other in zip(
            train(federation, rounds=rounds, **kept), train(federation, rounds=rounds, seed=[0, 1], **PART)
        ):
            same(one, other)


def test_finished_rounds_are_not_taken_back(federation, tmp_path):
    kept = dict(checkpoint=tmp_path / "c.pt", **PART)
    train(federation, rounds=6, **kept)
    with refused("state", "rounds is 5", 6, "c.pt"):
        train(federation, rounds=5, **kept)


@dataclass(frozen=True)
class Halved(Server):
    def lr_at(self, round, rounds):
        return self.lr * (0.5 if round > rounds / 2 else 1.0)


@pytest.mark.parametrize("server", [Server(decay=0.5), Halved()])
def test_a_step_size_that_depends_on_the_number_of_rounds_is_refused_by_name(federation, tmp_path, server):
    kept = dict(checkpoint=tmp_path / "c.pt", server=server, **PART)
    train(federation, rounds=6, **kept)
    with refused("state", "server", "rounds=6", "rounds is 10"):
        train(federation, rounds=10, **kept)
    assert train(federation, rounds=6, **kept).rounds[-1] == 6


def test_other_settings_are_refused_as_before_whatever_the_length(federation, tmp_path):
    kept = dict(checkpoint=tmp_path / "c.pt", **PART)
    train(federation, rounds=6, **kept)
    with refused("state", "participation") as caught:
        train(federation, rounds=10, **kept | dict(participation=0.5))
    assert "rounds:" not in str(caught.value)
