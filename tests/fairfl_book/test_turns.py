"""Turns: the small questions in the middle of a chapter."""

import dataclasses

import nbformat
import pytest
from fairfl_book import book_paths
from fairfl_book.build import chapter_notebooks, notebook_checks
from fairfl_book.exercises import Exercise, Wrong, check, judge, progress, turns
from fairfl_book.exercises.exercise_cells import answered_after, turn_in
from fairfl_book.exercises.registry import chapter_of, everything, registry
from fairfl_book.marking import comparison
from fairfl_book.marking.chapter_exercises import Chapter as Given
from fairfl_book.marking.submissions import Cell, Paper
from fairfl_book.site import notebooks, solution_folds
from refusals import refused

v4 = nbformat.v4
BOOK = book_paths.find()
TURNS = turns.every_turn()
STUB = 'a = ...\ncheck("mgda.turn.more_weight", a)'


def turn_cell(source=STUB, count=1, **more):
    return v4.new_code_cell(source, execution_count=count, metadata={"tags": ["turn"]}, **more)


@pytest.mark.parametrize("slug", TURNS)
def test_a_turn_distinguishes_its_stub_its_answer_and_each_named_mistake(slug):
    turn = TURNS[slug]
    stub = tuple(... for _ in turn.right) if isinstance(turn.right, tuple) else ...
    assert judge(turn, stub).status == "not attempted yet"
    assert judge(turn, turn.right).status == "right" and turn.praise
    for name, wrong in turn.wrong.items():
        assert judge(turn, wrong.answer).known == name
    assert len({wrong.why for wrong in turn.wrong.values()}) == len(turn.wrong)


def test_every_turn_is_in_its_chapter_once_and_in_no_companion():
    asked = {}
    for name in BOOK.with_companions(BOOK.names()):
        for cell in chapter_notebooks.read(BOOK.twin(name)).cells:
            if cell.cell_type == "code" and (slug := turn_in(cell)):
                assert slug not in asked and chapter_of(slug) == int(name[:2]) and not book_paths.is_companion(name)
                asked[slug] = name
    assert asked.keys() == TURNS.keys()


def test_turns_are_not_exercises():
    assert not TURNS.keys() & everything().keys() and not TURNS.keys() & registry().keys()
    assert answered_after(turn_cell()) == ""


@pytest.mark.parametrize(
    "slug, hints, wrong, kind",
    [
        ("mgda.more", (), True, "name"),
        ("mgda.turn", (), True, "name"),
        ("mgda.turn.more_weight", (), True, "name"),
        ("mgda.turn.new", ("a step",), True, "combination"),
        ("mgda.turn.new", (), False, "combination"),
    ],
)
def test_invalid_turns_are_refused(slug, hints, wrong, kind):
    known = turns.every_turn()
    with refused(kind, slug):
        turns.register(Exercise(slug, "a number", 1, wrong={"two": Wrong(2, "one less")} if wrong else {}, hints=hints))
    assert turns.every_turn() == known


@pytest.mark.parametrize("answer, mark", [(..., "○"), (0.2, "✓"), (0.4, "✗"), ("a text", "✗")])
def test_the_reply_to_a_turn_is_short_and_nothing_is_recorded(answer, mark, capsys, monkeypatch):
    monkeypatch.setattr(progress, "note", lambda slug: pytest.fail("a turn was noted"))
    check("mgda.turn.more_weight", answer)
    shown = capsys.readouterr().out
    assert shown.startswith(mark) and "hint(" not in shown and "mgda.turn" not in shown


def test_an_unknown_turn_offers_the_nearest():
    with refused("name", "mgda.turn.more_weight"):
        check("mgda.turn.more_weigt", 1)


