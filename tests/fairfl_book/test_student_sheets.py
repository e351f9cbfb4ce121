"""The sheets for a class: each student's own rows, and nothing about anybody else."""

import re
from html import unescape
from html.parser import HTMLParser

import pytest
from fairfl_book import book_paths
from fairfl_book.exercises.registry import everything
from fairfl_book.marking import chapter_exercises, marks_table, read_on, student_sheets
from fairfl_book.marking.sheet_page import Library
from fairfl_book.misconceptions.questions import QUESTIONS
from fairfl_book.repository_address import Address
from refusals import refused

BOOK = book_paths.find()
MGDA = "04_mgda"
HOSTILE = [
    "=1+1",
    "<img src=x onerror=alert(1)>",
    "../../etc/passwd",
    "CON",
    "ann",
    "Ann",
    "a/b",
    "\u202efdp.exe",
    "é",
    "e\u0301",
    "-->",
    "x" * 300,
    "..",
    "",
    "\udcf6ller",
]


@pytest.fixture(scope="module")
def library():
    return Library({MGDA: chapter_exercises.load(BOOK, MGDA)}, unnamed="class")


def row(student, exercise="mgda.gap", verdict="wrong", **more):
    given = {"chapter": MGDA, "number": 2, "level": "work", "file": f"{student}/a.ipynb", "notebook": "n1", **more}
    return marks_table.row(student=student, exercise=exercise, verdict=verdict, **given)


class Page(HTMLParser):
    """The tags, links and text of a page."""

    def __init__(self, source):
        super().__init__()
        self.tags, self.links, self.text = [], [], ""
        self.feed(source)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.links += [value for name, value in attrs if name == "href"]

    def handle_data(self, data):
        self.text += data


def sheets(tmp_path, rows, library):
    files = student_sheets.write(tmp_path / "marks.csv", rows, library)
    return {path.name: path.read_text(encoding="utf-8") for path in files}


@pytest.mark.parametrize("name", BOOK.executed())
def test_every_exercise_leads_to_a_section_of_its_chapter(name):
    chapter = chapter_exercises.load(BOOK, name)
    headings = {
        line.removeprefix("## ").strip()
        for cell in chapter.cells
        if cell.kind == "markdown"
        for line in cell.source.splitlines()
        if line.startswith("## ")
    }
    for asked in chapter.asked:
        assert read_on.section(asked.slug) in headings - {"Exercises", "References"}, asked.slug


def test_no_section_is_kept_for_an_exercise_that_is_gone():
    assert read_on.SECTIONS.keys() <= everything().keys()


def test_a_sheet_says_what_was_right_which_mistake_was_made_and_where_to_read_on(tmp_path, library):
    rows = [
        row("ann", "mgda.common_rate", "right", number=1, points=1),
        row("ann", mistake="the gap", said="It should be `1`", tried="([[1]]) → 2", points=0, note="for the teacher"),
        row("ann", "mgda.distance", "not attempted", number=5, points=0),
        row("ann", "mgda.rescaled", "for you to read", number=7, points=7),
        row("ann", "mgda.stationary", "failed with error", number=4, said="NameError: x"),
    ]
    [source] = sheets(tmp_path, rows, library).values()
    text = Page(source).text
    assert "Checked exercises: 1 of 4 points." in text and "Open exercises: 7 points." in text
    assert re.search(r"Right: exercise 1\.", text) and re.search(r"Not attempted: exercise 5\.", text)
    assert "the gap" in text and "([[1]]) → 2" in text and "<code>1</code>" in source
    assert read_on.SECTIONS["mgda.gap"] in text and library.chapters[MGDA].title in text
    assert "7 points" in text and "NameError: x" in text and 'hint("mgda.gap")' in text
    assert "for the teacher" not in text


def test_a_sheet_follows_the_points_and_says_who_reads_proofs(tmp_path, library):
    rows = [
        row("ann", "mgda.common_rate", "right", number=1, points=1, level="warm-up"),
        row("ann", "mgda.gap", "wrong", number=2, points="0,5", said="It should be `1`"),
        row("ann", "mgda.perpendicular", "wrong", number=3, points=1, said="upside down"),
        row("ann", "mgda.stationary", "right", number=4, points=0, level="proof"),
        row("ann", "mgda.distance", "right", number=5, points=1, level="proof"),
        row("ann", "mgda.step_from_reports", "for you to read", number=6),
        row("ann", "mgda.rescaled", "for you to read", number=7, points="8.5"),
        marks_table.row(student="ann", file="ann/b.ipynb", verdict="not marked", note="the file is not JSON"),
        marks_table.row(student="ann", file="ann/", verdict="not marked", note="other files, not marked: a.pdf"),
    ]
    [source] = sheets(tmp_path, rows, library).values()
    text = Page(source).text
    assert "Checked exercises: 3.5 of 5 points. Open exercises: 8.5 points, and 1 still to be read." in text
    assert "Not marked, so not counted here: ann/b.ipynb." in text
    assert "Right: exercises 1, 5." in text
    assert "The check saw only the result of exercise 5." in text
    assert "Exercise 4: your teacher gave 0 points (check: right)." in text
    assert "Exercise 3: your teacher gave 1 point (check: wrong)." in text and "upside down" not in text
    assert "Exercise 2: your teacher gave 0,5 points" in text and "It should be" in text, "half right: the reply helps"


