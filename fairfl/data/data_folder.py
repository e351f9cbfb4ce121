"""Locate data: the reader's own folder, the cache, and the error for a dataset that is in neither."""

import os
import re
from pathlib import Path


def own() -> Path | None:
    """The folder that ``$FAIRFL_DATA`` names, or None. Nothing is written there."""
    return Path(os.environ["FAIRFL_DATA"]).expanduser() if os.environ.get("FAIRFL_DATA") else None


def cache() -> Path:
    """``$FAIRFL_CACHE``, or ``~/.cache/fairfl``: downloads and decoded images. It can be deleted at any time."""
    return Path(os.environ.get("FAIRFL_CACHE") or "~/.cache/fairfl").expanduser()


def shards(prefix: Path, part: str) -> list[Path]:
    """The parquet files of one part ("train", "test") of the dataset at ``prefix``; empty if there are none.

    Either ``PREFIX-train.parquet``, or in the folder ``PREFIX`` (or its ``data``, as on the Hugging Face hub)
    ``train.parquet`` or ``train-00000-of-00002.parquet`` and the other shards.

    Raises ``FileNotFoundError`` naming the missing file if a set of shards is incomplete.
    """
    for file in (Path(f"{prefix}-{part}.parquet"), prefix / f"{part}.parquet"):
        if file.is_file():
            return [file]
    for folder in (prefix, prefix / "data"):
        found = sorted(folder.glob(f"{part}-*.parquet"))
        for file in found:
            if numbered := re.search(r"-of-(\d+)\.parquet$", file.name):
                last = numbered.group(1)
                wanted = [folder / f"{part}-{i:0{len(last)}d}-of-{last}.parquet" for i in range(int(last))]
                if absent := [w for w in wanted if not w.is_file()]:
                    raise FileNotFoundError(
                        f"{absent[0]} is missing: {len(wanted) - len(absent)} of {int(last)} shards are "
                        f"there. Download the rest, or load one shard by its file name."
                    )
                return wanted
        if found:
            return found
    return []


def both(prefix: Path) -> tuple[list[Path], list[Path]] | None:
    """The files of the training and the test part at ``prefix``, or None if both are missing.

    Raises ``FileNotFoundError`` if only one of them is missing.
    """
    train, test = shards(prefix, "train"), shards(prefix, "test")
    if bool(train) != bool(test):
        there, absent = ("train", "test") if train else ("test", "train")
        raise FileNotFoundError(
            f"{(train or test)[0]} is there, but there is no {absent} part beside it. Put "
            f"{prefix.name}-{absent}.parquet there, or read the {there} part alone with "
            f"data.load('parquet', path='{(train or test)[0]}')."
        )
    return (train, test) if train else None


def missing(name: str, files: str, why: str, second_way: str) -> FileNotFoundError:
    """The error for a dataset that is not there: ``why`` it could not be downloaded, and both remedies."""
    folder = own()
    now = f"it is {str(folder)!r}, which has none of them" if folder else "it is not set"
    return FileNotFoundError(
        f"dataset {name!r} is not on this machine, and {why}. Either (1) put {files} into "
        f"a folder and set FAIRFL_DATA to it (now {now}), or (2) {second_way}."
    )
