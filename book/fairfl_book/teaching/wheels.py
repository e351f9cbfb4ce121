"""Wheels: the book and its solutions, which open it without a clone, and for a release all packages that ``make lab`` installs on this system and Python."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from fairfl.errors import Refused
from fairfl_book.book_paths import Book
from fairfl_book.exercises import solutions
from fairfl_book.teaching import release

PIP = (sys.executable, "-m", "pip")
QUIET = "--disable-pip-version-check"


def build(book: Book, out: Path | None = None, run: Callable = subprocess.run) -> list[Path]:
    """Build the book's wheel and, if this copy has solutions, theirs, into ``out`` (default: ``dist``). Returns the files.

    The same commit gives the same bytes, as long as pip finds the same setuptools. Raises ``Refused`` if pip fails.
    """
    out = out or book.dist
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out) as scratch:
        new, exported = Path(scratch) / "new", Path(scratch) / "book"
        _export(book, exported)
        projects = [exported, solutions.folder(Book(exported))]
        for project in projects if solutions.there(book) else projects[:1]:
            _build(book, project, new, run)
        return [wheel.replace(out / wheel.name) for wheel in sorted(new.iterdir())]


def fetch(book: Book, run: Callable = subprocess.run) -> Path:
    """Fill ``dist/wheels`` with the packages that this edition needs, remove earlier ones, and return the folder.

    Raises ``Refused`` if pip fails; the folder then stays as it was.
    """
    folder = book.dist / release.WHEELS
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        new, exported = Path(scratch) / "new", Path(scratch) / "book"
        _export(book, exported)
        lock = str(book.root / "requirements.lock")
        download = [*PIP, "download", QUIET, "--prefer-binary", "--dest", str(new), "--constraint", lock]
        _pip(run, [*download, "setuptools>=77", f"{exported}[lab]"])
        _build(book, exported, new, run)
        shutil.rmtree(folder, ignore_errors=True)
        new.rename(folder)
    return folder


def _build(book: Book, project: Path, folder: Path, run: Callable) -> None:
    """Build the wheel of ``project`` into ``folder``, with the time of the last commit in it."""
    when = {"SOURCE_DATE_EPOCH": str(release.epoch(book.root))}
    build = [*PIP, "wheel", QUIET, "--no-deps", "--no-cache-dir", "--wheel-dir", str(folder), str(project)]
    _pip(run, build, env={**os.environ, **when}, umask=0o022)


def _pip(run: Callable, command: list[str], **settings) -> None:
    try:
        run(command, check=True, **settings)
    except (OSError, subprocess.CalledProcessError) as error:
        raise Refused(
            "pip could not build or download every wheel; its output is above. Check the network and try again: pip keeps "
            "finished downloads.",
            "file",
        ) from error


def _export(book: Book, place: Path) -> None:
    """Copy the tracked files to ``place`` with git's modes, because a wheel would include local modes and leftovers in build/."""
    for path, executable in release.tracked(book.root).items():
        copy = place / path
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(book.root / path, copy)
        copy.chmod(0o755 if executable else 0o644)
