"""``fairfl-book mark``, the command that marks a class's notebooks."""

import argparse
import signal
import sys
from pathlib import Path

_DESCRIPTION = """\
Run every notebook under FOLDER, judge its answers with your copy of the book, and write a table for a spreadsheet: one row per
notebook and exercise, with the student, the verdict, the mistake if it is a known one, and the given cells that were changed. Beside the
table, each student gets a sheet to read, without a word about the others. The answers to the questions before and after the course
(fairfl-book questions) are counted, and the class's normalised gain is printed.

The student is the name of the subfolder or, for files in FOLDER itself, the file name without the chapter's name. The table is written after every
notebook. Run the command again to continue, or to add later submissions. Your own entries in unchanged rows are kept."""
_SANDBOX = """\
Each notebook runs in its own process with an empty folder and limits of time and memory, and cannot mark itself. Where bubblewrap is installed
(Linux: apt install bubblewrap), it also has no network and sees no files but Python and the book. The first line printed says whether this is so.
Elsewhere, students' code can read, change and send away whatever you can: book/teachers.md has a container for a class that
you do not know. The marks do not show who wrote an answer, or whether it was looked up in the book."""


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
        "folder", nargs="?", type=Path, metavar="FOLDER", help="the class's notebooks, or one subfolder per student"
    )
    mark.add_argument(
        "--chapters",
        nargs="+",
        default=[],
        metavar="CHAPTER",
        help="chapters to mark, by name or number (default: all); rows of other chapters stay",
    )
    mark.add_argument("--out", type=Path, help="path of the table (default: marks.csv in FOLDER)")
    mark.add_argument(
        "--timeout",
        type=float,
        default=120.0,
        metavar="SECONDS",
        help="time limit for a cell or a call of an answer; a notebook has ten times that (default: 120)",
    )
    mark.add_argument(
        "--memory", type=int, default=4000, metavar="MB", help="memory limit for a notebook, on Linux (default: 4000)"
    )
    mark.set_defaults(run=_mark)


def _mark(given: argparse.Namespace) -> int:
    from fairfl.errors import refuse
    from fairfl_book import book_paths
    from fairfl_book.marking import class_gain, class_marks, marks_table, sandbox, student_sheets
    from fairfl_book.marking.notebook_marker import Limits
    from fairfl_book.misconceptions.notebooks import NAMES
    from fairfl_book.output_option import refuse_unwritable

    folder, chapters = _folder_and_chapters(given)
    refuse_unwritable(given.out)
    if not 1 <= given.timeout <= 3600:
        raise refuse("--timeout", given.timeout, "1 to 3600 seconds", "Some cells of the chapters take half a minute.")
    if not 500 <= given.memory <= 1_000_000:
        raise refuse("--memory", given.memory, "500 to 1,000,000 MB", "A chapter needs a few hundred.")
    book = book_paths.find()
    out = given.out or folder / class_marks.NAME
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))  # clean up, as after Ctrl + C
    box = sandbox.find(book.root, folder)
    print(box.words, flush=True)
    limits = Limits(given.timeout, given.memory, box.command)
    rows = class_marks.mark(book, folder, _names(book, chapters), out, limits, lambda said: print(said, flush=True))
    files, students = {one["file"] for one in rows}, {one["student"] for one in rows}
    print(f"{out}: {len(rows)} rows, {len(files)} notebooks, {len(students)} students")
    print(f"{student_sheets.folder(out)}: a sheet for each student")
    for exercise, mistake, count in marks_table.most_common([one for one in rows if one["chapter"] not in NAMES]):
        print(f"  {count} × {exercise}: {mistake}")
    for line in class_gain.lines(rows):
        print(line)
    return 0


def _names(book, given: list[str]) -> list[str]:
    """The chapters and questionnaires called for by ``given``; all of them if it is empty."""
    from fairfl_book.misconceptions.notebooks import NAMES

    chapters = [word for word in given if word not in NAMES]
    asked = [name for name in NAMES if name in given or not given]
    return [*(book.select(chapters) if chapters or not given else []), *asked]


def _folder_and_chapters(given: argparse.Namespace) -> tuple[Path, list[str]]:
    """FOLDER and the chapters. A folder given last, after --chapters, is parsed by argparse as a chapter."""
    from fairfl.errors import Refused

    if given.folder is not None:
        return given.folder, given.chapters
    *chapters, last = given.chapters or [""]
    if not chapters or not Path(last).is_dir():
        raise Refused(
            "FOLDER is missing; allowed: a folder with a class's notebooks. Give it first: "
            f"mark FOLDER{' --chapters ' if given.chapters else ''}{' '.join(given.chapters)}",
            "missing",
        )
    return Path(last), chapters
