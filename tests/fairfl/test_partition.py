"""Partitioners and federations: which rows each client gets, and what is refused."""

from unittest.mock import ANY

import numpy as np
import pytest
import torch
from refusals import refused

from fairfl import Dataset, Federation, partition

PARTITIONERS = {
    "iid": lambda ds, **k: partition.iid(ds, 6, **k),
    "shards": lambda ds, **k: partition.shards(ds, 6, **k),
    "dirichlet": lambda ds, **k: partition.dirichlet(ds, 6, 0.5, **k),
    "by_class": lambda ds, **k: partition.by_class(ds, [[0, 1], [2, 3, 4, 5], range(6, 10)], **k),
}


@pytest.mark.parametrize("partitioner", PARTITIONERS)
@pytest.mark.parametrize("scored_on", ["own", "pool"])
def test_every_row_has_one_place(digits, partitioner, scored_on):
    federation = PARTITIONERS[partitioner](digits, scored_on=scored_on, test=0.3, validation=0.1)
    train = torch.cat(federation.train)
    validation, test = torch.cat(federation.validation), torch.cat(federation.test).unique()
    used = torch.cat([train, validation, test])
    assert len(used.unique()) == len(used)
    if scored_on == "own":
        assert len(used) == len(digits)
    assert not set(train.tolist()) & set(test.tolist())


@pytest.mark.parametrize("partitioner", PARTITIONERS)
def test_a_split_is_its_seed(digits, partitioner):
    first, again, other = (PARTITIONERS[partitioner](digits, seed=s) for s in (1, 1, 2))
    assert first.digest == again.digest
    assert first.digest != other.digest


def test_pool_shows_each_client_its_own_mix(digits):
    federation = partition.dirichlet(digits, 8, 0.3, scored_on="pool", test=0.4)
    train, test = federation.class_counts().double(), federation.class_counts("test").double()
    train, test = train / train.sum(1, keepdim=True), test / test.sum(1, keepdim=True)
    assert float((train - test).abs().max()) < 0.02
    assert min(len(rows) for rows in federation.test) >= 50


def test_official_test_rows_are_matched_by_class(small):
    official = Dataset(small.inputs, small.targets, small.classes, test_from=30)
    federation = partition.by_class(official, scored_on="official")
    assert [len(rows) for rows in federation.test] == [10, 10, 10]
    assert all(int(rows.min()) >= 30 for rows in federation.test)
    assert (federation.class_counts("test") == federation.class_counts("train")).all()


def test_shards_hold_at_most_their_number_of_classes_and_a_border(digits):
    federation = partition.shards(digits, 20, 2)
    assert int((federation.class_counts() > 0).sum(1).max()) <= 4
    assert sum(len(r) for r in federation.train) + sum(len(r) for r in federation.test) == 1797


def test_equal_groups_share_evenly(digits):
    federation = partition.by_class(digits, [range(8)] * 3 + [["8", "9"]])
    counts = federation.class_counts()
    assert (counts[:3, 8:] == 0).all() and (counts[3, :8] == 0).all()
    assert int(federation.sizes[:3].max() - federation.sizes[:3].min()) <= 1


def test_by_column_keeps_a_value_together_and_in_order(small):
    column = torch.arange(60) // 15
    with_column = Dataset(small.inputs, small.targets, small.classes, columns={"writer": column})
    federation = partition.by_column(with_column, "writer", in_order=True, test=0.2)
    assert len(federation) == 4
    assert federation.train[1].tolist() == list(range(15, 27)) and federation.test[1].tolist() == [27, 28, 29]
    few = partition.by_column(with_column, "writer", max_clients=2, seed=3)
    assert len(few) == 2


def test_dirichlet_is_more_skewed_for_smaller_beta(digits):
    def skew(beta):
        counts = partition.dirichlet(digits, 10, beta, min_size=1).class_counts().double()
        return float((counts / counts.sum(1, keepdim=True)).std(0).mean())

    assert skew(0.1) > 2 * skew(10.0)


