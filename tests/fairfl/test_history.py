"""A history's row and its file: what cannot be used is refused, whoever stumbles over it first."""

import json
import random

import numpy as np
import pytest
from refusals import refused

from fairfl import History, partition, train
from fairfl.errors import Refused


@pytest.fixture
def history(small):
    return train(partition.iid(small, 3, test=0.2), rounds=2)


@pytest.mark.parametrize("last", [0, -1, "x", 1.5, 4])
def test_a_row_is_an_average_of_one_evaluation_or_more(history, last):
    with pytest.raises(Refused, match="last is .*; allowed: a whole number, 1 to 3"):
        history.summary(last=last)
    assert history.summary(last=2)["mean"] == pytest.approx(100 * history.accuracy[1:].mean())


def test_no_flipped_bit_makes_another_history(history, tmp_path):
    history.save(path := tmp_path / "h.npz")
    whole, chance = path.read_bytes(), random.Random(0)
    for _ in range(600):
        damaged = bytearray(whole)
        damaged[chance.randrange(len(whole))] ^= 1 << chance.randrange(8)
        path.write_bytes(damaged)
        try:
            read = History.load(path)
        except Refused as error:
            assert str(path) in str(error)
        else:
            assert (read.loss == history.loss).all() and (read.parameters == history.parameters).all()
            assert read.settings == json.loads(json.dumps(history.settings, default=str))


@pytest.mark.parametrize(
    "plain, words",
    [
        ({}, "lacks rounds, loss, participants, direction_norm, smallest_rate, test_sizes"),
        ([1], "h.npz"),
        ({"remarks": 3}, "h.npz"),
        ({"colour": "red"}, "'colour'"),
    ],
)
def test_a_file_of_something_else_is_refused(tmp_path, plain, words):
    np.savez(path := tmp_path / "h.npz", plain=json.dumps(plain))
    with refused("name" if "colour" in plain else "file", words):
        History.load(path)


def test_one_array_alone_is_no_history(tmp_path):
    np.save(path := tmp_path / "h.npy", np.zeros(3))
    with refused("file", "h.npy"):
        History.load(path)


def test_a_folder_that_is_not_there_is_said(history, tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no folder .*none; make it, or give another path"):
        history.save(tmp_path / "none" / "h.npz")
    with pytest.raises(FileNotFoundError):
        History.load(tmp_path / "h.npz")
