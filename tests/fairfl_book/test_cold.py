"""A check run before the cells above it names what is missing; any other NameError is left to Python."""

import os
import subprocess
import sys

import pytest
from fairfl_book.exercises.registry import find
from fairfl_book.reading import missing_setup, server
from nbclient import NotebookClient
from nbformat import v4
from refusals import refused


@pytest.mark.parametrize(
    "source, names",
    [
        ('check("fl.average", average)', ["check", "average"]),
        ('# below\ncheck("fl.average", f(a, f))', ["check", "f", "a"]),
        ('x = 1\ncheck("fl.average", average)', []),
        ("average(3)", []),
        ("check(", []),
        ("", []),
    ],
)
def test_only_a_cell_that_does_nothing_but_check_is_answered(source, names):
    assert missing_setup.asked(source) == ("fl.average" if names else "", names)


def run(cells, **environment):
    notebook = v4.new_notebook(cells=[v4.new_code_cell(source) for source in cells])
    NotebookClient(notebook, kernel_name="python3", allow_errors=True).execute(env={**os.environ, **environment})
    return [cell.outputs for cell in notebook.cells]


CHECK = 'check("mgda.common_rate", rate)'


def test_in_a_kernel_of_make_lab_a_check_says_what_is_missing_even_in_the_first_cell():
    cells = [CHECK, "dir()", "from fairfl_book.exercises import check", CHECK, "rate", "rate = 3 / 7", CHECK]
    first, names, _, second, other, _, right = run(cells, PYTHONSTARTUP=str(server.DEFAULTS / "startup.py"))
    for outputs, missing in ((first, "`check`, `rate`"), (second, "`rate`")):
        [output] = outputs
        shown = " ".join(output["data"]["text/plain"].split())
        assert shown.startswith("○ mgda.common_rate: ") and f": {missing}." in shown and "cells above" in shown
        assert "text/html" in output["data"]
    assert [output.output_type for output in other] == ["error"] and other[0].ename == "NameError"
    assert "cold" not in names[0]["data"]["text/plain"]
    assert right[0]["data"]["text/plain"].startswith("✓")


def test_a_runner_of_notebooks_still_stops_at_a_check_run_cold():
    notebook = v4.new_notebook(cells=[v4.new_code_cell("import fairfl_book.exercises"), v4.new_code_cell(CHECK)])
    with pytest.raises(Exception, match="check"):
        NotebookClient(notebook, kernel_name="python3").execute()


def test_the_module_loaded_with_the_first_cell_imports_nothing_heavy():
    code = "import sys, fairfl_book.reading.missing_setup; print({'numpy', 'torch', 'fairfl'} & set(sys.modules))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "set()"


def test_a_mistyped_slug_names_the_nearest_first_and_not_all_slugs():
    with refused("name", "'start.rate'", "start.threshold") as caught:
        find("start.rate")
    message = str(caught.value)
    assert message.index("'start.rates'") < message.index("start.threshold")
    assert "fl." not in message and "mgda." not in message
    with refused("name", "'xyzzy'") as caught:
        find("xyzzy")
    assert "start." not in str(caught.value) and len(str(caught.value)) < 120
