"""Mark a class: one notebook after the other, writing the table after each."""

import hashlib
import traceback
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

from fairfl.errors import Refused
from fairfl_book import repository_address
from fairfl_book.book_paths import Book
from fairfl_book.marking import (
    chapter_exercises,
    comparison,
    isolation,
    marks_table,
    notebook_marker,
    questionnaire,
    student_sheets,
    submissions,
)
from fairfl_book.marking.chapter_exercises import Chapter
from fairfl_book.marking.comparison import Judge
from fairfl_book.marking.marks_table import NOT_MARKED, READ, Row
from fairfl_book.marking.notebook_marker import Limits, Mark
from fairfl_book.marking.sheet_page import Library
from fairfl_book.marking.submissions import Paper
from fairfl_book.misconceptions import notebooks as questionnaires

NAME = "marks.csv"


def mark(
    book: Book,
    folder: Path,
    names: Sequence[str],
    out: Path | None = None,
    limits: Limits | None = None,
    report: Callable[[str], None] = print,
) -> list[Row]:
    """Mark every notebook under ``folder`` and write the table to ``out`` (default: ``NAME`` in the folder) after each; returns its rows.

    At the end, each student's sheet is written beside the table (``student_sheets``). ``names``: the chapters and questionnaires to mark. A notebook of another chapter keeps its rows, or gets one row that says it was not asked for. Existing rows in ``out``
    stay, including the teacher's entries, if the same cells were marked by the same edition; before other rows are replaced, the old table
    is copied. Notebooks that timed out are tried again. A notebook that is marked again keeps the points that the teacher has entered for an answer, as long as the answer is the same. Raises ``Refused`` for a folder without notebooks and for an ``out`` that is not such a table.
    """
    if not folder.is_dir():
        raise Refused(
            f"the folder to mark is {folder}, which is not a folder; allowed: a folder with a class's notebooks. Check the path.",
            "file",
        )
    out = (out or folder / NAME).resolve()
    chapters = {name: chapter_exercises.load(book, name) for name in book.executed()}
    known = chapters | {name: questionnaire.load(name) for name in questionnaires.NAMES}
    library = Library(chapters, repository_address.address(book), marks_table.name(folder.resolve().name))
    student_sheets.refuse_strangers(student_sheets.folder(out))
    papers = submissions.read(folder, list(known), {Path(NAME).stem, out.stem}, student_sheets.folder(out))
    if not any(paper.file.lower().endswith(submissions.NOTEBOOK) for paper in papers):
        raise Refused(
            f"{folder} contains no notebook; allowed: a folder of .ipynb files, or with a subfolder per student. "
            "Unpack the submissions there.",
            "missing",
        )
    rows: dict[str, list[Row]] = {}
    for one in marks_table.read(out):
        rows.setdefault(one["file"], []).append(one)
    aside = not rows
    if gone := _gone(rows, {marks_table.name(paper.file) for paper in papers}):
        report(f"Old table saved as {marks_table.set_aside(out)}")
        aside = True
        rows = {file: some for file, some in rows.items() if file not in gone}
        marks_table.write(out, [one for some in rows.values() for one in some])
    asked = {
        paper.file: known.get(questionnaire.name_of(paper) or comparison.chapter_of(paper, chapters))
        for paper in papers
        if not paper.problem
    }
    twice = _twice(papers, asked)
    for number, paper in enumerate(papers, 1):
        file, asks, note = marks_table.name(paper.file), asked.get(paper.file), twice.get(paper.file, "")
        head = f"{number}/{len(papers)} {file}"
        identity = _identity(paper, asks, note, names)
        if _stands(rows.get(file, []), identity):
            report(f"{head}: unchanged")
            continue
        if asks and asks.name not in names and _has_marks(rows.get(file, []), asks.name):
            report(f"{head}: unchanged; {asks.name} is not among the chapters to mark")
            continue
        if (
            asks and asks.name in names and asks.name in chapters
        ):  # before it runs: if it crashes this process, the teacher knows which notebook it was
            report(f"{head}: running")
        made = _marked(paper, asks, names, limits or Limits(), note, identity)
        if not aside and file in rows:
            report(f"Old table saved as {marks_table.set_aside(out)}")
            aside = True
        rows[file] = marks_table.carried(rows.get(file, []), made)
        marks_table.write(out, [one for some in rows.values() for one in some])
        report(f"{head}: {_line(made)}")
    every = [one for some in rows.values() for one in some]
    if every:
        student_sheets.write(out, every, library)
    return every


def _gone(rows: Mapping[str, Sequence[Row]], present: Collection[str]) -> list[str]:
    """Files whose rows only say why they were not marked and that no longer exist: an archive since unpacked, a folder since filled."""
    return [
        file
        for file, some in rows.items()
        if file not in present and all(one["verdict"] == NOT_MARKED and not one["points"] for one in some)
    ]


def _twice(papers: Sequence[Paper], asked: Mapping[str, Chapter | None]) -> dict[str, str]:
    """For each file whose student has submitted another notebook of the same chapter: a note that names the other."""
    same: dict[tuple[str, str], list[str]] = {}
    for paper in papers:
        if asks := asked.get(paper.file):
            same.setdefault((paper.student, asks.name), []).append(paper.file)
    return {
        file: f"same chapter as {', '.join(marks_table.name(other) for other in files if other != file)}"
        for files in same.values()
        if len(files) > 1
        for file in files
    }


