"""Locate the enclosing repository."""

from pathlib import Path

from fairfl.errors import Refused


def around(start: Path | None, mark: str) -> Path:
    """The folder that holds ``mark``: ``start`` (by default the current folder) or the nearest one above it, or else
    the folder from which this package was installed.

    Raises ``Refused`` if there is none, as for a package that was installed without its repository.
    """
    start = (start or Path.cwd()).resolve()
    for folder in (start, *start.parents, Path(__file__).resolve().parents[1]):
        if (folder / mark).is_dir():
            return folder
    raise Refused(
        f"{start} is not inside a clone of the repository: neither it nor a "
        f"folder above it holds {mark}. Change into a clone, and try again.",
        "missing",
    )