@pytest.mark.parametrize(
    "bad, kind, mentions",
    [
        (lambda ds: partition.iid(ds, 0), "value", ["number of clients is 0", "1 or more"]),
        (lambda ds: partition.iid(ds, 100), "missing", ["100 rows", "60"]),
        (lambda ds: partition.shards(ds, 40, 2), "missing", ["80 rows", "60"]),
        (lambda ds: partition.dirichlet(ds, 3, -1.0), "value", ["beta is -1.0", "above 0"]),
        (lambda ds: partition.dirichlet(ds, 5, 0.01, min_size=11), "combination", ["beta=0.01", "11", "min_size"]),
        (lambda ds: partition.iid(ds, 3, scored_on="pol"), "name", ["scored_on", "'pol'", "Did you mean 'pool'?"]),
        (lambda ds: partition.iid(ds, 3, scored_on="official"), "missing", ["'small'", "scored_on", "'pool'"]),
        (lambda ds: partition.iid(ds, 3, test=1.5), "value", ["test is 1.5", "0 to below 1"]),
        (lambda ds: partition.iid(ds, 3, test=0.6, validation=0.5), "combination", ["test + validation", "1.1"]),
        (lambda ds: partition.iid(ds, 30, test=0.1), "missing", ["client 0", "test rows"]),
        (lambda ds: partition.by_class(ds, [["a", "z"]]), "name", ["class", "'z'"]),
        (lambda ds: partition.by_class(ds, [["a"], ["a", "b"]]), "combination", ["groups", "(0, 1)"]),
        (lambda ds: partition.by_column(ds, "writer"), "name", ["column", "'writer'"]),
    ],
)
def test_refusals_teach(small, bad, kind, mentions):
    with refused(kind, *mentions):
        bad(small)


@pytest.mark.parametrize("clients", ["5", 2.0, None, float("nan"), [3], 1j, True, 0])
@pytest.mark.parametrize("partitioner", [partition.iid, partition.shards, partition.dirichlet, partition.some_classes])
def test_the_number_of_clients_is_a_whole_number(small, partitioner, clients):
    with refused(ANY, f"the number of clients is {clients!r}", "1 or more"):
        partitioner(small, clients)


