"""Notebooks are compared as they were stored: on one thread, without progress bars. Kernels inherit these.

After a chapter's last cell its solutions run in the same kernel, against their checks: each notebook's ``solutions``.
"""

import os
from collections.abc import Generator
from pathlib import Path

import pytest

os.environ.setdefault("FAIRFL_PROGRESS", "0")
os.environ.setdefault("OMP_NUM_THREADS", "1")

CHAPTERS = Path(__file__).resolve().parent / "chapters"
VERIFY = "from fairfl_book.exercises.solutions import verify\n\nverify({name!r}, globals())"


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Append the solutions to what nbval collects from a notebook of ``chapters/``."""
    report = yield
    if report.passed and collector.path.suffix == ".ipynb" and collector.path.resolve().parent == CHAPTERS:
        report.result.append(_solutions(collector, len(report.result)))
    return report


def _solutions(notebook: pytest.Collector, number: int) -> pytest.Item:
    from nbformat import v4
    from nbval.plugin import IPyNbCell

    cell = v4.new_code_cell(VERIFY.format(name=notebook.path.stem))  # never run before, so nothing is compared
    options = {"check": False, "check_exception": False, "skip": False}
    return IPyNbCell.from_parent(notebook, name="solutions", cell_num=number, cell=cell, options=options)
