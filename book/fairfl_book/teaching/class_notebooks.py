"""Write notebooks for a class into a folder, never over a file that somebody has edited."""

import json
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from fairfl import _atomic_files
from fairfl.errors import Refused, unknown
from fairfl_book.book_paths import Book
from fairfl_book.exercises import solutions
from fairfl_book.reading import copies
from fairfl_book.teaching import exercise_notebooks

KINDS = ("student", "solutions")
RECORD = ".fairfl-kit.json"  # the files that this program wrote: file name → identity of the text


def made(book: Book, kind: str, name: str) -> bytes:
    """The contents of chapter ``name``'s notebook of this kind. Raises ``Refused`` for "solutions" if the book has none."""
    return (nbformat.writes(_made(book, kind, name)) + "\n").encode("utf-8")


def _made(book: Book, kind: str, name: str) -> NotebookNode:
    notebook = nbformat.read(book.notebook(name), as_version=4)
    if kind == "student":
        return exercise_notebooks.student(notebook)
    if not solutions.there(book):
        raise Refused(
            f"this copy of the book has no solutions: {solutions.folder(book)} does not exist. Use a clone of the "
            "book, or write one file per chapter there, as CONTRIBUTING.md explains; make student needs none.",
            "missing",
        )
    try:
        return exercise_notebooks.solved(notebook, solutions.of_chapter(book, name))
    except ValueError as error:
        raise Refused(f"{name}: {error}", getattr(error, "kind", None)) from error


def chosen(book: Book, given: list[str]) -> list[str]:
    """The chapters in ``given``, as in ``Book.select``; if it is empty, all executed chapters.

    Raises ``Refused`` for a chapter in ``given`` that has no notebook yet.
    """
    names = book.select(given)
    missing = [name for name in names if not book.notebook(name).exists()]
    if given and missing:
        raise Refused(
            f"{missing[0]} has a text but no notebook; run make chapters ARGS={missing[0][:2]} first.", "missing"
        )
    return [name for name in names if name not in missing]


def write(book: Book, kind: str, given: list[str], out: Path | None = None) -> list[Path]:
    """Write chapters as ``kind``, one of ``KINDS``, into ``out`` (default: ``folder``); returns the files.

    Raises ``Refused``, and writes nothing, if ``out`` is a reader's or the book's own folder, or contains an edited file.
    """
    if kind not in KINDS:
        raise unknown("kind of notebook", kind, KINDS)
    out = (out or book.dist / kind).resolve()
    refuse_places(book, out)
    record = _load(out / RECORD)
    files = {out / f"{name}.ipynb": name for name in chosen(book, given)}
    for path in files:
        if path.exists() and copies.fingerprint(path) != record.get(path.name):
            raise Refused(
                f"{path} was not written by this command, or has been edited since. "
                "Nothing was changed. Move it away, or choose another folder with --out.",
                "file",
            )
    contents = {path: made(book, kind, name) for path, name in files.items()}
    out.mkdir(parents=True, exist_ok=True)
    for path, content in contents.items():
        _atomic_files.write(path, content)
        record[path.name] = copies.fingerprint(path)
    _atomic_files.write(out / RECORD, (json.dumps(record, indent=1, sort_keys=True) + "\n").encode())
    return list(files)


def refuse_places(book: Book, out: Path) -> None:
    """Raise ``Refused`` if ``out`` is a reader's or the book's own folder."""
    for place, holds in ((book.work, "the reader's copies and answers"), (book.chapters, "the book itself")):
        if out == place.resolve() or place.resolve() in out.parents:
            raise Refused(
                f"--out is {out}, and {place.name}/ contains {holds}; allowed: any folder except chapters/ and work/. Nothing was "
                "changed. Choose another folder, or leave out --out for one in dist/.",
                "file",
            )
    if (out / copies.RECORD).exists():
        raise Refused(
            f"--out is {out}, which contains a reader's copies and answers ({copies.RECORD} exists). Nothing was changed. "
            "Choose another folder.",
            "file",
        )


def _load(path: Path) -> dict[str, str]:
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return record if isinstance(record, dict) else {}
