"""The reading of a declaration, a table's or a paper's claims, from TOML."""

import tomllib
from collections.abc import Iterable
from pathlib import Path

from fairfl.errors import Refused


def read(path: Path, kind: str, known: Iterable[str]) -> dict:
    """What the TOML file at ``path`` holds. ``kind`` ("a declaration") and the ``known`` names are for the messages.

    Raises ``Refused`` for a file that cannot be read, that is no TOML, or that is no UTF-8.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise Refused(f"{path} is not TOML: {error}") from error
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise Refused(
            f"{path} is not TOML: line {line} holds bytes that are no UTF-8; save the file as UTF-8"
        ) from error
    except OSError as error:
        raise Refused(
            f"{path} cannot be read ({error.strerror}); give the path of {kind}, or one of {', '.join(known)}"
        ) from error
