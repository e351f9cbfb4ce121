"""A class's notebooks, marked: nobody's row is lost, and nobody marks himself."""

import csv
import json
import os
import signal
import sys
import time

import nbformat
import pytest
from fairfl_book import book_paths
from fairfl_book.book_paths import Book
from fairfl_book.exercises import Exercise, Question, Wrong, solutions
from fairfl_book.exercises.compare import equal
from fairfl_book.exercises.registry import _EXERCISES
from fairfl_book.marking import class_marks, isolation, json_values, marks_table, notebook_marker, sandbox
from fairfl_book.marking.notebook_marker import Limits
from fairfl_book.teaching import class_notebooks
from refusals import refused

v4 = nbformat.v4
NAME = "01_ferries"
HOARD = 10**11 if sys.platform == "linux" else 10**17  # elsewhere memory is not limited, and only the absurd is refused
SEATS, COUNT, WHY = "def seats(x):\n    ...", "count = ...", "# ferries.why: your words"
EXERCISES = (
    Exercise(
        "ferries.seats",
        "twice x",
        lambda x: 2 * x,
        cases=[(1.0,), (2.5,), ([1.0, 3.0],)],
        wrong={"as they come": Wrong(lambda x: x, "For {case} you answer {given}: nobody sits on the other deck")},
    ),
    Exercise("ferries.count", "how many", 4, wrong={"one lost": Wrong(3, "Count the one that is away")}),
    Question("ferries.why", "why so many"),
)


def code(source, *tags):
    return v4.new_code_cell(source, metadata={"tags": list(tags)})


def chapter():
    """A chapter whose answers may use what a given cell defines."""
    cells = [
        v4.new_markdown_cell("# Ferries"),
        code("decks = 2", "setup"),
        v4.new_markdown_cell("**1.** *(warm-up)* Seats."),
        code(SEATS, "exercise"),
        code('check("ferries.seats", seats)', "check"),
        v4.new_markdown_cell("**2.** *(proof)* Count."),
        code(COUNT, "exercise"),
        code('check("ferries.count", count)', "check"),
        v4.new_markdown_cell("**3.** *(open)* Why?"),
        code(WHY, "exercise"),
    ]
    for number, cell in enumerate(cells):
        cell.id = f"cell-{number}"
    return v4.new_notebook(cells=cells, metadata={"fairfl": {"title": "1. Ferries"}})


def handed(path, *changes, ids=True):
    """Write a copy of the chapter with some texts replaced: pairs of old and new."""
    notebook = chapter()
    for old, new in changes:
        [cell] = [cell for cell in notebook.cells if cell.source == old]
        cell.source = new
    if not ids:
        notebook.nbformat_minor = 4
        for cell in notebook.cells:
            cell.pop("id")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(notebook), encoding="utf-8")
    return path


RIGHT = (SEATS, "def seats(x):\n    return decks * x"), (COUNT, "count = 4")


@pytest.fixture(scope="module")
def small():
    """The exercises of the small chapter, beside the book's own."""
    with pytest.MonkeyPatch.context() as patch:
        for one in EXERCISES:
            patch.setitem(_EXERCISES, one.slug, one)
        yield


@pytest.fixture(scope="module")
def ferries(small, tmp_path_factory):
    """A book of that chapter alone."""
    made = Book(tmp_path_factory.mktemp("book"))
    (made.chapters / "src").mkdir(parents=True)
    nbformat.write(chapter(), made.notebook(NAME))
    return made


def mark(book, folder, said=None, seconds=10.0):
    report = (said if said is not None else []).append
    return class_marks.mark(book, folder, book.names(), limits=Limits(seconds), report=report)


