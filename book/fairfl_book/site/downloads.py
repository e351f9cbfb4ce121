"""The notebook behind a page: the theme's menu offers the chapter as it runs, not the source of its page."""

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
    """Let the menu of a chapter lead to its notebook, and take the entry from all other pages; after the theme has made the menu."""
    for group in context.get("header_buttons", []):
        if group["label"] == "download-buttons":
            entries = [entry for entry in group["buttons"] if entry["label"] == "download-source-button"]
            for entry in entries:
                if page.removeprefix("more/").removesuffix(MORE) in Known.read(app.srcdir).chapters:
                    entry["url"] = f"{context['pathto'](FOLDER, 1)}/{page}.ipynb"
                    entry["tooltip"] = "The notebook, to run"
                else:
                    group["buttons"].remove(entry)
