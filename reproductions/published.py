"""The numbers that the papers print."""

import csv
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from fairfl._extras import needed_by
from fairfl.errors import unknown
from reproductions import result_folders

if TYPE_CHECKING:
    from pandas import DataFrame


def lines(papers: Path) -> list[dict[str, str]]:
    """Every printed cell, as text: the lines of ``published_results.csv`` in the folder ``papers``."""
    with open(papers / "published_results.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def published(**given: str) -> "DataFrame":
    """The published numbers of this clone as a pandas ``DataFrame``, optionally only the rows that match ``given``.

    ``given`` selects by column: ``published(paper="fedfv", table="Table 3")``. ``value`` and ``spread`` are numbers (NaN
    where nothing is printed); ``printed`` keeps the value's digits. Raises ``Refused`` for an unknown column, for a value
    that no row has, and outside a clone; ``NotInstalled`` without pandas.
    """
    with needed_by("published()"):
        import pandas as pd

    frame = pd.DataFrame(lines(result_folders.find().papers))
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
    """The number of printed cells for each (paper, table)."""
    return Counter((line["paper"], line["table"]) for line in lines(papers))


def wide(frame: "DataFrame") -> "DataFrame":
    """``frame`` with one row per printed row and one column per metric, in printed order."""
    keys = ["paper", "table", "dataset", "setup", "algorithm", "hyperparameters"]
    return frame.set_index([*keys, "metric"])["value"].unstack("metric", sort=False).reset_index()
