"""Fifteen questions before and after a course: well formed, handed in like chapters, and counted by Hake's formula."""

import json
import math
import re

import nbformat
import numpy as np
import pytest
from fairfl_book import book_paths, command
from fairfl_book.build import bibtex
from fairfl_book.marking import class_gain, class_marks, marks_table, questionnaire, submissions
from fairfl_book.misconceptions import notebooks
from fairfl_book.misconceptions.notebooks import AFTER, BEFORE, NAMES
from fairfl_book.misconceptions.question import LETTERS, Choice, Question
from fairfl_book.misconceptions.questions import QUESTIONS
from refusals import refused

BOOK = book_paths.find()
HEDGE = re.compile(r"\b(may|might|can|could|perhaps|possible|necessarily|nothing yet|about|at most|weak)\b", re.I)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.slug)
def test_a_question_names_a_section_that_exists_and_replies_to_each_wrong_choice(question):
    headings = [line.strip() for line in BOOK.twin(question.chapter).read_text(encoding="utf-8").splitlines()]
    assert f"## {question.section}" in headings
    wrong = [choice for letter, choice in question.choices.items() if letter != question.right]
    assert len(wrong) == 3 and all(len(choice.why) > 40 for choice in wrong)
    texts = [choice.text for choice in question.choices.values()]
    assert len(set(texts)) == len(texts)


def test_there_are_fifteen_and_no_letter_gives_them_away():
    assert len({question.slug for question in QUESTIONS}) == 15
    names = [choice.mistake for question in QUESTIONS for choice in question.choices.values() if choice.mistake]
    assert len(set(names)) == 45, "a name belongs to one misconception"
    rights = [question.right for question in QUESTIONS]
    assert all(2 <= rights.count(letter) <= 5 for letter in LETTERS)
    longest = [max(question.choices, key=lambda letter: len(question.choices[letter].text)) for question in QUESTIONS]
    assert sum(one == right for one, right in zip(longest, rights)) <= 5, "the right choice is not always the longest"


def luck(*kept):
    """The expected number of right answers of somebody who guesses among the choices that pass all tests ``kept``; tests that leave none are dropped, last ones first."""
    total = 0.0
    for question in QUESTIONS:
        left = list(question.choices)
        for keep in kept:
            left = [letter for letter in left if keep(question.choices[letter].text)] or left
        total += (question.right in left) / len(left)
    return total


def test_hedges_and_reasons_do_not_give_the_right_choices_away():
    def hedged(text):
        return HEDGE.search(text) is not None

    def bare(text):
        return "because" not in text

    assert luck() == pytest.approx(15 / 4)
    assert luck(bare, hedged) <= 7, "the hedged choice without a reason"
    assert luck(hedged) <= 6 and luck(bare) <= 6.5


def test_the_head_explains_the_words_of_the_questions():
    head = json.loads(notebooks.made(BEFORE))["cells"][0]["source"]
    head = head if isinstance(head, str) else "".join(head)
    for word in "client server rule round loss gradient gains loses accuracy update weight".split():
        assert f"*{word}*" in head
    assert "*Plain averaging*" in head


def test_a_question_without_one_right_choice_is_refused():
    wrong = Choice("no", "m", "w")
    for choices in ([wrong] * 4, [Choice("yes")] * 2 + [wrong] * 2, [Choice("yes"), wrong, wrong, Choice("no", "m")]):
        with refused("combination", "questions.x"):
            Question("questions.x", "00_start_here", "s", "t", dict(zip(LETTERS, choices)))


def test_the_numbers_in_the_replies():
    two = np.array([[1.0, 0.0], [-3.0, 3.0]])
    assert np.allclose(two @ two.T @ [0.7, 0.3], [-0.2, 3.3])
    cosine = two[0] @ two[1] / np.linalg.norm(two[1])
    assert math.degrees(math.acos(cosine)) == pytest.approx(135)
    apart = np.array([[1.0, 0.0], [0.0, 3.0]])
    assert np.allclose(apart @ apart.T @ [0.5, 0.5], [0.5, 4.5])
    assert np.allclose(np.array([[1, -1.6], [-1.6, 4]]) @ [0.5, 0.5], [-0.3, 1.2])
    spread = [100 * math.sqrt(0.09 / images) for images in (20, 2000)]
    assert [round(one, 1) for one in spread] == [6.7, 0.7]
    bowls = [lambda w: w[0] - w[1] ** 2, lambda w: -w[0] - w[1] ** 2]
    assert all(f((0, 1)) < f((0, 0)) for f in bowls)
    nine, tenth = np.array([5, 0]), np.array([-3, 4])
    assert tenth @ nine == -15 and tenth @ (nine + tenth) / 2 == 5
    wall = np.array([[0, 4], [0, 1]])
    assert (wall @ [0, 1]).tolist() == [4, 1]
    assert np.linalg.matrix_rank([[-2, -4, 2], [2, 0, 0], [-1, 2, 0]]) == 3
    assert np.allclose(np.array([0.25, 0.25, 0.5]) - 0.75 * np.full(3, 1 / 3), [0, 0, 0.25])


