"""Record the exercises that a reader has solved, next to the reader's copies and by slug, so a new edition loses nothing."""

import json
from collections.abc import Mapping
from datetime import date
from pathlib import Path

from fairfl import _atomic_files
from fairfl_book.exercises import registry
from fairfl_book.exercises.display import say
from fairfl_book.reading import copies
from fairfl_book.translation.sentences import tr

FILE = ".fairfl-progress.json"


def folder(start: Path | None = None) -> Path | None:
    """The reader's folder that encloses ``start`` (default: where the notebook runs), found by its record of copies; ``None`` if there is none."""
    start = (start or Path.cwd()).resolve()
    return next((place for place in (start, *start.parents) if (place / copies.RECORD).exists()), None)


def solved(place: Path | None = None) -> dict[str, str]:
    """The exercises solved in the reader's folder ``place`` (default: ``folder()``): slug → the day, as written. An unreadable record counts as empty."""
    place = place or folder()
    try:
        known = json.loads((place / FILE).read_text(encoding="utf-8")) if place else {}
    except (OSError, ValueError):
        return {}
    return {slug: str(day) for slug, day in known.items()} if isinstance(known, Mapping) else {}


def note(slug: str, place: Path | None = None) -> None:
    """Record that ``slug`` is solved. Does nothing outside a reader's folder, or if the folder is not writable."""
    place = place or folder()
    known = solved(place)
    if place is None or slug in known:
        return
    content = json.dumps({**known, slug: date.today().isoformat()}, indent=1, sort_keys=True) + "\n"
    try:
        _atomic_files.write(place / FILE, content.encode())
    except (OSError, ValueError):
        return


def here(number: int) -> str:
    """``line`` for the reader's folder of the running notebook; "" outside such a folder."""
    place = folder()
    return line(number, solved(place)) if place else ""


def line(number: int, known: Mapping[str, str]) -> str:
    """How much of chapter ``number`` is done, as "2 of 4"; "" for a chapter without checks. ``known``: as returned by ``solved``."""
    slugs = registry.of_chapter(number)
    return tr("{done} of {all}", done=sum(slug in known for slug in slugs), all=len(slugs)) if slugs else ""


def begin(number: int) -> None:
    """Show at the start of chapter ``number`` how many of its exercises are done. Does nothing outside a reader's folder."""
    if done := here(number):
        begun = solved() and any(slug in solved() for slug in registry.of_chapter(number))
        say("", tr("{done} exercises done", done=done), tr("in this chapter so far." if begun else "in this chapter."))
