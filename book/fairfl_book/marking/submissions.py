"""Read a class's submissions: every notebook under a folder, with its student, and files that are not notebooks. Nothing that is read is run or trusted."""

import hashlib
import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from fairfl_book.reading import copies, copy_extras

NOTEBOOK = ".ipynb"
SHOWN = 5  # other files of a subfolder that are listed
LARGEST = 20_000_000  # bytes of a notebook; a chapter with its pictures has at most 1.5 million
MOST = 5_000  # cells of a notebook; a chapter has about a hundred
_OURS = (copy_extras.COVER, copies.NOTICE)  # pages in a reader's folder that are not chapters
_ARCHIVES = {".zip", ".7z", ".rar", ".tar", ".tgz", ".gz", ".bz2", ".xz"}
_HIDDEN = "this file is hidden, because its name or a folder's begins with a dot; rename it and mark again"
_COPIES = re.compile(r"(^|/)(\.ipynb_checkpoints/|\.[_~][^/]*$)")  # made by Jupyter, macOS and office programs
_AGAIN = re.compile(
    r"(?:Copy|newer|yours|\(|\)|\d|[\s_.-])*"
)  # what Jupyter, browsers and this book add to the name of a second copy


@dataclass(frozen=True)
class Cell:
    """A cell of a notebook. ``kind``: "code", "markdown" or "raw". ``id``: "" if the file has none."""

    kind: str
    source: str
    id: str = ""
    tags: tuple[str, ...] = ()


@dataclass(frozen=True)
class Paper:
    """One file. ``file``: its path relative to the folder. ``digest``: of its cells. ``problem``: why it cannot be marked, or ""."""

    student: str
    file: str
    cells: tuple[Cell, ...] = ()
    title: str = ""
    digest: str = ""
    problem: str = ""


def read(folder: Path, chapters: Sequence[str], ours: Collection[str] = (), sheets: Path | None = None) -> list[Paper]:
    """Read every notebook under ``folder`` into memory, before any student code runs.

    The result also has a ``Paper`` with a problem for each other file in ``folder`` itself, and for each subfolder that contains no notebook or also other files.
    Hidden notebooks get a ``Paper`` with a problem, too; other hidden files and Jupyter's checkpoints are skipped. ``chapters``: the chapters' names, which a file name may contain beside the student's.
    ``ours``: stems of the teacher's own tables, and ``sheets``: the folder of sheets for the students, which are not submissions.
    """
    papers: list[Paper] = []
    notebooks: set[str] = set()
    made = Path("/") if sheets is None else _inside(sheets, folder)
    beside: dict[str, list[str]] = {}  # subfolder → its files that are not notebooks
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        if path.name in _OURS or inside.is_relative_to(made):
            continue
        if any(part.startswith(".") for part in inside.parts):
            if path.suffix.lower() == NOTEBOOK and not _COPIES.search(inside.as_posix()):
                whose = student(inside, folder.resolve().name, chapters)
                papers.append(Paper(whose, inside.as_posix(), problem=_HIDDEN))
                notebooks.add(inside.parts[0])
            continue
        if path.suffix.lower() == NOTEBOOK:
            papers.append(_paper(path, inside, student(inside, folder.resolve().name, chapters)))
            notebooks.add(inside.parts[0])
        elif path.is_dir():
            beside.setdefault(inside.parts[0], [])
        elif len(inside.parts) > 1:
            beside.setdefault(inside.parts[0], []).append(inside.relative_to(inside.parts[0]).as_posix())
        elif path.name.partition(".")[0] not in ours:
            whose = student(inside, folder.resolve().name, chapters)
            papers.append(
                Paper(whose, inside.as_posix(), problem=f"this is not a notebook ({NOTEBOOK}){_packed([path.name])}")
            )
    for name, files in beside.items():
        if problem := _left(files, name in notebooks):
            papers.append(Paper(name, f"{name}/", problem=problem))
    return papers


