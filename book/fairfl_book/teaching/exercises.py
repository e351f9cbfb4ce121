"""An executed chapter's exercises taken apart: without solutions for students, solved for the teacher.

An exercise with a check stands in a chapter as three cells, tagged ``exercise`` (the stub), ``check`` and ``solution``; an open
exercise is a question in Markdown, with or without a ``solution`` below it. Cells keep their ids, so that a student's answer and
the solution can be found under the same one.
"""

import copy
import re

from nbformat import NotebookNode, v4

from fairfl.errors import Refused
from fairfl_book.build import twins

NOTE = (
    "> **A copy for students.** The solutions are left out, and nothing has been run yet: run the cells from the top. Where the text "
    "speaks of a folded solution, your teacher has it."
)
_SOLUTIONS = re.compile(r"(?:^|\n)(#+)[ \t]+solutions?[ \t]*#*\s*$", re.IGNORECASE)
_HEADING = re.compile(r"(#+)[ \t]")


def student(notebook: NotebookNode) -> NotebookNode:
    """The notebook without solutions, outputs and execution counts. Stubs and checks stay.

    Where an open exercise had a solution, an empty cell awaits the answer. A heading "Solutions" goes with the last solution under it.
    """
    made = copy.deepcopy(notebook)
    cells, before = [], None
    for cell in made.cells:
        if "solution" not in _tags(cell):
            cells.append(cell)
        elif before is not None and before.cell_type == "markdown" and not _SOLUTIONS.search(before.source):
            cells.append(v4.new_code_cell("", id=cell.id))
        before = cell
    cells = _without_bare_headings(cells)
    for cell in cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
            cell.metadata.get("jupyter", {}).pop("outputs_hidden", None)
    made.cells = [v4.new_markdown_cell(NOTE, id="students-copy"), *cells]
    for key in (twins.RUN, "widgets"):
        made.metadata.pop(key, None)
    return made


def solved(notebook: NotebookNode) -> NotebookNode:
    """The notebook with every stub replaced by its solution and every check answered; outputs stay.

    Solutions that follow no check, those of open exercises, stay as cells of their own, in plain sight. Raises ``ValueError`` for a
    solution below a check that does not end with that check, or has no stub: what it printed could not be put where it belongs.
    """
    made = copy.deepcopy(notebook)
    cells = []
    for number, cell in enumerate(made.cells, 1):
        if "solution" not in _tags(cell):
            cells.append(cell)
        elif cells and "check" in _tags(cells[-1]):
            _fill(cells, cell, number)
        else:
            cell.metadata.get("jupyter", {}).pop("source_hidden", None)
            cells.append(cell)
    count = 0
    for cell in cells:
        if cell.cell_type == "code" and cell.execution_count is not None:
            count += 1
            cell.execution_count = count
            for output in cell.outputs:
                if "execution_count" in output:
                    output.execution_count = count
    made.cells = cells
    return made


def _fill(cells: list[NotebookNode], solution: NotebookNode, number: int) -> None:
    """Put the source of ``solution`` into the stub, and what it printed under the check: the last two of ``cells``."""
    stub, check = (cells[-2] if len(cells) > 1 else None), cells[-1]
    answer = solution.source.rstrip().removesuffix(check.source.strip())
    if stub is None or "exercise" not in _tags(stub):
        raise Refused(
            f"cell {number}: a solution and a check without a stub before them; an exercise is three cells tagged exercise, "
            "check and solution, in this order."
        )
    if answer == solution.source.rstrip():
        raise Refused(
            f"cell {number}: the solution does not end with its check, {check.source.strip()!r}; write it there as the "
            "last line, so that the solution is seen to pass."
        )
    stub.source, stub.outputs, check.outputs = answer.strip(), [], solution.outputs


def _tags(cell: NotebookNode) -> list[str]:
    return cell.metadata.get("tags", [])


def _without_bare_headings(cells: list[NotebookNode]) -> list[NotebookNode]:
    """The cells without headings "Solutions" that are followed by a heading of the same or a higher level, or by nothing."""
    kept: list[NotebookNode] = []
    for cell in reversed(cells):
        found = _SOLUTIONS.search(cell.source) if cell.cell_type == "markdown" else None
        below = _HEADING.match(kept[-1].source) if kept and kept[-1].cell_type == "markdown" else None
        if found and (not kept or below and len(below[1]) <= len(found[1])):
            cell.source = cell.source[: found.start()].rstrip()
            if not cell.source:
                continue
        kept.append(cell)
    return kept[::-1]
