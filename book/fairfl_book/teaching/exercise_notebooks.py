"""A chapter's notebook for a class: without outputs for students, solved for the teacher.

Cells keep their ids, so a student's answer and the solution have the same id.
"""

import copy
from collections.abc import Mapping

from nbformat import NotebookNode, v4

from fairfl.errors import Refused, unknown
from fairfl_book.build import chapter_notebooks
from fairfl_book.exercises import judge
from fairfl_book.exercises.display import bundle
from fairfl_book.exercises.exercise_cells import answered_after
from fairfl_book.exercises.registry import find
from fairfl_book.exercises.solutions import Solution, without_check

NOTE = (
    "> **A copy for students.** Nothing has been run yet: run the cells from the top. With the name of an exercise, "
    '`hint("…")` gives a step towards the answer, and `solution("…")` shows one answer if your copy of the book has solutions.'
)


def student(notebook: NotebookNode) -> NotebookNode:
    """The notebook without outputs and execution counts, with ``NOTE`` at the top."""
    made = copy.deepcopy(notebook)
    for cell in made.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
            cell.metadata.get("jupyter", {}).pop("outputs_hidden", None)
    made.cells = [v4.new_markdown_cell(NOTE, id="students-copy"), *made.cells]
    for key in (chapter_notebooks.RUN, "widgets"):
        made.metadata.pop(key, None)
    return made


def solved(notebook: NotebookNode, solutions: Mapping[str, Solution]) -> NotebookNode:
    """The notebook with each stub filled in and each check answered, as if the solution had been run; other outputs stay.

    An open exercise's stub contains its solution's code, not run; a solution's text goes into a new cell below. Exercises
    without a solution stay as they are. Raises ``Refused`` for a solution to an exercise that the notebook does not have, for a
    check without a stub, and for a solution that does not end with its check.
    """
    made = copy.deepcopy(notebook)
    cells: list[NotebookNode] = []
    stub = None
    left = dict(solutions)
    for number, cell in enumerate(made.cells, 1):
        cells.append(cell)
        if cell.cell_type != "code":
            continue
        stub = cell if "exercise" in cell.metadata.get("tags", []) else stub
        found = left.pop(answered_after(cell), None)
        if found is None:
            continue
        if cell is stub:
            cell.source, cell.outputs, cell.execution_count = found.code or cell.source, [], None
        elif stub is None:
            raise Refused(
                f"cell {number}: a check without a stub before it; allowed: two cells tagged exercise and check, in this order. Add the stub.",
                "missing",
            )
        else:
            stub.source, stub.outputs = without_check(found), []
            cell.outputs = [v4.new_output("display_data", _right(found.slug))]
            stub = None
        if found.words:
            cells.append(v4.new_markdown_cell(found.words, id=f"{cell.id}-words"))
    for slug in left:
        raise unknown("exercise", slug, [answered_after(cell) for cell in made.cells if answered_after(cell)])
    made.cells = cells
    return made


def _right(slug: str) -> dict[str, str]:
    """The output of ``check`` for a right answer."""
    exercise = find(slug)
    return bundle(*judge(exercise, exercise.right).words)
