"""Mark one notebook in a separate process, so no answer can block or crash the process that marks the class.

An answer arrives as JSON, so no student code runs where it is judged. But some values make a comparison take for ever, such as a set of
multiples of 2⁶¹ − 1, which all have the same hash. So answers are judged in a process that may be lost. It reports each exercise before judging it,
and each mark. If it ends early, the exercise that it was judging is marked accordingly, and a new process continues from there.
"""

import contextlib
import json
import multiprocessing
import os
import re
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Sequence
from dataclasses import asdict
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from fairfl_book.exercises.registry import everything
from fairfl_book.marking import notebook_marker, sandbox
from fairfl_book.marking.comparison import Judge, Run
from fairfl_book.marking.notebook_marker import ERROR, START, WHOLE, Limits, Mark, Sitting
from fairfl_book.marking.submissions import Cell

JUDGING = 20.0  # CPU seconds for judging one answer, not counting the student's own function
# A fork starts at once, but macOS's system libraries do not support it and Windows has none.
_KIND = "fork" if sys.platform == "linux" else "spawn"


class Fault(Exception):
    """A bug in this program, in the judging process."""


def examine(plan: Sequence[Run | Judge], cells: Sequence[Cell], limits: Limits) -> Sitting:
    """The result of ``notebook_marker.examine`` for ``plan``, even if an answer crashes the judging process.

    An answer whose judging takes more than ``JUDGING`` seconds or ``limits.memory`` is marked ``ERROR``, with the reason. Raises ``Fault`` for
    a bug in this program.
    """
    everything()  # imported once here, not in every new process
    sitting = Sitting(cells)
    wanted = [step.asked.slug for step in plan if isinstance(step, Judge)]
    message = f"the answer cannot be judged: that took more than {JUDGING:g} s, or more than {limits.memory} MB"
    while (at := _one(plan, limits, sitting, len(wanted))) is not None:
        left = [slug for slug in wanted if slug not in sitting.marks]
        sitting.marks |= dict.fromkeys([at] if at in left else left, Mark(ERROR, said=message))
    return sitting


def _one(plan: Sequence[Run | Judge], limits: Limits, sitting: Sitting, judged: int) -> str | None:
    """Let one process continue judging. Returns ``None`` if it finished, else the exercise at which it ended ("" if before any)."""
    context = multiprocessing.get_context(_KIND)
    here, there = context.Pipe(duplex=False)
    child = context.Process(target=_judge, args=(there, plan, limits, sitting), daemon=True)
    end = time.monotonic() + 2 * START + WHOLE * limits.seconds + 2 * JUDGING * judged
    at, student = "", {}
    child.start()
    there.close()
    try:
        while here.poll(max(0.0, end - time.monotonic())):
            message = json.loads(here.recv_bytes())
            if "fault" in message:
                raise Fault(message["fault"])
            if "end" in message:
                return None
            student = message.get("student", student)
            at = message.get("judging", at)
            _note(message, sitting)
        return at
    except EOFError:
        return at
    finally:
        child.kill()
        child.join()
        here.close()
        _forget(student)


def _note(message: dict[str, Any], sitting: Sitting) -> None:
    """Record a message of the judging process."""
    if "mark" in message:
        sitting.marks[message["slug"]] = Mark(**message["mark"])
    if "failed" in message:
        at, verdict, words = message["failed"]
        sitting.failed[at] = verdict, words
    if "lost" in message:
        sitting.lost.add(message["lost"])
    if "note" in message and message["note"] not in sitting.notes:
        sitting.notes.append(message["note"])


def _forget(student: dict[str, Any]) -> None:
    """Clean up a student's process and folder if the judging process could not."""
    if student:
        with contextlib.suppress(OSError):
            os.killpg(student["process"], signal.SIGKILL) if hasattr(os, "killpg") else os.kill(student["process"], 9)
        shutil.rmtree(student["folder"], ignore_errors=True)


def _judge(out: Connection, plan: Sequence[Run | Judge], limits: Limits, sitting: Sitting) -> None:
    """The judging process: sends what it does and finds to ``out``."""
    sandbox.end_with_parent()
    with contextlib.suppress(ValueError):
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl + C goes to the parent, which ends this process
    everything()  # before its time limit starts
    _limit(limits.memory * 1_000_000)

    def tell(**message: object) -> None:
        if "judging" in message or "mark" in message:
            _allow(JUDGING if "judging" in message else 0.0)
        out.send_bytes(
            json.dumps({key: asdict(of) if isinstance(of, Mark) else of for key, of in message.items()}).encode()
        )

    try:
        for slug, mark in notebook_marker.examine(plan, sitting.cells, limits, sitting, tell).marks.items():
            tell(slug=slug, mark=mark)
        tell(end=True)
    except MemoryError:
        os._exit(1)  # as if the system had killed it
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        tell(fault=f"{type(error).__name__}: {error} ({os.path.basename(where.filename)}, line {where.lineno})")


def _limit(memory: int) -> None:
    """Limit this process to ``memory`` bytes more than it has now, where the system supports it (Linux)."""
    with contextlib.suppress(ImportError, OSError, ValueError, AttributeError, TypeError):
        import resource

        has = 1024 * int(re.search(r"VmData:\s*(\d+)", Path("/proc/self/status").read_text())[1])  # type: ignore[index]
        resource.setrlimit(resource.RLIMIT_DATA, (has + memory, resource.getrlimit(resource.RLIMIT_DATA)[1]))


def _allow(seconds: float) -> None:
    """End this process after so many CPU seconds; 0 removes the limit. Waiting for the student's process uses no CPU time."""
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, seconds)
