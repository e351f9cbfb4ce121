"""Paths of the book's files: texts, notebooks, companions, bibliography and the reader's copies."""

import re
from dataclasses import dataclass
from pathlib import Path

from fairfl import _repository
from fairfl.errors import Refused, unknown

NAME = re.compile(r"\d\d_[a-z0-9_]+")
MORE = "_more"  # suffix of a companion's name: 04_mgda_more belongs to 04_mgda


@dataclass(frozen=True)
class Book:
    """A clone of the book, or an installed one. ``root`` is the folder that contains ``chapters``."""

    root: Path

    @property
    def chapters(self) -> Path:
        """The executed notebooks."""
        return self.root / "chapters"

    @property
    def installed(self) -> bool:
        """Whether the book was installed from a wheel. It then has notebooks without their texts, and is not written to."""
        return _repository.installed(self.root)

    @property
    def written(self) -> Path:
        """The folder that holds ``work``, ``dist`` and everything else that is written: the clone, or ``~/fairfl-book``."""
        return _repository.written(self.root)

    @property
    def work(self) -> Path:
        """The reader's own copies; ignored by git."""
        return self.written / "work"

    @property
    def dist(self) -> Path:
        """What is made for a class or a release, in a folder of its own kind; ignored by git."""
        return self.written / "dist"

    @property
    def vendored(self) -> Path:
        """Other projects' files, such as KaTeX and MiniSearch (``site.third_party``); ignored by git."""
        return self.root / "book" / "_vendor"

    @property
    def pdf(self) -> Path:
        """The whole book on paper, without answers, as ``make pdf`` sets it; ignored by git."""
        return self.root / "book" / "_build" / "fairfl.pdf"

    @property
    def bibliography(self) -> Path:
        return self.root / "book" / "references.bib"

    def twin(self, name: str) -> Path:
        """The source text of chapter or companion ``name``."""
        return self.chapters / "src" / _folder(name) / f"{name}.md"

    def notebook(self, name: str) -> Path:
        """The executed notebook of chapter or companion ``name``."""
        return self.chapters / _folder(name) / f"{name}.ipynb"

    def names(self) -> list[str]:
        """Every chapter that has a text or a notebook, in book order.

        Raises ``Refused`` for a file whose name is not two digits, an underscore and lower-case words.
        """
        files = [*self.chapters.glob("*.ipynb"), *(self.chapters / "src").glob("*.md")]
        for file in files:
            if not NAME.fullmatch(file.stem):
                raise Refused(
                    f"{file.relative_to(self.root)} is not named like a chapter; allowed: two digits, an "
                    "underscore and lower-case words (01_federated_learning). Rename it or move it elsewhere.",
                    "name",
                )
        return sorted({file.stem for file in files})

    def companion(self, name: str) -> str | None:
        """The name of the companion of chapter ``name``, or ``None``."""
        more = name + MORE
        return more if self.twin(more).exists() or self.notebook(more).exists() else None

    def companions(self) -> list[str]:
        """Every companion that has a text or a notebook, in book order.

        Raises ``Refused`` for a file in a folder of companions that belongs to no chapter.
        """
        files = [*(self.chapters / "more").glob("*.ipynb"), *(self.chapters / "src" / "more").glob("*.md")]
        chapters = self.names()
        for file in files:
            if file.stem.removesuffix(MORE) not in chapters or not is_companion(file.stem):
                raise Refused(
                    f"{file.relative_to(self.root)} belongs to no chapter; allowed: a chapter's name with "
                    f"{MORE} appended (04_mgda{MORE}). Rename it or move it elsewhere.",
                    "name",
                )
        return sorted({file.stem for file in files})

    def with_companions(self, names: list[str]) -> list[str]:
        """Chapters, each followed by its companion if it has one."""
        return [part for name in names for part in (name, self.companion(name)) if part]

    def executed(self) -> list[str]:
        """The chapters that have a notebook, in book order."""
        return [name for name in self.names() if self.notebook(name).exists()]

    def select(self, given: list[str]) -> list[str]:
        """The chapters in ``given`` (names or numbers); all of them if ``given`` is empty.

        Raises ``Refused`` for an unknown chapter.
        """
        names = self.names()
        numbers = {name[:2]: name for name in names}
        chosen = {numbers.get(word.zfill(2), word) for word in given} or set(names)
        for word in sorted(chosen - set(names)):
            raise unknown("chapter", word, names, "Give a name or a number.")
        return sorted(chosen)


def is_companion(name: str) -> bool:
    """Whether ``name`` is the name of a companion."""
    return name.endswith(MORE)


def _folder(name: str) -> str:
    return "more" if is_companion(name) else ""


def find(start: Path | None = None) -> Book:
    """The book of the clone that encloses ``start``, or else the installed one (``_repository.around``)."""
    return Book(_repository.around(start, "chapters/src"))


def clone(command: str) -> Book:
    """The book of the enclosing clone, for a ``command`` that needs more than a wheel holds.

    Raises ``Refused`` for an installed book.
    """
    book = find()
    if book.installed:
        raise Refused(
            f"{command} needs a clone of the repository, and this book was installed from a wheel. Change into a clone, "
            "and try again.",
            "missing",
        )
    return book
