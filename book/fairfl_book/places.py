"""Where the book's files stand: texts, notebooks, the bibliography and the reader's copies."""

import re
from dataclasses import dataclass
from pathlib import Path

from fairfl import checkout
from fairfl.errors import Refused, unknown

NAME = re.compile(r"\d\d_[a-z0-9_]+")


@dataclass(frozen=True)
class Book:
    """A checkout of the book. ``root`` is the folder that holds ``chapters/src``."""

    root: Path

    @property
    def chapters(self) -> Path:
        """The executed notebooks."""
        return self.root / "chapters"

    @property
    def work(self) -> Path:
        """The reader's own copies; ignored by git."""
        return self.root / "work"

    @property
    def bibliography(self) -> Path:
        return self.root / "book" / "references.bib"

    def twin(self, name: str) -> Path:
        """The reviewed text of chapter ``name``."""
        return self.chapters / "src" / f"{name}.md"

    def notebook(self, name: str) -> Path:
        """The executed notebook of chapter ``name``."""
        return self.chapters / f"{name}.ipynb"

    def names(self) -> list[str]:
        """Every chapter that has a text or a notebook, in the order of the book.

        Raises ``ValueError`` for a file whose name is not two digits, an underscore and lower-case words.
        """
        files = [*self.chapters.glob("*.ipynb"), *(self.chapters / "src").glob("*.md")]
        for file in files:
            if not NAME.fullmatch(file.stem):
                raise Refused(
                    f"{file.relative_to(self.root)} is not named like a chapter; allowed: two digits, an "
                    "underscore, lower-case words (01_federated_learning). Rename it or move it elsewhere."
                )
        return sorted({file.stem for file in files})

    def executed(self) -> list[str]:
        """The chapters that have a notebook, in the order of the book."""
        return [name for name in self.names() if self.notebook(name).exists()]

    def select(self, given: list[str]) -> list[str]:
        """The chapters meant by ``given`` (names or their numbers); all of them if none is given.

        Raises ``ValueError`` for a name that no chapter has.
        """
        names = self.names()
        numbers = {name[:2]: name for name in names}
        chosen = {numbers.get(word.zfill(2), word) for word in given} or set(names)
        for word in sorted(chosen - set(names)):
            raise unknown("chapter", word, names, "Give a name or its number.")
        return sorted(chosen)


def find(start: Path | None = None) -> Book:
    """The book of the clone around ``start`` (``checkout.around``)."""
    return Book(checkout.around(start, "chapters/src"))
