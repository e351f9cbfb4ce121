"""Shared by both command lines of this project: expected errors print one line, and bugs keep their tracebacks."""

import argparse
import errno
import os
import sys
from collections.abc import Sequence
from pathlib import Path

# Errors caused by a path that the user chose. Any other OSError is a bug and keeps its traceback. So does a missing file,
# unless it is at or below a path given on the command line.
PLACES = (
    errno.EACCES,
    errno.EPERM,
    errno.EROFS,
    errno.ENOSPC,
    errno.EDQUOT,
    errno.EFBIG,
    errno.ENOTDIR,
    errno.EISDIR,
    errno.EEXIST,
    errno.ENAMETOOLONG,
    errno.ELOOP,
)


# What helps against some of them besides another path: more space, or other permissions.
FULL, FORBIDDEN = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG), (errno.EACCES, errno.EPERM, errno.EROFS)


class Parser(argparse.ArgumentParser):
    """An argument parser that suggests the nearest command or option value."""

    def _check_value(self, action: argparse.Action, value: object) -> None:
        if action.choices is not None and value not in action.choices:
            from fairfl.errors import unknown

            kind = action.dest if action.option_strings else "command"
            raise argparse.ArgumentError(action, str(unknown(kind, value, action.choices)))


def quietly() -> None:
    """Print one line instead of a traceback for an uncaught interrupt, for instance while PyTorch loads.

    Other exceptions keep their tracebacks.
    """

    def hook(kind, error, trace):
        if issubclass(kind, KeyboardInterrupt):
            print("fairfl: stopped", file=sys.stderr)
        else:
            sys.__excepthook__(kind, error, trace)

    sys.excepthook = hook


def obey(parser: argparse.ArgumentParser, arguments: Sequence[str] | None) -> int:
    """Parse ``arguments`` (default: ``sys.argv``) and call the command's ``run``.

    Characters that the output's encoding lacks are spelt out. Returns the exit status: 0, 1 for problems found, 2 for a command that
    cannot run, 130 if it was interrupted, 141 if nobody reads on, as after ``| head``.
    """
    from fairfl._extras import needed_by
    from fairfl.errors import NotInstalled, Refused

    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # where λ cannot be encoded, \u03bb appears instead of an exception
            stream.reconfigure(errors="backslashreplace")
    try:
        given = parser.parse_args(arguments)
        with needed_by("this command"):
            status = given.run(given)
            print(end="", flush=True)
            return status
    except (Refused, NotInstalled) as error:
        message, status = str(error), 2
    except KeyboardInterrupt:
        message, status = "stopped", 130
    except BrokenPipeError:
        try:
            print(flush=True)
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for what is printed on leaving
            return 141
        raise  # it was another pipe
    except OSError as error:
        if error.errno not in PLACES and not (error.errno == errno.ENOENT and _named(error.filename, given)):
            raise
        where = f"{error.filename}: " if error.filename else ""
        mend = "Finished results are kept. Free space or choose" if error.errno in FULL else "Choose"
        mend = "Change the permissions or choose" if error.errno in FORBIDDEN else mend
        message, status = f"{where}{error.strerror}. {mend} another path", 2
    print(f"fairfl: {message}", file=sys.stderr)
    return status


def _named(file: str | Path | None, given: argparse.Namespace) -> bool:
    """Whether ``file`` is, or is below, a path given on the command line."""
    places = [place.absolute() for place in vars(given).values() if isinstance(place, Path)]
    return file is not None and any(Path(file).absolute().is_relative_to(place) for place in places)
