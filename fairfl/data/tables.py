"""Parquet files, read so that a broken one is named and never half believed."""

import json
from collections.abc import Iterator
from pathlib import Path

from fairfl.errors import Refused
from fairfl.extras import needed_by


def broken(file: Path, why: object) -> ValueError:
    """The refusal of a file that cannot be what it should be."""
    return Refused(f"{file} cannot be used: {why}. It may be truncated or another file under this name; "
                      f"fetch it again or remove it.")


class Table:
    """One parquet file: its column names and row count at once, its rows batch by batch.

    Raises ``ValueError`` naming the file if it is no whole parquet file, ``NotInstalled`` without pyarrow.
    """

    def __init__(self, file: Path):
        with needed_by(f"reading {file}"):
            import pyarrow
            import pyarrow.parquet
        self.file = Path(file)
        # Arrow says ArrowInvalid for a file without its footer, OSError for a page that ends early.
        self._failures = (pyarrow.ArrowException, OSError)
        try:
            self._parquet = pyarrow.parquet.ParquetFile(self.file)
        except self._failures as failure:
            raise broken(self.file, _first_line(failure)) from None
        self.columns = tuple(self._parquet.schema_arrow.names)
        self.rows = self._parquet.metadata.num_rows

    def column(self, wanted: str | None, usual: tuple[str, ...], what: str) -> str:
        """The column called ``wanted``, or where that is None the first of the ``usual`` names that is there."""
        for name in (wanted,) if wanted is not None else usual:
            if name in self.columns:
                return name
        tried = repr(wanted) if wanted is not None else " or ".join(map(repr, usual))
        raise Refused(f"{self.file} has no {what} column {tried}; its columns: {', '.join(self.columns)}. "
                         f"Name the right one, or check that this is the right file.")

    def batches(self, columns: list[str]) -> Iterator[list[list]]:
        """The rows in order, some thousands at a time, each batch as one list of Python values per column."""
        try:
            for batch in self._parquet.iter_batches(4096, columns=columns):
                yield [batch.column(name).to_pylist() for name in columns]
        except self._failures as failure:
            raise broken(self.file, _first_line(failure)) from None

    def whole(self, columns: list[str]) -> list[list]:
        """All rows, as one list of Python values per column."""
        read = [[] for _ in columns]
        for batch in self.batches(columns):
            for values, more in zip(read, batch):
                values.extend(more)
        return read

    def class_names(self, label: str) -> tuple[str, ...] | None:
        """The class names that the Hugging Face hub writes into a file's own description; None without one."""
        told = (self._parquet.schema_arrow.metadata or {}).get(b"huggingface")
        try:
            return tuple(json.loads(told)["info"]["features"][label]["names"])
        except (TypeError, KeyError, ValueError):
            return None


def _first_line(failure: Exception) -> str:
    return (str(failure).strip().splitlines() or [type(failure).__name__])[0].rstrip(".")
