"""The one door for files that others may have written: first the kind of file, then its size, then its content.

Nothing that comes through here is executed, and no content is trusted: readers check it, and name the file.
"""

import json
import os
import stat
import tomllib
from pathlib import Path
from typing import Any

from fairfl.errors import Refused

# Declarations and notes have a few kilobytes. A program that writes more than this into one has failed.
MOST_TEXT = 16 * 2**20


def place(path: str | os.PathLike) -> Path:
    """``path`` with a leading ``~`` replaced by the home folder, and with symbolic links resolved."""
    return Path(os.path.realpath(os.path.expanduser(path)))


def regular(path: str | os.PathLike, most: int | None = None) -> Path:
    """``path``, if it is an ordinary file of at most ``most`` bytes.

    A pipe would wait for ever, and a device may have no end. Raises ``OSError`` if there is no file, and ``Refused`` of
    kind "file" for anything but a file, and for a larger one.
    """
    found = os.stat(path)
    if not stat.S_ISREG(found.st_mode):
        what = "a folder" if stat.S_ISDIR(found.st_mode) else "a pipe, a socket or a device"
        raise Refused(f"{path} is {what}; allowed: an ordinary file. Name another path", "file")
    if most is not None and found.st_size > most:
        raise Refused(f"{path} has {found.st_size:,} bytes; allowed: up to {most:,}. Name another file", "file")
    return Path(path)


def text(path: str | os.PathLike) -> str:
    """The text of a file in UTF-8. Raises as ``regular`` does, and ``Refused`` if it is not UTF-8."""
    with open(regular(path, MOST_TEXT), "rb") as file:
        content = file.read(MOST_TEXT + 1)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise Refused(f"{path} cannot be read: line {line} is not UTF-8; save the file as UTF-8", "file") from error


def toml(path: str | os.PathLike) -> dict[str, Any]:
    """The contents of a TOML file. Raises as ``text`` does, and ``Refused`` if it is not TOML."""
    return _parsed(path, "TOML", tomllib.loads)


def json_object(path: str | os.PathLike) -> dict[str, Any]:
    """The contents of a JSON file that holds one object. Raises as ``text`` does, and ``Refused`` for other content."""
    return _parsed(path, "JSON", json.loads)


def _parsed(path: str | os.PathLike, kind: str, parse: Any) -> dict[str, Any]:
    content = text(path)
    try:
        parsed = parse(content)
    except (ValueError, RecursionError) as error:  # a hundred thousand brackets exhaust the parser's stack
        why = "it is nested too deeply" if isinstance(error, RecursionError) else error
        raise Refused(f"{path} is not valid {kind}: {why}; correct the file", "file") from error
    if not isinstance(parsed, dict):
        raise Refused(f"{path} holds a {type(parsed).__name__}; allowed: values by name. Correct the file", "file")
    return parsed
