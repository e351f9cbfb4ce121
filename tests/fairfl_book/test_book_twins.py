"""Executing a text into a notebook, and telling when the two are out of step."""

from pathlib import Path

import jupytext.config
import nbformat
import pytest
from fairfl_book import book_paths
from fairfl_book.build import chapter_notebooks, notebook_checks
from fairfl_book.build.notebook_checks import code_cells

BODY = """# Ferries

```{code-cell}
:tags: [setup]

import os
threads = [os.environ[f"{library}_NUM_THREADS"] for library in ("OMP", "MKL", "OPENBLAS")]
print(*threads, os.environ["FAIRFL_PROGRESS"])
```

```{code-cell}
print("twice")
```

```{code-cell}
print("twice")
```

```{code-cell}
:tags: [raises-exception]

raise ValueError("on purpose")
```

+++ {"tags": ["exercise"]}

Your turn.

```{code-cell}
---
tags: [lab]
jupyter:
  source_hidden: true
---
6 * 7
```

## References

- A. Lovelace (1843). [Notes on the Analytical Engine](https://example.org/ada). *Scientific Memoirs*.
"""


def test_an_executed_text_passes_every_guard_and_is_the_same_twice(book, write_twin):
    write_twin("01_ferries", BODY)
    run = chapter_notebooks.execute(book, "01_ferries")
    first = book.notebook("01_ferries").read_text(encoding="utf-8")
    notebook = nbformat.reads(first, as_version=4)
    assert notebook_checks.check(book, ["01_ferries"]) == []
    assert notebook.metadata["fairfl_run"]["seconds"] == run.seconds
    assert {"seconds", "threads", "python", "numpy", "torch"} == set(notebook.metadata["fairfl_run"])
    assert notebook.cells[1].outputs[0].text == "1 1 1 0\n"
    assert len({cell.id for cell in notebook.cells}) == len(notebook.cells)
    assert str(book.root) not in first and "jupytext" not in notebook.metadata

    chapter_notebooks.execute(book, "01_ferries")
    second = nbformat.read(book.notebook("01_ferries"), as_version=4)
    del notebook.metadata["fairfl_run"]["seconds"], second.metadata["fairfl_run"]["seconds"]
    assert notebook == second


def test_a_failing_text_leaves_the_old_notebook(book, write_twin):
    write_twin("01_ferries", "# Ferries\n\n```{code-cell}\n1 / 0\n```")
    book.notebook("01_ferries").write_text("old")
    with pytest.raises(ValueError, match="01_ferries was not written(?s:.)*ZeroDivisionError"):
        chapter_notebooks.execute(book, "01_ferries")
    assert book.notebook("01_ferries").read_text() == "old"
    assert [path.name for path in book.chapters.iterdir() if path.is_file()] == ["01_ferries.ipynb"]


def test_jupyterlab_writes_back_what_a_chapter_needs(write_twin):
    """With the repository's jupytext.toml, opening a text as a notebook and saving it loses nothing."""
    path = write_twin("01_ferries", BODY)
    config = jupytext.config.load_jupytext_configuration_file(
        str(book_paths.find(Path(__file__)).root / "jupytext.toml")
    )
    notebook = chapter_notebooks.read(path)
    notebook.cells[1].metadata["trusted"] = True  # what JupyterLab adds by itself
    config.set_default_format_options(notebook.metadata.setdefault("jupytext", {}))
    path.write_text(jupytext.writes(notebook, fmt="md:myst", config=config), encoding="utf-8")
    again = chapter_notebooks.read(path)
    assert chapter_notebooks.differences(chapter_notebooks.read(path), notebook) == []
    assert [cell.metadata for cell in again.cells if cell.metadata] == [
        {"tags": ["setup"]},
        {"tags": ["raises-exception"]},
        {"tags": ["exercise"]},
        {"jupyter": {"source_hidden": True}, "tags": ["lab"]},
    ]


@pytest.fixture
def pair(write_twin):
    path = write_twin("01_ferries", BODY)
    return chapter_notebooks.read(path), chapter_notebooks.read(path)


def test_equal_cells_are_in_step(pair):
    assert chapter_notebooks.differences(*pair) == []


@pytest.mark.parametrize(
    "spoil",
    [
        lambda notebook: notebook.cells[1].update(source="print(2)"),
        lambda notebook: notebook.cells[1].metadata.update(tags=["lab"]),
        lambda notebook: notebook.cells[1].update(cell_type="markdown"),
        lambda notebook: notebook.cells.pop(),
        lambda notebook: notebook.metadata["fairfl"].update(minutes=9),
    ],
)
def test_a_difference_is_named(pair, spoil):
    spoil(pair[1])
    assert any("run make chapters" in problem for problem in chapter_notebooks.differences(*pair))


def test_widget_ids_follow_their_order():
    model = "0123456789abcdef0123456789abcdef"
    output = nbformat.v4.new_output(
        "display_data", data={"application/vnd.jupyter.widget-view+json": {"model_id": model}}
    )
    state = {"application/vnd.jupyter.widget-state+json": {"state": {model: {"model_name": "IntSlider"}}}}
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell("slider", outputs=[output])], metadata={"widgets": state}
    )
    chapter_notebooks.still(notebook)
    [(_, cell)] = code_cells(notebook)
    assert cell.outputs[0].data["application/vnd.jupyter.widget-view+json"]["model_id"] == "widget-0000"
    assert model not in nbformat.writes(notebook)


def test_a_run_over_budget_says_so():
    assert "over the budget of 60 s" in chapter_notebooks.Run("01_ferries", 61.0).line
    assert "budget" not in chapter_notebooks.Run("01_ferries", 39.0).line