@pytest.mark.parametrize(
    "above, cell, words",
    [
        ("A question?", turn_cell(), "Your turn"),
        ("**Your turn.** Which?\n\nMore text.", turn_cell(), "Your turn"),
        ("**Your turn.** Which?", turn_cell("a = ..."), 'check("chapter.turn.topic"'),
        ("**Your turn.** Which?", turn_cell('a = ...\ncheck("mgda.turn.mor_weight", a)'), "Did you mean"),
        ("**Your turn.** Which?", turn_cell('a = 0.2\ncheck("mgda.turn.more_weight", a)'), "write ..."),
        ("**Your turn.** Which?", v4.new_code_cell(STUB, execution_count=1), "without the tag turn"),
        ("**Your turn.** Which?", turn_cell(), None),
    ],
)
def test_the_guard_requires_a_question_a_stub_and_a_check(above, cell, words):
    chapter = notebook_checks.load(BOOK, "04_mgda")
    notebook = v4.new_notebook(cells=[v4.new_markdown_cell(above), cell])
    found = list(notebook_checks.turns_in_the_story(dataclasses.replace(chapter, notebook=notebook)))
    assert [words in problem for problem in found] == [True] if words else found == []


def test_a_stored_right_answer_is_found():
    chapter = notebook_checks.load(BOOK, "04_mgda")
    shown = turn_cell(outputs=[v4.new_output("stream", text="✓ Yes.")])
    notebook = v4.new_notebook(cells=[shown])
    assert len(list(notebook_checks.nothing_solved(dataclasses.replace(chapter, notebook=notebook)))) == 1


def test_answering_a_turn_does_not_count_as_changing_a_given_cell():
    given = Cell("code", STUB, "one", ("turn",))
    answered = Cell("code", STUB.replace("...", "0.3", 1), "one", ("turn",))
    chapter, paper = Given.__new__(Given), Paper.__new__(Paper)
    object.__setattr__(chapter, "cells", [given])
    object.__setattr__(paper, "cells", [answered])
    assert comparison.changed(chapter, paper, {0: 0}) == []


def test_the_answer_is_folded_on_a_page():
    shown = turn_cell(outputs=[v4.new_output("stream", text="○ Your turn.")])
    page = notebooks.page(v4.new_notebook(cells=[shown]), lambda name, number: "")
    assert page.cells[0].outputs == [] and page.cells[1].source == solution_folds.of_turn("mgda.turn.more_weight")
    assert page.cells[1].source.startswith("<details") and "0.2" in page.cells[1].source


def test_outputs_right_below_a_turn_are_folded_on_the_static_page():
    shown = lambda source: v4.new_code_cell(source, outputs=[v4.new_output("stream", name="stdout", text="4")])
    turn = v4.new_code_cell('a = ...\ncheck("mgda.turn.ends", a)', metadata={"tags": ["turn"]})
    cells = [
        shown("before"),
        turn,
        v4.new_code_cell("data = 1"),
        shown("# The paths\ngo()"),
        v4.new_markdown_cell("So."),
        shown("after"),
    ]
    cells[3].metadata["jupyter"] = {"source_hidden": True}
    page = notebooks.page(v4.new_notebook(cells=cells), lambda name, number: "")
    assert [cell.source for cell in page.cells if "hide-cell" in cell.metadata.get("tags", [])] == [cells[3].source]
    del cells[3].metadata["jupyter"]
    page = notebooks.page(v4.new_notebook(cells=cells), lambda name, number: "")
    hidden = {cell.source: cell.metadata for cell in page.cells if "hide-output" in cell.metadata.get("tags", [])}
    assert list(hidden) == ["# The paths\ngo()"]
    assert hidden["# The paths\ngo()"]["mystnb"]["code_prompt_show"] == "After your turn: The paths"


def test_an_answer_is_shown_with_a_minus_sign_in_numbers_and_a_hyphen_in_names(monkeypatch):
    wrong = {"other": Wrong("q-FedAvg", "No."), "pair": Wrong((-0.25, 1), "No.")}
    monkeypatch.setitem(turns._TURNS, "x.turn.y", Exercise("x.turn.y", "which", -2, praise="Yes.", wrong=wrong))
    assert [answer for answer, _ in turns.answered("x.turn.y")] == ["−2", "q-FedAvg", "−0.25, 1"]
