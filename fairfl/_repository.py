"""Where the repository stands that a command was called in."""

from pathlib import Path

from fairfl.errors import Refused


def around(start: Path | None, mark: str) -> Path:
    """The folder that holds ``mark``: ``start`` (the current folder) or one above it, else the one that this package
    was installed from.

    Raises ``ValueError`` where there is none, as for a package installed without its repository.
    """
    start = (start or Path.cwd()).resolve()
    for folder in (start, *start.parents, Path(__file__).resolve().parents[1]):
        if (folder / mark).is_dir():
            return folder
    raise Refused(
        f"{start} is not inside a clone of the repository: neither it nor a "
        f"folder above it holds {mark}. "
        "Go into a clone, and try again."
    )
