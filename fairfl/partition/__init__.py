"""Partitioners, which split a dataset over clients, and the papers' splits by name.

In: a ``Dataset``. Out: a ``Federation``: the same dataset and, per client, the row numbers to train on, to validate on
and to be scored on. No row is copied. A partitioner (``iid``, ``dirichlet``, …) deals the rows by ``seed``, ``split``
takes your own lists of rows, and ``preset`` makes a paper's split. All of them refuse a row that is both trained and
scored on, and the federation's ``recipe`` records how it was made. ``fairfl.partition.holdout`` describes how clients
are scored.
"""

from fairfl.partition.columns import by_column, in_time
from fairfl.partition.from_indices import split
from fairfl.partition.partitioners import by_class, dirichlet, iid, shards, some_classes
from fairfl.partition.presets import PRESETS, preset, presets
from fairfl.partition.recut import recut

__all__ = [
    "PRESETS",
    "by_class",
    "by_column",
    "dirichlet",
    "iid",
    "in_time",
    "preset",
    "presets",
    "recut",
    "shards",
    "some_classes",
    "split",
]