def _identity(paper: Paper, asks: Chapter | None, note: str, names: Sequence[str]) -> str:
    """A digest of what a notebook's marks depend on. It begins with a letter, because a spreadsheet would read digits as a number."""
    wanted = asks.name in names if asks else None
    parts = f"{paper.digest} {paper.problem} {asks.edition if asks else ''} {note} {wanted}"
    return f"n{hashlib.sha256(parts.encode('utf-8', 'replace')).hexdigest()[:12]}"


def _stands(rows: Sequence[Row], identity: str) -> bool:
    """Whether a notebook's rows are up to date."""
    return bool(rows) and all(
        marks_table.identity(one) == identity and one["verdict"] != notebook_marker.LATE for one in rows
    )


def _has_marks(rows: Sequence[Row], chapter: str) -> bool:
    """Whether a notebook was marked for ``chapter`` before, in any version of the notebook."""
    return any(one["chapter"] == chapter and one["verdict"] != NOT_MARKED for one in rows)


def _marked(
    paper: Paper, asks: Chapter | None, names: Sequence[str], limits: Limits, note: str, identity: str
) -> list[Row]:
    """The rows of one notebook, at least one in every case."""
    whose = {"student": paper.student, "file": paper.file, "notebook": identity}
    problem = paper.problem
    if not problem and asks is None:
        problem = "this is not a chapter of the book"
    if not problem and asks and asks.name not in names:
        problem = f"this is {asks.name}, which is not among the chapters to mark: {', '.join(names)}"
    if problem or asks is None:
        return [marks_table.row(**whose, chapter=asks.name if asks else "", verdict=NOT_MARKED, note=problem)]
    try:
        if asks.name in questionnaires.NAMES:
            return questionnaire.rows(paper, asks.name, whose, note)
        return _rows(paper, asks, limits, note, whose)
    except Exception as error:  # a bug in this program costs only one notebook, and the row says where it is
        where = traceback.extract_tb(error.__traceback__)[-1]
        note = f"the marking itself failed: {type(error).__name__}: {error} ({Path(where.filename).name}, line {where.lineno}); please report it"
        return [marks_table.row(**whose, chapter=asks.name, verdict=NOT_MARKED, note=note)]


def _rows(paper: Paper, asks: Chapter, limits: Limits, note: str, whose: dict[str, str]) -> list[Row]:
    found = comparison.align(asks.cells, paper.cells)
    plan = comparison.steps(asks, paper, found)
    notes = [note] if note else []
    if comparison.looks(asks, paper):
        notes.append("its code accesses the book's exercises, which contain the right answers")
    marks: dict[str, Mark] = {}
    if not comparison.untouched(asks, paper, found):
        sitting = isolation.examine(plan, paper.cells, limits)
        marks, notes = sitting.marks, [*notes, *sitting.notes]
        notes += _given_that_failed(asks, found, sitting.failed)
    changed = comparison.listed(comparison.changed(asks, paper, found), asks)
    judged = {step.asked.slug for step in plan if isinstance(step, Judge)}
    rows = []
    for asked in asks.asked:
        one = marks.get(asked.slug, Mark(notebook_marker.NOTHING))
        said = one.said or ("" if asked.check is None or asked.slug in judged else "its cells are missing")
        verdict, points = one.verdict, marks_table.points(one.verdict)
        if asked.check is None and comparison.written(asks, paper, found, asked):
            verdict, points = READ, marks_table.points(READ)
        rows.append(
            marks_table.row(
                **whose | {"notebook": f"{whose['notebook']}-{comparison.answer_digest(asks, paper, found, asked)}"},
                chapter=asks.name,
                number=asked.number,
                exercise=asked.slug,
                level=asked.level,
                verdict=verdict,
                points=points,
                mistake=one.mistake,
                said=said,
                tried=one.tried,
                changed=changed,
                note="; ".join(dict.fromkeys(notes)),
            )
        )
    return rows


def _given_that_failed(asks: Chapter, found: Mapping[int, int], failed: Mapping[int, tuple[str, str]]) -> list[str]:
    """A note for the teacher on the first given cell that failed, if any."""
    stubs = {asked.stub for asked in asks.asked}
    given = {j: i for i, j in found.items() if i not in stubs and "raises-exception" not in asks.cells[i].tags}
    first = next((j for j in sorted(failed) if j in given), None)
    return [] if first is None else [f"a given cell {failed[first][0]}: {failed[first][1]}"]


def _line(rows: Sequence[Row]) -> str:
    """One notebook's marks in a line."""
    if rows[0]["verdict"] == NOT_MARKED:
        return f"{NOT_MARKED}: {rows[0]['note']}"
    counts: dict[str, int] = {}
    for one in rows:
        counts[one["verdict"]] = counts.get(one["verdict"], 0) + 1
    changed = f"; {rows[0]['changed cells']}" if rows[0]["changed cells"] else ""
    return f"{rows[0]['chapter']}: {', '.join(f'{count} {verdict}' for verdict, count in counts.items())}{changed}"
