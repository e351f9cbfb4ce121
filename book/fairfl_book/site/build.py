"""Run Sphinx on the source folder. Needs no network. Formulas are typeset, and the search works, if their libraries were
downloaded before."""

import os
import shutil
from contextlib import contextmanager
from pathlib import Path

from fairfl.errors import Refused
from fairfl_book.book_paths import Book
from fairfl_book.site import downloads, languages, page_frames, solution_folds, sources, theme_trimming


def build(book: Book, html: Path, work: Path, vendored: Path, answered: bool = True) -> list[str]:
    """Build the site into ``html`` and return the names of the chapters. Every warning counts as an error.

    ``work``: a folder for intermediate files. ``vendored``: the folder of KaTeX and MiniSearch. ``answered``: whether the site shows
    solutions. A site without them contains the file ``solution_folds.WITHOUT``. Raises ``ValueError`` after Sphinx
    printed an error or a warning.
    """
    from sphinx.cmd.build import build_main

    source = work / "source"
    chapters = sources.lay_out(book, source, vendored, answered)
    _forget(html, source)
    (html / solution_folds.WITHOUT).unlink(missing_ok=True)
    config = book.root / "book"
    static = f"{config / 'static'},{source / '_static'}"
    with _quiet():
        status = build_main(
            [
                "-b",
                "html",
                "-W",
                "--keep-going",
                "-E",  # otherwise pages of an earlier build would be missing from the search index
                "-q",
                "-c",
                str(config),
                "-d",
                str(work / "doctrees"),
                "-D",
                f"html_static_path={static}",
                str(source),
                str(html),
            ]
        )
    if status:
        raise Refused(
            "the site was not built because of the warnings above; fix them in the chapter, docstring or page that they name",
            "file",
        )
    theme_trimming.slim(html)
    page_frames.translate(html, languages.titles(source))
    downloads.put(book, chapters, html)
    if not answered:
        (html / solution_folds.WITHOUT).touch()
    return chapters


def _forget(html: Path, source: Path) -> None:
    """Remove pages of an earlier build whose source no longer exists; Sphinx would keep them."""
    made = {path.relative_to(source).with_suffix(".html") for path in source.rglob("*.*")} | {Path("genindex.html")}
    for page in [
        page for page in html.rglob("*.html") if page.relative_to(html).parts[0] not in ("_static", "_modules")
    ]:
        if page.relative_to(html) not in made:
            page.unlink()
    shutil.rmtree(html / "_modules", ignore_errors=True)


@contextmanager
def _quiet():
    """Suppress progress bars during imports."""
    before = os.environ.get("FAIRFL_PROGRESS")
    os.environ["FAIRFL_PROGRESS"] = "0"
    yield
    if before is None:
        del os.environ["FAIRFL_PROGRESS"]
    else:
        os.environ["FAIRFL_PROGRESS"] = before
