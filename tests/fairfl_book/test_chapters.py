"""The committed chapters: every guard, texts and notebooks in step, exercises that can be failed and solved."""

import ast
import re

import nbformat
import pytest
from fairfl_book import places
from fairfl_book.build import frontmatter, guards

BOOK = places.find()
NAMES = BOOK.names() or [pytest.param("", marks=pytest.mark.skip(reason="the book has no chapters yet"))]
NOTEBOOKS = [name for name in BOOK.names() if BOOK.notebook(name).exists()] or [
    pytest.param("", marks=pytest.mark.skip(reason="the book has no executed chapters yet"))
]


@pytest.mark.parametrize("name", NAMES)
def test_a_chapter_passes_every_guard_and_is_in_step_with_its_text(name):
    assert guards.check_one(BOOK, name) == []


def test_chapters_build_on_each_other():
    assert frontmatter.dangling(guards.fronts(BOOK)) == []


def checked(name):
    """The first arguments of a chapter's ``check(...)`` calls, in order."""
    notebook = nbformat.read(BOOK.notebook(name), as_version=4)
    calls = (
        node
        for _, cell in guards.code_cells(notebook)
        for node in ast.walk(ast.parse(cell.source))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "check"
    )
    return [ast.literal_eval(call.args[0]) for call in calls]


def verdicts(name):
    """What ``check`` printed in a chapter: slug → verdicts, in order."""
    said = {}
    for _, cell in guards.code_cells(nbformat.read(BOOK.notebook(name), as_version=4)):
        printed = "".join(output.text for output in cell.outputs if output.output_type == "stream")
        for slug, verdict in re.findall(r"^([\w.]+): (right|not yet|not attempted yet)\b", printed, re.MULTILINE):
            said.setdefault(slug, []).append(verdict)
    return said


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_every_stub_fails_its_check_and_a_solution_passes_it(name):
    pytest.importorskip("fairfl_book.exercises")
    said = verdicts(name)
    assert set(said) == set(checked(name))
    for slug, verdict in said.items():
        assert verdict[0] != "right", f"{slug}: the stub passes its own check"
        assert verdict[-1] == "right", f"{slug}: no solution passes the check"


def test_every_registered_exercise_is_in_a_chapter_and_every_checked_one_is_registered():
    exercises = pytest.importorskip("fairfl_book.exercises")
    missing = [name for name in BOOK.names() if not BOOK.notebook(name).exists()]
    if missing:
        pytest.skip(f"not executed yet: {', '.join(missing)}")
    assert {slug for name in BOOK.names() for slug in checked(name)} == set(exercises.registry())
