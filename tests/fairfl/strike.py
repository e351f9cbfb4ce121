"""Ends a forked process by SIGKILL at a chosen event, so that a kill strikes where it is meant to on a machine of any speed.

The parent must not have trained: a fork inherits no threads, and PyTorch's autograd has some.
"""

import os
import secrets
import signal
import sys
import traceback
from collections import Counter
from collections.abc import Callable

from fairfl.rules import Rule

# round: a rule is asked, in the middle of a round. open: a file is about to be begun. half: half of it is on the disk. before, after: it is
# about to take its place, and has just taken it. unlink: a file is about to be deleted.
EVENTS = ("round", "open", "half", "before", "after", "unlink")


def finish(work: Callable[[], None]) -> Counter:
    """Let ``work`` run to its end in a child, and return how many events of each kind there were."""
    reading, writing = os.pipe()
    counts = Counter()

    def child():
        _watch(lambda event, last: counts.update([event]))
        work()
        os.write(writing, " ".join(f"{event}={counts[event]}" for event in EVENTS).encode())

    status = _in_a_child(child)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        told = pipe.read()
    assert os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0, "the work did not come to its end"
    return Counter({event: int(count) for event, count in (pair.split("=") for pair in told.split())})


def kill(work: Callable[[], None], event: str, n: int) -> None:
    """Run ``work`` in a child that is killed at its n-th ``event``, counted from 1. Fails if it ends otherwise."""
    left = [n]

    def meet(this, last):
        left[0] -= this == event
        if this == event and left[0] == 0:
            last()
            os.kill(os.getpid(), signal.SIGKILL)

    def child():
        _watch(meet)
        work()

    status = _in_a_child(child)
    assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL, f"event {n} of kind {event!r} never came"


def _in_a_child(work) -> int:
    sys.stdout.flush()
    child = os.fork()
    if not child:
        try:
            work()
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            sys.stderr.flush()
            os._exit(1)
    return os.waitpid(child, 0)[1]


def _watch(meet: Callable[[str, Callable], None]) -> None:
    """From now on ``meet(event, last)`` is called at each event of this process; ``last()`` does to the disk what the event says."""
    nothing = lambda: None
    direction, token_hex, fsync, replace, unlink = Rule.direction, secrets.token_hex, os.fsync, os.replace, os.unlink

    def asked(rule, updates):
        meet("round", nothing)
        return direction(rule, updates)

    def opened(*given, **more):
        meet("open", nothing)
        return token_hex(*given, **more)

    def flushed(file):
        meet("half", lambda: os.ftruncate(file, os.fstat(file).st_size // 2))
        fsync(file)

    def renamed(*given):
        meet("before", nothing)
        replace(*given)
        meet("after", nothing)

    def deleted(*given, **more):
        meet("unlink", nothing)
        unlink(*given, **more)

    Rule.direction, secrets.token_hex, os.fsync, os.replace, os.unlink = asked, opened, flushed, renamed, deleted
