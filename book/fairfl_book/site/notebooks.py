"""A chapter as a page: what a reader without a kernel gets from an executed notebook."""

import copy
import re
from collections.abc import Callable

import nbformat
from nbformat import NotebookNode

WIDGET = "application/vnd.jupyter.widget-view+json"
_LAB = re.compile(r"^(\w+) = (?:labs\.)?(\w+)\(\)$", re.MULTILINE)


def page(notebook: NotebookNode, strip: Callable[[str, int], str | None]) -> NotebookNode:
    """A copy of ``notebook`` to be rendered: solutions folded, live labs replaced by ``strip(lab's name, cell number)``.

    ``strip`` may answer ``None``; a note then says where the lab is alive.
    """
    notebook = copy.deepcopy(notebook)
    notebook.metadata.pop("widgets", None)
    named = {}
    for number, cell in enumerate(notebook.cells):
        if cell.cell_type != "code":
            continue
        named |= dict(_LAB.findall(cell.source))
        if "solution" in cell.metadata.get("tags", []):
            cell.metadata["tags"] = [*cell.metadata["tags"], "hide-cell"]
            cell.metadata["mystnb"] = {"code_prompt_show": "Show one solution", "code_prompt_hide": "Hide the solution"}
        if any(WIDGET in output.get("data", {}) for output in cell.outputs):
            variable = cell.source.rsplit("\n", 1)[-1].partition(".")[0]
            piece = strip(named[variable], number) if variable in named else None
            cell.outputs = [nbformat.v4.new_output("display_data", {"text/html": piece or _NOTE})]
    return notebook


_NOTE = '<p class="lab-note">This lab moves in JupyterLab (<code>make lab</code>); its picture stands above.</p>'
