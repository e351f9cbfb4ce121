"""What both command lines of this project have in common: one line that says what to do, and bugs that keep their tracebacks."""

import argparse
import errno
import sys
from collections.abc import Sequence
from pathlib import Path

# What a place can do to a command. Any other error of the system is somebody's bug, and keeps its traceback; so does a
# file that is not there, unless it was to be made at a place that the command names.
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
)


class Parser(argparse.ArgumentParser):
    """An argument parser that offers the nearest command, or the nearest of an option's choices."""

    def _check_value(self, action: argparse.Action, value: object) -> None:
        if action.choices is not None and value not in action.choices:
            from fairfl.errors import unknown

            kind = action.dest if action.option_strings else "command"
            raise argparse.ArgumentError(action, str(unknown(kind, value, action.choices)))


def quietly() -> None:
    """From now on an interrupt that nobody catches, while PyTorch loads for instance, ends the program with one word.

    Other exceptions keep their tracebacks.
    """

    def hook(kind, error, trace):
        if issubclass(kind, KeyboardInterrupt):
            print("fairfl: stopped", file=sys.stderr)
        else:
            sys.__excepthook__(kind, error, trace)

    sys.excepthook = hook


def obey(parser: argparse.ArgumentParser, arguments: Sequence[str] | None) -> int:
    """Run the command in ``arguments`` (the program's own by default): its ``run`` takes what was parsed.

    Returns the exit status: 0, 1 for problems found, 2 for a command that cannot run, 130 where it was stopped.
    """
    from fairfl._extras import NotInstalled, needed_by
    from fairfl.errors import Refused

    try:
        given = parser.parse_args(arguments)
        with needed_by("this command"):
            return given.run(given)
    except (Refused, NotInstalled) as error:
        said, status = str(error), 2
    except KeyboardInterrupt:
        said, status = "stopped", 130
    except OSError as error:
        if error.errno not in PLACES and not (error.errno == errno.ENOENT and _named(error.filename, given)):
            raise
        where = f"{error.filename}: " if error.filename else ""
        said, status = (
            f"{where}{error.strerror}. What was finished is kept. Make room or give leave there, or name another place",
            2,
        )
    print(f"fairfl: {said}", file=sys.stderr)
    return status


def _named(file: str | Path | None, given: argparse.Namespace) -> bool:
    """Whether ``file`` is, or lies below, a place that the command names."""
    places = [place.absolute() for place in vars(given).values() if isinstance(place, Path)]
    return file is not None and any(Path(file).absolute().is_relative_to(place) for place in places)
