"""Hints and solutions on a page: under their exercises, folded, and only what the copy of the book has."""

import re

import pytest
from fairfl_book.exercises import Question
from fairfl_book.exercises.registry import _EXERCISES
from fairfl_book.exercises.solutions import Solution
from fairfl_book.site import notebooks, solution_folds
from nbformat import v4

pytestmark = pytest.mark.usefixtures("exercises")

PLAIN, OPEN = "ferries.count", "ferries.why"
CODE = 'n = 2\n\ncheck("ferries.count", n)'
KNOWN = {PLAIN: Solution(PLAIN, f"So:\n\n```python\n{CODE}\n```", CODE), OPEN: Solution(OPEN, "The tide.", "")}


def page(*solved):
    cells = [
        v4.new_code_cell("n = ...", metadata={"tags": ["exercise"]}),
        v4.new_code_cell(f'check("{PLAIN}", n)', metadata={"tags": ["check"]}),
        v4.new_code_cell(f"# {OPEN}: your prediction", metadata={"tags": ["exercise"]}),
        v4.new_code_cell("print(n)"),
    ]
    made = notebooks.page(v4.new_notebook(cells=cells), lambda lab, cell: None, {slug: KNOWN[slug] for slug in solved})
    return [cell.source for cell in made.cells]


def test_hints_stand_one_by_one_under_the_check_and_then_the_solution():
    sources = page(PLAIN, OPEN)
    assert [source.split()[0] for source in sources] == [
        "n",
        f'check("{PLAIN}",',
        "<details",
        "#",
        "<details",
        "print(n)",
    ]
    assert re.findall("<summary>(.*)</summary>", sources[2]) == ["Hint 1 of 2", "Hint 2 of 2", "One solution"]
    assert re.findall("<summary>(.*)</summary>", sources[4]) == ["A hint", "One solution"]


def test_an_exercise_with_neither_has_nothing_below_it(monkeypatch):
    monkeypatch.setitem(_EXERCISES, OPEN, Question(OPEN, "why"))
    assert solution_folds.below(OPEN, {}) == "" and len(page()) == 5


def test_everything_is_folded_and_a_solution_is_markdown():
    under = page(PLAIN)[2]
    assert under.count("<details") == under.count("</details>") == 3 and "open" not in under
    assert "<p>Look at <code>n &lt; 3</code>.</p>" in under
    # Blank lines around it, or it would be read as HTML.
    assert f"</summary>\n\nSo:\n\n```python\n{CODE}\n```\n\n</details>" in under


def test_without_the_solutions_the_hints_are_there():
    assert re.findall("<summary>(.*)</summary>", "".join(page())) == ["Hint 1 of 2", "Hint 2 of 2", "A hint"]


def test_the_teachers_page_can_be_shown_without_its_answers():
    text = "Before.\n\n<!-- answers -->\n| 01.5 | the tide |\n<!-- /answers -->\n\nAfter."
    assert re.fullmatch(r"Before\.\n\n\*.*left out.*\*\n\nAfter\.", solution_folds.without(text))
