"""Answers that are out of date are not judged."""

import json
import os

import nbformat
import pytest
from fairfl_book.exercises import display, stale_answers
from fairfl_book.exercises.stale_answers import Ran, sets, stale
from nbclient import NotebookClient
from nbformat import v4

CALL = 'check("mgda.gap", gap)'
GAP = "def gap(A, lam):\n    return 1"


@pytest.mark.parametrize(
    "source",
    [
        "gap = 3",
        "x = 1\ngap = 3",
        "gap: float = 3",
        "def gap(A):\n    ...",
        "def gap(A:\n    broken",
        "gap, other = 1, 2",
        "other, gap = 1, 2",
        "class gap:\n    ...",
    ],
)
def test_a_cell_that_sets_a_name_is_recognised_even_if_it_is_not_valid_python(source):
    assert sets(source, "gap")


@pytest.mark.parametrize(
    "source", ["gap == 3", "gaps = 3", "x = gap", "print(gap)", "    gap = 3", "f(gap=3)", "# gap = 3"]
)
def test_a_cell_that_only_uses_a_name_does_not_set_it(source):
    assert not sets(source, "gap")


def test_the_last_run_of_the_readers_cell_counts():
    broken = Ran("def gap(A, lam:\n    return 1", 2.0, "SyntaxError: '(' was never closed\nmore")
    assert stale("mgda.gap", CALL, [Ran(GAP, 1.0)]) == ""
    message = stale("mgda.gap", CALL, [Ran(GAP, 1.0), broken, Ran("print(gap)", 3.0)])
    assert "`gap`" in message and "SyntaxError: '(' was never closed" in message and "more" not in message
    assert stale("mgda.gap", CALL, [broken, Ran(GAP, 3.0)]) == ""
    assert stale("mgda.other", CALL, [broken]) == "", "another exercise's check"
    assert stale("mgda.gap", CALL, []) == ""


@pytest.fixture
def saved(tmp_path):
    """``saved(source, at)``: the notebook's file, with the reader's cell as ``source``, saved ``at`` seconds after 1970."""

    def write(source, at):
        cells = [
            v4.new_code_cell("gap = 'of the chapter'"),
            v4.new_code_cell(source),
            v4.new_code_cell(CALL),
            v4.new_code_cell("gap = 0"),
        ]
        path = tmp_path / "mine.ipynb"
        path.write_text(json.dumps(v4.new_notebook(cells=cells)))
        os.utime(path, (at, at))
        return path

    return write


def test_a_cell_that_was_changed_and_saved_after_it_ran_is_not_judged(saved):
    changed = GAP.replace("1", "2")
    message = stale("mgda.gap", CALL, [Ran(GAP, 100.0)], saved(changed, 200))
    assert "`gap`" in message and "Error" not in message
    assert stale("mgda.gap", CALL, [Ran(GAP, 100.0)], saved(GAP, 200)) == ""


def test_a_file_older_than_the_run_is_ignored(saved):
    assert stale("mgda.gap", CALL, [Ran(GAP, 100.0)], saved("def gap(A, lam):\n    ...", 50)) == ""


def test_an_unreadable_or_absent_file_is_ignored(tmp_path):
    (tmp_path / "bad.ipynb").write_text("{")
    for path in (tmp_path / "bad.ipynb", tmp_path / "absent.ipynb"):
        assert stale("mgda.gap", CALL, [Ran(GAP, 100.0)], path) == ""


def test_in_a_kernel_a_broken_cell_does_not_get_the_verdict_on_an_older_one():
    cells = [
        "from fairfl_book.exercises import check",
        "rate = 3 / 7",
        'check("mgda.common_rate", rate)',
        "rate = 3 /",
        'check("mgda.common_rate", rate)',
        "rate = 1 / 0",
        'check("mgda.common_rate", rate)',
        "rate = 3 / 7",
        'check("mgda.common_rate", rate)',
    ]
    notebook = v4.new_notebook(cells=[v4.new_code_cell(source) for source in cells])
    NotebookClient(notebook, kernel_name="python3", allow_errors=True).execute()
    shown = ["".join(output["data"]["text/plain"] for output in cell.outputs) for cell in notebook.cells[2::2]]
    assert [text[0] for text in shown] == ["✓", "✗", "✗", "✓"]
    assert (
        "SyntaxError: invalid syntax" in " ".join(shown[1].split())
        and "line 1" in shown[1]
        and "ZeroDivisionError" in shown[2]
    )
    assert all("text/html" in cell.outputs[0]["data"] for cell in notebook.cells[2::2])
    assert nbformat.validate(notebook) is None


def test_outside_ipython_nothing_is_watched():
    assert stale_answers._running() == "" or display.shell() is not None
