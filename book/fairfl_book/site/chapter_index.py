"""Chapter titles and glossary terms, stored beside the sources for the Sphinx transforms."""

import functools
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
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
        last = self.title[-1]
        return f"{self.title}{'。' if '一' <= last <= '鿿' else '. ' if last.isalnum() else ' '}{self.promise}"


@dataclass(frozen=True)
class Word:
    """A term of the glossary in one language. ``chapter``: two digits, where it is taught, or empty."""

    name: str
    definition: str
    chapter: str


@dataclass(frozen=True)
class Known:
    """``chapters``: chapters by page name. ``words``: by language, the terms that become links to the glossary.
    ``translated``: by language other than English, all chapters as far as their titles and promises are translated."""

    chapters: Mapping[str, Chapter]
    words: Mapping[str, Sequence[Word]]
    translated: Mapping[str, Mapping[str, Chapter]] = field(default_factory=dict)

    def said(self, language: str) -> Mapping[str, Chapter]:
        """``chapters`` in ``language``."""
        return self.translated.get(language, self.chapters)

    def numbered(self, number: int) -> str | None:
        """The page of chapter ``number``."""
        return next((name for name in self.chapters if int(name[:2]) == number), None)

    @staticmethod
    def of(
        fronts: Mapping[str, FrontMatter],
        terms: Sequence[Term],
        formulas: Mapping[str, Collection[str]],
        translated: Mapping[str, Mapping[str, FrontMatter]],
    ) -> str:
        """The file's text. ``fronts``, ``formulas``: front matter, and the numbers of formulas, by page name.
        ``translated``: front matter by language and page name."""
        linked = [term for term in terms if not term.everyday]
        words = {
            "en": [asdict(Word(term.en, term.definition, term.chapter)) for term in linked],
            "zh": [asdict(Word(term.zh, term.definition_zh, term.chapter)) for term in linked],
        }
        told = {
            "chapters": _told(fronts, formulas),
            "words": words,
            "translated": {language: _told(some, formulas) for language, some in translated.items()},
        }
        return json.dumps(told, ensure_ascii=False, indent=1)

    @staticmethod
    @functools.cache
    def read(folder: Path) -> "Known":
        """Load the file that ``text`` was written to in ``folder``."""
        found = json.loads((Path(folder) / FILE).read_text(encoding="utf-8"))
        words = {language: [Word(**word) for word in some] for language, some in found["words"].items()}
        translated = {language: _chapters(some) for language, some in found["translated"].items()}
        return Known(_chapters(found["chapters"]), words, translated)


def _told(fronts: Mapping[str, FrontMatter], formulas: Mapping[str, Collection[str]]) -> dict[str, dict]:
    return {
        name: asdict(Chapter(front.title, front.promise, sorted(formulas.get(name, ()))))
        for name, front in sorted(fronts.items())
    }


def _chapters(told: Mapping[str, Mapping[str, str]]) -> dict[str, Chapter]:
    return {name: Chapter(**chapter) for name, chapter in told.items()}
