"""Translated chapters on the site: one folder per language with a cover of its own, links between a page and its counterparts, and the HTML
attribute ``lang``."""

from collections.abc import Callable, Mapping
from html import escape
from pathlib import Path
from typing import Any

import nbformat

from fairfl_book.book_paths import Book
from fairfl_book.build.frontmatter import FrontMatter
from fairfl_book.exercises import solutions
from fairfl_book.reading import cover, shortest_path
from fairfl_book.site import notebooks, search_page
from fairfl_book.site.chapter_index import Known
from fairfl_book.translation import edition
from fairfl_book.translation.sentences import ENGLISH, LANGUAGES, framed, tr, using

NAMES = {"en": "English", "zh": "简体中文"}  # each name in its own language
MINUTES = "{minutes} minutes"
ENGLISH_ONLY = "in English"
IN_BRACKETS = "({told})"
COVER = "index"  # the page of that name in the language's folder, written by hand in book/pages
FRONT_LAB = "TwoClients"  # the lab of a cover


def others() -> list[str]:
    """The languages of the site beside English."""
    return [language for language in LANGUAGES if language != ENGLISH]


def of_page(page: str) -> tuple[str, str]:
    """The language of a page and its name within this language: "zh/04_mgda" is ("zh", "04_mgda")."""
    first, _, rest = page.partition("/")
    return (first, rest) if first in others() else (ENGLISH, page)


def in_language_of(page: str, name: str, env: Any) -> str:
    """The page of the chapter ``name`` for a link on ``page``: in its language, if Sphinx's ``env`` has it."""
    language, _ = of_page(page)
    return f"{language}/{name}" if language != ENGLISH and f"{language}/{name}" in env.found_docs else name


def fronts(book: Book, english: Mapping[str, FrontMatter]) -> dict[str, dict[str, FrontMatter]]:
    """By language, the front matter of all chapters, as far as it is translated. ``english``: by page name."""
    return {language: edition.of_all(english, edition.fronts(book, language), language) for language in others()}


def titles(source: Path) -> dict[str, dict[str, str]]:
    """By language, the chapters' English titles → translated ones, as laid out in the folder ``source``."""
    known = Known.read(source)
    return {
        language: {known.chapters[name].title: chapter.title for name, chapter in some.items()}
        for language, some in known.translated.items()
    }


def lay_out(
    book: Book,
    english: Mapping[str, FrontMatter],
    write: Callable[[str, str], None],
    lab: Callable[..., str],
    illustrated: Callable[[nbformat.NotebookNode, str], None],
    answered: bool,
) -> list[str]:
    """Write the translated pages and return the covers, one per language, for the menu.

    ``english``: the front matter of the executed chapters. ``write``, ``lab``, ``answered``: as in ``sources.lay_out``. ``illustrated`` moves a
    page's images into files. Its second argument is the relative path from the page to the site's root.
    """
    made, all_fronts = [], fronts(book, english)
    for language in others():
        translated = [name for name in edition.fronts(book, language) if name in english]
        for name in translated:
            notebook = edition.of_chapter(book, name, language)
            notebook.metadata["orphan"] = True  # the menu lists the English pages, and page_frames leads to these
            solved = solutions.of_chapter(book, name) if answered else {}
            with using(language):
                page = notebooks.page(notebook, lambda which, number: lab(which, f"cell-{number}"), solved)
            illustrated(page, "../")
            write(f"{language}/{name}.ipynb", nbformat.writes(page))
        if (book.root / "book" / "pages" / language / f"{COVER}.md").is_file():
            with using(language):
                write(f"{language}/contents.txt", _contents(all_fronts[language], translated))
                write(f"{language}/front-lab.txt", lab(FRONT_LAB, "front", task=False))
                write(f"{language}/{search_page.NAME}.md", search_page.page())
            made.append(f"{NAMES[language]} <{language}/{COVER}>")
    return made


def _contents(fronts: Mapping[str, FrontMatter], here: list[str]) -> str:
    """A cover's list of chapters and the shortest way. ``here``: the translated chapters; the others are in English, one folder up."""

    def place(name: str) -> str:
        return f"{'' if name in here else '../'}{name}.ipynb"

    def row(name: str, front: FrontMatter) -> str:
        told = [tr(MINUTES, minutes=front.minutes), *([] if name in here else [tr(ENGLISH_ONLY)])]
        facts = f"[{tr(IN_BRACKETS, told=' · '.join(told))}]{{.facts}}"  # kept on one line
        return f"- **[{front.title}]({place(name)})**{facts}\\\n  {front.promise}"

    rows = [row(name, front) for name, front in sorted(fronts.items())]
    return "\n".join([*rows, "", tr(cover.HOURS), "", shortest_path.way(fronts, place), ""])


def mark(app: Any, pagename: str, templatename: str, context: dict, doctree: object) -> None:
    """Handle Sphinx's event for each page: set its language, the pages before and after a translated one, and links to
    the same page in other languages, for readers and search engines."""
    own, name = of_page(pagename)
    if own != ENGLISH:
        context["language"] = LANGUAGES[own]
        context["project"] = context["docstitle"] = framed(own).get(context.get("project", ""), "")
        context["prev"], context["next"] = _neighbours(app, own, name, context["pathto"])
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


def _neighbours(app, language, name, path_to):
    """What the theme links at the foot of a translated page: the chapters before and after it, translated or not."""
    titles = {COVER: NAMES[language]} | {
        one: chapter.title for one, chapter in Known.read(app.srcdir).translated[language].items()
    }
    order = [COVER, *sorted(set(titles) - {COVER})]
    if name not in order:
        return None, None
    at = order.index(name)

    def link(other):
        page = in_language_of(f"{language}/{name}", other, app.env)
        return {"link": path_to(page), "title": titles[other]}

    before, after = order[at - 1] if at else None, order[at + 1] if at + 1 < len(order) else None
    return before and link(before), after and link(after)
