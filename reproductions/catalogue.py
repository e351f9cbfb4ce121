"""The declared tables, by name, and reading declarations from TOML."""

import tomllib
from pathlib import Path

from fairfl._validation import integer
from fairfl.errors import Refused, refuse, unknown
from reproductions import declaration
from reproductions.declared_settings import made
from reproductions.experiment import Column, Experiment, Row

MOST_SEEDS = 10_000
FOLDER = Path(__file__).parent / "tables"


def names() -> list[str]:
    """The tables that come with the package."""
    return stems(FOLDER)


def stems(folder: Path) -> list[str]:
    """The names of the declarations in ``folder``."""
    return sorted(path.stem for path in folder.glob("*.toml"))


def named(given: str | Path, kind: str, folder: Path) -> Path:
    """The path of a declaration: ``given`` itself if it is a TOML file, or the declaration of that name in ``folder``.

    ``kind``: what the declarations in ``folder`` are. Raises ``Refused`` for another kind of file, and for an unknown name.
    """
    path = Path(given)
    if path.suffix == ".toml":
        return path
    if str(given) in stems(folder):
        return folder / f"{given}.toml"
    if path.suffix or len(path.parts) > 1 or path.is_file():  # this is no name, so a list of names would not help
        allowed = "a name, or the path of a .toml file of your own"
        raise refuse(f"the {kind}", str(given), allowed, "Name a declaration.", "file")
    raise unknown(kind, str(given), stems(folder), "The path of a TOML file of your own works as well.")


def undeclared() -> dict[tuple[str, str], str]:
    """The published tables without a declaration, as (paper, table) → the reason."""
    reasons = tomllib.loads((FOLDER.parent / "undeclared.toml").read_text(encoding="utf-8"))
    return {(paper, table): why for paper, tables in reasons.items() for table, why in tables.items()}


def load(name: str | Path) -> Experiment:
    """The experiment called ``name``, or declared in the TOML file at ``name``.

    Raises ``Refused`` for an unknown name, for a file that cannot be read, and for an unknown, missing or invalid key, which the
    message names. Exceptions raised by a reader's own class or function pass through.
    """
    path = named(name, "experiment", FOLDER)
    given = declaration.read(path, "a declaration", names())
    try:
        return parse(given | {"name": path.stem})
    except Refused as error:
        raise Refused(f"{path.name}: {error}", error.kind) from error


def parse(given: dict) -> Experiment:
    """The experiment declared by a dictionary of plain values. Raises as ``load``."""
    given = dict(given)
    columns, rows = given.pop("columns", {}), declaration.tables(given, "rows")
    if not isinstance(columns, dict):
        raise refuse("columns", columns, "one table", "Write [columns] once.", "type")
    if isinstance(given.get("seeds"), int):
        remedy = "It is the number of runs per row; a list names the seeds."
        given["seeds"] = list(range(integer("seeds", given["seeds"], 1, remedy, high=MOST_SEEDS)))
    given["columns"] = [
        made("column", Column, {"metric": metric} | (column if isinstance(column, dict) else {"of": column}), "key of")
        for metric, column in columns.items()
    ]
    given["rows"] = [made("row", Row, row, "key of") for row in rows]
    return made("experiment", Experiment, given, "key of")
