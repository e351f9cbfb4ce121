"""The declared tables, by name; and the reading of declarations from TOML."""

import dataclasses
import tomllib
from pathlib import Path

from fairfl.errors import Refused, unknown
from fairfl.experiments.experiment import Column, Experiment, Row

FOLDER = Path(__file__).parent / "tables"


def names() -> list[str]:
    """The tables that come with the package."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def load(name: str | Path) -> Experiment:
    """The experiment called ``name``, or declared in the TOML file at ``name``.

    Raises ``ValueError`` for an unknown name, unreadable TOML, an unknown or missing key, or a value out of range, each by name.
    """
    path = Path(name)
    if path.suffix != ".toml":
        if str(name) not in names():
            raise unknown("experiment", str(name), names(), "The path of a TOML file of your own works as well.")
        path = FOLDER / f"{name}.toml"
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise Refused(f"{path} is not TOML: {error}") from error
    except OSError as error:
        raise Refused(f"{path} cannot be read ({error.strerror}); give the path of a declaration, "
                         f"or one of {', '.join(names())}") from error
    try:
        return parse(given | {"name": path.stem})
    except ValueError as error:
        raise Refused(f"{path.name}: {error}") from error


def parse(given: dict) -> Experiment:
    """The experiment that a dictionary of plain values declares."""
    given = dict(given)
    columns, rows = given.pop("columns", {}), given.pop("rows", [])
    seeds = given.pop("seeds", None)
    if seeds is not None:
        given["seeds"] = tuple(range(seeds)) if isinstance(seeds, int) else tuple(seeds)
    given["columns"] = tuple(_made("column", Column, {"metric": metric} | (told if isinstance(told, dict) else {"of": told}))
                             for metric, told in columns.items())
    given["rows"] = tuple(_made("row", Row, row) for row in rows)
    return _made("experiment", Experiment, given)


def _made(what: str, cls, given: dict):
    fields = {f.name: f for f in dataclasses.fields(cls)}
    for key in given:
        if key not in fields:
            raise unknown(f"key of {what}", key, fields)
    lacking = [n for n, f in fields.items()
               if n not in given and f.default is dataclasses.MISSING and f.default_factory is dataclasses.MISSING]
    if lacking:
        raise Refused(f"{what} {given.get('label', given.get('name', ''))!r} lacks {', '.join(lacking)}; add it to the declaration")
    given = {key: _plain(f"{what}'s {key}", fields[key].type, value) for key, value in given.items()}
    return cls(**given)


def _plain(what, kind, value):
    """``value``, refused unless it is of the kind that the declaration's field asks for."""
    wanted = {int: int, float: (int, float), str: str, bool: bool, dict: dict}.get(kind, (list, tuple))
    if not isinstance(value, wanted) or isinstance(value, bool) and kind is not bool:
        name = getattr(kind, "__name__", "list")
        raise Refused(f"{what} is {value!r}, a {type(value).__name__}; allowed: a value of type {name}")
    return tuple(value) if isinstance(value, list) else value
