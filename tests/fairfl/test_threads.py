"""Runs in several threads draw what each would draw alone."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
import torch
from torch import nn

from fairfl import LocalSGD, data, models, partition, train

DIGITS = data.load("digits")


@pytest.fixture(scope="module")
def threads():
    with ThreadPoolExecutor(4) as pool:
        yield pool


def weights(_=None):
    module = models.build("mlp", DIGITS, seed=0)
    return torch.nn.utils.parameters_to_vector(module.parameters()).detach()


def with_dropout(shape, classes):
    return nn.Sequential(nn.Flatten(), nn.Linear(*shape, 30), nn.Dropout(0.5), nn.Linear(30, classes))


def test_the_weights_of_a_seed_are_those_of_one_thread_and_the_global_stream_stays(threads):
    alone, before = weights(), torch.get_rng_state()
    assert all(torch.equal(alone, w) for w in threads.map(weights, range(120)))
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize("model", ["mlp", with_dropout], ids=["plain", "dropout"])
def test_so_are_the_numbers_of_a_run(threads, model):
    federation = partition.iid(DIGITS, 3)
    run = partial(train, federation, "FedAvg", model, rounds=2, local=LocalSGD(lr=0.1), seed=0, progress=False)
    alone = run().parameters.tobytes()
    runs = [threads.submit(run) for _ in range(16)]
    assert sum(done.result().parameters.tobytes() != alone for done in runs) == 0
