"""A checkpoint is continued whole or not at all: flipped bits and lacking parts are refused."""

import random

import pytest
import torch
from refusals import refused

from fairfl import partition, train
from fairfl.errors import Refused


@pytest.fixture
def finished(small, tmp_path):
    """A run of two rounds, the file of its checkpoint, and a function that continues from there: it only reads."""
    federation, path = partition.iid(small, 3, test=0.2), tmp_path / "c.pt"
    again = lambda: train(federation, "FedMGDA", "mlp", rounds=2, checkpoint=path)
    return again(), path, again


def test_no_flipped_bit_changes_a_continued_run(finished):
    history, path, again = finished
    whole, refused = path.read_bytes(), 0
    for bit in random.Random(0).sample(range(8 * len(whole)), 150):
        damaged = bytearray(whole)
        damaged[bit // 8] ^= 1 << bit % 8
        path.write_bytes(damaged)
        try:
            continued = again()
        except Refused as error:
            assert error.kind == "file" and str(path) in str(error)
            refused += 1
        else:  # the bit was one of the padding between the archive's records
            assert (continued.parameters == history.parameters).all() and (continued.loss == history.loss).all()
    assert refused > 75, "weights are most of the file"


def without(*names):
    """Takes the last of ``names`` out of what is held under the others."""

    def change(held):
        for name in names[:-1]:
            held = held[name]
        del held[names[-1]]

    return change


CHANGES = {
    "no settings": without("settings"),
    "settings None": lambda held: held.update(settings=None),
    "state None": lambda held: held.update(state=None),
    "no round": without("state", "round"),
    "a round that is a word": lambda held: held["state"].update(round="2"),
    "no runs": without("state", "runs"),
    "runs None": lambda held: held["state"].update(runs=None),
    "runs empty": lambda held: held["state"].update(runs=[]),
    "a run None": lambda held: held["state"].update(runs=[None]),
    "no rule": without("state", "runs", 0, "rule"),
    "no record": without("state", "runs", 0, "record"),
    "no losses": without("state", "runs", 0, "record", "test/loss"),
    "no model": without("state", "runs", 0, "server", "w"),
    "reported None": lambda held: held["state"]["runs"][0].update(reported=None),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_checkpoint_that_lacks_a_part_is_refused(finished, change):
    _, path, again = finished
    held = torch.load(path, weights_only=True)
    CHANGES[change](held)
    torch.save(held, path)
    with refused("file", path):
        again()


def test_a_file_of_something_else_is_refused(finished):
    _, path, again = finished
    torch.save(torch.zeros(3), path)
    with refused("file", path):
        again()
