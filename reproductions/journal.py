"""Several files that change together: what shall stand in them is written down whole before the first is touched."""

import json
from pathlib import Path

from fairfl import _atomic_files


def write(folder: Path, name: str, texts: dict[str, str]) -> None:
    """Put each text, in this order, into ``folder/NAME`` plus its suffix. One process at a time."""
    _atomic_files.write(_file(folder, name), json.dumps(texts).encode())
    for suffix, text in texts.items():
        _atomic_files.write(folder / f"{name}{suffix}", text.encode())
    clear(folder, name)


def left(folder: Path, name: str) -> dict[str, str]:
    """The texts, by suffix, of a ``write`` that was killed before it had written them all; empty if there was none."""
    return json.loads(_file(folder, name).read_text(encoding="utf-8")) if _file(folder, name).exists() else {}


def clear(folder: Path, name: str) -> None:
    """Take away the journal, and the half-written files of killed writes."""
    for path in (_file(folder, name), *folder.glob(f".{name}.*.part")):
        path.unlink(missing_ok=True)


def _file(folder, name):
    return folder / f"{name}.journal"
