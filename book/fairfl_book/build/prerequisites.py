"""The map of which chapter needs which, made from the front matter and written into ``book/teachers.md`` by ``make
chapters``."""

import re
from collections.abc import Mapping

from fairfl import _atomic_files
from fairfl.errors import refuse
from fairfl_book.book_paths import Book
from fairfl_book.build import notebook_checks
from fairfl_book.build.frontmatter import FrontMatter, needed


def table(chapters: Mapping[str, FrontMatter]) -> str:
    """The map as a Markdown table: chapter, minutes, the chapters it builds on, what it teaches."""
    lines = ["| chapter | minutes | builds on | teaches |", "|---|---|---|---|"]
    for name, earlier in needed(chapters).items():
        front = chapters[name]
        lines.append(
            f"| {front.title} | {front.minutes} | {', '.join(str(int(n[:2])) for n in earlier) or '–'} | {', '.join(front.teaches) or '–'} |"
        )
    return "\n".join(lines)


def refreshed(page: str, chapters: Mapping[str, FrontMatter]) -> str:
    """The teachers' page with an updated map. Raises ``ValueError`` if the page has no place for it."""
    found = re.findall(r"<!-- map -->\n.*?<!-- /map -->", page, flags=re.S)
    if len(found) != 1:
        raise refuse(
            "the number of places for the map in book/teachers.md",
            len(found),
            "one",
            "Restore the lines '<!-- map -->' and '<!-- /map -->', in this order.",
        )
    return page.replace(found[0], f"<!-- map -->\n{table(chapters)}\n<!-- /map -->")


def refresh(book: Book) -> bool:
    """Update the map in ``book/teachers.md``, if that page exists. Returns whether it changed."""
    page = book.root / "book" / "teachers.md"
    if not page.exists():
        return False
    old = page.read_text(encoding="utf-8")
    new = refreshed(old, notebook_checks.fronts(book))
    if new != old:
        _atomic_files.write(page, new.encode("utf-8"))
    return new != old
