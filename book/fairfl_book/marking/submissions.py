"""What a class handed in: every notebook under a folder, whose it is, and what is none. Nothing here runs or trusts what it reads."""

import hashlib
import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from fairfl_book.reading import copies, copy_extras

NOTEBOOK = ".ipynb"
SHOWN = 5  # of a subfolder's other files that are named
LARGEST = 50_000_000  # bytes of a notebook; a chapter with its pictures has at most 1.5 million
_OURS = (copy_extras.COVER, copies.NOTICE)  # pages of a reader's folder that are no chapters
_ARCHIVES = {".zip", ".7z", ".rar", ".tar", ".tgz", ".gz", ".bz2", ".xz"}
_AGAIN = re.compile(
    r"(?:Copy|newer|yours|\(|\)|\d|[\s_.-])*"
)  # what Jupyter, a browser and this book add to a second copy's name


@dataclass(frozen=True)
class Cell:
    """A cell of anybody's notebook. ``kind``: "code", "markdown" or "raw". ``id``: "" where the file has none."""

    kind: str
    source: str
    id: str = ""
    tags: tuple[str, ...] = ()


@dataclass(frozen=True)
class Paper:
    """One file. ``file``: its path inside the folder. ``digest``: of its cells. ``problem``: why it cannot be marked; "" if nothing is known yet."""

    student: str
    file: str
    cells: tuple[Cell, ...] = ()
    title: str = ""
    digest: str = ""
    problem: str = ""


def read(folder: Path, chapters: Sequence[str], ours: Collection[str] = ()) -> list[Paper]:
    """Every notebook under ``folder``, read into memory before anybody's code runs; and a ``Paper`` with its problem for each other file that lies in
    ``folder`` itself, and for each subfolder that holds no notebook, or other files as well.

    Hidden folders and files (Jupyter's checkpoints) are left out. ``chapters``: the book's names, which a file's name may hold beside a student's.
    ``ours``: stems of files that are the teacher's tables, and nobody's hand-in.
    """
    papers: list[Paper] = []
    notebooks: set[str] = set()
    beside: dict[str, list[str]] = {}  # subfolder → its files that are no notebooks
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        if any(part.startswith(".") for part in inside.parts) or path.name in _OURS:
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
                Paper(whose, inside.as_posix(), problem=f"this is no notebook ({NOTEBOOK}){_packed([path.name])}")
            )
    for name, files in beside.items():
        if problem := _left(files, name in notebooks):
            papers.append(Paper(name, f"{name}/", problem=problem))
    return papers


def _left(files: Sequence[str], marked: bool) -> str:
    """What a teacher should know of a subfolder; "" for nothing. ``files``: those that are no notebooks; ``marked``: whether there are others."""
    more = f" and {len(files) - SHOWN} more" if len(files) > SHOWN else ""
    named = f"{', '.join(files[:SHOWN])}{more}{_packed(files)}"
    if marked:
        return f"beside what is marked: {named}" if files else ""
    return f"there is no notebook in this folder{f', only {named}' if files else ''}"


def _packed(files: Iterable[str]) -> str:
    return "; unpack it, and mark again" if any(PurePath(file).suffix.lower() in _ARCHIVES for file in files) else ""


def student(inside: PurePath, folder: str, chapters: Sequence[str]) -> str:
    """Whose file ``inside`` the folder is: its subfolder's name; without one the file's, less a chapter's; the ``folder``'s own where that leaves nothing."""
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
        if not path.is_file():
            raise ValueError("this is not a file")
        if path.stat().st_size > LARGEST:
            raise ValueError(f"the file is larger than {LARGEST // 1_000_000} MB; clear its outputs")
        notebook = json.loads(path.read_bytes().decode("utf-8-sig"))
        cells = cells_of(notebook)
    except (OSError, ValueError, RecursionError) as error:
        said = "the file is no JSON" if isinstance(error, json.JSONDecodeError | UnicodeDecodeError) else str(error)
        return Paper(student, inside.as_posix(), problem=f"not a notebook that can be read: {said}")
    text = json.dumps([(cell.kind, cell.source, cell.id, cell.tags) for cell in cells])
    return Paper(
        student, inside.as_posix(), cells, _title(notebook), hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
    )


def cells_of(notebook: object) -> tuple[Cell, ...]:
    """The cells of a notebook's JSON. Raises ``ValueError`` for what is no notebook of format 4."""
    cells = notebook.get("cells") if isinstance(notebook, Mapping) else None
    if not isinstance(cells, list):
        raise ValueError("it has no list of cells; only notebooks of format 4 are marked")
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
    """The chapter's title in the front matter, which every copy of a chapter carries."""
    front = notebook["metadata"].get("fairfl") if isinstance(notebook.get("metadata"), Mapping) else None
    title = front.get("title") if isinstance(front, Mapping) else None
    return title if isinstance(title, str) else ""
