"""Shut a student's process in, as far as the system allows, and say how far that is.

Where bubblewrap is installed, a notebook sees the system's programs, this Python and the book, all read-only, and an empty ``/tmp`` of its own. The class, the table and the teacher's
other files do not exist there, nor do the network and other processes. Whatever a notebook starts ends with it. Elsewhere a notebook may do what the teacher may, and ``find`` says so.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import psutil

PROCESSES = 256  # processes and threads of one notebook
FILES = 500_000_000  # bytes of all files that a notebook may keep in /tmp, and as many in shared memory
TRIAL = 120.0  # seconds for the first start, from a cold disk
_SYSTEM = "/usr /bin /sbin /lib /lib32 /lib64 /nix/store /gnu/store /sys/devices/system/cpu /etc/alternatives /etc/fonts /etc/ld.so.cache /etc/localtime"
_BOOK = "fairfl reproductions book chapters data examples"  # without work/ and dist/, where a teacher may keep answers
_ENVIRONMENT = (  # what a notebook needs to know; tokens and passwords are in the rest
    "PATH PYTHONPATH PYTHONUTF8 PYTHONIOENCODING VIRTUAL_ENV LD_LIBRARY_PATH LANG LC_ALL LC_CTYPE TZ HOME USERPROFILE TMPDIR TEMP TMP SYSTEMROOT"
    " FAIRFL_DATA FAIRFL_CACHE FAIRFL_LANGUAGE"
).split()


@dataclass(frozen=True)
class Sandbox:
    """``command``: the words before a command that is to run inside; none if there is no sandbox. ``words``: what it protects from, for the teacher."""

    command: tuple[str, ...]
    words: str


def find(root: Path, folder: Path) -> Sandbox:
    """The sandbox of this system, tried once. ``root``: of the book. ``folder``: the class's notebooks, which no notebook may see."""
    try:
        command = _bubblewrap(root, folder)
        inside = "import fairfl_book.marking.student_process"
        tried = subprocess.run(
            [*command, sys.executable, "-c", inside],
            env=environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TRIAL,
        )
        reason = "" if tried.returncode == 0 else (tried.stderr.strip().splitlines() or ["it gave no reason"])[-1]
    except (OSError, subprocess.TimeoutExpired) as error:
        reason = str(error)
    root_user = " You are root: mark as an ordinary user." if getattr(os, "geteuid", lambda: 1)() == 0 else ""
    if reason:
        words = (
            f"No sandbox: {reason}. Only limits of time and memory protect you. Students' code can read, change and send away whatever you can. "
            f"book/teachers.md tells how to shut it in.{root_user}"
        )
        return Sandbox((), words)
    return Sandbox(
        tuple(command),
        f"Sandbox: bubblewrap. Students' code has no network and sees none of your files but the book.{root_user}",
    )


def _bubblewrap(root: Path, folder: Path) -> list[str]:
    program = shutil.which("bwrap")
    if program is None:
        raise FileNotFoundError("bubblewrap is not installed (it is for Linux only)")
    alone = "--unshare-all --unshare-user --disable-userns --die-with-parent --cap-drop ALL".split()
    # Bubblewrap closes these only if they are writable themselves. Root could also write to files in them.
    system = "--proc /proc --ro-bind /proc/sys /proc/sys --ro-bind-try /proc/irq /proc/irq --ro-bind-try /proc/bus /proc/bus --dev /dev".split()
    private = [word for place in ("/tmp", "/dev/shm") for word in ("--size", str(FILES), "--tmpfs", place)]
    data = os.environ.get("FAIRFL_DATA")
    shown = [*map(Path, _SYSTEM.split()), Path(sys.base_prefix), Path(sys.prefix)]
    shown += [root / name for name in _BOOK.split()] + ([Path(data).expanduser().absolute()] if data else [])
    binds = [word for path in shown for word in ("--ro-bind-try", str(path), str(path))]
    folder = folder.resolve()
    hidden = ["--tmpfs", str(folder)] if any(folder.is_relative_to(path.resolve()) for path in shown) else []
    own = [word for name in ("HOME", "TMPDIR", "IPYTHONDIR") for word in ("--setenv", name, "/tmp")]
    closed = "--remount-ro /dev --remount-ro / --chdir /tmp".split()
    limited = ["prlimit", f"--nproc={PROCESSES}"]
    return [program, *alone, *system, *private, *binds, *hidden, *own, *closed, *limited]


def environment() -> Mapping[str, str]:
    """The teacher's environment variables that a notebook gets to see."""
    return {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}


def end_with_parent() -> None:
    """End this process when its parent ends, however that ends (Linux)."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def excess(process: int, memory: int) -> str:
    """What ``process`` and its descendants together use too much of, in words; "" if nothing. ``memory``: megabytes."""
    import psutil

    used = []
    with contextlib.suppress(psutil.Error):  # it has ended
        first = psutil.Process(process)
        for one in (first, *first.children(recursive=True)):
            with contextlib.suppress(psutil.Error):
                used.append(_occupied(one))
    if len(used) > PROCESSES:
        return f"it started more than {PROCESSES} processes"
    return f"its processes used more than {memory} MB together" if sum(used) > memory * 1_000_000 else ""


def _occupied(one: "psutil.Process") -> int:
    """Bytes of memory; what several processes share is divided among them, where the system tells (Linux)."""
    import psutil

    try:
        return one.memory_full_info().pss
    except (psutil.AccessDenied, AttributeError):
        return one.memory_info().rss
