"""Notebooks for a class: without outputs for students, with solutions for the teacher."""

import pytest
from fairfl_book.exercises.solutions import read
from fairfl_book.teaching import exercise_notebooks as made_for
from nbformat import v4
from refusals import refused

pytestmark = pytest.mark.usefixtures("exercises")

SOLUTIONS = """# Solutions

## ferries.count

A word before.

```python
# Two.
n = 2

check("ferries.count", n)
```

## ferries.why

Because of the tide.

```python
print("high tide")
```
"""


def code(source, *tags, printed="", count=None):
    outputs = [v4.new_output("stream", name="stdout", text=printed)] if printed else []
    return v4.new_code_cell(source, metadata={"tags": list(tags)}, outputs=outputs, execution_count=count)


def text(source):
    return v4.new_markdown_cell(source)


def notebook(*cells):
    return v4.new_notebook(
        cells=list(cells), metadata={"fairfl": {"title": "T"}, "fairfl_run": {"seconds": 1}, "widgets": {"a": 1}}
    )


def chapter():
    return notebook(
        text("**1.** How many?"),
        code("n = ...", "exercise", printed="a stub's own words\n", count=1),
        code('check("ferries.count", n)', "check", printed="○ ferries.count: not attempted yet\n", count=2),
        code("print(n)", printed="Ellipsis\n", count=3),
        text("**2.** *(open)* Why?"),
        code("# ferries.why: your prediction", "exercise", count=4),
        text("## Next"),
    )


@pytest.fixture
def solutions(tmp_path):
    path = tmp_path / "01_ferries.md"
    path.write_text(SOLUTIONS, encoding="utf-8")
    return read(path)


def sources(made):
    return [cell.source for cell in made.cells]


def test_a_student_gets_every_cell_and_no_output():
    given = chapter()
    made = made_for.student(given)
    assert sources(made) == [made_for.NOTE, *sources(given)]
    assert all(not cell.outputs and cell.execution_count is None for cell in made.cells if cell.cell_type == "code")
    assert set(made.metadata) == {"fairfl"}
    assert given.cells[2].outputs, "the input is not changed"


def test_a_solved_notebook_has_solutions_in_the_stubs_and_the_verdict_under_the_check(solutions):
    given = chapter()
    made = made_for.solved(given, solutions)
    assert sources(made) == [
        "**1.** How many?",
        "# Two.\nn = 2",
        'check("ferries.count", n)',
        "A word before.",
        "print(n)",
        "**2.** *(open)* Why?",
        'print("high tide")',
        "Because of the tide.",
        "## Next",
    ]
    stub, check, _, after, _, opened = made.cells[1:7]
    [output] = check.outputs
    assert output.data["text/plain"] == "✓ ferries.count: right. Both." and "✓ <b>" in output.data["text/html"]
    assert (stub.outputs, opened.outputs, opened.execution_count) == ([], [], None), "an open exercise is not run"
    assert after.outputs[0].text == "Ellipsis\n" and after.execution_count == 3
    assert sources(given)[1] == "n = ..." and len({cell.id for cell in made.cells}) == len(made.cells)


def test_the_verdict_is_the_one_that_check_shows(solutions, capsys):
    from fairfl_book.exercises import check

    check("ferries.count", 2)
    made = made_for.solved(chapter(), solutions)
    assert made.cells[2].outputs[0].data["text/plain"] + "\n" == capsys.readouterr().out


def test_an_exercise_without_a_solution_stays_as_it_is(solutions):
    del solutions["ferries.count"]
    made = made_for.solved(chapter(), solutions)
    assert made.cells[1:3] == chapter_with_ids_of(made).cells[1:3]


def chapter_with_ids_of(made):
    same = chapter()
    for cell, other in zip(same.cells, made.cells):
        cell["id"] = other.id
    return same


def test_an_answer_is_found_under_the_id_of_its_stub(solutions):
    given = chapter()
    ids = [
        {cell.source: cell.id for cell in made.cells}
        for made in (given, made_for.student(given), made_for.solved(given, solutions))
    ]
    assert ids[0]["n = ..."] == ids[1]["n = ..."] == ids[2]["# Two.\nn = 2"]


def test_a_solution_without_a_place_is_refused(solutions):
    with pytest.raises(ValueError, match="unknown exercise 'ferries.why'; known: ferries.count"):
        made_for.solved(notebook(*chapter().cells[:4]), solutions)
    with pytest.raises(ValueError, match="cell 1: a check without a stub before it"):
        made_for.solved(notebook(*chapter().cells[2:]), solutions)
    first, stub, check = chapter().cells[:3]
    again = code('check("ferries.why", n)', "check")
    with pytest.raises(ValueError, match="cell 4: a check without a stub before it"):
        made_for.solved(notebook(first, stub, check, again), solutions)


def test_a_solution_that_does_not_end_with_its_check_is_refused(tmp_path):
    path = tmp_path / "01_ferries.md"
    path.write_text(SOLUTIONS.replace('\ncheck("ferries.count", n)', ""), encoding="utf-8")
    with refused("file", "ferries.count"):
        made_for.solved(chapter(), read(path))
