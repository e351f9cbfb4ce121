"""Chapter titles and glossary terms, stored beside the sources for the Sphinx transforms."""

import functools
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from fairfl_book.build.frontmatter import FrontMatter
from fairfl_book.site.glossary import Term

FILE = "known.json"


@dataclass(frozen=True)
class Chapter:
    """One chapter's ``title``, with its number, and ``promise``, both from its front matter. ``formulas``: the numbers
    of its formulas."""

    title: str
    promise: str
    formulas: Sequence[str] = ()

    @property
    def words(self) -> str:
        """The tooltip of a link to the chapter."""
        return f"{self.title}. {self.promise}" if self.title[-1].isalnum() else f"{self.title} {self.promise}"


@dataclass(frozen=True)
class Word:
    """A term of the glossary in one language. ``chapter``: two digits, where it is taught, or empty."""

    name: str
    definition: str
    chapter: str


@dataclass(frozen=True)
class Known:
    """``chapters``: chapters by page name. ``words``: by language, the terms that become links to the glossary."""

    chapters: Mapping[str, Chapter]
    words: Mapping[str, Sequence[Word]]

    def numbered(self, number: int) -> str | None:
        """The page of chapter ``number``."""
        return next((name for name in self.chapters if int(name[:2]) == number), None)

    @staticmethod
    def of(fronts: Mapping[str, FrontMatter], terms: Sequence[Term], formulas: Mapping[str, Collection[str]]) -> str:
        """The file's text. ``fronts``, ``formulas``: front matter, and the numbers of formulas, by page name."""
        chapters = {
            name: asdict(Chapter(front.title, front.promise, sorted(formulas.get(name, ()))))
            for name, front in sorted(fronts.items())
        }
        linked = [term for term in terms if not term.everyday]
        words = {
            "en": [asdict(Word(term.en, term.definition, term.chapter)) for term in linked],
            "zh": [asdict(Word(term.zh, term.definition_zh, term.chapter)) for term in linked],
        }
        return json.dumps({"chapters": chapters, "words": words}, ensure_ascii=False, indent=1)

    @staticmethod
    @functools.cache
    def read(folder: Path) -> "Known":
        """Load the file that ``text`` was written to in ``folder``."""
        found = json.loads((Path(folder) / FILE).read_text(encoding="utf-8"))
        words = {language: [Word(**word) for word in some] for language, some in found["words"].items()}
        return Known({name: Chapter(**chapter) for name, chapter in found["chapters"].items()}, words)
