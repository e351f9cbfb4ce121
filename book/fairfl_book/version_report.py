"""What ``fairfl-book --version`` prints, for a report of a mistake: the edition, where it came from, the system and the packages that numbers and labs depend on."""

import argparse
import platform
import subprocess
from collections.abc import Sequence
from importlib import metadata

import fairfl
from fairfl.errors import Refused
from fairfl_book import book_paths

PACKAGES = ("torch", "numpy", "scipy", "scikit-learn", "matplotlib", "jupyterlab", "ipywidgets", "anywidget")


class PrintVersion(argparse.Action):
    """The option ``--version``. It looks things up only when it is given."""

    def __init__(self, option_strings: Sequence[str], dest: str, help: str | None = None) -> None:
        super().__init__(option_strings, dest, nargs=0, help=help)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        print(text())
        parser.exit()


def text() -> str:
    """Three lines, without the name of a user or a folder."""
    system = f"Python {platform.python_version()} on {platform.system()} {platform.release()}, {platform.machine()}"
    return "\n".join((f"fairfl {fairfl.__version__}, {source()}", system, ", ".join(map(_installed, PACKAGES))))


def source() -> str:
    """Where the book came from: a wheel, a clone and its commit, or a folder without git."""
    try:
        book = book_paths.find()
    except Refused:
        return "without the book"
    if book.installed:
        return "from a wheel"
    command = ["git", "-C", str(book.root), "describe", "--always", "--dirty=, with changes"]
    try:
        found = subprocess.run(command, capture_output=True, encoding="utf-8", check=True, timeout=20)
    except (OSError, subprocess.SubprocessError):
        return "from a folder without git"
    return f"from a clone at {found.stdout.strip()}"


def _installed(package: str) -> str:
    try:
        return f"{package} {metadata.version(package)}"
    except metadata.PackageNotFoundError:
        return f"no {package}"
