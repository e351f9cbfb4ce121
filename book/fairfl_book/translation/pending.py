"""Count the untranslated pieces of each chapter, and record the numbers in ``chapters/LANGUAGE/waiting.toml``."""

import tomllib
from pathlib import Path

from fairfl import _atomic_files
from fairfl_book.book_paths import Book
from fairfl_book.build import chapter_notebooks
from fairfl_book.translation import translation_file, units

NOTE = "# How many pieces of each chapter wait for a translator; written by 'fairfl-book translate', and compared by a test.\n"


def file(book: Book, language: str) -> Path:
    """The file that records the numbers."""
    return book.chapters / language / "waiting.toml"


def pieces(book: Book, name: str, language: str) -> list[str]:
    """The English pieces of chapter ``name`` without a translation: new ones, and those whose English has changed."""
    known = translation_file.read(translation_file.file(book, name, language))
    return [
        piece
        for piece in units.of_notebook(chapter_notebooks.read(book.twin(name)))
        if units.digest(piece) not in known
    ]


def counted(book: Book, language: str) -> dict[str, int]:
    """The number of untranslated pieces of each chapter that has a translation file."""
    return {name: len(pieces(book, name, language)) for name in translation_file.names(book, language)}


def stated(book: Book, language: str) -> dict[str, int]:
    """The recorded numbers."""
    return tomllib.loads(file(book, language).read_text(encoding="utf-8"))


def state(book: Book, language: str) -> dict[str, int]:
    """Record the current numbers and return them."""
    numbers = counted(book, language)
    lines = [f"{name} = {number}" for name, number in numbers.items()]
    _atomic_files.write(file(book, language), (NOTE + "\n".join(lines) + "\n").encode("utf-8"))
    return numbers


def refresh(book: Book, name: str, language: str) -> int:
    """Update chapter ``name``'s translation file to its English, creating it if needed; returns the number of untranslated pieces."""
    path = translation_file.file(book, name, language)
    old = translation_file.parse(path.read_text(encoding="utf-8")) if path.exists() else []
    path.parent.mkdir(parents=True, exist_ok=True)
    english = units.of_notebook(chapter_notebooks.read(book.twin(name)))
    _atomic_files.write(path, translation_file.refreshed(english, old).encode("utf-8"))
    return len(pieces(book, name, language))
