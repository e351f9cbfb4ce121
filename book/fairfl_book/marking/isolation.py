"""Marking one notebook in a process of its own, so that no answer holds or ends the one that goes through the class.

An answer is JSON, so nothing of the student's is run where it is judged. But numbers can be chosen that take a comparison for ever: a set of
multiples of 2⁶¹ − 1, which all have the same hash. So the right answers, too, stand in a process that can be lost. It tells what it is about to
judge and every mark that it has made; if it ends, the exercise that it was at has its mark by that, and another one goes on from there.
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
from fairfl_book.marking import notebook_marker
from fairfl_book.marking.comparison import Judge, Run
from fairfl_book.marking.notebook_marker import ERROR, START, WHOLE, Limits, Mark, Sitting
from fairfl_book.marking.submissions import Cell

JUDGING = 20.0  # seconds of a processor for judging one answer, without what the student's function takes
# A fork begins at once; macOS's own libraries do not bear one, and Windows has none.
_KIND = "fork" if sys.platform == "linux" else "spawn"


class Fault(Exception):
    """A fault of this program's, in the process that judged."""


def examine(plan: Sequence[Run | Judge], cells: Sequence[Cell], limits: Limits) -> Sitting:
    """What ``examiner.examine`` makes of ``plan``, whatever an answer does to the process that judges it.

    An answer that takes more than ``JUDGING`` there, or more than ``limits.memory``, is marked ``ERROR``, and its mark says so. Raises ``Fault`` for
    a fault of this program's.
    """
    everything()  # imported once, and not by every process that is begun
    sitting = Sitting(cells)
    wanted = [step.asked.slug for step in plan if isinstance(step, Judge)]
    said = f"the answer cannot be judged: that took more than {JUDGING:g} s, or more than {limits.memory} MB"
    while (at := _one(plan, limits, sitting, len(wanted))) is not None:
        left = [slug for slug in wanted if slug not in sitting.marks]
        sitting.marks |= dict.fromkeys([at] if at in left else left, Mark(ERROR, said=said))
    return sitting


def _one(plan: Sequence[Run | Judge], limits: Limits, sitting: Sitting, judged: int) -> str | None:
    """Let one process judge on; None if it came to the end, else the exercise that it ended at ("" before any)."""
    context = multiprocessing.get_context(_KIND)
    here, there = context.Pipe(duplex=False)
    child = context.Process(target=_judge, args=(there, plan, limits, sitting), daemon=True)
    end = time.monotonic() + 2 * START + WHOLE * limits.seconds + 2 * JUDGING * judged
    at, student = "", {}
    child.start()
    there.close()
    try:
        while here.poll(max(0.0, end - time.monotonic())):
            told = json.loads(here.recv_bytes())
            if "fault" in told:
                raise Fault(told["fault"])
            if "end" in told:
                return None
            student = told.get("student", student)
            at = told.get("judging", at)
            _note(told, sitting)
        return at
    except EOFError:
        return at
    finally:
        child.kill()
        child.join()
        here.close()
        _forget(student)


def _note(told: dict[str, Any], sitting: Sitting) -> None:
    """Take down what the judging process tells."""
    if "mark" in told:
        sitting.marks[told["slug"]] = Mark(**told["mark"])
    if "failed" in told:
        at, verdict, words = told["failed"]
        sitting.failed[at] = verdict, words
    if "lost" in told:
        sitting.lost.add(told["lost"])
    if "note" in told and told["note"] not in sitting.notes:
        sitting.notes.append(told["note"])


def _forget(student: dict[str, Any]) -> None:
    """Leave nothing of a student's process whose examiner could not see to that."""
    if student:
        with contextlib.suppress(OSError):
            os.killpg(student["process"], signal.SIGKILL) if hasattr(os, "killpg") else os.kill(student["process"], 9)
        shutil.rmtree(student["folder"], ignore_errors=True)


def _judge(out: Connection, plan: Sequence[Run | Judge], limits: Limits, sitting: Sitting) -> None:
    """The judging process: tells ``out`` what it does and finds."""
    with contextlib.suppress(ValueError):
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl + C is the other one's, which ends this one
    everything()  # before its time is counted
    _limit(limits.memory * 1_000_000)

    def tell(**told: object) -> None:
        if "judging" in told or "mark" in told:
            _allow(JUDGING if "judging" in told else 0.0)
        out.send_bytes(
            json.dumps({key: asdict(of) if isinstance(of, Mark) else of for key, of in told.items()}).encode()
        )

    try:
        for slug, mark in notebook_marker.examine(plan, sitting.cells, limits, sitting, tell).marks.items():
            tell(slug=slug, mark=mark)
        tell(end=True)
    except MemoryError:
        os._exit(1)  # as if the system had ended it
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        tell(fault=f"{type(error).__name__}: {error} ({os.path.basename(where.filename)}, line {where.lineno})")


def _limit(memory: int) -> None:
    """Let this process take ``memory`` bytes more than it has, where the system keeps such a limit: Linux does."""
    with contextlib.suppress(ImportError, OSError, ValueError, AttributeError, TypeError):
        import resource

        has = 1024 * int(re.search(r"VmData:\s*(\d+)", Path("/proc/self/status").read_text())[1])  # type: ignore[index]
        resource.setrlimit(resource.RLIMIT_DATA, (has + memory, resource.getrlimit(resource.RLIMIT_DATA)[1]))


def _allow(seconds: float) -> None:
    """End this process after so many seconds of its processor; 0: not any more. Waiting for the student's process takes none."""
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, seconds)
