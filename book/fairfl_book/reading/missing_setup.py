"""Explain a check that was run before the cells above it, instead of showing Python's ``NameError``.

Importing ``fairfl_book.exercises`` calls ``watch``, and so does ``make lab`` at the start of a kernel (``jupyter/startup.py``), when even ``check`` is
undefined. So this module imports nothing slow until it has a message to show.
"""

import ast
import builtins
import sys
from typing import Any

_RUNNING = [""]  # the source of the running cell


def watch() -> None:
    """Explain a ``NameError`` in a check's cell from now on. Does nothing outside IPython or when called again."""
    running = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if running is not None and _remember not in running.events.callbacks["pre_run_cell"]:
        running.events.register("pre_run_cell", _remember)
        running.set_custom_exc((NameError,), _explain)


def _remember(info):
    _RUNNING[0] = info.raw_cell or ""


def _explain(shell, kind, error, trace, tb_offset=None):
    """IPython's handler. The cell still counts as failed, so whatever runs the notebook stops there as before."""
    slug, names = asked(_RUNNING[0])
    missing = [name for name in names if name not in shell.user_ns and not hasattr(builtins, name)]
    if getattr(error, "name", None) not in missing:
        shell.showtraceback((kind, error, trace), tb_offset=tb_offset)
        return
    from fairfl_book.exercises.display import say
    from fairfl_book.translation.sentences import tr

    say(
        "○",
        tr("{slug}: not checked.", slug=slug),
        tr(
            "Not defined yet: {names}. Run the cells above this one first, then run it again.",
            names=tr(", ").join(f"`{name}`" for name in missing),
        ),
        tr("If a cell above stops with an error, fix that one first."),
    )


def asked(source: str) -> tuple[Any, list[str]]:
    """The slug and the names used in a cell that only calls ``check``, including "check" itself; ("", []) for any other cell."""
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError):
        return "", []
    calls = [statement.value for statement in body if isinstance(statement, ast.Expr)]
    if len(calls) != 1 or len(body) != 1 or not isinstance(calls[0], ast.Call):
        return "", []
    [call] = calls
    if not isinstance(call.func, ast.Name) or call.func.id != "check" or not call.args:
        return "", []
    slug = call.args[0].value if isinstance(call.args[0], ast.Constant) else ""
    return slug, list(dict.fromkeys(part.id for part in ast.walk(call) if isinstance(part, ast.Name)))
