"""What the layout knows of the chapters, for the steps that Sphinx takes later: one file beside the sources."""

import functools
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from fairfl_book.build.frontmatter import FrontMatter

FILE = "known.json"


@dataclass(frozen=True)
class Chapter:
    """Of one chapter: ``title`` with its number, and ``promise``, as in its front matter."""

    title: str
    promise: str

    @property
    def words(self) -> str:
        """What a link to it says to who hovers over it."""
        return f"{self.title}. {self.promise}" if self.title[-1].isalnum() else f"{self.title} {self.promise}"


@dataclass(frozen=True)
class Known:
    """``chapters``: by page name."""

    chapters: Mapping[str, Chapter]

    def numbered(self, number: int) -> str | None:
        """The page of chapter ``number``."""
        return next((name for name in self.chapters if int(name[:2]) == number), None)

    @staticmethod
    def of(fronts: Mapping[str, FrontMatter]) -> str:
        """The file's text. ``fronts``: front matter by page name."""
        chapters = {name: asdict(Chapter(front.title, front.promise)) for name, front in sorted(fronts.items())}
        return json.dumps({"chapters": chapters}, ensure_ascii=False, indent=1)

    @staticmethod
    @functools.cache
    def read(folder: Path) -> "Known":
        """What the layout has left in ``folder``."""
        found = json.loads((Path(folder) / FILE).read_text(encoding="utf-8"))
        return Known({name: Chapter(**chapter) for name, chapter in found["chapters"].items()})
