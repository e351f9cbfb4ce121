import os
from pathlib import Path

import pytest
import torch
from refusals import refused

from fairfl import Dataset, partition

DATA = os.environ.get("FAIRFL_DATA", "")


def here(*names):
    missing = [n for n in names if not DATA or not (Path(DATA) / f"{n}-train.parquet").exists()]
    return pytest.mark.skipif(bool(missing), reason=f"needs {', '.join(missing)} under FAIRFL_DATA")


@here("cifar10")
@pytest.mark.parametrize(
    "name, sizes, most", [("fedfv_cifar10", (400, 0, 100), 2), ("fedmgda_cifar10", (400, 50, 50), 5)]
)
def test_cifar10_shards(name, sizes, most):
    federation = partition.preset(name, seed=1)
    assert len(federation) == 100
    for part, size in zip(("train", "validation", "test"), sizes):
        assert {len(rows) for rows in getattr(federation, part)} == {size}
    assert int((federation.class_counts() > 0).sum(1).max()) <= most


@here("mnist")
def test_mnist_shards():
    federation = partition.preset("fedfv_mnist")
    assert len(federation) == 200 and set(federation.sizes.tolist()) == {240}


@here("fashion_mnist")
def test_three_clients_of_fashion_mnist():
    federation = partition.preset("fedfv_fashion_mnist")
    assert federation.sizes.tolist() == [6000] * 3 and [len(r) for r in federation.test] == [1000] * 3
    assert federation.dataset.classes == ("Shirt", "Pullover", "T-shirt/top")


@here("adult")
def test_adult_domains():
    federation = partition.preset("adult")
    assert sorted(federation.sizes.tolist()) == [413, 32148]
    assert sorted(len(r) for r in federation.test) == [181, 16100]


@here("cifar10")
def test_dirichlet_is_scored_on_its_own_mix():
    federation = partition.preset("cifar10_dirichlet")
    assert len(federation) == 10 and int(federation.sizes.sum()) == 50000
    assert all(int(r.min()) >= 50000 for r in federation.test)


@here("shakespeare")
def test_shakespeare_is_cut_in_time():
    federation = partition.preset("shakespeare_31")
    start, end = federation.dataset.columns["position"], federation.dataset.columns["position_end"]
    assert len(federation) >= 25
    for train, test in zip(federation.train, federation.test):
        assert float(end[train].max()) <= 0.8 + 1e-6 and float(start[test].min()) >= 0.8 - 1e-6


def test_unknown_preset():
    with refused("name", "'fedfv-mnist'", "Did you mean 'fedfv_mnist'?"):
        partition.preset("fedfv-mnist")


def test_the_help_that_preset_points_to_is_there():
    assert "help(partition.PRESETS[name])" in partition.preset.__doc__
    assert list(partition.PRESETS) == partition.presets()
    assert all(len(make.__doc__) > 40 for make in partition.PRESETS.values())


def text(rows=40):
    """Two roles whose windows overlap."""
    role = torch.arange(rows) // (rows // 2)
    at = (torch.arange(rows) % (rows // 2)) / (rows // 2)
    return Dataset(
        torch.zeros(rows, 3, dtype=torch.int64),
        torch.zeros(rows, dtype=torch.int64),
        ("a",),
        columns={"role": role, "position": at, "position_end": at + 0.2},
    )


def test_in_time_leaves_out_what_straddles():
    federation = partition.in_time(text(), "role", cut=0.5)
    ends, starts = (text().columns[c] for c in ("position_end", "position"))
    assert len(federation) == 2
    assert all(float(ends[r].max()) <= 0.5 + 1e-6 for r in federation.train)
    assert all(float(starts[r].min()) >= 0.5 for r in federation.test)
    used = sum(len(r) for r in (*federation.train, *federation.test))
    assert used < 40
    with refused("missing", "'role'", "2 rows", "0.95"):
        partition.in_time(text(), "role", cut=0.95)


def test_some_classes(digits):
    federation = partition.some_classes(digits, 20, 5, seed=2)
    counts = federation.class_counts()
    assert ((counts > 0).sum(1) == 5).all() and (counts.sum(0) > 0).all()
    for bad, kind in ((dict(per_client=11), "value"), (dict(clients=1, per_client=5), "combination")):
        with refused(kind, "per_client", bad["per_client"], "10"):
            partition.some_classes(digits, **{"clients": 20, "per_client": 5, **bad})
