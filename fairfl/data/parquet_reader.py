"""Read parquet files; a damaged file is refused by name and never read in part."""

import json
from pathlib import Path

from fairfl._extras import needed_by
from fairfl._incoming import regular
from fairfl.errors import Refused


def broken(file: Path, why: object) -> Refused:
    """The ``Refused`` for a file that cannot be what it should be, and ``why``."""
    return Refused(
        f"{file} cannot be used: {why}. It may be truncated, or another file under this name; "
        f"download it again or remove it.",
        "file",
    )


class Table:
    """One parquet file: its ``columns``, and their ``values``.

    Raises ``Refused`` naming the file unless it is a complete parquet file with rows, and ``NotInstalled`` without
    pyarrow.
    """

    def __init__(self, file: Path):
        with needed_by(f"reading {file}"):
            import pyarrow
            import pyarrow.parquet
        self.file = file
        try:
            self._table = pyarrow.parquet.ParquetFile(regular(file)).read()
        except (pyarrow.ArrowException, OSError) as failure:  # OSError if a page ends early
            raise broken(file, (str(failure).splitlines() or [type(failure).__name__])[0].rstrip(".")) from None
        self.columns = tuple(self._table.column_names)
        if not len(self):
            raise broken(file, "it has no rows")

    def __len__(self) -> int:
        return self._table.num_rows

    def column(self, wanted: str | None, usual: tuple[str, ...], what: str) -> str:
        """The column called ``wanted`` or, if that is None, the first of the ``usual`` names that the file has."""
        tried = usual if wanted is None else (wanted,)
        for name in tried:
            if name in self.columns:
                return name
        raise Refused(
            f"{self.file} has no {what} column {' or '.join(map(repr, tried))}; its columns: "
            f"{', '.join(self.columns)}. Name the right one, or check that this is the right file.",
            "name",
        )

    def values(self, column: str) -> list:
        """The column's rows as Python values, ``None`` for a missing one."""
        return self._table[column].to_pylist()

    def class_names(self, label: str) -> tuple[str, ...] | None:
        """The class names that the Hugging Face hub stores in a file's metadata; None if there are none."""
        stored = (self._table.schema.metadata or {}).get(b"huggingface", "")
        try:
            return tuple(json.loads(stored)["info"]["features"][label]["names"])
        except (TypeError, KeyError, ValueError):
            return None
