"""Going through a class: one notebook after the other, the table written after each."""

import hashlib
import traceback
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

from fairfl.errors import Refused
from fairfl_book.book_paths import Book
from fairfl_book.marking import chapter_exercises, comparison, isolation, marks_table, notebook_marker, submissions
from fairfl_book.marking.chapter_exercises import Chapter
from fairfl_book.marking.comparison import Judge
from fairfl_book.marking.marks_table import Row
from fairfl_book.marking.notebook_marker import Limits, Mark
from fairfl_book.marking.submissions import Paper

NAME = "marks.csv"
READ, NOT_MARKED = "for you to read", "not marked"


def mark(
    book: Book,
    folder: Path,
    names: Sequence[str],
    out: Path | None = None,
    limits: Limits | None = None,
    report: Callable[[str], None] = print,
) -> list[Row]:
    """Mark every notebook under ``folder`` and write the table to ``out`` (default: ``NAME`` in the folder) after each; returns its rows.

    ``names``: the chapters that are marked; a notebook of another keeps the rows that it has, and else gets one that says so. What ``out`` holds already
    stays as it is, a teacher's entries included, where the same cells were marked by the same edition; before other rows are replaced the old table
    is copied beside. What timed out is tried again. Raises ``ValueError`` for a folder without notebooks, and for an ``out`` that is something else.
    """
    if not folder.is_dir():
        raise Refused(
            f"the folder to mark is {folder}, which is no folder; allowed: one with a class's notebooks in it."
        )
    out = (out or folder / NAME).resolve()
    known = {name: chapter_exercises.load(book, name) for name in book.executed()}
    papers = submissions.read(folder, list(known), {Path(NAME).stem, out.stem})
    if not any(paper.file.lower().endswith(submissions.NOTEBOOK) for paper in papers):
        raise Refused(
            f"{folder} holds no notebook; allowed: a folder of .ipynb files, or of a subfolder for each student. "
            "Unpack what the class handed in there."
        )
    rows: dict[str, list[Row]] = {}
    for one in marks_table.read(out):
        rows.setdefault(one["file"], []).append(one)
    aside = not rows
    if gone := _gone(rows, {marks_table.name(paper.file) for paper in papers}):
        report(f"The table as it was: {marks_table.set_aside(out)}")
        aside = True
        rows = {file: some for file, some in rows.items() if file not in gone}
        marks_table.write(out, [one for some in rows.values() for one in some])
    asked = {paper.file: known.get(comparison.chapter_of(paper, known)) for paper in papers if not paper.problem}
    twice = _twice(papers, asked)
    for number, paper in enumerate(papers, 1):
        file, asks, note = marks_table.name(paper.file), asked.get(paper.file), twice.get(paper.file, "")
        head = f"{number}/{len(papers)} {file}"
        identity = _identity(paper, asks, note, names)
        if _stands(rows.get(file, []), identity):
            report(f"{head}: as before")
            continue
        if asks and asks.name not in names and _has_marks(rows.get(file, []), asks.name):
            report(f"{head}: as before; {asks.name} is not asked for")
            continue
        if asks and asks.name in names:  # said before it runs: if it takes this process down, one knows whose it was
            report(f"{head}: running")
        made = _marked(paper, asks, names, limits or Limits(), note, identity)
        if not aside and file in rows:
            report(f"The table as it was: {marks_table.set_aside(out)}")
            aside = True
        rows[file] = made
        marks_table.write(out, [one for some in rows.values() for one in some])
        report(f"{head}: {_line(made)}")
    return [one for some in rows.values() for one in some]


def _gone(rows: Mapping[str, Sequence[Row]], present: Collection[str]) -> list[str]:
    """What has a row that only says why it was not marked, and is there no longer: an archive that was unpacked, a folder that was filled since."""
    return [
        file
        for file, some in rows.items()
        if file not in present and all(one["verdict"] == NOT_MARKED and not one["points"] for one in some)
    ]


