"""Mark one notebook: it runs in its own process, and its answers are judged in this one (see ``isolation``), which runs no student code.

A cell or call that takes too long or crashes the process costs only its own exercise: the notebook is run again without it.
"""

import contextlib
import inspect
import json
import os
import queue
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from fairfl_book.build.chapter_notebooks import QUIET
from fairfl_book.exercises.check import judge
from fairfl_book.exercises.compare import short
from fairfl_book.exercises.registry import find
from fairfl_book.exercises.stale_answers import sets
from fairfl_book.marking import json_values, sandbox
from fairfl_book.marking.chapter_exercises import Asked
from fairfl_book.marking.comparison import Judge, Run
from fairfl_book.marking.submissions import Cell
from fairfl_book.reading import threads

RIGHT, WRONG, NOTHING, ERROR, LATE = "right", "wrong", "not attempted", "failed with error", "timed out"
START = 120.0  # seconds for an empty process to start, importing from a cold disk
WHOLE = 10  # time limit of a notebook, as a multiple of the limit for one cell
_LINE = 2_000_000  # bytes of the longest answer
_UNASKED = 10  # replies that nobody asked for, after which the process is killed
_WATCH = 0.5  # seconds between two looks at what a notebook uses
_KILLED = (-9, 128 + 9)  # exit statuses of a process that was killed, and of a sandbox around it
_NAME = re.compile(r"[A-Za-z_]\w{0,60}")


@dataclass(frozen=True)
class Limits:
    """``seconds``: for a cell or a call of an answer; a notebook has ``WHOLE`` times that. ``memory``: megabytes of a notebook. ``sandbox``: the command that starts another one in a ``Sandbox``."""

    seconds: float = 120.0
    memory: int = 4000
    sandbox: tuple[str, ...] = ()


@dataclass(frozen=True)
class Mark:
    """``verdict``: one of the five above. ``mistake``: its name in ``check``, if known. ``said``: the message to the student. ``tried``: inputs and results."""

    verdict: str
    mistake: str = ""
    said: str = ""
    tried: str = ""


@dataclass
class Sitting:
    """The state of marking one notebook. ``marks``: by slug. ``failed``: index of a cell → verdict and message. ``lost``: cells that are not run again. ``notes``: for the teacher."""

    cells: Sequence[Cell]
    marks: dict[str, Mark] = field(default_factory=dict)
    failed: dict[int, tuple[str, str]] = field(default_factory=dict)
    lost: set[int] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)


class Gone(BaseException):
    """The student's process has ended. Not an ``Exception``, because ``judge`` catches those. ``verdict``: ``LATE`` or ``ERROR``."""

    def __init__(self, verdict: str, words: str) -> None:
        self.verdict, self.words = verdict, words


