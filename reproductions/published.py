"""The papers' printed numbers as a table."""

import csv
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from fairfl._extras import needed_by
from fairfl.errors import unknown
from reproductions import result_folders

if TYPE_CHECKING:
    from pandas import DataFrame


def published(**given: str) -> "DataFrame":
    """The rows of ``data/papers/published_results.csv`` as a pandas ``DataFrame``, those that match ``given`` alone.

    ``given`` names columns: ``published(paper="fedfv", table="Table 3")``. ``value`` and ``spread`` are numbers (NaN where nothing is
    printed), ``printed`` keeps the value's digits. Raises ``ValueError`` for a column that is not there or a value that no row has,
    and where there is no checkout around, ``NotInstalled`` without pandas.
    """
    with needed_by("published()"):
        import pandas as pd

    frame = pd.read_csv(result_folders.find().papers / "published_results.csv", dtype=str, keep_default_na=False)
    for column, value in given.items():
        if column not in frame.columns:
            raise unknown("column", column, frame.columns)
        if not (frame[column] == value).any():
            raise unknown(column, value, frame[column].unique())
        frame = frame[frame[column] == value]
    frame = frame.assign(
        printed=frame["value"],
        value=pd.to_numeric(frame["value"]),
        spread=pd.to_numeric(frame["spread"].replace("", None)),
    )
    return frame.reset_index(drop=True)


def count(papers: Path) -> Counter:
    """How many cells the folder ``papers`` has of each (paper, table)."""
    with open(papers / "published_results.csv", newline="", encoding="utf-8") as file:
        return Counter((line["paper"], line["table"]) for line in csv.DictReader(file))


def wide(frame: "DataFrame") -> "DataFrame":
    """``frame`` with a row for each printed row and a column for each metric, in the printed order."""
    keys = ["paper", "table", "dataset", "setup", "algorithm", "hyperparameters"]
    return frame.set_index([*keys, "metric"])["value"].unstack("metric", sort=False).reset_index()