def _twice(papers: Sequence[Paper], asked: Mapping[str, Chapter | None]) -> dict[str, str]:
    """For each file whose student has handed in another of the same chapter: a note that names it."""
    same: dict[tuple[str, str], list[str]] = {}
    for paper in papers:
        if asks := asked.get(paper.file):
            same.setdefault((paper.student, asks.name), []).append(paper.file)
    return {
        file: f"another notebook of this chapter: {', '.join(marks_table.name(other) for other in files if other != file)}"
        for files in same.values()
        if len(files) > 1
        for file in files
    }


def _identity(paper: Paper, asks: Chapter | None, note: str, names: Sequence[str]) -> str:
    """What the marks of a notebook depend on; begins with a letter, since a spreadsheet takes digits for a number."""
    wanted = asks.name in names if asks else None
    parts = f"{paper.digest} {paper.problem} {asks.edition if asks else ''} {note} {wanted}"
    return f"n{hashlib.sha256(parts.encode('utf-8', 'replace')).hexdigest()[:12]}"


def _stands(rows: Sequence[Row], identity: str) -> bool:
    """Whether a notebook's rows need not be made again."""
    return bool(rows) and all(one["notebook"] == identity and one["verdict"] != notebook_marker.LATE for one in rows)


def _has_marks(rows: Sequence[Row], chapter: str) -> bool:
    """Whether ``chapter`` was marked in a notebook before, in whatever state that was."""
    return any(one["chapter"] == chapter and one["verdict"] != NOT_MARKED for one in rows)


def _marked(
    paper: Paper, asks: Chapter | None, names: Sequence[str], limits: Limits, note: str, identity: str
) -> list[Row]:
    """The rows of one notebook; whatever happens, at least one."""
    whose = {"student": paper.student, "file": paper.file, "notebook": identity}
    problem = paper.problem
    if not problem and asks is None:
        problem = "this is no chapter of the book"
    if not problem and asks and asks.name not in names:
        problem = f"this is {asks.name}, and asked for is {', '.join(names)}"
    if problem or asks is None:
        return [marks_table.row(**whose, chapter=asks.name if asks else "", verdict=NOT_MARKED, note=problem)]
    try:
        return _rows(paper, asks, limits, note, whose)
    except Exception as error:  # a fault of this program's costs one notebook, and says where it is
        where = traceback.extract_tb(error.__traceback__)[-1]
        said = f"the marking itself failed: {type(error).__name__}: {error} ({Path(where.filename).name}, line {where.lineno}); please report it"
        return [marks_table.row(**whose, chapter=asks.name, verdict=NOT_MARKED, note=said)]


def _rows(paper: Paper, asks: Chapter, limits: Limits, note: str, whose: Mapping[str, str]) -> list[Row]:
    found = comparison.align(asks.cells, paper.cells)
    plan = comparison.steps(asks, paper, found)
    notes = [note] if note else []
    if comparison.looks(asks, paper):
        notes.append("its code looks into the book's exercises, where the right answers stand")
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
        verdict, points = one.verdict, "1" if one.verdict == notebook_marker.RIGHT else "0"
        if asked.check is None and comparison.written(asks, paper, found, asked):
            verdict, points = READ, ""
        rows.append(
            marks_table.row(
                **whose,
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
    """What the teacher should know of cells that answer nothing: the first of them that failed."""
    stubs = {asked.stub for asked in asks.asked}
    given = {j: i for i, j in found.items() if i not in stubs and "raises-exception" not in asks.cells[i].tags}
    first = next((j for j in sorted(failed) if j in given), None)
    return [] if first is None else [f"a given cell {failed[first][0]}: {failed[first][1]}"]


def _line(rows: Sequence[Row]) -> str:
    """One notebook's marks in a few words."""
    if rows[0]["verdict"] == NOT_MARKED:
        return f"{NOT_MARKED}: {rows[0]['note']}"
    counts: dict[str, int] = {}
    for one in rows:
        counts[one["verdict"]] = counts.get(one["verdict"], 0) + 1
    changed = f"; {rows[0]['changed cells']}" if rows[0]["changed cells"] else ""
    return f"{rows[0]['chapter']}: {', '.join(f'{count} {verdict}' for verdict, count in counts.items())}{changed}"
