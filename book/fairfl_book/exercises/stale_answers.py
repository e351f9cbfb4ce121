"""Detect answers that are out of date: the reader's cell failed, or has changed since it ran, and left an older value behind."""

import ast
import json
import os
import re
import time
from dataclasses import dataclass
from pathlib import Path

from fairfl_book.exercises.display import shell
from fairfl_book.translation.sentences import tr


@dataclass(frozen=True)
class Ran:
    """A cell that was run: its source, the time when it ended (seconds since 1970), and the error that stopped it ("" if none)."""

    source: str
    ended: float
    error: str = ""


_RUNS: list[Ran] = []
_INPUT = re.compile(r" \((?:<ipython-input[^>]*>|\d+\.py), line (\d+)\)")  # how a kernel names a cell in a syntax error


def watch() -> None:
    """Record every cell that IPython finishes from now on. Does nothing outside IPython, or when called again."""
    running = shell()
    if running is not None and _remember not in running.events.callbacks["post_run_cell"]:
        running.events.register("post_run_cell", _remember)


def _remember(result):
    error = result.error_before_exec or result.error_in_exec
    message = _INPUT.sub(r" on line \1", f"{type(error).__name__}: {error}") if error else ""
    _RUNS.append(Ran(result.info.raw_cell or "", time.time(), message))


def stale(slug: str, call: str | None = None, runs: list[Ran] | None = None, saved: Path | None = None) -> str:
    """Why the answer to ``slug`` is not what the reader's cell now defines; "" if there is no sign of that.

    ``call``: the source of the cell that calls ``check`` (default: the running cell). ``runs``: the cells that ran, oldest first
    (default: those since ``watch``). ``saved``: the notebook's file (default: the one the front end names), read only if it was saved
    after the reader's cell ran; an edit that is not saved yet cannot be detected.
    """
    runs = _RUNS if runs is None else runs
    names = _asked(slug, _running() if call is None else call)
    setting = [ran for ran in runs if any(sets(ran.source, name) for name in names)]
    if not names or not setting:
        return ""
    last = setting[-1]
    called = tr(" and ").join(f"`{name}`" for name in names)
    if last.error:
        return tr(
            "The cell that sets {names} stopped with {error}, so the current value is from an earlier run. "
            "Fix that cell and run it, then run this one again.",
            names=called,
            error=last.error.splitlines()[0],
        )
    now = _saved_source(slug, names, saved or _notebook(), last.ended)
    if now is not None and now.strip() != last.source.strip():
        return tr("The cell that sets {names} has changed since it ran. Run it, then run this one again.", names=called)
    return ""


def sets(source: str, name: str) -> bool:
    """Whether a cell's source, which need not be valid Python, defines ``name`` or assigns to it without indentation."""
    return bool(
        re.search(
            rf"^(?:def|class)\s+{name}\b|^(?:[\w, ]+,\s*)?{name}\s*(?:,[\w, ]+)?(?::[^=\n]+)?=(?!=)",
            source,
            re.MULTILINE,
        )
    )


def _asked(slug, call):
    """The names in the second argument of the call of ``check`` for ``slug``; empty if there is no such call."""
    try:
        tree = ast.parse(call or "")
    except SyntaxError:
        return []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "check" and len(node.args) == 2:
            first, answer = node.args
            if isinstance(first, ast.Constant) and first.value == slug:
                return [part.id for part in ast.walk(answer) if isinstance(part, ast.Name)]
    return []


def _running():
    """The source of the running cell; empty outside IPython."""
    running = shell()
    return running.user_ns.get("In", [""])[-1] if running is not None else ""


def _notebook():
    """The file of this kernel's notebook, as Jupyter's server names it; ``None`` in front ends that start kernels themselves."""
    named = os.environ.get("JPY_SESSION_NAME", "")
    return Path(named) if named.endswith(".ipynb") else None


def _saved_source(slug, names, path, after):
    """The source of the last saved cell before the check of ``slug`` that sets one of ``names``.

    ``None`` if the file is older than ``after``, cannot be read, or has no such cell.
    """
    try:
        if path is None or path.stat().st_mtime <= after:
            return None
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        sources = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    checks = [at for at, source in enumerate(sources) if names == _asked(slug, source)]
    before = sources[: checks[0]] if checks else []
    return next((source for source in reversed(before) if any(sets(source, name) for name in names)), None)
