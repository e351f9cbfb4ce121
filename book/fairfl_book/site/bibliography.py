"""The page with the whole bibliography, in the form of the chapters' reference lists, with the chapters that cite each
entry."""

from collections.abc import Mapping

from fairfl_book.build import bibtex
from fairfl_book.build.bibtex import Reference
from fairfl_book.build.frontmatter import FrontMatter


def page(entries: Mapping[str, Reference], fronts: Mapping[str, FrontMatter]) -> str:
    """The page in MyST. ``fronts``: front matter by page name. Works that no chapter cites are included."""
    citing = {
        entry.line: [name for name, front in sorted(fronts.items()) if key in front.cites]
        for key, entry in entries.items()
    }
    lines = [f"{line}{_chapters(citing[line])}" for line in bibtex.lines(entries, entries)]
    return "\n".join(
        ["# Bibliography", "", "Every work that the book draws on, with the chapters that cite it.", "", *lines, ""]
    )


def _chapters(names: list[str]) -> str:
    if not names:
        return ""
    links = ", ".join(f"[{int(name[:2])}]({name}.ipynb)" for name in names)
    return f" Chapter{'s' if len(names) > 1 else ''} {links}."
