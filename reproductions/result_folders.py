"""Where runs, recorded results and published numbers stand."""

from dataclasses import dataclass
from pathlib import Path

from fairfl import _repository


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
    """The records of the clone around ``start`` (``checkout.around``)."""
    return Records(_repository.around(start, "data/papers"))
