"""Locate the enclosing repository, or the files of it that a wheel has installed."""

from pathlib import Path

from fairfl.errors import Refused

EDITION = "fairfl_edition"  # beside the installed packages: the book's files, as setup.py packs them into the wheel
HOME = "fairfl-book"  # in the reader's home folder: what an installed book writes


def around(start: Path | None, mark: str) -> Path:
    """The folder that holds ``mark``: ``start`` (by default the current folder) or the nearest one above it, or else
    the folder from which this package was installed, or else the installed ``EDITION``.

    Raises ``Refused`` if there is none, as for packages that were copied without the book.
    """
    start = (start or Path.cwd()).resolve()
    beside = Path(__file__).resolve().parents[1]
    for folder in (start, *start.parents, beside):
        if (folder / mark).is_dir():
            return folder
    if (beside / EDITION).is_dir():
        return beside / EDITION
    raise Refused(
        f"{start} is not inside a clone of the repository: neither it nor a folder above it holds {mark}. "
        "Change into a clone, or install the wheel, which holds the book.",
        "missing",
    )


def installed(root: Path) -> bool:
    """Whether ``root`` is an installed edition, in which nothing may be written."""
    return root.name == EDITION


def written(root: Path) -> Path:
    """The folder for everything that is written: the clone, or ``HOME`` if ``root`` is an installed edition."""
    return Path.home() / HOME if installed(root) else root
