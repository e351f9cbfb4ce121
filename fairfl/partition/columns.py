"""Partitioners along a column of the dataset: a writer, a speaking role, a domain."""

import torch

from fairfl._randomness import generator
from fairfl._validation import boolean, integer, known, number
from fairfl.data.dataset import Dataset
from fairfl.errors import Refused
from fairfl.federation import Federation
from fairfl.partition.holdout import Scoring, finish, put_aside
from fairfl.partition.partitioner import partitioner

SMALLEST = "A value of the column needs at least this many rows to become a client."


@partitioner
def by_column(
    dataset: Dataset,
    column: str,
    *,
    min_size: int = 2,
    max_clients: int | None = None,
    in_order: bool = False,
    seed: int = 0,
    scored_on: str = "own",
    test: float = 0.2,
    validation: float = 0.0,
) -> Federation:
    """One client for each value of ``column``: a writer, a speaking role, a domain.

    Values with fewer than ``min_size`` rows to split are left out, and the recipe counts them. If more than
    ``max_clients`` values are left, that many are drawn by ``seed``. With ``scored_on="official"`` a client is scored
    on the official test rows of its own value, and values without any are left out as well. With ``in_order=True`` a
    client's last rows are held out instead of random ones, which suits text, where neighbouring windows overlap.
    ``test`` and ``validation``: see ``fairfl.partition.holdout``.
    """
    known("column", column, dataset.columns, f"These are the columns of {dataset.called}.")
    min_size = integer("min_size", min_size, 1, SMALLEST)
    if max_clients is not None:
        max_clients = integer(
            "max_clients", max_clients, 1, "It is the largest number of clients; None makes every value a client."
        )
    in_order = boolean("in_order", in_order)
    scoring = Scoring(seed, scored_on, test, validation)
    official = scored_on == "official"
    rows, pool = put_aside(dataset, scoring)
    values = dataset.columns[column]
    present, counts = values[rows].unique(return_counts=True)
    kept = present[counts >= min_size]
    if official:
        kept = kept[torch.isin(kept, values[dataset.test_from :])]
    dropped = len(present) - len(kept)
    if max_clients is not None and len(kept) > max_clients:
        chosen = torch.randperm(len(kept), generator=generator(seed, "columns"))[:max_clients]
        kept = kept[chosen.sort().values]
    lists = [rows[values[rows] == v] for v in kept]
    tests = None
    if official:
        test_rows = torch.arange(dataset.test_from, len(dataset))
        tests = [test_rows[values[test_rows] == v] for v in kept]
    return finish(dataset, lists, pool, scoring, in_order=in_order, tests=tests, facts={"left_out": dropped})


@partitioner
def in_time(
    dataset: Dataset,
    column: str,
    *,
    cut: float = 0.8,
    start: str = "position",
    end: str = "position_end",
    min_size: int = 2,
) -> Federation:
    """One client for each value of ``column``, trained on the rows that end by ``cut`` and scored on those that begin
    at or after it.

    ``start`` and ``end`` name the columns that hold where a row begins and ends in its client's text, from 0 to 1. A
    row that straddles the cut is in neither part, so overlapping windows do not leak. Values with fewer than
    ``min_size`` rows on either side are left out, and the recipe counts them.
    """
    for name in (column, start, end):
        known("column", name, dataset.columns, f"These are the columns of {dataset.called}.")
    number("cut", cut, 0, 1, "With 0.8, clients train on the first four fifths.", above=True, below=True)
    min_size = integer("min_size", min_size, 1, SMALLEST)
    before, after = dataset.columns[end] <= cut, dataset.columns[start] >= cut
    values = dataset.columns[column].unique(return_inverse=True)[1]  # numbered from 0, whatever the column holds
    train, test, left_out = [], [], 0
    order = torch.argsort(values, stable=True)
    for rows in order.split(torch.bincount(values).tolist()):
        first, last = rows[before[rows]], rows[after[rows]]
        if min(len(first), len(last)) < min_size:
            left_out += 1
        else:
            train.append(first)
            test.append(last)
    if not train:
        raise Refused(
            f"no value of {column!r} has {min_size} rows on both sides of the cut at {cut}; lower min_size or move cut",
            "missing",
        )
    nothing = tuple(order[:0] for _ in train)
    return Federation(dataset, tuple(train), nothing, tuple(test), {"left_out": left_out})
