"""The whole book as one PDF, printed by a headless Chromium: ``python -m fairfl_book.build.book_pdf``.

The chapters are executed again, because print needs vector graphics and the stored notebooks hold pixels.
"""

import base64
import html
import io
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import nbformat

from fairfl import __version__, _atomic_files
from fairfl._extras import needed_by
from fairfl.errors import Refused
from fairfl_book import book_paths, figures
from fairfl_book.build import chapter_notebooks, note_pdf, print_html
from fairfl_book.exercises import solutions, turns
from fairfl_book.exercises.display import marked_up
from fairfl_book.exercises.exercise_cells import turn_in
from fairfl_book.labs import javascript

if TYPE_CHECKING:
    from playwright.sync_api import Browser

NAME = "fairfl"
TITLE = "Fair federated learning as multi-objective optimisation"
STYLE = (
    print_html.STYLE
    + """
div.cover { text-align: center; padding-top: 45mm; } div.cover .title { font-size: 26pt; line-height: 1.2; margin-bottom: 8mm; }
section.contents { break-before: page; } section.contents p { margin: 0 0 0.8mm; display: flex; }
section.contents .chapter { font-weight: bold; margin-top: 2.6mm; break-after: avoid; } section.contents .section { padding-left: 6mm; font-size: 9.4pt; break-inside: avoid; }
section.contents .number { margin-left: auto; padding-left: 4mm; }
"""
)


def drawn(book: book_paths.Book, name: str, folder: Path) -> nbformat.NotebookNode:
    """Execute chapter ``name`` with vector graphics, or read it from ``folder`` if the copy there is newer than its
    sources."""
    kept = folder / f"{name}.ipynb"
    sources = [
        book.twin(name),
        *(book.root / "fairfl").rglob("*.py"),
        *(book.root / "book" / "fairfl_book").rglob("*.py"),
    ]
    if kept.exists() and kept.stat().st_mtime > max(source.stat().st_mtime for source in sources):
        return nbformat.read(kept, as_version=4)
    print(f"running {name}", flush=True)
    notebook, _ = chapter_notebooks.executed(book, name, **{figures.PICTURES: "svg"})
    _atomic_files.write(kept, (nbformat.writes(notebook) + "\n").encode("utf-8"))
    return notebook


def appendix(book: book_paths.Book, names: list[str]) -> print_html.Sheet:
    """The solutions of the chapters ``names``, each under its exercise's name. Empty if this copy of the book has
    none."""
    parts, headings = [], []
    for name in names:
        answers = solutions.of_chapter(book, name)
        if not answers:
            continue
        if not parts:
            parts.append('<h1 id="solutions">Solutions</h1>')
            headings.append(print_html.Heading(1, "Solutions", "solutions"))
        words, anchor = f"Chapter {int(name[:2])}", f"solutions-{name[:2]}"
        parts.append(f'<h2 id="{anchor}">{words}</h2>')
        headings.append(print_html.Heading(2, words, anchor))
        for slug, answer in answers.items():
            parts.append(f'<h3 id="solution-{slug}">{slug}</h3>{_solution(answer)}')
            headings.append(print_html.Heading(3, slug, f"solution-{slug}"))
    return print_html.Sheet(f'<section class="appendix">{"".join(parts)}</section>' if parts else "", headings)


def turns_answered(notebooks: dict[str, nbformat.NotebookNode]) -> print_html.Sheet:
    """The answers to the turns in ``notebooks``, chapter by chapter. Empty if there are no turns."""
    parts, headings = [], []
    for name, notebook in notebooks.items():
        asked = [slug for cell in notebook.cells if cell.cell_type == "code" and (slug := turn_in(cell))]
        if not asked:
            continue
        words, anchor = f"Your turn, chapter {int(name[:2])}", f"turns-{name[:2]}"
        parts.append(f'<h1 id="{anchor}">{words}</h1><ol>')
        headings.append(print_html.Heading(1, words, anchor))
        for slug in asked:
            (right, praise), *_ = turns.answered(slug)
            parts.append(f'<li id="answer-{slug}"><b>{marked_up(right)}.</b> {marked_up(praise)}</li>')
        parts.append("</ol>")
    return print_html.Sheet(f'<section class="appendix">{"".join(parts)}</section>' if parts else "", headings)


def _solution(answer: solutions.Solution) -> str:
    words, _ = print_html.prose(answer.words, f"solution-{answer.slug}-")
    return words + (print_html.code(answer.code) if answer.code else "")


