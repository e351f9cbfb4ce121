"""Solutions taken out of a notebook, and put in."""

import pytest
from fairfl_book.teaching import exercises
from nbformat import v4


def code(source, *tags, printed="", count=None):
    outputs = [v4.new_output("stream", name="stdout", text=printed)] if printed else []
    hidden = {"jupyter": {"source_hidden": True}} if "solution" in tags else {}
    return v4.new_code_cell(source, metadata={"tags": list(tags), **hidden}, outputs=outputs, execution_count=count)


def text(source):
    return v4.new_markdown_cell(source)


def notebook(*cells):
    return v4.new_notebook(
        cells=list(cells), metadata={"fairfl": {"title": "T"}, "fairfl_run": {"seconds": 1}, "widgets": {"a": 1}}
    )


def triple():
    return [
        text("**1.** How many?"),
        code("n = ...", "exercise", count=1),
        code('check("a.n", n)', "check", printed="a.n: not attempted yet\n", count=2),
        code('# Two.\nn = 2\n\ncheck("a.n", n)', "solution", printed="a.n: right\n", count=3),
        code("print(n)", count=4),
    ]


def sources(made):
    return [cell.source for cell in made.cells]


def test_a_student_gets_the_stub_the_check_and_no_output():
    given = notebook(text("# T"), *triple())
    made = exercises.student(given)
    assert sources(made) == [exercises.NOTE, "# T", "**1.** How many?", "n = ...", 'check("a.n", n)', "print(n)"]
    assert all(not cell.outputs and cell.execution_count is None for cell in made.cells if cell.cell_type == "code")
    assert set(made.metadata) == {"fairfl"}
    assert len(given.cells) == 6 and given.cells[3].outputs, "what was given stays as it was"


def test_an_open_exercise_keeps_a_place_for_the_answer():
    made = exercises.student(notebook(text("**2.** *(open)* Why?"), code("print(42)", "solution"), text("## Next")))
    assert sources(made)[1:] == ["**2.** *(open)* Why?", "", "## Next"]


@pytest.mark.parametrize(
    "cells, left",
    [
        (
            [text("Text."), text("## Solutions"), code("1", "solution"), code("2", "solution"), text("## Next")],
            ["Text.", "## Next"],
        ),
        ([text("Text.\n\n## Solution"), code("1", "solution"), text("# Next")], ["Text.", "# Next"]),
        ([text("Text."), text("### Solutions"), code("1", "solution")], ["Text."]),
        ([text("## Solutions"), code("1", "solution"), code("x = 1")], ["## Solutions", "x = 1"]),
        ([text("## Solutions"), code("1", "solution"), text("### A remark")], ["## Solutions", "### A remark"]),
        (
            [text("## Solutions of linear equations"), code("1", "solution"), text("## Next")],
            ["## Solutions of linear equations", "", "## Next"],
        ),
    ],
)
def test_a_heading_goes_with_the_last_solution_under_it(cells, left):
    assert sources(exercises.student(notebook(*cells)))[1:] == left


def test_a_solved_notebook_has_the_solution_in_the_stub_and_its_verdict_under_the_check():
    given = notebook(*triple(), text("**2.** *(open)* Why?"), code("print(42)", "solution", printed="42\n", count=5))
    made = exercises.solved(given)
    assert sources(made) == [
        "**1.** How many?",
        "# Two.\nn = 2",
        'check("a.n", n)',
        "print(n)",
        "**2.** *(open)* Why?",
        "print(42)",
    ]
    assert made.cells[2].outputs[0].text == "a.n: right\n" and made.cells[5].outputs[0].text == "42\n"
    assert [cell.execution_count for cell in made.cells if cell.cell_type == "code"] == [1, 2, 3, 4]
    assert "source_hidden" not in made.cells[5].metadata.get("jupyter", {})


def test_an_answer_is_found_under_the_id_of_its_stub():
    given = notebook(*triple())
    ids = [
        {cell.source: cell.id for cell in made.cells}
        for made in (given, exercises.student(given), exercises.solved(given))
    ]
    assert ids[0]["n = ..."] == ids[1]["n = ..."] == ids[2]["# Two.\nn = 2"]


def test_a_solution_that_does_not_pass_its_check_is_refused():
    stub, check, _ = triple()[1:4]
    with pytest.raises(ValueError, match="cell 3: the solution does not end with its check"):
        exercises.solved(notebook(stub, check, code("n = 2", "solution")))
    with pytest.raises(ValueError, match="cell 2: a solution and a check without a stub"):
        exercises.solved(notebook(check, code('n = 2\ncheck("a.n", n)', "solution")))
