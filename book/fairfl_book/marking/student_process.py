"""The process in which one student's notebook runs: ``python -m fairfl_book.marking.student_process BYTES``, started by ``notebook_marker``.

It reads requests, one line of JSON each, from its original standard input, and replies on its original standard output. Requests are to run a cell, to look at
an answer, and to call it. It never reports whether an answer is right, because the student's code could fake that.
"""

import contextlib
import json
import os
import sys
from pathlib import Path
from typing import Any

from fairfl_book.exercises.check import is_stub
from fairfl_book.marking import json_values, sandbox

FILES = 200_000_000  # bytes of the largest file that student code may write
SAID = 500  # characters of an error message


def main() -> None:
    """Answer requests until the input ends."""
    sandbox.end_with_parent()
    requests = os.fdopen(os.dup(0), encoding="utf-8")
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):  # discard what the notebook prints; input() reads nothing
        os.dup2(nowhere, stream)
    _limit(int(sys.argv[1]))
    shell = _shell()
    held: dict[str, Any] = {}

    def reply(made: dict) -> None:
        replies.write(json.dumps(made) + "\n")
        replies.flush()

    reply({"ready": True})
    for line in requests:
        try:
            made = _obey(shell, held, json.loads(line))
            json.dumps(made)
        except BaseException as error:  # student code may raise anything, including SystemExit
            made = {"error": _described(error)}
        reply(made)


def _limit(memory: int) -> None:
    with contextlib.suppress(OSError):  # Linux: if the computer's memory runs out, this process goes first
        Path("/proc/self/oom_score_adj").write_text("1000")
    with contextlib.suppress(ImportError, OSError, ValueError):  # Windows has no such limits, and macOS only some
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (FILES, FILES))
        resource.setrlimit(
            resource.RLIMIT_DATA, (memory, memory)
        )  # writable data only, so mapped libraries do not count


def _shell() -> Any:
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    settings = Config()
    settings.HistoryManager.enabled = False
    shell = InteractiveShell.instance(config=settings)
    shell.display_formatter.active_types = ["text/plain"]  # pictures are not needed
    return shell


def _obey(shell: Any, held: dict[str, Any], asked: dict) -> dict:
    if "run" in asked:
        result = shell.run_cell(asked["run"], store_history=False)
        error = result.error_before_exec or result.error_in_exec
        return {"error": _described(error)} if error else {"ran": True}
    if "look" in asked:
        held["answer"] = answer = eval(asked["look"], shell.user_ns)
        if not callable(answer):
            return {"value": json_values.encode(answer)}
        module = str(getattr(answer, "__module__", ""))
        return {"function": json_values.parameters(answer), "stub": is_stub(answer), "module": module}
    return {"value": json_values.encode(held["answer"](*json_values.decode(asked["call"])))}


def _described(error: BaseException) -> list[str]:
    try:
        message = str(error)
    except Exception:  # a student's own __str__
        message = ""
    return [type(error).__name__, message[:SAID]]


if __name__ == "__main__":
    main()
