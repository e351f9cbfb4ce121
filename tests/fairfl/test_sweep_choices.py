"""``sweep`` with a split per seed, and with a server or local training per rule."""

import numpy as np
import pytest
from refusals import refused

from fairfl import LocalSGD, Server, partition, rules, sweep, train

pandas = pytest.importorskip("pandas")


@pytest.fixture
def split(small):
    """A function from the seed to a federation, whose number of clients depends on it too."""
    return lambda seed: partition.iid(small, 3 + seed % 2, seed=seed, test=0.3)


@pytest.fixture
def federation(small):
    return partition.iid(small, 3, test=0.3, validation=0.2)


def test_a_split_for_each_seed(split):
    settings = dict(rounds=2, local=LocalSGD(lr=0.3))
    table = sweep(split, rules=["FedAvg", "FedMGDA"], seeds=[1, 4], histories=(held := []), **settings)
    assert list(table[["rule", "seed"]].drop_duplicates().itertuples(index=False, name=None)) == [
        ("FedAvg", 1),
        ("FedAvg", 4),
        ("FedMGDA", 1),
        ("FedMGDA", 4),
    ]
    for history, (rule, seed) in zip(held, [("FedAvg", 1), ("FedAvg", 4), ("FedMGDA", 1), ("FedMGDA", 4)]):
        alone = train(split(seed), rule, seed=seed, **settings)
        lines = table[(table.rule == rule) & (table.seed == seed)]
        assert len(lines) == len(alone.test_sizes) == 3 + seed % 2
        assert np.allclose(lines.loss, alone.loss[-1], atol=1e-5) and (lines.test_size == alone.test_sizes).all()
        assert history.settings["federation"] == alone.settings["federation"]


def test_what_is_no_split_is_refused_before_anything_trains(split):
    with refused("type", "federation"):
        sweep(lambda seed: split(seed) if seed == 0 else None, rules="FedAvg", seeds=[0, 1], rounds=1)
    with refused("type", "federation"):
        sweep(3, rules="FedAvg", rounds=1)


def test_a_server_and_local_training_for_each_rule(federation):
    servers = {"FedAvg": Server(), "q": Server(lr=0.3, momentum=0.5)}
    works = {"FedAvg": LocalSGD(lr=0.3), "q": LocalSGD(lr=0.1, epochs=2)}
    named, settings = {"FedAvg": "FedAvg", "q": rules.QFedAvg(q=2.0)}, dict(rounds=2, seeds=[0, 1])
    table = sweep(federation, rules=named, server=servers, local=works, **settings)
    assert list(table)[:3] == ["rule", "seed", "client"] and len(table) == 2 * 2 * 3
    assert table.rule.unique().tolist() == ["FedAvg", "q"]
    for label, rule in named.items():
        for seed in (0, 1):
            alone = train(federation, rule, server=servers[label], local=works[label], rounds=2, seed=seed)
            assert np.allclose(table[(table.rule == label) & (table.seed == seed)].loss, alone.loss[-1], atol=1e-5)
    crossed = sweep(federation, rules=named, server=servers, local=[*works.values()], tamper=[None], **settings)
    assert "local" in crossed and "server" not in crossed and len(crossed) == 2 * len(table)


def test_other_labels_are_crossed_and_a_mixture_is_refused(federation):
    two = {"plain": Server(), "slow": Server(lr=0.1)}
    assert len(sweep(federation, rules=["FedAvg", "AFL"], server=two, rounds=1)) == 4 * 3
    for name in ("server", "local"):
        value = Server() if name == "server" else LocalSGD()
        with refused("combination", name, "FedAvg", "AFL"):
            sweep(federation, rules=["FedAvg", "AFL"], rounds=1, **{name: {"FedAvg": value}})
        with refused("combination", name):
            sweep(federation, rules=["FedAvg"], rounds=1, **{name: {"FedAvg": value, "other": value}})
