"""The table of marks as a CSV file with one row per notebook and exercise.

There is one row per exercise, not per student, so each verdict has its reason beside it, filtering for "wrong" or counting mistakes takes one click,
open exercises have a field for the teacher's points, and a pivot table by student and chapter adds the points up.
"""

import csv
import hashlib
import io
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from fairfl import _atomic_files
from fairfl.errors import Refused

COLUMNS = (
    "student",
    "chapter",
    "number",
    "exercise",
    "level",
    "verdict",
    "points",
    "mistake",
    "said",
    "tried",
    "changed cells",
    "note",
    "file",
    "notebook",
)
READ, NOT_MARKED = "for you to read", "not marked"  # verdicts beside those of ``notebook_marker``
LONGEST = 1000  # characters of a field
_FORMULA = re.compile(r"\s*[=+\-@＝＋－＠]")  # a spreadsheet evaluates a field that begins with these as a formula
_UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]+|[\ud800-\udfff]")
_STRANGE = re.compile(rf"(?:{_UNSEEN.pattern}|\\)+|^\s+|\s+\Z")  # what `name` escapes
_NAMES = ("student", "file")  # columns that identify the submission

Row = Mapping[str, str]


def field(text: object) -> str:
    """``text`` as a field: one line of at most ``LONGEST`` characters, with an apostrophe before anything that a spreadsheet would evaluate as a formula."""
    line = _UNSEEN.sub(" ", str(text)).strip()
    line = line if len(line) <= LONGEST else f"{line[: LONGEST - 2]} …"
    return f"'{line}" if _FORMULA.match(line) else line


def name(text: str) -> str:
    """A path or a part of one as a field. Like ``field``, but different paths stay different.

    Invisible and undecodable characters are escaped: a byte as ``\\xf6``, a character as ``\\u0001``, a backslash as two. The end of a very long path is
    replaced by a digest.
    """
    line = _STRANGE.sub(lambda found: "".join(map(_escaped, found[0])), text)
    line = f"'{line}" if _FORMULA.match(line.lstrip("'")) else line
    if len(line) < LONGEST:
        return line
    digest = hashlib.sha256(line.encode()).hexdigest()[:32]
    return f"{line[: LONGEST - len(digest) - 3]} … {digest}"


def shown(text: str) -> str:
    """A field as it is shown to people, without the apostrophe that protects a spreadsheet."""
    return text[1:] if text.startswith("'") and _FORMULA.match(text.lstrip("'")) else text


def _escaped(one: str) -> str:
    code = ord(one)
    if one == "\\":
        return "\\\\"
    if 0xDC80 <= code <= 0xDCFF:  # a byte of a file name that is not UTF-8 (surrogateescape)
        return f"\\x{code - 0xDC00:02x}"
    return f"\\u{code:04x}"


def row(**given: object) -> Row:
    """A row with the ``given`` columns and all others empty; "changed" means the column "changed cells"."""
    named = {
        "changed cells" if column == "changed" else column: name(str(value)) if column in _NAMES else field(value)
        for column, value in given.items()
    }
    return {column: named.get(column, "") for column in COLUMNS}


def points(verdict: str) -> str:
    """The points that a verdict gives by itself; empty for what the teacher reads."""
    return {"right": "1", READ: ""}.get(verdict, "0")


def number(entered: str) -> float | None:
    """Points as a number, with a point or a comma; ``None`` for anything else."""
    try:
        value = float(shown(entered).replace(",", "."))
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def changed_by_teacher(one: Row) -> bool:
    """Whether a row's points are not those that its verdict gives by itself."""
    by_itself = points(one["verdict"])
    return one["points"] not in ("", by_itself) and number(one["points"]) != number(by_itself or "nothing")


def identity(one: Row) -> str:
    """The digest of what the marks of a row's notebook depend on, without that of the row's own answer."""
    return one["notebook"].partition("-")[0]


def _answer(one: Row) -> tuple[str, str]:
    """The exercise of a row, and the digest of its answer, empty in tables of earlier editions."""
    return one["exercise"], one["notebook"].partition("-")[2]


def carried(old: Iterable[Row], new: Iterable[Row]) -> list[Row]:
    """The ``new`` rows of a notebook, with the points that the teacher entered in ``old`` ones for the same answer to the same exercise."""
    entered = {_answer(one): one["points"] for one in old if all(_answer(one)) and changed_by_teacher(one)}
    return [{**one, "points": entered.get(_answer(one), one["points"])} for one in new]


def write(path: Path, rows: Iterable[Row]) -> None:
    """Write the table to ``path`` atomically, with the byte order mark by which Excel recognises UTF-8."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, COLUMNS)
    writer.writeheader()
    writer.writerows(sorted(rows, key=_place))
    path.parent.mkdir(parents=True, exist_ok=True)  # a student's code may have removed it
    _atomic_files.write(path, text.getvalue().encode("utf-8-sig"))


def _place(one: Row) -> tuple:
    number = int(one["number"]) if one["number"].isdecimal() else 0
    return one["student"].casefold(), one["student"], one["chapter"], one["file"], number


def read(path: Path) -> list[Row]:
    """The rows of the table at ``path``; empty if there is no file. Raises ``Refused`` for a file that is not such a table."""
    if not path.exists():
        return []
    try:
        text = path.read_text(encoding="utf-8-sig")
        for separator in ",;\t":  # a spreadsheet may have saved it with another one
            reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=separator, restval="", restkey="beyond")
            if tuple(reader.fieldnames or ()) == COLUMNS:
                return [{column: one[column] for column in COLUMNS} for one in reader]
    except (UnicodeDecodeError, csv.Error):
        pass
    raise Refused(
        f"{path} exists and is not a table of marks; allowed: a CSV file in UTF-8 with this command's columns. Nothing was changed. "
        "Restore its format, move it away, or choose another file with --out.",
        "file",
    )


def set_aside(path: Path) -> Path:
    """Copy the file at ``path`` to the first free name of NAME.before.csv, NAME.before-2.csv, …, with its own suffix; returns that path."""
    number = 1
    while (copy := path.with_name(f"{path.stem}.before{'' if number == 1 else f'-{number}'}{path.suffix}")).exists():
        number += 1
    _atomic_files.write(copy, path.read_bytes())
    return copy


def most_common(rows: Sequence[Row], count: int = 5) -> list[tuple[str, str, int]]:
    """The most common mistakes, as triples (exercise, name of the mistake, number of notebooks)."""
    made: dict[tuple[str, str], int] = {}
    for one in rows:
        if one["mistake"]:
            made[one["exercise"], one["mistake"]] = made.get((one["exercise"], one["mistake"]), 0) + 1
    return [(*which, many) for which, many in sorted(made.items(), key=lambda item: (-item[1], item[0]))[:count]]
