"""The exercises of a chapter in the teacher's copy of the book."""

import ast
import functools
import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path

from fairfl_book import exercises
from fairfl_book.book_paths import Book
from fairfl_book.exercises.exercise_cells import answered_after
from fairfl_book.marking.submissions import Cell, cells_of

_TASK = re.compile(r"^\*\*(\d+)\.\*\* \*\(([a-z-]+)\)\*", re.MULTILINE)


@dataclass(frozen=True)
class Asked:
    """One exercise. ``stub``, ``check``: indices of its cells in the chapter; ``check`` is ``None`` for an open exercise. ``answer``: the checked expression."""

    slug: str
    number: int
    level: str
    stub: int
    check: int | None = None
    answer: str = ""


@dataclass(frozen=True)
class Chapter:
    """``name``: the file's stem. ``edition``: a digest that changes with any cell of the chapter and any exercise of the book."""

    name: str
    title: str
    cells: tuple[Cell, ...]
    asked: tuple[Asked, ...]
    edition: str


def load(book: Book, name: str) -> Chapter:
    """Chapter ``name``, read from the book's own executed notebook."""
    notebook = json.loads(book.notebook(name).read_text(encoding="utf-8"))
    cells = cells_of(notebook)
    text = json.dumps([(cell.kind, cell.source) for cell in cells]) + _judging()
    title = notebook["metadata"].get("fairfl", {}).get("title", name)
    return Chapter(name, title, cells, tuple(_asked(cells)), hashlib.sha256(text.encode()).hexdigest())


def _asked(cells):
    number, level, stub = 0, "", -1
    for at, cell in enumerate(cells):
        if cell.kind == "markdown" and (task := _TASK.search(cell.source)):
            number, level = int(task[1]), task[2]
        if "exercise" in cell.tags:
            stub = at
        slug = answered_after({"source": cell.source, "metadata": {"tags": cell.tags}})
        if slug and "check" in cell.tags:
            yield Asked(slug, number, level, stub, at, _answer(cell.source))
        elif slug:
            yield Asked(slug, number, level, stub)


def _answer(source: str) -> str:
    """The second argument of the call of ``check`` in one of the book's cells."""
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    [call] = [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == "check"]
    return ast.unparse(call.args[1])


@functools.cache
def _judging() -> str:
    """A digest of all code that judges an answer."""
    files = sorted(Path(exercises.__file__).parent.rglob("*.py"))
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()