class Process:
    """A process that runs one notebook in an empty folder; a context manager that removes both."""

    def __init__(self, limits: Limits, end: float) -> None:
        self.limits, self.end = limits, end

    def __enter__(self) -> "Process":
        self.folder = tempfile.TemporaryDirectory(prefix="fairfl-mark-", ignore_cleanup_errors=True)
        own = {
            "MPLBACKEND": "module://matplotlib_inline.backend_inline",
            "IPYTHONDIR": self.folder.name,
            "CUDA_VISIBLE_DEVICES": "",
        }
        memory = self.limits.memory * 1_000_000
        self.running = subprocess.Popen(
            [*self.limits.sandbox, sys.executable, "-m", "fairfl_book.marking.student_process", str(memory)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=self.folder.name,
            env={**sandbox.environment(), **threads.ONE, **QUIET, **own},
            start_new_session=True,
        )
        self.requests: queue.Queue[bytes] = queue.Queue()
        self.lines: queue.Queue[bytes] = queue.Queue()
        self.excess = ""
        for work in (self._speak, self._listen, self._watch):
            threading.Thread(target=work, daemon=True).start()
        began = time.monotonic()
        try:
            self._reply(START)
            self.end += time.monotonic() - began  # the start does not count towards the notebook's time
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._end()
        self.running.wait()
        self.requests.put(b"")
        self.folder.cleanup()

    def _end(self) -> None:
        with contextlib.suppress(OSError):  # already ended
            if hasattr(os, "killpg"):
                os.killpg(self.running.pid, signal.SIGKILL)  # with its child processes
            else:
                self.running.kill()

    def _speak(self) -> None:
        """Send requests, in a thread, because a process that does not read would keep its sender waiting."""
        with contextlib.suppress(OSError), self.running.stdin as sent:
            while request := self.requests.get():
                sent.write(request)
                sent.flush()

    def _watch(self) -> None:
        """Kill the process if it and those that it started use too much together."""
        while self.running.poll() is None:
            self.excess = self.excess or sandbox.excess(self.running.pid, self.limits.memory)
            if self.excess:
                self._end()
            time.sleep(_WATCH)

    def _listen(self) -> None:
        with contextlib.suppress(OSError, ValueError), self.running.stdout as replies:
            while self.lines.qsize() < _UNASKED and (line := replies.readline(_LINE)):
                self.lines.put(line)
        if self.lines.qsize() >= _UNASKED:
            self.excess = "it sent replies that nobody had asked for"
            self._end()
        self.lines.put(b"")

    def ask(self, **request: object) -> dict[str, Any]:
        """The reply to one request. Raises ``Gone`` if none arrives in time or it cannot be read."""
        self.requests.put(json.dumps(request).encode("utf-8") + b"\n")
        return self._reply(min(self.limits.seconds, max(0.0, self.end - time.monotonic())))

    def _reply(self, seconds: float) -> dict[str, Any]:
        try:
            line = self.lines.get(timeout=seconds)
        except queue.Empty:
            raise Gone(LATE, f"stopped after {seconds:.0f} s; an endless loop?") from None
        if not line:
            raise self._ended()
        try:
            reply = json.loads(line)
        except (ValueError, RecursionError):
            reply = None
        if not isinstance(reply, dict):
            raise Gone(ERROR, "the answer is too large, or cannot be read")
        return reply

    def _ended(self) -> Gone:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.running.wait(5)
        code = self.running.poll()
        if self.excess:
            return Gone(ERROR, self.excess)
        if code in _KILLED:
            return Gone(ERROR, "its process was killed from outside, as the system does when memory runs out")
        return Gone(ERROR, f"it ended the process (status {code})")


def _silent(**message: object) -> None:
    """Ignore a message."""


def examine(
    plan: Sequence[Run | Judge],
    cells: Sequence[Cell],
    limits: Limits,
    sitting: Sitting | None = None,
    tell: Callable[..., None] = _silent,
) -> Sitting:
    """Carry out ``plan``, after which every exercise in it has a mark.

    ``sitting``: the state to continue from. ``tell`` is called for each step with keywords: the ``student``'s process, the slug that is about to be judged (``judging``),
    a ``mark`` and its ``slug``, a cell that ``failed`` or is ``lost``, and a ``note``.
    """
    sitting = Sitting(cells) if sitting is None else sitting
    wanted = [step.asked.slug for step in plan if isinstance(step, Judge)]
    end = time.monotonic() + WHOLE * limits.seconds
    while any(slug not in sitting.marks for slug in wanted):
        if time.monotonic() > end:
            late = Mark(LATE, said=f"the notebook as a whole took more than {WHOLE * limits.seconds:g} s")
            sitting.marks = dict.fromkeys(wanted, late) | sitting.marks
            break
        try:
            with Process(limits, end) as process:
                end = process.end
                tell(student={"process": process.running.pid, "folder": process.folder.name})
                _sit(process, plan, sitting, tell)
        except Gone as gone:  # before the first request
            sitting.marks = {slug: Mark(gone.verdict, said=gone.words) for slug in wanted} | sitting.marks
    return sitting


def _sit(process: Process, plan: Sequence[Run | Judge], sitting: Sitting, tell: Callable[..., None]) -> None:
    """Run the notebook from the top until its process ends; the step that ended it is left out next time."""
    ran: list[int] = []
    for step in plan:
        try:
            if isinstance(step, Run):
                ran.append(step.at)
                if step.at not in sitting.lost:
                    _run(process, step.at, sitting)
                    _tell_failed(step.at, sitting, tell)
            elif step.asked.slug not in sitting.marks:
                tell(judging=step.asked.slug)
                sitting.marks[step.asked.slug] = _judged(process, step.asked, ran, sitting)
                _tell_mark(step.asked.slug, sitting, tell)
        except Gone as gone:
            if isinstance(step, Run):
                sitting.lost.add(step.at)
                sitting.failed[step.at] = gone.verdict, gone.words
                tell(lost=step.at)
                _tell_failed(step.at, sitting, tell)
            else:
                sitting.marks[step.asked.slug] = Mark(gone.verdict, said=gone.words)
                _tell_mark(step.asked.slug, sitting, tell)
            return


def _tell_failed(at: int, sitting: Sitting, tell: Callable[..., None]) -> None:
    if at in sitting.failed:
        tell(failed=[at, *sitting.failed[at]])


def _tell_mark(slug: str, sitting: Sitting, tell: Callable[..., None]) -> None:
    tell(slug=slug, mark=sitting.marks[slug])
    for note in sitting.notes:
        tell(note=note)


def _run(process: Process, at: int, sitting: Sitting) -> None:
    error = process.ask(run=sitting.cells[at].source).get("error")
    if error:
        sitting.failed[at] = ERROR, _words(error)


def _words(error: object) -> str:
    match error:
        case [str(kind), str(said)]:
            return f"{kind}: {said}" if said else kind
    return "an error that cannot be read"


def _judged(process: Process, asked: Asked, ran: Sequence[int], sitting: Sitting) -> Mark:
    names = re.findall(r"\w+", asked.answer)
    setting = [at for at in ran if any(sets(sitting.cells[at].source, name) for name in names)]
    if setting and setting[-1] in sitting.failed:
        verdict, words = sitting.failed[setting[-1]]
        return Mark(verdict, said=words)
    reply = process.ask(look=asked.answer)
    if "error" in reply:
        return Mark(ERROR if setting else NOTHING, said=_words(reply["error"]))
    calls: list[Call] = []
    if str(reply.get("module", "")).startswith("fairfl_book."):
        sitting.notes.append(f"{asked.slug} is answered with one of the book's own functions")
    try:
        answer = _function(process, reply, calls) if "function" in reply else json_values.decode(reply["value"])
        verdict = judge(find(asked.slug), answer)
    except (ArithmeticError, LookupError, RecursionError, TypeError, ValueError) as error:
        return Mark(ERROR, said=f"the answer cannot be judged: {str(error) or type(error).__name__}")
    tried = "; ".join(map(str, calls)) if "function" in reply else short(answer)
    if verdict.status == "right":
        return Mark(RIGHT, tried=tried)
    if verdict.status != "not yet" or reply.get("stub") is True and all(call.nothing for call in calls):
        return Mark(NOTHING)
    return Mark(ERROR if any(call.error for call in calls) else WRONG, verdict.known, verdict.message, tried)


@dataclass(frozen=True)
class Call:
    """One call of a student's function: its arguments and its result or error, in words. ``nothing``: whether it returned nothing."""

    given: str
    came: str
    error: bool = False
    nothing: bool = False

    def __str__(self) -> str:
        return f"({self.given}) → {self.came}"


def _function(process: Process, reply: dict, calls: list[Call]) -> Callable:
    """A proxy for the student's function, which calls it in the student's process and records each call in ``calls``."""

    def answer(*case):
        said = process.ask(call=json_values.encode(case))
        given = ", ".join(map(short, case))
        if "error" in said:
            calls.append(Call(given, _words(said["error"]), error=True))
            raise _raised(said["error"])
        value = json_values.decode(said["value"])
        calls.append(Call(given, short(value), nothing=value is None or value is ...))
        return value

    names = reply["function"] if isinstance(reply["function"], list) else []
    if all(isinstance(name, str) and _NAME.fullmatch(name) for name in names):
        with contextlib.suppress(ValueError):  # a duplicate or invalid name
            kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
            answer.__signature__ = inspect.Signature([inspect.Parameter(name, kind) for name in names])  # type: ignore[attr-defined]
    return answer


def _raised(error: object) -> Exception:
    """An error of the student's process as an exception with the same name and message."""
    match error:
        case [str(kind), str(said)] if _NAME.fullmatch(kind):
            return type(kind, (Exception,), {})(said)
    return Exception("an error that cannot be read")
