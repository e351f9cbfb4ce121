"""The root's conftest.py: a wrong solution makes the run of its chapter's notebook fail."""

import shutil
import subprocess
import sys

import nbformat
import pytest
from fairfl_book import book_paths
from nbformat import v4

pytest.importorskip("nbval", reason="nbval is not installed")
SOLUTION = '## start.threshold\n\n```python\nweight = {weight}\n\ncheck("start.threshold", weight)\n```\n'


def run(book, weight):
    """The output of ``pytest --nbval`` with this solution, on a chapter and on a notebook elsewhere."""
    shutil.copy(book_paths.find().root / "conftest.py", book.root)
    notebook = v4.new_notebook(cells=[v4.new_code_cell("half = 0.5", execution_count=1)])
    for path in (book.notebook("00_ferries"), book.root / "elsewhere" / "00_ferries.ipynb"):
        path.parent.mkdir(exist_ok=True)
        nbformat.write(notebook, path)
    folder = book.root / "book" / "solutions"
    folder.mkdir(exist_ok=True)
    (folder / "00_ferries.md").write_text(SOLUTION.format(weight=weight), encoding="utf-8")
    options = ("-p", "no:cacheprovider", "-q", "--color=no", "--nbval", "--nbval-current-env", "-rA")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, "chapters", "elsewhere"],
        cwd=book.root,
        capture_output=True,
        encoding="utf-8",
    )
    return done.stdout


def test_a_solution_is_judged_after_its_chapter_whose_names_it_knows(book):
    output = run(book, "half")
    assert (
        "PASSED chapters/00_ferries.ipynb::solutions" in output and "3 passed" in output
    )  # two cells, one chapter's solutions


def test_a_wrong_solution_fails(book):
    output = run(book, "half / 2")
    assert "FAILED chapters/00_ferries.ipynb::solutions" in output and "1 failed, 2 passed" in output
    assert "start.threshold: the solution is judged ['✗ start.threshold: not yet" in output
