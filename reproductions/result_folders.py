"""The folders of runs, recorded results and published numbers."""

from dataclasses import dataclass
from pathlib import Path

from fairfl import _repository


@dataclass(frozen=True)
class Records:
    """The folders of a clone, or of an installed book, whose ``root`` contains ``data/``."""

    root: Path

    @property
    def installed(self) -> bool:
        """Whether the recorded results were installed from a wheel, and therefore only read."""
        return _repository.installed(self.root)

    @property
    def runs(self) -> Path:
        """One file per job; ignored by git. Without a clone, they are in ``~/fairfl-book``."""
        return _repository.written(self.root) / "runs"

    @property
    def results(self) -> Path:
        """The tables that ``report`` compiles; part of the project."""
        return self.root / "data" / "results"

    @property
    def papers(self) -> Path:
        """The published numbers."""
        return self.root / "data" / "papers"


def find(start: Path | None = None) -> Records:
    """The folders of the clone around ``start``, by default the current folder, or else those of the installed book."""
    return Records(_repository.around(start, "data/papers"))
