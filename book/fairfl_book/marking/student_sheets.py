"""A sheet for each student, made from the table of marks: what was right, the mistake behind each wrong answer, and where to read on.

The sheets (``sheet_page``) are in a folder beside the table. A sheet ends with a digest of its own text, so a sheet in which the teacher has written something is
recognised and never lost.
"""

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

from fairfl import _atomic_files
from fairfl.errors import Refused
from fairfl_book.marking import marks_table
from fairfl_book.marking.marks_table import Row
from fairfl_book.marking.sheet_page import Library, page

FOLDER = ".sheets"  # appended to the table's stem: marks.csv, marks.sheets/
_SEAL = re.compile(rb"\n<!-- made by fairfl-book mark: ([0-9a-f]{64}) -->\n\Z")


def folder(table: Path) -> Path:
    """The folder of the sheets that belong to ``table``."""
    return table.with_name(table.stem + FOLDER)


def file_name(student: str) -> str:
    """A file name for the ``student`` of a row, valid on every system. It ends with a digest of the name, so no two students share one."""
    words = re.sub(r"[^\w-]+|_+", "_", student).strip("_")[:40]
    return f"{words or 'student'}-{hashlib.sha256(student.encode('utf-8', 'replace')).hexdigest()[:10]}.html"


def refuse_strangers(place: Path) -> None:
    """Raise ``Refused`` if the folder for the sheets contains a notebook, so it is a student's."""
    if place.exists() and (not place.is_dir() or any(place.rglob("*.ipynb"))):
        raise Refused(
            f"{place} is the folder for the students' sheets, but it is a file or contains notebooks; allowed: no such folder, or one "
            "with sheets only. Nothing was changed. Rename it, or choose another table with --out.",
            "file",
        )


def write(table: Path, rows: Sequence[Row], library: Library) -> list[Path]:
    """Write a sheet per student beside ``table`` and return the files.

    A sheet that somebody has edited is copied to NAME.before.html first. Sheets of students without rows are removed, unless they were edited.
    """
    place = folder(table)
    refuse_strangers(place)
    students: dict[str, list[Row]] = {}
    for one in rows:
        students.setdefault(library.student(one), []).append(one)
    place.mkdir(parents=True, exist_ok=True)
    pages = {file_name(student): sealed(page(student, some, library)) for student, some in students.items()}
    for path in place.glob("*.html"):
        if path.name not in pages and untouched(path.read_bytes()):
            path.unlink()
    for name, content in pages.items():
        path = place / name
        if path.exists() and not untouched(path.read_bytes()):
            marks_table.set_aside(path)
        _atomic_files.write(path, content)
    return [place / name for name in pages]


def sealed(text: str) -> bytes:
    """A sheet's bytes, with the digest of ``text`` at their end."""
    content = text.encode("utf-8", "replace")
    return content + f"\n<!-- made by fairfl-book mark: {hashlib.sha256(content).hexdigest()} -->\n".encode()


def untouched(content: bytes) -> bool:
    """Whether ``content`` is a sheet as this program wrote it."""
    found = _SEAL.search(content)
    return bool(found) and hashlib.sha256(content[: found.start()]).hexdigest().encode() == found[1]
