"""Reading a declaration, of a table or of a paper's claims, from TOML."""

from collections.abc import Iterable
from pathlib import Path

from fairfl import _incoming
from fairfl.errors import Refused, refuse


def read(path: Path, kind: str, known: Iterable[str]) -> dict:
    """The contents of the TOML file at ``path``. ``kind`` ("a declaration") and the ``known`` names are for the messages.

    Raises ``Refused`` for a file that cannot be read, or that is not TOML in UTF-8.
    """
    try:
        return _incoming.toml(path)
    except OSError as error:
        raise Refused(
            f"{path} cannot be read ({error.strerror}); give the path of {kind}, or one of {', '.join(known)}", "file"
        ) from error


def tables(given: dict, name: str) -> list[dict]:
    """The tables ``[[name]]`` in ``given``. Raises ``Refused`` for anything else under that name."""
    found = given.get(name, [])
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise refuse(name, found, "a list of tables", f"Write [[{name}]] before every one.", "type")
    return found
