"""Every lab of a chapter moves on its page."""

import json

import nbformat
import pytest
from fairfl_book import book_paths
from fairfl_book.build import lab_images
from fairfl_book.site import notebooks

BOOK = book_paths.find()


@pytest.mark.parametrize("start", [f"{n:02}" for n in (0, *range(2, 15))])
def test_the_labs_move_on_the_site(start):
    [name] = [name for name in BOOK.names() if name.startswith(start)]
    asked = []
    page = notebooks.page(
        nbformat.read(BOOK.notebook(name), as_version=4), lambda lab, cell: asked.append(lab) or f"<p>{lab}</p>"
    )
    assert asked and set(asked) <= {lab.name for lab in lab_images.every()}
    shown = [
        output.data["text/html"]
        for cell in page.cells
        if cell.cell_type == "code" and "check" not in cell.metadata.get("tags", [])
        for output in cell.outputs
        if "text/html" in output.get("data", {}) and "data:image/" not in output.data["text/html"]
        if not output.data["text/html"].startswith("<table>")  # results in rows
        if output.data["text/html"] != notebooks._NOTE  # a lab with a reader's own rule moves in JupyterLab only
    ]
    assert shown == [f"<p>{lab}</p>" for lab in asked]


@pytest.mark.parametrize("name", [name for name in map(BOOK.companion, BOOK.names()) if name])
def test_the_labs_of_a_companion_move_on_its_page(name):
    notebook, asked = nbformat.read(BOOK.notebook(name), as_version=4), []
    page = notebooks.page(notebook, lambda lab, cell: asked.append(lab) or "")
    shown = sum(cell.cell_type == "code" and "lab" in cell.metadata.get("tags", []) for cell in notebook.cells)
    # A lab that was made with arguments, such as a reader's own rule, needs Python, and its place says so.
    asks_python = sum("This lab asks Python" in str(cell.get("outputs", "")) for cell in page.cells)
    assert len(asked) + asks_python == shown and set(asked) <= {lab.name for lab in lab_images.every()}


def test_a_page_is_a_copy():
    notebook = nbformat.v4.new_notebook(
        cells=[
            nbformat.v4.new_code_cell("lab = Box()"),
            nbformat.v4.new_code_cell(
                "lab.widget()", outputs=[nbformat.v4.new_output("display_data", {notebooks.WIDGET: {}})]
            ),
        ],
        metadata={"widgets": {}},
    )
    before = json.dumps(notebook)
    page = notebooks.page(notebook, lambda lab, cell: f"<p>{lab} {cell}</p>")
    assert json.dumps(notebook) == before and "widgets" not in page.metadata
    assert page.cells[1].outputs[0].data["text/html"] == "<p>Box 1</p>"


def test_what_is_folded_in_jupyterlab_is_folded_on_the_page():
    folded = nbformat.v4.new_code_cell("plot()", metadata={"jupyter": {"source_hidden": True}, "tags": ["slow"]})
    page = notebooks.page(nbformat.v4.new_notebook(cells=[folded]), lambda lab, cell: "")
    assert page.cells[0].metadata["tags"] == ["slow", "hide-input"] and folded.metadata["tags"] == ["slow"]
