"""Two small steps that Sphinx takes for this book: docstrings as they are meant, and numbered formulas of several lines."""

import re

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

_CODE = re.compile(r"(``.+?``)", re.DOTALL)
# What reStructuredText would take for markup: |f|, w*, f_, a backslash, a single backtick.
_MARKUP = re.compile(r"[\\*|`]|_(?!\w)")


def plain(app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    """The package's docstrings are plain text with ``code``: keep everything else from being read as markup."""
    lines[:] = escape("\n".join(lines)).split("\n")


def escape(text: str) -> str:
    """A docstring with ``code`` and indented blocks after ``::`` left alone, and all other marks escaped."""
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


class NumberedLines(SphinxTransform):
    r"""Formulas of several lines with a number of their own: Sphinx would wrap them in ``split``, where ``\tag`` is not allowed."""

    default_priority = 400

    def apply(self, **kwargs) -> None:
        for node in self.document.findall(nodes.math_block):
            if r"\tag" in node.astext() and not node.get("no-wrap") and not node.get("nowrap"):
                node["no-wrap"] = node["nowrap"] = True
                node.children = [nodes.Text(f"\\[{node.astext()}\\]")]


def setup(app: Sphinx) -> dict:
    app.connect("autodoc-process-docstring", plain)
    app.add_transform(NumberedLines)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
