"""Who gets which rows: the laws by which a dataset becomes a federation, and the papers' splits by name."""

from fairfl.partition.columns import by_column, in_time
from fairfl.partition.laws import by_class, dirichlet, iid, shards, some_classes
from fairfl.partition.presets import PRESETS, preset, presets

__all__ = ["PRESETS", "by_class", "by_column", "dirichlet", "iid", "in_time", "preset", "presets", "shards",
           "some_classes"]
