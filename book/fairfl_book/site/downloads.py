"""Offer a chapter's executed notebook for download in the theme's menu, instead of the page's source."""

import shutil
from pathlib import Path

from sphinx.application import Sphinx

from fairfl_book.book_paths import MORE, Book
from fairfl_book.site.chapter_index import Known

FOLDER = "notebooks"  # beside the pages


def put(book: Book, names: list[str], html: Path) -> None:
    """Copy the executed notebooks of the chapters called ``names`` into the site."""
    shutil.rmtree(html / FOLDER, ignore_errors=True)
    (html / FOLDER).mkdir(parents=True)
    for name in names:
        shutil.copy(book.notebook(name), html / FOLDER)
        if companion := book.companion(name):
            (html / FOLDER / "more").mkdir(exist_ok=True)
            shutil.copy(book.notebook(companion), html / FOLDER / "more")


def offer(app: Sphinx, page: str, template: str, context: dict, tree: object) -> None:
    """Link a chapter's menu to its notebook, and remove the entry from all other pages. Runs after the theme has built
    the menu."""
    for group in context.get("header_buttons", []):
        if group["label"] == "download-buttons":
            entries = [entry for entry in group["buttons"] if entry["label"] == "download-source-button"]
            for entry in entries:
                if page.removeprefix("more/").removesuffix(MORE) in Known.read(app.srcdir).chapters:
                    entry["url"] = f"{context['pathto'](FOLDER, 1)}/{page}.ipynb"
                    entry["tooltip"] = "The notebook, to run"
                else:
                    group["buttons"].remove(entry)
