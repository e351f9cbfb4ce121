"""A check that is run before the cells above it: plain words in the place of Python's ``NameError``.

``fairfl_book.exercises`` watches from its import on, and ``make lab`` from a kernel's first cell (``jupyter/startup.py``), when not even ``check`` is
known. So this module imports nothing heavy before it has something to say.
"""

import ast
import builtins
import sys
from typing import Any

_RUNNING = [""]  # the source of the cell that runs


def watch() -> None:
    """Answer a ``NameError`` of a check's cell in words from now on; nothing outside IPython, and nothing the second time."""
    running = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if running is not None and _remember not in running.events.callbacks["pre_run_cell"]:
        running.events.register("pre_run_cell", _remember)
        running.set_custom_exc((NameError,), _told)


def _remember(info):
    _RUNNING[0] = info.raw_cell or ""


def _told(shell, kind, error, trace, tb_offset=None):
    """IPython's handler: the cell still counts as failed, so that whatever runs a notebook stops there as before."""
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
        tr("If a cell above stops with an error, mend that one first."),
    )


def asked(source: str) -> tuple[Any, list[str]]:
    """The slug and the names of a cell that does nothing but call ``check``, "check" itself among them; of any other cell "" and no names."""
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
