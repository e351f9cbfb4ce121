"""Write decks into a folder: HTML always, and a PDF of each where there is a Chromium."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import nbformat

from fairfl import _atomic_files
from fairfl_book.book_paths import Book
from fairfl_book.build import frontmatter
from fairfl_book.site import third_party
from fairfl_book.teaching import class_notebooks
from fairfl_book.teaching.slides import deck, page, passages

if TYPE_CHECKING:
    from playwright.sync_api import Browser

READY = "() => 'ready' in document.body.dataset"  # slides.js has fitted every slide


def made(book: Book, name: str) -> str:
    """The HTML of the deck of chapter ``name``. KaTeX must be there (``third_party.fetch``)."""
    notebook = nbformat.read(book.notebook(name), as_version=4)
    front = frontmatter.read(notebook.metadata.get("fairfl"))
    slides = deck.slides(passages.sections(notebook), front.title, front.promise, list(front.able))
    return page.page(slides, book.vendored, book.root / "book" / "static" / "formulas.js")


def write(book: Book, given: list[str], out: Path | None = None) -> Iterator[Path]:
    """Write the decks of the chapters in ``given`` (all executed ones if it is empty) into ``out`` (default: dist/slides), one after the other.

    Raises ``Refused`` if KaTeX is missing and cannot be downloaded, and if ``out`` is a reader's or the book's own folder.
    """
    out = (out or book.dist / "slides").resolve()
    class_notebooks.refuse_places(book, out)
    names = class_notebooks.chosen(book, given)
    third_party.fetch(book.vendored)
    out.mkdir(parents=True, exist_ok=True)
    for name in names:
        file = out / f"{name}.html"
        _atomic_files.write(file, made(book, name).encode("utf-8"))
        yield file


def printed(browser: "Browser", file: Path) -> Path:
    """Print a deck as a PDF beside it, a slide on each page."""
    sheet = browser.new_page(viewport={"width": 1280, "height": 720})
    try:
        sheet.goto(file.resolve().as_uri())
        sheet.wait_for_function(READY)
        pdf = sheet.pdf(prefer_css_page_size=True, print_background=True, tagged=True, outline=True)
    finally:
        sheet.close()
    _atomic_files.write(file.with_suffix(".pdf"), pdf)
    return file.with_suffix(".pdf")