def test_the_order_of_the_meetings_decides_who_loses():
    gradients = np.array([[-2.0, -4.0, 2.0], [2.0, 0.0, 0.0], [-1.0, 2.0, 0.0]])

    def rates(orders):
        left = gradients.copy()
        for row, order in zip(left, orders):
            for other in gradients[list(order)]:
                row -= min(row @ other, 0) / (other @ other) * other
        return gradients @ left.mean(0)

    first, second = rates([(1, 2), (0, 2), (0, 1)]), rates([(2, 1), (0, 2), (0, 1)])
    assert np.allclose(first, [1.27, -0.36, 0.67], atol=0.005) and np.allclose(second, [1.27, 0.71, -0.40], atol=0.005)


def handed(path, name, letters):
    """A questionnaire with the answers ``letters``, one per question; "." leaves the stub."""
    notebook = json.loads(notebooks.made(name))
    stubs = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for number, (cell, letter) in enumerate(zip(stubs, letters, strict=True), 1):
        if letter != ".":
            cell["source"] = f'{notebooks.variable(name, number)} = "{letter}"'
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(notebook), encoding="utf-8")


RIGHT = "".join(question.right for question in QUESTIONS)
WRONG = "".join("b" if question.right == "a" else "a" for question in QUESTIONS)
EMPTY = "." * len(QUESTIONS)


@pytest.mark.parametrize("name", NAMES)
def test_the_notebook_is_valid_runs_without_the_book_and_shows_no_answer(name):
    notebook = nbformat.reads(notebooks.made(name).decode(), as_version=4)
    nbformat.validate(notebook)
    names: dict = {}
    exec("\n".join(cell.source for cell in notebook.cells if cell.cell_type == "code"), names)
    assert names[notebooks.variable(name, 15)] is ...
    text = notebooks.made(name).decode()
    assert not any(choice.mistake in text for one in QUESTIONS for choice in one.choices.values() if choice.mistake)


@pytest.mark.parametrize(
    ("written", "letter"),
    [
        ('"b"', "b"),
        ("b", "b"),
        ("'B)'", "b"),
        ("“c”.", "c"),
        ("ｄ", "d"),
        ('"ab"', ""),
        ("...", ""),
        ("e", ""),
        ("x" * 10**6, ""),
    ],
)
def test_a_letter_is_read_however_it_is_written(written, letter):
    assert questionnaire.letter_in(written) == letter


def test_the_last_answer_counts_and_nothing_is_run():
    sources = [
        'before_1 = "a"\nbefore_1 = "b"  # no: c',
        "open('/x', 'w')\nbefore_2=c",
        "# before_3 = a\nbefore_4 == 'a'",
        "def (",
    ]
    assert notebooks.answers(sources) == {BEFORE: {1: '"b"', 2: "c"}, AFTER: {}}


@pytest.fixture
def folder(tmp_path):
    handed(tmp_path / "right" / f"{BEFORE}.ipynb", BEFORE, WRONG)
    handed(tmp_path / "right" / f"{AFTER}.ipynb", AFTER, RIGHT)
    handed(tmp_path / f"half_{BEFORE}.ipynb", BEFORE, RIGHT[:5] + "?" + "." * 9)
    handed(tmp_path / f"half_{AFTER}.ipynb", AFTER, RIGHT[:10] + WRONG[10:])
    handed(tmp_path / "empty" / f"{BEFORE}.ipynb", BEFORE, EMPTY)
    handed(tmp_path / "only before" / f"{BEFORE}.ipynb", BEFORE, RIGHT)
    return tmp_path


def marked(folder, names=NAMES):
    return class_marks.mark(BOOK, folder, list(names), report=lambda _: None)


def test_the_questions_are_marked_like_chapters_without_points(folder):
    rows = marked(folder)
    by = {(one["student"], one["chapter"], int(one["number"])): one for one in rows}
    assert len(by) == len(rows) == 6 * 15 and not any(one["points"] for one in rows)
    one = by["right", BEFORE, 1]
    assert (one["verdict"], one["exercise"], one["tried"]) == ("wrong", QUESTIONS[0].slug, WRONG[0])
    assert (
        one["mistake"] == QUESTIONS[0].choices[WRONG[0]].mistake and one["said"] == QUESTIONS[0].choices[WRONG[0]].why
    )
    assert {by["right", AFTER, n]["verdict"] for n in range(1, 16)} == {"right"}
    assert by["half", BEFORE, 6]["verdict"] == "failed with error" and "a, b, c, d" in by["half", BEFORE, 6]["said"]
    assert by["half", BEFORE, 7]["verdict"] == "not attempted"
    assert (folder / "marks.sheets").is_dir()
    again = marked(folder)
    assert again == rows, "the sheets are not submissions, and nothing is marked twice"


