"""Which exercises a reader has solved: kept beside the reader's copies, by the exercises' own names, so that a new edition loses nothing."""

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
    """The reader's folder around ``start`` (default: where the notebook runs), known by the record of its copies; ``None`` if this is none."""
    start = (start or Path.cwd()).resolve()
    return next((place for place in (start, *start.parents) if (place / copies.RECORD).exists()), None)


def solved(place: Path | None = None) -> dict[str, str]:
    """The exercises solved in the reader's folder ``place`` (default: ``folder()``): slug → the day, as written. Unreadable is empty."""
    place = place or folder()
    try:
        known = json.loads((place / FILE).read_text(encoding="utf-8")) if place else {}
    except (OSError, ValueError):
        return {}
    return {slug: str(day) for slug, day in known.items()} if isinstance(known, Mapping) else {}


def note(slug: str, place: Path | None = None) -> None:
    """Remember that ``slug`` is solved; nothing outside a reader's folder, and nothing where the folder cannot be written."""
    place = place or folder()
    known = solved(place)
    if place is None or slug in known:
        return
    content = json.dumps({**known, slug: date.today().isoformat()}, indent=1, sort_keys=True) + "\n"
    try:
        _atomic_files.write(place / FILE, content.encode())
    except OSError:
        return


def here(number: int) -> str:
    """``line`` for the reader's folder around the notebook that runs; "" outside one."""
    place = folder()
    return line(number, solved(place)) if place else ""


def line(number: int, known: Mapping[str, str]) -> str:
    """How much of chapter ``number`` is done, as "2 of 4"; "" for a chapter without checks. ``known``: as ``solved`` gives it."""
    slugs = registry.of_chapter(number)
    return tr("{done} of {all}", done=sum(slug in known for slug in slugs), all=len(slugs)) if slugs else ""


def begin(number: int) -> None:
    """Say at the head of chapter ``number`` how many of its exercises are done; nothing outside a reader's folder."""
    if done := here(number):
        begun = solved() and any(slug in solved() for slug in registry.of_chapter(number))
        say("", tr("{done} exercises done", done=done), tr("in this chapter so far." if begun else "in this chapter."))
