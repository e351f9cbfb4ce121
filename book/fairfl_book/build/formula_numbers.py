"""Numbered formulas: the form of their numbers and of references to them, and the anchors of both.

A formula's number is its ``\\tag{3}``. In a companion, formulas are numbered C1, C2, and a plain number there is the
chapter's.
"""

import re

from nbformat import NotebookNode

TAG = re.compile(r"\\tag\{([^{}]*)\}")
MENTION = re.compile(r"\((C?\d{1,2}[a-z]?)\)")


def anchor(number: str) -> str:
    """The anchor of formula ``number`` ("3" or "C1") on its page: "equation-3"."""
    return f"equation-{number.lower()}"


def numbered(notebook: NotebookNode) -> frozenset[str]:
    """The numbers of the notebook's formulas."""
    return frozenset(
        number for cell in notebook.cells if cell.cell_type == "markdown" for number in TAG.findall(cell.source)
    )
