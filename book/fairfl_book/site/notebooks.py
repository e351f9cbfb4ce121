"""Turn an executed notebook into a page for readers without a kernel."""

import ast
import copy
from collections.abc import Callable, Mapping

import nbformat
from nbformat import NotebookNode

from fairfl_book import anchors
from fairfl_book.build import lab_cells
from fairfl_book.exercises.exercise_cells import answered_after, turn_in
from fairfl_book.exercises.solutions import Solution
from fairfl_book.site import solution_folds
from fairfl_book.translation.sentences import ENGLISH, current, tr

READ = "To run this chapter and have your answers checked, type `{command}` in the book's folder."
DARK = "What the text calls black is drawn in white on dark pages."
WIDGET = "application/vnd.jupyter.widget-view+json"


def page(
    notebook: NotebookNode, lab: Callable[[str, int], str], solutions: Mapping[str, Solution] | None = None
) -> NotebookNode:
    """A copy of ``notebook`` for rendering. Widgets are replaced by ``lab(its name, cell number)``. Hints and solutions
    are folded under their exercises. The outputs of the cells between a turn and the next text are folded.

    ``solutions``: solutions by slug; if it is empty, only hints are shown. A lab created with arguments, such as a
    reader's own rule, needs Python, so a note refers to JupyterLab instead. Raises ``ValueError`` for an exercise that
    is not registered.
    """
    notebook = copy.deepcopy(notebook)
    notebook.metadata.pop("widgets", None)
    named, cells, asked = {}, [], False
    for number, cell in enumerate(notebook.cells):
        if "head" in cell.metadata.get("tags", []):  # it addresses readers who run the chapter
            note = f'<small><span class="to-run">{tr(READ, command=_command())}</span> <span class="only-dark">{tr(DARK)}</span></small>'
            cells.append(nbformat.v4.new_markdown_cell(note, id="to-read"))
            continue
        cells.append(cell)
        if cell.cell_type != "code":
            cell.source, asked = anchors.for_pages(cell.source), False
            continue
        named |= lab_cells.created(cell.source)
        if cell.metadata.get("jupyter", {}).get("source_hidden") or draws(cell.source):  # folded here as in JupyterLab
            _fold(cell, "hide-input", folded_as(cell.source))
        if asked and cell.outputs:  # directly below a turn: the output contains or reveals the answer
            part = "hide-cell" if "hide-input" in cell.metadata.get("tags", []) else "hide-output"  # one fold for both
            _fold(cell, part, tr("After your turn: {what}", what=folded_as(cell.source)))
        asked = asked or "turn" in cell.metadata.get("tags", [])
        if any(WIDGET in output.get("data", {}) for output in cell.outputs):
            name = lab_cells.shown(cell.source, named)
            piece = lab(name, number) if name else _NOTE
            cell.outputs = [nbformat.v4.new_output("display_data", {"text/html": piece})]
        slug = answered_after(cell)
        if turn := turn_in(cell):
            cell.outputs = []  # the reply to an empty answer
            cells.append(nbformat.v4.new_markdown_cell(solution_folds.of_turn(turn), id=f"{cell.id}-answer"))
        elif slug and (folded := solution_folds.below(slug, solutions or {})):
            cells.append(nbformat.v4.new_markdown_cell(folded, id=f"{cell.id}-answers"))
    notebook.cells = cells
    return notebook


def _fold(cell: NotebookNode, part: str, words: str) -> None:
    """Fold ``part`` of a cell ("hide-input", "hide-output", "hide-cell") under the summary ``words``. Replaces an
    earlier fold."""
    cell.metadata["tags"] = [*(tag for tag in cell.metadata.get("tags", []) if tag != "hide-input"), part]
    cell.metadata["mystnb"] = dict.fromkeys(("code_prompt_show", "code_prompt_hide"), words)


def folded_as(source: str) -> str:
    """The summary of a folded cell: its first comment, or a general one."""
    if comment := first_comment(source):
        return tr(comment)
    return tr("The code of this figure") if "figures.show(" in source else tr("The code")


def first_comment(source: str) -> str:
    """The comment in the first line of a cell; "" if there is none."""
    first = source.lstrip().partition("\n")[0]
    return first[1:].strip() if first.startswith("# ") else ""


def draws(source: str) -> bool:
    """Whether at least half of the lines of a cell with a figure are plotting calls, not counting the alternative
    text."""
    if "figures.show(" not in source:
        return False
    lines = {True: 0, False: 0}
    for statement in ast.parse(source).body:
        words = {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}
        if "figures.show(" not in ast.unparse(statement):
            lines[bool(words & _DRAWN)] += statement.end_lineno - statement.lineno + 1
    return lines[True] >= lines[False]


def _command() -> str:
    """What opens the chapters of the current language."""
    return "make lab" if (language := current()) == ENGLISH else f'make lab ARGS="--language {language}"'


_DRAWN = frozenset({"plt", "figure", "panel", "panels", "axis", "axes", "grid"})
_NOTE = "<p>This lab asks Python as it moves: open the chapter in JupyterLab (<code>make lab</code>).</p>"
