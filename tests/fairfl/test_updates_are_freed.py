"""A round's updates, K rows as long as the model, are gone before the next round's clients train."""

import pytest
from torch.multiprocessing.reductions import StorageWeakRef

from fairfl import LocalSGD, partition, train
from fairfl.clients import FedNL
from fairfl.training import loop


@pytest.mark.parametrize(
    "settings",
    [
        dict(),
        dict(seed=[0, 1]),
        dict(rule="FedMGDA", evaluate_every=2),
        dict(rule="QFedAvg", participation=0.7),
        dict(engine="sequential", local=LocalSGD(lr=0.1, epochs=2)),
        dict(tamper=lambda updates: updates),
        dict(on_round=lambda seen: seen.updates.gradients.sum(), seed=[0, 1]),
    ],
)
def test_no_rows_of_the_round_before_are_left_when_clients_train(small, monkeypatch, settings):
    made, alive, trained = [], [], loop.train_slots

    def watched(*given):
        alive.append(sum(not row.expired() for row in made))
        rows = trained(*given)
        made.append(StorageWeakRef(rows.untyped_storage()))
        return rows

    monkeypatch.setattr(loop, "train_slots", watched)
    train(partition.iid(small, 3, test=0.2), rounds=4, **settings)
    assert alive == [0, 0, 0, 0]


def test_no_rows_of_a_newton_round_are_left_either(small, monkeypatch):
    made, alive, work = [], [], FedNL.work

    def watched(*given):
        alive.append(sum(not row.expired() for row in made))
        rows = work(*given)
        made.append(StorageWeakRef(rows.untyped_storage()))
        return rows

    monkeypatch.setattr(FedNL, "work", watched)
    train(partition.iid(small, 3, test=0.2), rounds=3, local=FedNL())
    assert alive == [0, 0, 0]
