"""Old import lines in a reader's copies: what an earlier edition imported from ``fairfl`` and stands elsewhere now.

Only import statements change, and dotted names of modules; whatever else a reader wrote stays as it is.
"""

import json
import re
from pathlib import Path

from fairfl import _atomic_files

# Since the second edition the package holds what a researcher imports, and the book what a chapter imports.
MOVED = {
    "fairfl.book": "fairfl_book",
    "fairfl.exercises": "fairfl_book.exercises",
    "fairfl.experiments": "reproductions",
    "fairfl.figures": "fairfl_book.figures",
    "fairfl.flower.demo": "post_offices.demo",
    "fairfl.flower.faults": "fairfl_book.faults",
    "fairfl.gram": "fairfl.rules.gram",
    "fairfl.labs.scalarisation.backdrop": "fairfl_book.two_spaces.backdrop",
    "fairfl.labs.scalarisation.level": "fairfl_book.two_spaces.level",
    "fairfl.labs": "fairfl_book.labs",
    "fairfl.selftest": "fairfl_book.selftest",
    "fairfl.toy": "fairfl_book.toy",
}
SERVER = ("Coordinator", "Member", "Reply", "collect")  # were offered by fairfl.flower
_FROM = re.compile(
    r"^([ \t]*)from (fairfl(?:\.\w+)*) import (\w+(?: as \w+)?(?:, *\w+(?: as \w+)?)*)[ \t]*$", re.MULTILINE
)
_DOTTED = re.compile(r"\bfairfl(?:\.\w+)+")


def renew(source: str) -> str:
    """A cell's text with the imports of today; the same text where nothing has moved."""
    return _DOTTED.sub(lambda found: _moved(found[0]), _FROM.sub(_statement, source))


def _moved(module: str) -> str:
    for old, new in MOVED.items():
        if module == old or module.startswith(f"{old}."):
            return new + module.removeprefix(old)
    return module


def _statement(found: re.Match) -> str:
    """One ``from … import …`` as one line a new home."""
    indent, module, names = found.groups()
    homes: dict[str, list[str]] = {}
    for name in re.split(r", *", names):
        leaf = name.split()[0]
        full = _moved(f"{module}.{leaf}")
        home = "fairfl.server" if module == "fairfl.flower" and leaf in SERVER else full.removesuffix(f".{leaf}")
        if home == full:  # a module that is a package of its own now
            home, name = "", full if name == leaf and full == leaf else f"{full} as {name.split()[-1]}"
        homes.setdefault(home, []).append(name)
    return "\n".join(
        indent + (f"from {home} import {', '.join(given)}" if home else f"import {', '.join(given)}")
        for home, given in homes.items()
    )


def renew_copy(path: Path) -> bool:
    """Bring the imports of the notebook at ``path`` up to date; whether anything changed. What cannot be read is left alone."""
    try:
        notebook = json.loads(path.read_text(encoding="utf-8"))
        cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        before = ["".join(cell["source"]) for cell in cells]
    except (OSError, ValueError, KeyError, TypeError):
        return False
    after = [renew(source) for source in before]
    if after == before:
        return False
    for cell, source in zip(cells, after):
        cell["source"] = source.splitlines(keepends=True)
    _atomic_files.write(path, (json.dumps(notebook, indent=1, ensure_ascii=False) + "\n").encode("utf-8"))
    return True
