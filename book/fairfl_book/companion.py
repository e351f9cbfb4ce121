"""Define a chapter's functions and data in its companion notebook.

A companion (``chapters/more/NN_name_more.ipynb``) continues a chapter and may use what the chapter's open cells define. ``begin`` runs those of
the cells that the companion needs.
"""

import ast
import json
from collections.abc import Iterable, Iterator, MutableMapping
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

from fairfl.errors import Refused
from fairfl_book import book_paths
from fairfl_book.reading import copy_extras

APART = frozenset(
    {"head", "exercise", "check", "turn", "lab", "raises-exception"}
)  # cells whose definitions a companion does not use


def begin(number: int, namespace: MutableMapping[str, object], book: book_paths.Book | None = None) -> None:
    """Define in ``namespace`` the names from chapter ``number``'s open cells that its companion uses.

    Raises ``Refused`` if the chapter or its companion does not exist.
    """
    book = book or book_paths.find()
    [name] = book.select([str(number)])
    companion = book.companion(name)
    if companion is None:
        raise Refused(
            f"chapter {number} has no companion; companions: {', '.join(book.companions()) or 'none'}. Choose one of these.",
            "missing",
        )
    wanted = _read(_sources(book.notebook(companion) if book.notebook(companion).exists() else book.twin(companion)))
    lines = needed(_cells(book.notebook(name)), wanted)
    with redirect_stdout(StringIO()):
        exec(compile(ast.unparse(ast.Module(lines, [])), f"chapter {number}", "exec"), namespace)


def needed(cells: Iterable[tuple[str, bool]], wanted: set[str]) -> list[ast.stmt]:
    """The statements to run, in order, to define every name in ``wanted`` that the chapter defines.

    ``cells``: pairs (source, whether the cell is open), in order. From a folded cell only imports are taken.
    """
    taken: list[ast.stmt] = []
    wanted = set(wanted)
    for source, is_open in reversed(list(cells)):
        tree = ast.parse(source).body
        imports = [line for line in tree if isinstance(line, (ast.Import, ast.ImportFrom))]
        rest = [line for line in tree if line not in imports]
        if is_open and wanted & set().union(*map(_bound, rest), set()):
            taken = rest + taken
            wanted |= _loaded(rest)
        taken = [line for line in imports if wanted & _bound(line)] + taken
    return taken


def _bound(line: ast.stmt) -> set[str]:
    """The names that a statement binds."""
    if isinstance(line, (ast.FunctionDef, ast.ClassDef)):
        return {line.name}
    if isinstance(line, (ast.Import, ast.ImportFrom)):
        return {(alias.asname or alias.name).partition(".")[0] for alias in line.names}
    return {node.id for node in _outside(line) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def _outside(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a statement, without those in a scope of their own (comprehensions and functions)."""
    yield node
    for part in ast.iter_child_nodes(node):
        if not isinstance(
            part, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda, ast.FunctionDef)
        ):
            yield from _outside(part)


def _loaded(lines: Iterable[ast.stmt]) -> set[str]:
    return {
        node.id
        for line in lines
        for node in ast.walk(line)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    }


def _read(sources: Iterable[str]) -> set[str]:
    return _loaded(line for source in sources for line in ast.parse(source).body)


def _cells(notebook: Path) -> list[tuple[str, bool]]:
    cells = copy_extras.own(json.loads(notebook.read_text(encoding="utf-8"))["cells"])
    return [
        ("".join(cell["source"]), not cell["metadata"].get("jupyter", {}).get("source_hidden", False))
        for cell in cells
        if cell["cell_type"] == "code" and APART.isdisjoint(cell["metadata"].get("tags", ()))
    ]


def _sources(path: Path) -> list[str]:
    if path.suffix == ".ipynb":
        return [source for source, _ in _cells(path)]
    from fairfl_book.build import chapter_notebooks  # before its first run a companion has a text but no notebook

    return [cell.source for cell in chapter_notebooks.read(path).cells if cell.cell_type == "code"]
