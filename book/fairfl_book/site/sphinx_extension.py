"""The book's Sphinx extension: escapes docstrings, and registers the page transforms of the other modules."""

import re

from sphinx.application import Sphinx

from fairfl_book.site import (
    cross_references,
    downloads,
    figure_links,
    formula_links,
    formulas,
    glossary_links,
    languages,
    line_wrapping,
    meta_tags,
    search_index,
    typefaces,
)

_CODE = re.compile(r"(``.+?``)", re.DOTALL)
# Characters that reStructuredText would read as markup: |f|, w*, f_, a backslash, a single backtick.
_MARKUP = re.compile(r"[\\*|`]|_(?!\w)")


def plain(app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    """Escape docstrings, which are plain text with ``code``, so that nothing else is read as markup."""
    lines[:] = escape("\n".join(lines)).split("\n")


def escape(text: str) -> str:
    """Escape a docstring except for ``code`` and indented blocks after ``::``."""
    pieces, literal = [], False
    for paragraph in re.split(r"(\n\s*\n)", text):
        if paragraph.strip():
            indented = paragraph.startswith((" ", "\t"))
            literal = literal and indented
            if not literal:
                paragraph = "".join(
                    part if part.startswith("``") else _MARKUP.sub(lambda mark: "\\" + mark[0], part)
                    for part in _CODE.split(paragraph)
                )
                literal = paragraph.rstrip().endswith("::")
        pieces.append(paragraph)
    return "".join(pieces)


def fit(app: Sphinx, page: str, template: str, context: dict, tree: object) -> None:
    """Wrap a page's long lines of code."""
    if "body" in context:
        context["body"] = line_wrapping.hung(context["body"])


def setup(app: Sphinx) -> dict:
    app.connect("autodoc-process-docstring", plain)
    app.add_post_transform(cross_references.Mentions)
    app.add_post_transform(figure_links.Captions)
    app.add_post_transform(formula_links.Numbers)
    app.add_post_transform(glossary_links.Terms)
    formulas.setup(app)
    app.connect("builder-inited", typefaces.load)
    search_index.setup(app)
    for step in (fit, languages.mark, meta_tags.describe):
        app.connect("html-page-context", step)
    app.connect("html-page-context", downloads.offer, priority=600)  # the theme builds its menu at priority 501
    return {"parallel_read_safe": True, "parallel_write_safe": False}  # one index of all pages
