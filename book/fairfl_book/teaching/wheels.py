"""The wheels of a release: the packages that ``make lab`` installs on this system and Python, at the locked versions, and the book itself."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from fairfl.errors import Refused
from fairfl_book.book_paths import Book
from fairfl_book.teaching import release

PIP = (sys.executable, "-m", "pip")


def fetch(book: Book, run: Callable = subprocess.run) -> Path:
    """Fill ``dist/wheels`` with the packages that this edition needs, remove earlier ones, and return the folder.

    Raises ``Refused`` if pip fails; the folder then stays as it was.
    """
    folder = book.dist / release.WHEELS
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        new, exported = Path(scratch) / "new", Path(scratch) / "book"
        _export(book, exported)
        quiet, lock = "--disable-pip-version-check", str(book.root / "requirements.lock")
        download = [*PIP, "download", quiet, "--prefer-binary", "--dest", str(new), "--constraint", lock]
        build = [*PIP, "wheel", quiet, "--no-deps", "--no-cache-dir", "--wheel-dir", str(new)]
        settings = {**os.environ, "SOURCE_DATE_EPOCH": str(release.epoch(book.root))}
        try:
            run([*download, "setuptools>=77", f"{exported}[lab]"], check=True)
            run([*build, str(exported)], check=True, env=settings, umask=0o022)
        except (OSError, subprocess.CalledProcessError) as error:
            raise Refused(
                "pip could not build or download every wheel; its output is above. Check the network and try again: pip keeps "
                "finished downloads.",
                "file",
            ) from error
        shutil.rmtree(folder, ignore_errors=True)
        new.rename(folder)
    return folder


def _export(book: Book, place: Path) -> None:
    """Copy the tracked files to ``place`` with git's modes, because a wheel would include local modes and leftovers in build/."""
    for path, executable in release.tracked(book.root).items():
        copy = place / path
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(book.root / path, copy)
        copy.chmod(0o755 if executable else 0o644)
