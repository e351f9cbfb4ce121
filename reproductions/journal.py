"""Change several files together: all new texts are written to a journal before the first file is touched."""

import json
from pathlib import Path

from fairfl import _atomic_files, _incoming


def write(folder: Path, name: str, texts: dict[str, str]) -> None:
    """Write each text, in order, to ``folder/NAME`` plus its suffix. Only one process at a time may do so."""
    _atomic_files.write(_file(folder, name), json.dumps(texts).encode())
    for suffix, text in texts.items():
        _atomic_files.write(folder / f"{name}{suffix}", text.encode())
    clear(folder, name)


def left(folder: Path, name: str) -> dict[str, str]:
    """The texts, by suffix, of a ``write`` that was killed before it finished; empty if there was none."""
    return _incoming.json_object(_file(folder, name)) if _file(folder, name).exists() else {}


def clear(folder: Path, name: str) -> None:
    """Remove the journal, and partial files left by killed writes."""
    for path in (_file(folder, name), *folder.glob(f".{name}.*.part")):
        path.unlink(missing_ok=True)


def _file(folder, name):
    return folder / f"{name}.journal"
