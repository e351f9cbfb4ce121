"""The real files under ``$FAIRFL_DATA``: skipped by name where one is absent."""

import hashlib
import os
from pathlib import Path

import pytest
import torch

from fairfl import data
from fairfl.data import adult


def needs(*files: str) -> None:
    pytest.importorskip("pyarrow")
    folder = os.environ.get("FAIRFL_DATA")
    if not folder:
        pytest.skip(f"FAIRFL_DATA is not set: no {files[0]}")
    for file in files:
        if not (Path(folder) / file).is_file():
            pytest.skip(f"{file} is not under FAIRFL_DATA")


@pytest.mark.parametrize(
    "name, shape, rows, a_class",
    [
        ("mnist", (1, 28, 28), (60000, 10000), None),
        ("fashion_mnist", (1, 28, 28), (60000, 10000), (6000, 1000)),
        ("cifar10", (3, 32, 32), (50000, 10000), (5000, 1000)),
    ],
)
def test_images(name, shape, rows, a_class):
    needs(f"{name}-train.parquet", f"{name}-test.parquet")
    d = data.load(name)
    assert d.inputs.shape == (sum(rows), *shape) and d.inputs.dtype == torch.float32 and d.test_from == rows[0]
    assert float(d.inputs.min()) == 0 and float(d.inputs.max()) == 1
    counts = [part.bincount().tolist() for part in d.targets.split(rows)]
    if a_class:
        assert counts == [10 * [n] for n in a_class]
    else:  # MNIST's own counts
        assert counts[0] == [5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949]
        assert counts[1] == [980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009]
    # Published means and deviations over the training pixels; a JPEG's are equal to two digits.
    mean = {"mnist": 0.1307, "fashion_mnist": 0.2860, "cifar10": 0.4734}[name]
    assert abs(float(d.inputs[: rows[0]].double().mean()) - mean) < (2e-3 if "JPEG" in d.variant else 1e-4)


def test_three_clothes():
    needs("fashion_mnist-train.parquet", "fashion_mnist-test.parquet")
    d = data.load("fashion_mnist", classes=("Shirt", "Pullover", "T-shirt/top"), normalise="pixel")
    assert d.targets[: d.test_from].bincount().tolist() == 3 * [6000] and d.test_from == 18000
    assert d.targets[d.test_from :].bincount().tolist() == 3 * [1000]
    assert d.variant == "normalised per pixel; only the classes Shirt, Pullover, T-shirt/top"


def test_adult():
    needs("adult-train.parquet", "adult-test.parquet")
    d = data.load("adult")
    assert d.inputs.shape == (48842, 99) and d.test_from == 32561 and d.variant == ""
    assert set(d.inputs.unique().tolist()) == {0, 1} and bool((d.inputs.sum(0) > 0).all())
    phd = d.columns["phd"]
    assert phd[:32561].bincount().tolist() == [32148, 413] and phd[32561:].bincount().tolist() == [16100, 181]
    sex = d.columns["sex"]
    assert sex[:32561].bincount().tolist() == [10771, 21790] and sex[32561:].bincount().tolist() == [5421, 10860]
    assert d.column_names["sex"] == ("Female", "Male")
    assert d.targets[:32561].bincount().tolist() == [24720, 7841] and d.targets[32561:].bincount().tolist() == [
        12435,
        3846,
    ]
    missing = 8 - d.inputs[:32561].sum(1)
    assert int(missing.sum()) == 1836 + 1843 + 583  # workclass, occupation, native-country


def test_the_digests_of_ucis_files_are_those_of_these_rows():
    """The parquet files' rows in UCI's format: the test file has a remark above and a full stop behind its incomes."""
    needs("adult-train.parquet", "adult-test.parquet")
    import pyarrow.parquet as pq

    for name, part, above, stop in (
        ("adult.data", "train", "", ""),
        ("adult.test", "test", "|1x3 Cross validator\n", "."),
    ):
        columns = pq.read_table(Path(os.environ["FAIRFL_DATA"]) / f"adult-{part}.parquet").to_pydict().values()
        told = (["?" if value is None else str(value).strip(" .") for value in row] for row in zip(*columns))
        text = above + "".join(f"{', '.join(row)}{stop}\n" for row in told) + "\n"
        assert hashlib.sha256(text.encode()).hexdigest() == adult.DIGESTS[name]


def test_shakespeare():
    needs("shakespeare-train.parquet")
    d = data.load("shakespeare", stride=100)
    assert len({name.split("/")[0] for name in d.column_names["role"]}) == 37
    assert len(d.column_names["role"]) == 1157 and "hamlet/HAMLET" in d.column_names["role"]
    hamlet = data.load("shakespeare", stride=80, roles="hamlet/HAMLET")
    assert "".join(hamlet.classes[i] for i in hamlet.inputs[0]).startswith(
        "[Aside]  A little more than kin".replace("  ", " ")
    )
    assert bool((hamlet.columns["position"].diff() > 0).all())
    large = data.load("shakespeare", stride=100, roles=20, min_windows=10001)
    assert int(large.columns["role"].bincount().min()) > 100