def test_no_sheet_mentions_another_student(tmp_path, library):
    names = [f"student{n:03}" for n in range(100)]
    pages = sheets(tmp_path, [row(name, said=f"said to {name}") for name in names], library)
    assert len(pages) == len(names)
    for name in names:
        [(file, source)] = [(file, source) for file, source in pages.items() if file.startswith(f"{name}-")]
        assert set(re.findall(r"student\d{3}", file + source)) == {name}


def test_hostile_names_get_safe_files_of_their_own_and_no_markup(tmp_path, library):
    rows = [row(name, said=f"<b>{name}", tried=name, mistake=name, file=f"{name}/{name}") for name in HOSTILE]
    pages = sheets(tmp_path, rows, library)
    assert len({name.casefold() for name in pages}) == len({one["student"] for one in rows}) == len(HOSTILE)
    assert all(re.fullmatch(r"[\w-]+\.html", name) and len(name.encode()) < 200 for name in pages)
    assert {path.name for path in (tmp_path / "marks.sheets").iterdir()} == set(pages)
    for source in pages.values():
        assert {"img", "script", "b>"}.isdisjoint(Page(source).tags)
        assert source.count("<!--") == 1, "only the digest at the end"
    shown = {Page(source).text for source in pages.values()}
    assert any("=1+1" in text and "'=1+1" not in text for text in shown), "the apostrophe is for spreadsheets"


def test_files_that_name_no_student_get_a_sheet_each(tmp_path, library):
    rows = [row("class", file=f"04_mgda ({n}).ipynb") for n in (1, 2)] + [row("class", file="class/04_mgda.ipynb")]
    assert len(sheets(tmp_path, rows, library)) == 3


def test_links_lead_to_the_section_on_a_published_site(tmp_path, library):
    address = Address("https://github.com/o/n", site="https://o.example/n")
    [source] = sheets(tmp_path, [row("ann")], Library(library.chapters, address)).values()
    [link] = Page(source).links
    assert unescape(link) == "https://o.example/n/04_mgda.html#many-gradients-walk-towards-the-slowest"


def test_a_sheet_in_which_the_teacher_wrote_is_kept_and_one_without_a_student_goes(tmp_path, library):
    ann, bob = student_sheets.file_name("ann"), student_sheets.file_name("bob")
    sheets(tmp_path, [row("ann"), row("bob")], library)
    place = tmp_path / "marks.sheets"
    (place / ann).write_text((place / ann).read_text(encoding="utf-8") + "<p>See me</p>", encoding="utf-8")
    sheets(tmp_path, [row("ann")], library)
    kept = ann.replace(".html", ".before.html")
    assert {path.name for path in place.iterdir()} == {ann, kept} and bob not in kept
    assert "See me" in (place / kept).read_text(encoding="utf-8")
    assert "See me" not in (place / ann).read_text(encoding="utf-8")
    sheets(tmp_path, [row("ann")], library)
    assert {path.name for path in place.iterdir()} == {ann, kept}, "nothing else was written in"


def test_a_student_s_folder_is_not_taken_for_the_sheets(tmp_path, library):
    (tmp_path / "marks.sheets").mkdir()
    (tmp_path / "marks.sheets" / "a.ipynb").write_text("{}")
    with refused("file", "marks.sheets", "--out"):
        sheets(tmp_path, [row("ann")], library)


def questions(student, name, **verdicts):
    return [
        marks_table.row(
            student=student,
            file=f"{student}/{name}.ipynb",
            chapter=name,
            number=n,
            exercise=question.slug,
            verdict=verdicts.get(f"q{n}", ("right", question.right))[0],
            tried=verdicts.get(f"q{n}", ("right", question.right))[1],
        )
        for n, question in enumerate(QUESTIONS, 1)
    ]


def test_after_the_course_each_wrong_choice_gets_its_reply_and_before_it_none(tmp_path, library):
    one = QUESTIONS[1]
    wrong = next(letter for letter in one.choices if letter != one.right)
    rows = [
        *questions("ann", "questions_after", q2=("wrong", wrong)),
        *questions("bob", "questions_before", q2=("wrong", wrong)),
    ]
    pages = sheets(tmp_path, rows, library)
    after, before = (Page(pages[student_sheets.file_name(who)]).text for who in ("ann", "bob"))
    assert one.choices[wrong].why in after and one.choices[one.right].text in after and one.section in after
    assert QUESTIONS[2].text not in after, "it was right"
    [perfect] = sheets(tmp_path, questions("cid", "questions_after"), library).values()
    assert "The others" in after and "The others" not in perfect
    for question in QUESTIONS:
        assert question.text not in before
        assert not any(
            choice.text in before or (choice.why and choice.why in before) for choice in question.choices.values()
        )
