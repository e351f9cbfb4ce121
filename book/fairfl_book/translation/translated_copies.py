"""The reader's copies in another language, in a subfolder of the English ones with its own cover."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from fairfl.errors import unknown
from fairfl_book.book_paths import Book
from fairfl_book.build import notebook_checks
from fairfl_book.build.frontmatter import FrontMatter
from fairfl_book.exercises import progress
from fairfl_book.reading import copies, copy_extras, cover
from fairfl_book.translation import edition
from fairfl_book.translation.sentences import using


def prepare(
    book: Book, work: Path, language: str, fronts: Mapping[str, FrontMatter], chapter: str | None = None
) -> str:
    """Update the copies in ``work/LANGUAGE`` and print what changed; returns the name of the page to open there.

    ``fronts``: the English front matter of every chapter. Untranslated chapters are linked to the English copies in ``work``.
    Raises ``Refused`` for a ``chapter`` without a translation and for an unknown language.
    """
    if chapter:
        refuse_untranslated(book, language, [chapter])
    with using(language):
        translated = edition.fronts(book, language)
        here, titles = work / language, {name: front.title for name, front in fronts.items()}
        page = cover.content(
            edition.of_all(fronts, translated, language), progress.solved(here), translated, book.installed
        )
        report = copies.prepare(edition.build(book, language), here, {copy_extras.COVER: page}, titles)
    copy_extras.trust(*(here / name for name in report.written))
    for line in report.lines():
        print(line, flush=True)
    return f"{chapter}.ipynb" if chapter else copies.NOTICE if report.arrived else copy_extras.COVER


def reset(book: Book, work: Path, language: str, name: str) -> Path | None:
    """``copies.reset`` for the translated copy of chapter ``name`` in ``work``, the folder of that language. Raises what ``refuse_untranslated`` raises."""
    refuse_untranslated(book, language, [name])
    with using(language):
        titles = {other: front.title for other, front in notebook_checks.fronts(book).items()}
        return copies.reset(edition.build(book, language), work, name, titles)


def refuse_untranslated(book: Book, language: str, names: Iterable[str]) -> None:
    """Raise ``Refused`` for the first of the chapters ``names`` without a translation into ``language``. Called before any copy is written."""
    with using(language):
        translated = edition.fronts(book, language)
    for name in names:
        if name not in translated:
            raise unknown(f"chapter in {language}", name, translated, "Leave out --language for the English one.")
