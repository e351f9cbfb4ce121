"""Translated chapters on the site: one folder per language, links between a page and its counterparts, and the HTML
attribute ``lang``."""

from collections.abc import Callable
from html import escape
from typing import Any

import nbformat

from fairfl_book.book_paths import Book
from fairfl_book.build.frontmatter import FrontMatter
from fairfl_book.exercises import solutions
from fairfl_book.site import notebooks, search_page
from fairfl_book.translation import edition
from fairfl_book.translation.sentences import ENGLISH, LANGUAGES, tr, using

NAMES = {"en": "English", "zh": "简体中文"}  # each name in its own language
TITLE = "The Chinese edition"
MINUTES = "{minutes} minutes"
ABOUT = "So far these chapters are translated. The others are there in English."


def lay_out(
    book: Book,
    write: Callable[[str, str], None],
    lab: Callable[[str, str], str],
    illustrated: Callable[[nbformat.NotebookNode, str], None],
    answered: bool,
) -> list[str]:
    """Write the translated pages and return the pages that list them, one per language.

    ``write``, ``lab``, ``answered``: as in ``sources.lay_out``. ``illustrated`` moves a page's images into files. Its second argument is
    the relative path from the page to the site's root.
    """
    made, executed = [], book.executed()
    for language in (one for one in LANGUAGES if one != ENGLISH):
        fronts = {name: front for name, front in edition.fronts(book, language).items() if name in executed}
        for name in fronts:
            notebook = edition.of_chapter(book, name, language)
            solved = solutions.of_chapter(book, name) if answered else {}
            with using(language):
                page = notebooks.page(notebook, lambda which, number: lab(which, f"cell-{number}"), solved)
            illustrated(page, "../")
            write(f"{language}/{name}.ipynb", nbformat.writes(page))
        if fronts:
            with using(language):
                write(f"{language}/index.md", _index(fronts))
                write(f"{language}/{search_page.NAME}.md", search_page.page())
            made.append(f"{NAMES[language]} <{language}/index>")
    return made


def _index(fronts: dict[str, FrontMatter]) -> str:
    rows = [
        f"- **[{front.title}]({name}.ipynb)** ({tr(MINUTES, minutes=front.minutes)}) {front.promise}"
        for name, front in fronts.items()
    ]
    return "\n".join(
        [f"# {tr(TITLE)}", "", tr(ABOUT), "", *rows, "", "```{toctree}", ":hidden:", "", *fronts, "```", ""]
    )


def mark(app: Any, pagename: str, templatename: str, context: dict, doctree: object) -> None:
    """Handle Sphinx's event for each page: set its language, and link the same page in other languages, for readers and
    search engines."""
    first, _, rest = pagename.partition("/")
    own, name = (first, rest) if first in LANGUAGES and first != ENGLISH else (ENGLISH, pagename)
    if own != ENGLISH:
        context["language"] = LANGUAGES[own]
    pages = {one: name if one == ENGLISH else f"{one}/{name}" for one in LANGUAGES}
    there = {one: context["pathto"](page) for one, page in pages.items() if page in app.env.found_docs}
    if len(there) < 2 or doctree is None:
        return
    links = [
        f'<a href="{escape(there[one])}" hreflang="{LANGUAGES[one]}" lang="{LANGUAGES[one]}">{NAMES[one]}</a>'
        for one in there
        if one != own
    ]
    alternates = [
        f'<link rel="alternate" hreflang="{LANGUAGES[one]}" href="{escape(there[one])}">' for one in there if one != own
    ]
    context["metatags"] = context.get("metatags", "") + "\n".join(alternates)
    context["body"] = f'<p class="languages">{" · ".join(links)}</p>\n{context["body"]}'
