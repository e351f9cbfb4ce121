"""The committed chapters: every guard, texts and notebooks in step, exercises that are known and have solutions."""

import pytest
from fairfl_book import book_paths
from fairfl_book.build import chapter_notebooks, frontmatter, notebook_checks
from fairfl_book.exercises import registry, solutions
from fairfl_book.exercises.exercise_cells import answered_after
from fairfl_book.exercises.registry import everything

BOOK = book_paths.find()
NAMES = BOOK.names() or [pytest.param("", marks=pytest.mark.skip(reason="the book has no chapters yet"))]


@pytest.mark.parametrize("name", NAMES)
def test_a_chapter_passes_every_guard_and_is_in_step_with_its_text(name):
    assert notebook_checks.check_one(BOOK, name) == []


def test_chapters_build_on_each_other():
    assert frontmatter.dangling(notebook_checks.fronts(BOOK)) == []


def asked(name):
    """The slugs of a chapter's exercises, checked and open, in the order of its text."""
    cells = chapter_notebooks.read(BOOK.twin(name)).cells
    return [slug for cell in cells if cell.cell_type == "code" and (slug := answered_after(cell))]


def test_every_exercise_stands_in_one_chapter_and_is_registered():
    slugs = [slug for name in BOOK.names() for slug in asked(name)]
    assert sorted(slugs) == sorted(everything())


@pytest.mark.skipif(not solutions.there(BOOK), reason="this copy of the book has no solutions")
@pytest.mark.parametrize("name", NAMES)
def test_every_check_has_a_solution_that_ends_with_it(name):
    """That they are right is seen where notebooks are run: conftest.py at the root."""
    found = solutions.of_chapter(BOOK, name)
    assert list(found) == [slug for slug in asked(name) if slug in found], "in the chapter's order, and no others"
    checked = [slug for slug in asked(name) if slug in registry()]
    assert [slug for slug in checked if slug not in found] == [], "write one in book/solutions"
    assert all(solutions.without_check(found[slug]) for slug in checked)
