"""A recipe is the call that made the split: every keyword is in it, and calling it again deals the same rows."""

import inspect

import numpy as np
import pytest
import torch

from fairfl import Dataset, data, partition

PARTITIONERS = ("iid", "shards", "dirichlet", "by_class", "some_classes", "by_column", "in_time")
FIRST = {
    "iid": {"clients": 7},
    "shards": {"clients": 7, "per_client": 3},
    "dirichlet": {"clients": 5, "beta": 0.7, "min_size": 3},
    "by_class": {"groups": [range(8)] * 3 + [["8", "9"]]},
    "some_classes": {"clients": 9, "per_client": 4},
    "by_column": {"column": "who", "max_clients": 6},
    "in_time": {"column": "who"},
}
# As dealt before the partitioners had their keywords written out; recorded results rest on these rows.
DIGESTS = {
    ("iid", "own"): "afbc70828e1f",
    ("iid", "pool"): "7b9ebbef0f44",
    ("iid", "official"): "a56eb907cbe5",
    ("shards", "own"): "6b89e0d960a1",
    ("shards", "pool"): "f48a1565fc5e",
    ("dirichlet", "own"): "235ea66fbdc7",
    ("dirichlet", "pool"): "c7bd87469e32",
    ("by_class", "own"): "2e0c1c046998",
    ("by_class", "pool"): "8bfca1e96e7d",
    ("some_classes", "own"): "d68267d919f3",
    ("some_classes", "pool"): "0e217eb16168",
    ("by_column", "own"): "75acbe421974",
    ("in_time", "own"): "ee2f4ccde415",
}
SCORED = {
    "own": {},
    "pool": {"scored_on": "pool", "test": 0.4},
    "official": {"scored_on": "official", "validation": 0.1},
}


@pytest.fixture(scope="module")
def dataset():
    """The digits with an official test part, and as if forty rows in a row were one writer's text."""
    digits, row = data.load("digits"), torch.arange(1797)
    at = (row % 40) / 40
    return Dataset(
        digits.inputs,
        digits.targets,
        digits.classes,
        name="digits in time",
        test_from=1200,
        columns={"who": row // 40, "position": at, "position_end": at + 0.05},
    )


def split(dataset, partitioner, **more):
    seed = {} if partitioner == "in_time" else {"seed": 3}
    return getattr(partition, partitioner)(dataset, **FIRST[partitioner], **seed, **more)


@pytest.mark.parametrize("partitioner, scored", DIGESTS)
def test_the_rows_are_those_that_results_were_recorded_with(dataset, partitioner, scored):
    assert split(dataset, partitioner, **SCORED[scored]).digest == DIGESTS[partitioner, scored]


@pytest.mark.parametrize("partitioner", PARTITIONERS)
def test_every_keyword_is_in_the_recipe_and_the_recipe_deals_the_same_rows(dataset, partitioner):
    federation = split(dataset, partitioner)
    recipe = dict(federation.recipe)
    assert recipe.pop("law") == partitioner
    recipe.pop("left_out", None)
    assert list(recipe) == list(inspect.signature(getattr(partition, partitioner)).parameters)[1:]
    assert getattr(partition, partitioner)(dataset, **recipe).digest == federation.digest


def test_every_law_is_tried_here():
    assert set(partition.__all__) - {"PRESETS", "preset", "presets", "recut", "split"} == set(PARTITIONERS)


def test_the_recipe_tells_what_was_given_and_what_was_found(dataset):
    recipe = partition.by_column(dataset, "who", min_size=30, in_order=True, test=0.1, seed=np.int64(2)).recipe
    assert recipe == {
        "law": "by_column",
        "column": "who",
        "min_size": 30,
        "max_clients": None,
        "in_order": True,
        "seed": 2,
        "scored_on": "own",
        "test": 0.1,
        "validation": 0.0,
        "left_out": 0,
    }
    assert type(recipe["seed"]) is int
    turned = partition.in_time(dataset, "who", cut=0.51, start="position", end="position", min_size=3).recipe
    assert (turned["start"], turned["end"], turned["min_size"], turned["cut"]) == ("position", "position", 3, 0.51)


def test_a_pool_is_what_clients_of_a_column_are_scored_on(dataset):
    federation = partition.by_column(dataset, "who", scored_on="pool", test=0.3)
    assert federation.recipe["scored_on"] == "pool"
    trained = len(torch.cat(federation.train))
    assert trained == pytest.approx(0.7 * 1200, abs=10), "every row outside the pool is trained on"
    assert len(torch.cat(federation.test).unique()) < len(torch.cat(federation.test)), "clients share the pool"


def test_test_is_not_in_the_recipe_where_it_counts_for_nothing(dataset):
    given, left = (partition.iid(dataset, 4, scored_on="official", **more) for more in ({"test": 0.5}, {}))
    assert given.digest == left.digest and given.recipe == left.recipe and "test" not in given.recipe


@pytest.mark.parametrize(
    "partitioner, keyword, words",
    [
        ("iid", {"tset": 0.2}, "unknown keyword of partition.iid 'tset'.*Did you mean 'test'"),
        ("shards", {"in_order": True}, "keyword of partition.shards 'in_order'; known: clients, dataset, per_client"),
        ("by_column", {"scored": "own"}, "keyword of partition.by_column 'scored'.*mean 'scored_on'"),
        ("in_time", {"seed": 1}, "keyword of partition.in_time 'seed'"),
        ("dirichlet", {"min_sise": 3}, "keyword of partition.dirichlet 'min_sise'.*mean 'min_size'"),
    ],
)
def test_a_keyword_that_a_partitioner_does_not_have_is_refused_with_the_nearest(dataset, partitioner, keyword, words):
    with pytest.raises(ValueError, match=words):
        split(dataset, partitioner, **keyword)


@pytest.mark.parametrize("partitioner", PARTITIONERS)
def test_help_shows_the_keywords(partitioner):
    kinds = [parameter.kind for parameter in inspect.signature(getattr(partition, partitioner)).parameters.values()]
    assert inspect.Parameter.VAR_KEYWORD not in kinds


def test_a_missing_argument_is_python_s_own_error_and_names_the_law(dataset):
    with pytest.raises(TypeError, match=r"iid\(\) missing 1 required positional argument: 'clients'"):
        partition.iid(dataset)