def test_questions_that_are_not_asked_for_wait(folder):
    rows = marked(folder, [BEFORE])
    assert {one["verdict"] for one in rows if one["chapter"] == AFTER} == {"not marked"}


def test_a_questionnaire_is_known_by_its_answers_when_its_first_cell_is_gone(tmp_path):
    handed(tmp_path / "x.ipynb", AFTER, RIGHT)
    notebook = json.loads((tmp_path / "x.ipynb").read_text())
    notebook["cells"] = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    notebook["metadata"] = {}
    (tmp_path / "x.ipynb").write_text(json.dumps(notebook))
    [paper] = submissions.read(tmp_path, NAMES)
    assert questionnaire.name_of(paper) == AFTER


def test_the_class_s_report_counts_those_who_did_both(folder):
    lines = class_gain.lines(marked(folder))
    assert [int(n) for n in re.findall(r"\d+", lines[0])] == [3, 2, 2], "an empty notebook is none"
    first, sixth, last = (next(line for line in lines if line.startswith(f"  {n:>2}. ")) for n in (1, 6, 15))
    assert first.split()[2:] == ["50", "%", "100", "%"]
    assert sixth.split()[2:] == ["0", "%", "100", "%"]
    assert last.endswith(f"1 × {QUESTIONS[14].choices[WRONG[14]].mistake}")
    before, after = (0 + 5) / 30, (15 + 10) / 30
    assert f"= {(after - before) / (1 - before):.2f} ±" in lines[-1]


def test_the_gain_is_hake_s_ratio_of_class_means_with_a_jackknife_error():
    before, after = [0.2, 0.4, 0.6], [0.8, 0.4, 0.9]
    made = class_gain.normalised(before, after)
    assert made.gain == pytest.approx((0.7 - 0.4) / (1 - 0.4)) and (made.students, made.before) == (
        3,
        pytest.approx(0.4),
    )
    each = [0.15 / 0.5, 0.45 / 0.6, 0.3 / 0.7]
    assert made.error == pytest.approx(math.sqrt(2 / 3 * sum((one - np.mean(each)) ** 2 for one in each)))
    assert class_gain.normalised([0.5], [0.25]).gain == -0.5 and math.isnan(class_gain.normalised([0.5], [0.5]).error)
    assert math.isnan(class_gain.normalised([1.0, 1.0], [1.0, 0.5]).gain)
    equal = class_gain.normalised([0.25] * 9, [0.5] * 9)
    assert equal.gain == pytest.approx(1 / 3) and equal.error == pytest.approx(0, abs=1e-12)


def test_the_source_of_the_formula_is_in_the_bibliography():
    hake = bibtex.load(BOOK.bibliography)["hake1998"]
    assert hake.year == 1998 and hake.authors[0][1] == "Hake" and "10.1119/1.18809" in hake.link


def test_without_questions_there_is_no_report():
    assert (
        class_gain.lines([marks_table.row(student="a", chapter="04_mgda", exercise="mgda.gap", verdict="right")]) == []
    )


def test_the_key_names_the_right_letter_the_section_and_each_misconception(tmp_path, capsys):
    assert command.main(["questions", "--key", "--out", str(tmp_path / "none")]) == 0
    said = capsys.readouterr().out
    assert not (tmp_path / "none").exists()
    for number, question in enumerate(QUESTIONS, 1):
        assert f"{number}. {question.right}: " in said and f"{question.chapter}, {question.section}" in said
        assert all(
            f"{letter}: {choice.mistake}\n" in said for letter, choice in question.choices.items() if choice.mistake
        )


def test_the_commands_write_the_notebooks_and_mark_them(tmp_path, capsys):
    out = tmp_path / "questions"
    assert command.main(["questions", "--out", str(out)]) == 0
    assert sorted(path.stem for path in out.iterdir()) == sorted(NAMES)
    assert command.main(["questions", "--out", str(out)]) == 0, "unchanged files may be written again"
    handed(out / f"{BEFORE}.ipynb", BEFORE, RIGHT)
    with refused("file", BEFORE):
        notebooks.write(out)
    capsys.readouterr()
    assert command.main(["mark", str(out), "--chapters", BEFORE]) == 0
    said = capsys.readouterr().out
    assert "Questions: before the course 1" in said and "marks.sheets" in said