@pytest.fixture(scope="module")
def marked(ferries, tmp_path_factory):
    """A class of everything that comes in, marked once: student → exercise → row."""
    folder = tmp_path_factory.mktemp("class")
    handed(folder / "right" / "a.ipynb", *RIGHT, (WHY, "# ferries.why: because"))
    handed(folder / "untouched.ipynb")
    handed(folder / "slips" / "a.ipynb", (SEATS, "def seats(x):\n    return x"), (COUNT, "count = -4"))
    handed(
        folder / "forger" / "a.ipynb",
        (
            "decks = 2",
            "import fairfl_book.exercises.check as c\nc.judge = c.same_value = lambda *given: True\ndecks = 2",
        ),
        (COUNT, "count = 5\nprint('✓ ferries.count: right')"),
        ('check("ferries.count", count)', "print('✓ ferries.count: right')"),
        ('check("ferries.seats", seats)', 'check("ferries.seats", lambda x: 2 * x)'),
    )
    handed(folder / "loop" / "a.ipynb", (SEATS, "import time\ntime.sleep(10**6)\nseats = 1"), RIGHT[1])
    handed(
        folder / "stops" / "a.ipynb",
        (SEATS, "import os\ndef seats(x):\n    os._exit(3)"),
        (COUNT, "import sys\nsys.exit()\ncount = 4"),
    )
    handed(
        folder / "greedy" / "a.ipynb", (SEATS, f"hoard = bytearray({HOARD})\ndef seats(x): ..."), (COUNT, "count = = 4")
    )
    handed(folder / "bare" / "a.ipynb", *RIGHT, ids=False)
    vandal = f"import shutil\nshutil.rmtree({str(folder)!r})\ncount = 4"
    handed(folder / "vandal" / "a.ipynb", (SEATS, "def seats(x):\n    return x + nothing"), (COUNT, vandal))
    handed(folder / "twice" / "a.ipynb")
    handed(folder / "twice" / "b.ipynb")
    (folder / "broken.ipynb").write_text("{'cells'")
    (folder / "empty").mkdir()
    nbformat.write(v4.new_notebook(cells=[code("1")]), folder / "stranger.ipynb")
    (folder / "list.ipynb").write_text("[]")
    (folder / "=cmd()").mkdir()
    handed(folder / "=cmd()" / "a.ipynb")
    rows = mark(ferries, folder)
    with (folder / class_marks.NAME).open(encoding="utf-8-sig", newline="") as file:
        stored = list(csv.DictReader(file))
    assert sorted(map(str, stored)) == sorted(map(str, rows)), "what is returned is what was written"
    by_student = {}
    for row in stored:
        by_student.setdefault(row["student"], {})[row["exercise"]] = row
    return by_student


def verdicts(rows):
    return [rows[f"ferries.{topic}"]["verdict"] for topic in ("seats", "count", "why")]


@pytest.mark.parametrize(
    ("student", "expected"),
    [
        ("right", ["right", "right", "for you to read"]),
        ("bare", ["right", "right", "not attempted"]),  # a front end may drop the cells' ids
        ("untouched", ["not attempted"] * 3),
        ("slips", ["wrong", "wrong", "not attempted"]),
        ("forger", ["not attempted", "wrong", "not attempted"]),
        ("loop", ["timed out", "right", "not attempted"]),
        ("stops", ["failed with error", "failed with error", "not attempted"]),
        ("greedy", ["failed with error", "failed with error", "not attempted"]),
        ("vandal", ["failed with error", "right", "not attempted"]),
        ("'=cmd()", ["not attempted"] * 3),
    ],
)
def test_each_notebook_gets_the_verdict_it_earns(marked, student, expected):
    rows = marked[student]
    assert verdicts(rows) == expected, rows
    assert [rows[f"ferries.{topic}"]["points"] for topic in ("seats", "count")] == [
        "1" if verdict == "right" else "0" for verdict in expected[:2]
    ]


def test_a_known_mistake_is_named_and_what_was_tried_is_told(marked):
    seats, count = marked["slips"]["ferries.seats"], marked["slips"]["ferries.count"]
    assert (seats["mistake"], seats["number"], seats["level"]) == ("as they come", "1", "warm-up")
    assert "nobody sits on the other deck" in seats["said"] and "([1, 3]) → [1, 3]" in seats["tried"]
    assert count["mistake"] == "slip" and count["tried"] == "'-4", "no field begins as a formula does"