@pytest.fixture
def written(small):
    """``small`` with a writer for every 15 rows, called -1 to 2, and each row's place in its writer's text."""
    place = torch.arange(60) % 15 / 15
    columns = {"writer": torch.arange(60) // 15 - 1, "position": place, "position_end": place + 0.01}
    return Dataset(small.inputs, small.targets, small.classes, columns=columns)


@pytest.mark.parametrize("partitioner", [partition.by_column, partition.in_time])
@pytest.mark.parametrize("min_size", [-1, 0, 2.5, float("nan"), True, "2"])
def test_a_least_size_is_a_whole_number(written, partitioner, min_size):
    with refused(ANY, f"min_size is {min_size!r}", "1 or more"):
        partitioner(written, "writer", min_size=min_size)


@pytest.mark.parametrize("most", [-1, 0, True, 2.0, float("inf"), float("nan"), "2"])
def test_a_largest_number_of_clients_is_a_whole_number(written, most):
    with refused(ANY, f"max_clients is {most!r}", "1 or more"):
        partition.by_column(written, "writer", max_clients=most)


@pytest.mark.parametrize("in_order", ["no", 0, None])
def test_in_order_is_true_or_false(written, in_order):
    with refused(ANY, f"in_order is {in_order!r}", "True or False"):
        partition.by_column(written, "writer", in_order=in_order)


def test_negative_values_of_a_column_are_clients_like_others(written):
    assert len(partition.in_time(written, "writer")) == len(partition.by_column(written, "writer")) == 4


@pytest.mark.parametrize(
    "bad, kind, mentions",
    [
        (lambda ds: partition.dirichlet(ds, 3, min_size=-1), "value", ["min_size is -1", "1 or more"]),
        (lambda ds: partition.dirichlet(ds, 3, 1e308), "value", ["beta is 1e+308", "1e+100"]),
        (lambda ds: partition.some_classes(ds, 10**9, 2), "missing", ["2000000000 rows"]),
        (lambda ds: partition.by_class(ds, 5), "type", ["groups is 5"]),
        (lambda ds: partition.by_class(ds, "ab"), "type", ["groups is 'ab'"]),
        (lambda ds: partition.by_class(ds, [[0], 1.5]), ANY, ["class is 1.5"]),
        (lambda ds: partition.in_time(ds, "writer", cut="5"), ANY, ["cut is '5'"]),
        (lambda ds: partition.in_time(ds, "writer", cut=1), "value", ["cut is 1", "above 0"]),
        (lambda ds: partition.iid(ds.inputs, 3), "type", ["dataset is 'Tensor'", "Dataset"]),
        (lambda ds: partition.split("digits", [[0], [1]]), "type", ["dataset is 'str'", "data.load"]),
        (lambda ds: partition.iid(dataset=None, clients=3), "type", ["dataset is 'NoneType'"]),
    ],
)
def test_settings_of_the_wrong_kind_are_refused(written, bad, kind, mentions):
    with refused(kind, *mentions):
        bad(written)


def test_one_class_may_be_a_number_of_numpy_or_torch(small):
    federation = partition.by_class(small, [np.int64(0), torch.tensor(1), [np.int64(2)]])
    assert federation.digest == partition.by_class(small).digest


def lists(*groups):
    return tuple(torch.tensor(g, dtype=torch.int64) for g in groups)


@pytest.mark.parametrize(
    "train, test, kind, mentions",
    [
        (lists([0, 1], []), lists([2], [3]), "missing", ["client 1", "train rows"]),
        (lists([0, 1], [2]), lists([3], []), "missing", ["client 1", "test rows"]),
        (lists([0, 1], [1]), lists([3], [4]), "combination", ["row 1", "2 times"]),
        (lists([0, 1], [2]), lists([0], [4]), "combination", ["row 0", "train", "test"]),
        (lists([0, 1], [60]), lists([3], [4]), "value", ["train rows", "(0, 60)", "0 to 59"]),
        (lists([0], [1]), lists([3]), "shape", ["test lists is 1", "2"]),
    ],
)
def test_a_federation_refuses_what_would_mislead(small, train, test, kind, mentions):
    with refused(kind, *mentions):
        Federation(small, train, tuple(torch.empty(0) for _ in train), test)


def test_passport_names_what_matters(small):
    text = partition.by_class(small, seed=4).passport()
    assert "3 clients" in text and "seed=4" in text and "classes per client: 1 of 3" in text


@pytest.mark.parametrize(
    "rows, kind, mentions",
    [
        ([0.0, 1.5], "type", ["torch.float32", "(2,)"]),
        (torch.tensor([True, False, True]), "type", ["torch.bool", "mask.nonzero()"]),
        ([[0, 1]], "shape", ["(1, 2)"]),
        (3, "shape", ["()"]),
    ],
)
def test_row_numbers_are_integers(small, rows, kind, mentions):
    with refused(kind, "client 0's train list", *mentions):
        Federation(small, (rows, [5, 6]), ([], []), ([7], [8]))


def test_row_numbers_of_any_integer_kind(small):
    train, test = (np.array([0, 1], dtype=np.int32), range(5, 7)), ([7], torch.tensor([8], dtype=torch.uint8))
    federation = Federation(small, train, ([], ()), test)
    assert all(
        rows.dtype == torch.int64
        for part in (federation.train, federation.validation, federation.test)
        for rows in part
    )


@pytest.mark.parametrize(
    "change, mentions",
    [
        (dict(train=None), ["train is 'NoneType'"]),
        (dict(train=5), ["train is 'int'", "partitioner"]),
        (dict(train="abc"), ["train is 'str'"]),
        (dict(test={0: [5]}), ["test is 'dict'"]),
        (dict(train=torch.tensor(3)), ["train is 'Tensor'"]),
        (dict(train=[["a"], [1]]), ["client 0's train list is 'list'"]),
        (dict(train=[[0], {1, 2}]), ["client 1's train list is 'set'", "sorted(rows)"]),
        (dict(validation=None), ["validation is 'NoneType'"]),
        (dict(dataset="digits"), ["dataset is 'str'", "a Dataset"]),
    ],
)
def test_what_is_not_a_federation_is_refused(small, change, mentions):
    with refused("type", *mentions):
        Federation(**(dict(dataset=small, train=[[0], [1]], validation=[[], []], test=[[2], [3]]) | change))


@pytest.mark.parametrize("seed", [0.5, "1", True, None])
def test_a_seed_is_an_integer(small, seed):
    with refused(ANY, f"seed is {seed!r}"):
        partition.iid(small, 3, seed=seed)
