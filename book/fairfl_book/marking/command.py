"""``fairfl-book mark``: what a teacher runs over a class's notebooks."""

import argparse
from pathlib import Path

_DESCRIPTION = """\
Run every notebook under FOLDER, judge its answers by your own book, and write a table that a spreadsheet opens: a row for each
notebook and exercise, with the student, the verdict, the mistake that the check knows, and given cells that were changed.

A student is a subfolder, or, for files that lie in FOLDER itself, the file's name without the chapter's. The table is written after every
notebook; call the command again to go on, or to add what was handed in since. What you entered in rows that stand is kept."""
_SANDBOX = """\
This runs students' code as you: it may read, change and delete whatever you may, and use the network. Each notebook has a process, an
empty folder, a time and (on Linux) a memory of its own, and none of them can mark itself; that is protection against accidents, not against
malice. For a class that you do not know, run it as a user who owns nothing, or in a container without a network that sees FOLDER only:
book/teachers.md has the command. It cannot be seen, either, who wrote an answer, or whether it was looked up in the book."""


def add(commands: "argparse._SubParsersAction") -> None:
    """Add the command to the parser's ``commands``."""
    mark = commands.add_parser(
        "mark",
        help="run a class's notebooks and write their marks as a table",
        description=_DESCRIPTION,
        epilog=_SANDBOX,
        usage="%(prog)s [-h] FOLDER [--chapters CHAPTER ...] [--out OUT] [--timeout SECONDS] [--memory MB]",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    mark.add_argument(
        "folder", nargs="?", type=Path, metavar="FOLDER", help="the class's notebooks, or a subfolder a student"
    )
    mark.add_argument(
        "--chapters",
        nargs="+",
        default=[],
        metavar="CHAPTER",
        help="names or numbers of those that are marked (default: all); the others' rows stay as they are",
    )
    mark.add_argument("--out", type=Path, help="the table's path (default: class_marks.csv in FOLDER)")
    mark.add_argument(
        "--timeout",
        type=float,
        default=120.0,
        metavar="SECONDS",
        help="for one cell, or one call of an answer; a notebook has ten times that (default: 120)",
    )
    mark.add_argument(
        "--memory",
        type=int,
        default=4000,
        metavar="MB",
        help="what a notebook may keep in memory, on Linux (default: 4000)",
    )
    mark.set_defaults(run=_mark)


def _mark(given: argparse.Namespace) -> int:
    from fairfl.errors import refuse
    from fairfl_book import book_paths
    from fairfl_book.marking import class_marks, marks_table
    from fairfl_book.marking.notebook_marker import Limits
    from fairfl_book.output_option import refuse_unwritable

    folder, chapters = _folder_and_chapters(given)
    refuse_unwritable(given.out)
    if not 1 <= given.timeout <= 3600:
        raise refuse(
            "--timeout", given.timeout, "1 to 3600 seconds", "Single cells of the chapters take up to half a minute."
        )
    if given.memory < 500:
        raise refuse("--memory", given.memory, "at least 500 MB", "A chapter needs some hundred.")
    book = book_paths.find()
    out = given.out or folder / class_marks.NAME
    limits = Limits(given.timeout, given.memory)
    rows = class_marks.mark(book, folder, book.select(chapters), out, limits, lambda said: print(said, flush=True))
    files, students = {one["file"] for one in rows}, {one["student"] for one in rows}
    print(f"{out}: {len(rows)} rows, {len(files)} notebooks, {len(students)} students")
    for exercise, mistake, count in marks_table.most_common(rows):
        print(f"  {count} × {exercise}: {mistake}")
    return 0


def _folder_and_chapters(given: argparse.Namespace) -> tuple[Path, list[str]]:
    """What was named as FOLDER and after --chapters; a folder at the very end counts among the chapters for argparse."""
    from fairfl.errors import Refused

    if given.folder is not None:
        return given.folder, given.chapters
    *chapters, last = given.chapters or [""]
    if not chapters or not Path(last).is_dir():
        raise Refused(
            "no folder to mark is named; allowed: one with a class's notebooks in it. Name it first: "
            f"mark FOLDER{' --chapters ' if given.chapters else ''}{' '.join(given.chapters)}"
        )
    return Path(last), chapters