def test_changed_cells_are_named(marked):
    changed = marked["forger"]["ferries.count"]["changed cells"].split("; ")
    assert changed == [
        "setup cell “decks = 2” changed",
        "check of ferries.seats changed",
        "check of ferries.count changed",
    ]
    assert marked["right"]["ferries.count"]["changed cells"] == ""


def test_errors_are_told_in_the_student_s_own_words(marked):
    assert (
        "NameError" in marked["vandal"]["ferries.seats"]["said"]
        and "(1) → NameError" in marked["vandal"]["ferries.seats"]["tried"]
    )
    assert "SyntaxError" in marked["greedy"]["ferries.count"]["said"]
    assert "MemoryError" in marked["greedy"]["ferries.seats"]["said"]
    assert "ended the process (status 3)" in marked["stops"]["ferries.seats"]["said"]
    assert "SystemExit" in marked["stops"]["ferries.count"]["said"]


@pytest.mark.parametrize(
    ("student", "word"),
    [
        ("broken", "not JSON"),
        ("list", "no list of cells"),
        ("stranger", "not a chapter of the book"),
        ("empty", "no notebook in this folder"),
    ],
)
def test_what_is_no_chapter_keeps_its_row(marked, student, word):
    [row] = marked[student].values()
    assert row["verdict"] == "not marked" and word in row["note"] and row["points"] == ""


def test_two_notebooks_of_one_chapter_are_both_marked_and_named(marked):
    for_each = {row["note"] for row in marked["twice"].values()}
    assert for_each == {"same chapter as twice/a.ipynb"}, "the later rows of the two"


def test_what_stands_is_kept_with_a_teacher_s_entries_and_what_is_handed_in_again_is_marked_again(ferries, tmp_path):
    handed(tmp_path / "ann.ipynb", (WHY, "# ferries.why: because"))
    handed(tmp_path / "bob.ipynb", (WHY, "# ferries.why: so"))
    mark(ferries, tmp_path)
    out = tmp_path / class_marks.NAME
    text = out.read_text(encoding="utf-8-sig")
    graded = text.replace("for you to read,,", "for you to read,9,").replace(",", ";")  # as a spreadsheet may save it
    out.write_text(graded, encoding="utf-8-sig")
    handed(tmp_path / "bob.ipynb", RIGHT[1])
    said = []
    rows = {(row["student"], row["exercise"]): row for row in mark(ferries, tmp_path, said)}
    assert rows["ann", "ferries.why"]["points"] == "9"
    assert rows["bob", "ferries.count"]["verdict"] == "right" and rows["bob", "ferries.why"]["points"] == "0"
    assert said[0] == "1/2 ann.ipynb: unchanged"
    assert (tmp_path / "marks.before.csv").read_text(encoding="utf-8-sig") == graded, (
        "the teacher's 9 for bob is not lost"
    )
    assert marks_table.read(out) == sorted(rows.values(), key=lambda row: (row["student"], row["number"]))


def test_rows_of_chapters_that_are_not_asked_for_stay_with_a_teacher_s_entries(ferries, tmp_path):
    handed(tmp_path / "ann.ipynb", RIGHT[0], (WHY, "# ferries.why: because"))
    mark(ferries, tmp_path)
    out = tmp_path / class_marks.NAME
    graded = out.read_text(encoding="utf-8-sig").replace("for you to read,,", "for you to read,9,")
    out.write_text(graded, encoding="utf-8-sig")
    said = []
    handed(tmp_path / "ann.ipynb", *RIGHT, (WHY, "# ferries.why: because"))
    rows = class_marks.mark(ferries, tmp_path, ["02_bridges"], report=said.append)
    assert [(row["verdict"], row["points"]) for row in rows] == [
        ("right", "1"),
        ("not attempted", "0"),
        ("for you to read", "9"),
    ]
    assert said == ["1/1 ann.ipynb: unchanged; 01_ferries is not among the chapters to mark"] and not list(
        tmp_path.glob("*before*")
    )
    handed(tmp_path / "ann.ipynb", RIGHT[0], (WHY, "# ferries.why: because"))
    assert mark(ferries, tmp_path, said) == rows and said[-1] == "1/1 ann.ipynb: unchanged"
    handed(tmp_path / "ann.ipynb", *RIGHT)
    assert [row["verdict"] for row in mark(ferries, tmp_path)][:2] == ["right"] * 2, "asked for, it is marked again"


