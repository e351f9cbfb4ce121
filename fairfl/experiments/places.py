"""Where runs, recorded results and published numbers stand."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Records:
    """Folders of a checkout whose ``root`` holds ``data/``."""

    root: Path

    @property
    def runs(self) -> Path:
        """One file a job; ignored by git."""
        return self.root / "runs"

    @property
    def results(self) -> Path:
        """What ``report`` compiles; part of the project."""
        return self.root / "data" / "results"

    @property
    def papers(self) -> Path:
        """The published numbers."""
        return self.root / "data" / "papers"


def find(start: Path | None = None) -> Records:
    """The records of the checkout around ``start`` (the current folder), else of the one that this package was installed from.

    Raises ``ValueError`` where there is none.
    """
    start = (start or Path.cwd()).resolve()
    for folder in (start, *start.parents, Path(__file__).resolve().parents[2]):
        if (folder / "data" / "papers").is_dir():
            return Records(folder)
    raise ValueError(f"no records around {start}: neither it nor a folder above it holds data/papers. Run this inside a clone of the repository.")