def contents(headings: list[print_html.Heading]) -> str:
    """The table of contents, with a placeholder for each page number. Page numbers are known after the first
    printing."""
    reader = note_pdf.reader()
    lines = [
        f'<p class="{"chapter" if line.level == 1 else "section"}"><a href="#{line.anchor}">{reader.renderInline(line.words)}</a>'
        f'<span class="number" data-of="{line.anchor}">000</span></p>'
        for line in headings
        if line.level <= 2
    ]
    return f'<section class="contents"><h1 id="contents">Contents</h1>{"".join(lines)}</section>'


def page(
    book: book_paths.Book,
    notebooks: dict[str, nbformat.NotebookNode],
    companions: dict[str, nbformat.NotebookNode],
    mathjax: Path,
) -> tuple[str, list[str]]:
    """The HTML of the book, and the anchors of all its headings in order.

    ``notebooks``: the executed chapters, by name. ``companions``: the executed companions, by name; they become
    appendices."""
    parts = [
        print_html.chapter(notebook, name[:2], frozenset(solutions.of_chapter(book, name)))
        for name, notebook in notebooks.items()
    ]
    parts.append(appendix(book, list(notebooks)))
    parts.append(turns_answered(notebooks))
    parts += [print_html.chapter(notebook, f"{name[:2]}m") for name, notebook in companions.items()]
    headings = [heading for part in parts for heading in part.headings]
    # Not the README's book/playground.svg: Chromium animates it even if the page asks for reduced motion.
    picture = base64.b64encode(javascript.read("playground.svg").encode()).decode()
    cover = (
        f'<div class="cover"><div class="title">{html.escape(TITLE)}</div><p>A computational textbook</p>'
        f'<p>fairfl {__version__}</p><img alt="" src="data:image/svg+xml;base64,{picture}"></div>'
    )
    body = cover + contents(headings) + "".join(part.content for part in parts)
    return note_pdf.document(TITLE, body, mathjax, STYLE), ["contents", *(heading.anchor for heading in headings)]


def bound(browser: "Browser", address: str, anchors: list[str]) -> bytes:
    """Print the page at ``address`` as a PDF with bookmarks and with page numbers in its contents.

    ``anchors``: the anchors of its headings, in order. The page is printed twice, because the first printing tells on
    which page each heading is. Raises ``ValueError`` if headings and bookmarks differ.
    """
    with note_pdf.typeset(browser, address, minutes=10) as sheet:
        pages = pages_of_bookmarks(note_pdf.printed(sheet, outline=True))
        if len(pages) != len(anchors):
            raise Refused(
                f"{len(pages)} bookmarks for {len(anchors)} headings. Check that no heading is empty.", "file"
            )
        sheet.evaluate(
            "all => document.querySelectorAll('.number').forEach(e => e.textContent = all[e.dataset.of])",
            dict(zip(anchors, pages, strict=True)),
        )
        return note_pdf.printed(sheet, outline=True)


def pages_of_bookmarks(pdf: bytes) -> list[int]:
    """The page, counted from 1, of every bookmark in the order of the outline."""
    with needed_by("page numbers of a PDF"):
        from pypdf import PdfReader

    reader = PdfReader(io.BytesIO(pdf))

    def flat(entries: list) -> list:
        return [leaf for entry in entries for leaf in (flat(entry) if isinstance(entry, list) else [entry])]

    return [reader.get_destination_page_number(entry) + 1 for entry in flat(reader.outline)]


def compose(book: book_paths.Book, folder: Path) -> tuple[str, note_pdf.Press]:
    """The book's HTML page, from chapters executed into ``folder``, and the function that prints it."""
    (folder / "paper").mkdir(exist_ok=True)
    notebooks = {name: drawn(book, name, folder / "paper") for name in book.names()}
    companions = {name: drawn(book, name, folder / "paper") for name in book.companions()}
    text, anchors = page(book, notebooks, companions, book.root / "book" / "_vendor" / note_pdf.SCRIPT)
    print("printing", flush=True)
    return text, lambda browser, address: bound(browser, address, anchors)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the book and return the exit status of ``note_pdf.publish``."""
    about = f"Execute the chapters with vector graphics and print the whole book as book/_build/{NAME}.pdf with a headless Chromium."
    return note_pdf.publish("fairfl_book.build.book_pdf", about, NAME, compose, arguments)


if __name__ == "__main__":
    sys.exit(main())
