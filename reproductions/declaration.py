"""Reading a declaration, of a table or of a paper's claims, from TOML."""

import tomllib
from collections.abc import Iterable
from pathlib import Path

from fairfl.errors import Refused


def read(path: Path, kind: str, known: Iterable[str]) -> dict:
    """The contents of the TOML file at ``path``. ``kind`` ("a declaration") and the ``known`` names are for the messages.

    Raises ``Refused`` for a file that cannot be read, or that is not TOML in UTF-8.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise Refused(f"{path} is not valid TOML: {error}; correct the file", "file") from error
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise Refused(f"{path} is not valid TOML: line {line} is not UTF-8; save the file as UTF-8", "file") from error
    except OSError as error:
        raise Refused(
            f"{path} cannot be read ({error.strerror}); give the path of {kind}, or one of {', '.join(known)}", "file"
        ) from error
