"""The declared tables, by name; and the reading of declarations from TOML."""

import tomllib
from pathlib import Path

from fairfl.errors import Refused, refuse, unknown
from reproductions import declaration
from reproductions.declared_settings import made
from reproductions.experiment import Column, Experiment, Row

FOLDER = Path(__file__).parent / "tables"


def names() -> list[str]:
    """The tables that come with the package."""
    return stems(FOLDER)


def stems(folder: Path) -> list[str]:
    """The names of the declarations in ``folder``."""
    return sorted(path.stem for path in folder.glob("*.toml"))


def named(given: str | Path, kind: str, folder: Path) -> Path:
    """The declaration that a reader means: a TOML file of their own, or the one in ``folder`` that has this name.

    ``kind``: what the declarations in ``folder`` are. Raises ``Refused`` for a file of another sort, and for an unknown name.
    """
    path = Path(given)
    if path.suffix == ".toml":
        return path
    if str(given) in stems(folder):
        return folder / f"{given}.toml"
    if path.suffix or len(path.parts) > 1 or path.is_file():  # no name, and a list of names would not help
        raise refuse(
            f"the {kind}",
            str(given),
            "a name, or a declaration of your own, which is a .toml file",
            "Name such a file.",
        )
    raise unknown(kind, str(given), stems(folder), "The path of a TOML file of your own works as well.")


def undeclared() -> dict[tuple[str, str], str]:
    """(paper, table) → why no declaration reruns it."""
    told = tomllib.loads((FOLDER.parent / "undeclared.toml").read_text(encoding="utf-8"))
    return {(paper, table): why for paper, tables in told.items() for table, why in tables.items()}


def load(name: str | Path) -> Experiment:
    """The experiment called ``name``, or declared in the TOML file at ``name``.

    Raises ``Refused`` for an unknown name, unreadable TOML, an unknown or missing key, or a value out of range, each by name. What a
    reader's own class or function raises goes through.
    """
    path = named(name, "experiment", FOLDER)
    given = declaration.read(path, "a declaration", names())
    try:
        return parse(given | {"name": path.stem})
    except Refused as error:
        raise Refused(f"{path.name}: {error}") from error


def parse(given: dict) -> Experiment:
    """The experiment that a dictionary of plain values declares. Raises as ``load``."""
    given = dict(given)
    columns, rows = given.pop("columns", {}), given.pop("rows", [])
    if not isinstance(columns, dict) or not isinstance(rows, list):
        raise Refused("columns and rows are tables; write [columns] once, and [[rows]] before every row")
    if isinstance(given.get("seeds"), int):
        given["seeds"] = list(range(given["seeds"]))
    given["columns"] = [
        made("column", Column, {"metric": metric} | (told if isinstance(told, dict) else {"of": told}), "key of")
        for metric, told in columns.items()
    ]
    given["rows"] = [made("row", Row, row, "key of") for row in rows]
    return made("experiment", Experiment, given, "key of")