def test_a_run_that_is_stopped_goes_on_where_it_was(ferries, tmp_path):
    for student in ("ann", "bob", "cid"):
        handed(tmp_path / f"{student}.ipynb")

    def stop(said):
        if "bob" in said and not said.endswith("running"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        class_marks.mark(ferries, tmp_path, ferries.names(), report=stop)
    assert {row["student"] for row in marks_table.read(tmp_path / class_marks.NAME)} == {"ann", "bob"}
    said = []
    assert {row["student"] for row in mark(ferries, tmp_path, said)} == {"ann", "bob", "cid"}
    assert [line.rpartition(": ")[2] for line in said[:3]] == ["unchanged", "unchanged", "running"]


def test_it_is_said_whose_notebook_runs_before_it_runs(ferries, tmp_path, monkeypatch):
    handed(tmp_path / "ann.ipynb", *RIGHT)

    def dies(*given):
        raise KeyboardInterrupt

    monkeypatch.setattr(isolation, "examine", dies)
    said = []
    with pytest.raises(KeyboardInterrupt):
        mark(ferries, tmp_path, said)
    assert said == ["1/1 ann.ipynb: running"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows allows no such character in a name")
def test_names_that_look_alike_keep_rows_of_their_own(ferries, tmp_path):
    names = ["\x01Anna_01_ferries.ipynb", "Anna_01_ferries.ipynb"]
    if sys.platform == "linux":  # elsewhere a name is text
        names += ["M\udcf6ller/a.ipynb", "M\udcfcller/a.ipynb"]
    for name in names:
        handed(tmp_path / name)
    mark(ferries, tmp_path)
    rows = marks_table.read(tmp_path / class_marks.NAME)
    assert len(rows) == 3 * len(names) and len({row["student"] for row in rows}) == len(names)
    said = []
    assert mark(ferries, tmp_path, said) == rows, "known again"
    assert all(line.endswith("unchanged") for line in said)


def test_a_number_beyond_all_bounds_in_quotes_costs_its_own_exercise(ferries, tmp_path):
    handed(tmp_path / "ann.ipynb", RIGHT[0], (COUNT, 'count = "1e99999999999"'))
    assert [row["verdict"] for row in mark(ferries, tmp_path)][:2] == ["right", "wrong"]


@pytest.mark.skipif(sys.platform != "linux", reason="the test's own exercises are known to a fork alone")
def test_an_answer_that_holds_its_judge_costs_its_own_exercise(ferries, tmp_path, monkeypatch):
    """Such as a set of multiples of 2⁶¹ − 1, which all have the hash 0: it is built in quadratic time."""
    monkeypatch.setattr(isolation, "JUDGING", 2.0)
    handed(tmp_path / "ann.ipynb", (COUNT, "count = {1, 2}"), RIGHT[0])
    real = json_values.decode

    def slow(sent):
        while isinstance(sent, dict) and "set" in sent:
            pass
        return real(sent)

    monkeypatch.setattr(json_values, "decode", slow)
    handed(tmp_path / "bob.ipynb", *RIGHT)
    said = []
    rows = mark(ferries, tmp_path, said)
    found = {student: [r["verdict"] for r in rows if r["student"] == student][:2] for student in ("ann", "bob")}
    assert found == {"ann": ["right", "failed with error"], "bob": ["right", "right"]}
    [lost] = [row["said"] for row in rows if row["verdict"] == "failed with error"]
    assert "cannot be judged" in lost and "2 s" in lost


@pytest.mark.skipif(sys.platform != "linux", reason="the test's own exercises are known to a fork alone")
def test_a_judge_that_is_killed_costs_one_exercise(ferries, tmp_path, monkeypatch):
    handed(tmp_path / "ann.ipynb", *RIGHT)
    real = notebook_marker.find

    def deadly(slug):
        return os.kill(os.getpid(), signal.SIGKILL) if slug.endswith("count") else real(slug)

    monkeypatch.setattr(notebook_marker, "find", deadly)
    assert [row["verdict"] for row in mark(ferries, tmp_path)][:2] == ["right", "failed with error"]


def test_strangers_in_a_sandbox_reach_neither_the_table_nor_their_neighbours(ferries, tmp_path):
    box = sandbox.find(book_paths.find().root, tmp_path)
    if not box.command:
        pytest.skip(box.words)
    table = tmp_path / class_marks.NAME
    daemon = f"""import os, subprocess, sys
forge = "import time; p = {str(table)!r}\\nwhile True: t = open(p).read(); open(p, 'w').write(t.replace('wrong,0', 'right,1')); time.sleep(.05)"
subprocess.Popen([sys.executable, "-c", forge], start_new_session=True)
seats = 1"""
    thief = f"import json\nfor cell in json.load(open({str(tmp_path / 'ann.ipynb')!r}))['cells']: exec(cell['source'])"
    handed(tmp_path / "ann.ipynb", *RIGHT)
    handed(tmp_path / "daemon.ipynb", (SEATS, daemon), (COUNT, "count = 5"))
    handed(tmp_path / "killer.ipynb", (SEATS, "import os\nos.kill(os.getppid(), 9)"), (COUNT, "count = 5"))
    handed(tmp_path / "thief.ipynb", (SEATS, thief))
    handed(tmp_path / "zoe.ipynb", *RIGHT)
    limits = Limits(10.0, sandbox=box.command)
    rows = class_marks.mark(ferries, tmp_path, ferries.names(), limits=limits, report=lambda said: None)
    points = {}
    for row in rows:
        points[row["student"]] = points.get(row["student"], 0) + int(row["points"] or 0)
    assert points == {"ann": 2, "daemon": 0, "killer": 0, "thief": 0, "zoe": 2}
    written = table.read_bytes()
    time.sleep(0.5)
    assert table.read_bytes() == written and sorted(map(str, marks_table.read(table))) == sorted(map(str, rows))


def test_what_timed_out_is_tried_again(ferries, tmp_path, monkeypatch):
    handed(tmp_path / "ann.ipynb", *RIGHT)

    class Slow(notebook_marker.Process):
        def __enter__(self):
            raise notebook_marker.Gone(notebook_marker.LATE, "slow")

    with monkeypatch.context() as patch:
        patch.setattr(notebook_marker, "Process", Slow)
        assert [row["verdict"] for row in mark(ferries, tmp_path)][:2] == ["timed out"] * 2
    assert [row["verdict"] for row in mark(ferries, tmp_path)][:2] == ["right"] * 2


def graded(folder, **points):
    """Enter points in the table, as a teacher does: the topic of an exercise → points."""
    out = folder / class_marks.NAME
    rows = marks_table.read(out)
    marks_table.write(
        out, [{**row, "points": points.get(row["exercise"].removeprefix("ferries."), row["points"])} for row in rows]
    )


def test_points_that_the_teacher_entered_outlast_a_second_try(ferries, tmp_path, monkeypatch):
    words = (WHY, "# ferries.why: because")
    handed(tmp_path / "ann.ipynb", *RIGHT, words)
    once = notebook_marker.examine

    def slow(*given, **more):
        sitting = once(*given, **more)
        sitting.marks["ferries.count"] = notebook_marker.Mark(notebook_marker.LATE)
        return sitting

    with monkeypatch.context() as patch:
        patch.setattr(isolation, "examine", slow)
        assert mark(ferries, tmp_path)[1]["verdict"] == "timed out"
        graded(tmp_path, why="9", seats="0")
        for _ in range(2):
            rows = mark(ferries, tmp_path)
            assert [row["points"] for row in rows] == ["0", "0", "9"], "the notebook has not changed"
    rows = mark(ferries, tmp_path)
    assert [(row["verdict"], row["points"]) for row in rows] == [
        ("right", "0"),
        ("right", "1"),
        ("for you to read", "9"),
    ]
    assert [row["points"] for row in marks_table.read(tmp_path / class_marks.NAME)] == ["0", "1", "9"]


def test_points_stay_with_an_answer_and_go_with_it(ferries, tmp_path):
    words = (WHY, "# ferries.why: because")
    handed(tmp_path / "ann.ipynb", words)
    mark(ferries, tmp_path)
    graded(tmp_path, why="9")
    handed(tmp_path / "ann.ipynb", *RIGHT, words)
    assert [row["points"] for row in mark(ferries, tmp_path)] == ["1", "1", "9"], "others were handed in again"
    graded(tmp_path, why="9", count="0")
    handed(tmp_path / "ann.ipynb", RIGHT[0], (COUNT, "count = 2 + 2"), (WHY, "# ferries.why: because so"))
    assert [row["points"] for row in mark(ferries, tmp_path)] == ["1", "1", ""], "other answers"


def test_another_chapter_and_another_edition_are_told(ferries, tmp_path):
    handed(tmp_path / "ann.ipynb", *RIGHT)
    [row] = class_marks.mark(ferries, tmp_path, ["02_bridges"], report=lambda said: None)
    assert row["verdict"] == "not marked" and "01_ferries" in row["note"] and "02_bridges" in row["note"]

    notebook = chapter()
    notebook.cells = [code("old = 1"), code("older = 2"), *notebook.cells[5:]]
    (tmp_path / "bob.ipynb").write_text(json.dumps(notebook))
    rows = [row for row in mark(ferries, tmp_path) if row["student"] == "bob"]
    assert rows[0]["changed cells"] == (
        "setup cell “decks = 2” missing; stub of ferries.seats missing; check of ferries.seats missing"
    )
    assert rows[0]["said"] == "its cells are missing" and rows[1]["said"] == ""


def test_a_missing_check_and_an_answer_in_a_cell_of_its_own_count(ferries, tmp_path):
    notebook = chapter()
    del notebook.cells[4]
    notebook.cells.insert(6, code("count = 4"))
    (tmp_path / "ann.ipynb").write_text(json.dumps(notebook).replace("    ...", "    return 2 * x"))
    rows = mark(ferries, tmp_path)
    assert [row["verdict"] for row in rows] == ["right", "right", "not attempted"]
    assert rows[0]["changed cells"] == "check of ferries.seats missing"


def test_who_takes_the_book_s_own_answer_is_named(ferries, tmp_path):
    handed(tmp_path / "ann.ipynb", (COUNT, "from fairfl_book.exercises import registry\ncount = registry()['x'].right"))
    handed(tmp_path / "bob.ipynb", (SEATS, "from fairfl_book.exercises.compare import short as seats"))
    ann, bob = (rows[0]["note"] for rows in (mark(ferries, tmp_path)[:3], mark(ferries, tmp_path)[3:]))
    assert "exercises" in ann
    assert bob.startswith("ferries.seats ")


def test_a_row_that_only_says_why_nothing_was_marked_goes_with_its_file(ferries, tmp_path):
    handed(tmp_path / "ann.ipynb")
    for name in ("bob.zip", "cid.zip"):
        (tmp_path / name).write_bytes(b"PK")
    assert sum(row["verdict"] == "not marked" for row in mark(ferries, tmp_path)) == 2
    out = tmp_path / class_marks.NAME
    lines = out.read_text(encoding="utf-8-sig").replace("cid,,,,,not marked,,", "cid,,,,,not marked,2,")
    out.write_text(lines, encoding="utf-8-sig")
    for name in ("ann.ipynb", "bob.zip", "cid.zip"):
        (tmp_path / name).unlink()
    handed(tmp_path / "bob" / "01_ferries.ipynb")
    rows = mark(ferries, tmp_path)
    assert {row["file"] for row in rows} == {"ann.ipynb", "cid.zip", "bob/01_ferries.ipynb"}, "marks and points stay"
    assert marks_table.read(tmp_path / "marks.before.csv")[-1]["points"] == "2"


def test_a_folder_without_notebooks_and_a_table_that_is_none_are_refused(ferries, tmp_path):
    with refused("missing", tmp_path, ".ipynb"):
        mark(ferries, tmp_path)
    with refused("file", tmp_path / "nowhere"):
        mark(ferries, tmp_path / "nowhere")
    (tmp_path / "all.zip").write_bytes(b"PK")
    with refused("missing", tmp_path, ".ipynb"):
        mark(ferries, tmp_path)
    handed(tmp_path / "ann.ipynb")
    for other in (b"name,points\nann,3\n", b"\xff\xfe\x00"):
        (tmp_path / class_marks.NAME).write_bytes(other)
        with refused("file", class_marks.NAME, "UTF-8", "--out"):
            mark(ferries, tmp_path)
        assert (tmp_path / class_marks.NAME).read_bytes() == other


def test_a_fault_of_the_marking_costs_one_notebook(ferries, tmp_path, monkeypatch):
    handed(tmp_path / "ann.ipynb", *RIGHT)
    handed(tmp_path / "bob.ipynb")
    monkeypatch.setattr(notebook_marker, "examine", lambda *given: 1 / 0)
    rows = mark(ferries, tmp_path)
    assert [row["verdict"] for row in rows] == ["not marked"] + ["not attempted"] * 3
    assert "ZeroDivisionError" in rows[0]["note"] and "please report it" in rows[0]["note"]


def test_an_error_without_words_is_named(ferries, tmp_path, monkeypatch):
    def judged(*given):
        raise ValueError

    handed(tmp_path / "ann.ipynb", *RIGHT)
    monkeypatch.setattr(notebook_marker, "judge", judged)
    assert {row["said"] for row in mark(ferries, tmp_path)[:2]} == {"the answer cannot be judged: ValueError"}


@pytest.mark.parametrize("answer", [10**400, [[1]], "x" * 3_000_000, complex(1, 1), [[[]]], lambda: 1])
def test_no_answer_takes_the_marking_down(small, answer):
    assert notebook_marker.judge(EXERCISES[1], answer).status == "not yet"
    assert not equal(answer, {1, 2}, 1e-6)


def test_an_answer_too_large_to_be_sent_costs_its_own_exercise(ferries, tmp_path):
    handed(tmp_path / "ann.ipynb", (SEATS, "def seats(x):\n    return 'x' * 10**7"), RIGHT[1])
    rows = mark(ferries, tmp_path)
    assert [row["verdict"] for row in rows][:2] == ["failed with error", "right"]


@pytest.mark.skipif(not solutions.there(book_paths.find()), reason="this copy of the book has no solutions")
def test_a_chapter_of_the_book_and_its_solutions(tmp_path):
    book = book_paths.find()
    for kind in class_notebooks.KINDS:
        class_notebooks.write(book, kind, ["00"], tmp_path / kind)
    rows = class_marks.mark(book, tmp_path, book.names(), limits=Limits(120), report=lambda said: None)
    found = {kind: [row["verdict"] for row in rows if row["student"] == kind] for kind in class_notebooks.KINDS}
    assert found == {"solutions": ["right"] * 3 + ["for you to read"], "student": ["not attempted"] * 4}
    assert not any(row["changed cells"] or row["note"] for row in rows)