def _inside(path: Path, folder: Path) -> Path:
    """``path`` relative to ``folder`` if it lies there, else as it is. A link to the folder counts as the folder."""
    path, folder = path.resolve(), folder.resolve()
    return path.relative_to(folder) if path.is_relative_to(folder) else path


def _left(files: Sequence[str], marked: bool) -> str:
    """A subfolder's problem, or "". ``files``: its files that are not notebooks; ``marked``: whether it also contains notebooks."""
    more = f" and {len(files) - SHOWN} more" if len(files) > SHOWN else ""
    named = f"{', '.join(files[:SHOWN])}{more}{_packed(files)}"
    if marked:
        return f"other files, not marked: {named}" if files else ""
    return f"there is no notebook in this folder{f', only {named}' if files else ''}"


def _packed(files: Iterable[str]) -> str:
    return "; unpack it and mark again" if any(PurePath(file).suffix.lower() in _ARCHIVES for file in files) else ""


def student(inside: PurePath, folder: str, chapters: Sequence[str]) -> str:
    """The student of the file ``inside``: its subfolder's name, else the file name without a chapter's name, else the ``folder``'s name."""
    if len(inside.parts) > 1:
        return inside.parts[0]
    stem = inside.stem
    for name in chapters:
        if name in stem:
            left = re.sub(rf"[\s_.-]*{name}[\s_.-]*", " ", stem).strip()
            return folder if _AGAIN.fullmatch(left) else left
    return stem


def _paper(path: Path, inside: PurePath, student: str) -> Paper:
    try:
        if path.is_symlink():
            raise ValueError("this is a link, which may lead to somebody else's file; hand in the file itself")
        if not path.is_file():
            raise ValueError("this is not a file")
        if path.stat().st_size > LARGEST:
            raise ValueError(f"the file is larger than {LARGEST // 1_000_000} MB; clear its outputs")
        notebook = json.loads(path.read_bytes().decode("utf-8-sig"))
        cells = cells_of(notebook)
    except (OSError, ValueError, RecursionError, MemoryError) as error:
        reason = "the file is not JSON" if isinstance(error, json.JSONDecodeError | UnicodeDecodeError) else str(error)
        return Paper(student, inside.as_posix(), problem=f"cannot be read as a notebook: {reason}")
    text = json.dumps([(cell.kind, cell.source, cell.id, cell.tags) for cell in cells])
    return Paper(
        student, inside.as_posix(), cells, _title(notebook), hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
    )


def cells_of(notebook: object) -> tuple[Cell, ...]:
    """The cells of a notebook's JSON. Raises ``ValueError`` for anything but a notebook of format 4."""
    cells = notebook.get("cells") if isinstance(notebook, Mapping) else None
    if not isinstance(cells, list):
        raise ValueError("it has no list of cells; only notebooks in format 4 can be marked")
    if len(cells) > MOST:
        raise ValueError(f"it has {len(cells)} cells; at most {MOST} are read")
    return tuple(map(_cell, cells))


def _cell(cell: object) -> Cell:
    given = cell if isinstance(cell, Mapping) else {}
    source, metadata, identity = given.get("source"), given.get("metadata"), given.get("id")
    if isinstance(source, list) and all(isinstance(line, str) for line in source):
        source = "".join(source)
    if not isinstance(source, str) or given.get("cell_type") not in ("code", "markdown", "raw"):
        raise ValueError("one of its cells has no type or no text")
    tags = metadata.get("tags", ()) if isinstance(metadata, Mapping) else ()
    tags = tuple(tag for tag in tags if isinstance(tag, str)) if isinstance(tags, list) else ()
    return Cell(given["cell_type"], source, identity if isinstance(identity, str) else "", tags)


def _title(notebook: Mapping) -> str:
    """The chapter's title in the front matter, which every copy of a chapter contains."""
    front = notebook["metadata"].get("fairfl") if isinstance(notebook.get("metadata"), Mapping) else None
    title = front.get("title") if isinstance(front, Mapping) else None
    return title if isinstance(title, str) else ""
