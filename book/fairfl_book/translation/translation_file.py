"""Translation files, ``chapters/zh/NN_name.md``: each piece is a comment with the digest and first words of the English, then its translation.

For a piece that is new or whose English has changed, the comment begins with ``todo`` and contains the whole
English; below it is the old translation, if any. The translator translates it and removes the word ``todo``; ``refreshed`` does the rest.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

from fairfl.errors import Refused, refuse
from fairfl_book.book_paths import Book
from fairfl_book.translation import units

ALIKE = 0.7  # similarity from which two beginnings count as the same piece, reworded
WORDS = 60  # characters of the English shown beside a digest
_HEAD = re.compile(rf"^<!-- (todo )?([0-9a-f]{{{units.LENGTH}}})\b(.*?)-->\n?", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Entry:
    """One piece in another language. ``text``: its translation, outdated if ``todo``; "" if there is none. ``words``: the beginning of its English."""

    digest: str
    text: str
    todo: bool = False
    words: str = ""


def file(book: Book, name: str, language: str) -> Path:
    """The path of chapter ``name``'s translation."""
    return book.chapters / language / f"{name}.md"


def names(book: Book, language: str) -> list[str]:
    """The chapters that have a translation, complete or partial, in book order. Raises ``Refused`` for a file that belongs to no chapter."""
    found = sorted(path.stem for path in (book.chapters / language).glob("*.md"))
    if lost := set(found) - set(book.names()):
        raise Refused(
            f"chapters/{language} has {', '.join(sorted(lost))}.md, which belongs to no chapter; allowed: a chapter's name. Rename the file",
            "name",
        )
    return found


def parse(text: str) -> list[Entry]:
    """The entries of a translation file. Raises ``Refused`` for a duplicate digest and for text before the first one."""
    before, *pieces = _HEAD.split(text)
    if before.strip():
        raise refuse(
            "the beginning of a translation",
            before.strip()[:40],
            "<!-- digest first words -->",
            "Write the translation below a comment with its digest, made by 'fairfl-book translate'.",
        )
    entries = [
        Entry(digest, text.strip(), bool(todo), _first(words))
        for todo, digest, words, text in zip(*(pieces[n::4] for n in range(4)))
    ]
    seen: set[str] = set()
    for entry in entries:
        if entry.digest in seen:
            raise refuse("a digest in a translation", entry.digest, "each digest once", "Keep one of the two pieces.")
        seen.add(entry.digest)
    return entries


def read(path: Path) -> dict[str, str]:
    """The translations in the file at ``path``: digest → text; empty if there is no file."""
    if not path.exists():
        return {}
    return {
        entry.digest: entry.text for entry in parse(path.read_text(encoding="utf-8")) if entry.text and not entry.todo
    }


def written(english: Iterable[str], entries: Mapping[str, Entry]) -> str:
    """The translation file for the pieces of ``english``, in their order. ``entries``: by digest."""
    parts = []
    for piece in english:
        entry = entries[units.digest(piece)]
        words = f"\n{_harmless(piece)}\n" if entry.todo else f"{_harmless(_first(piece))} "
        parts.append(f"<!-- {'todo ' if entry.todo else ''}{entry.digest} {words}-->\n{entry.text}".strip())
    return "\n\n".join(parts) + "\n"


def refreshed(english: Iterable[str], old: list[Entry]) -> str:
    """The translation file updated to ``english``: in its order, with new and changed pieces marked ``todo``.

    A piece whose English has changed keeps the old translation for revision: that of the old piece with a similar beginning, or else
    of the one that followed the same piece. Translations that belong to no piece are dropped.
    """
    english = list(english)
    known = {entry.digest: entry for entry in old}
    wanted = {units.digest(piece) for piece in english}
    left = [entry for entry in old if entry.digest not in wanted and entry.text]
    entries = {}
    for piece in english:
        now = units.digest(piece)
        if now in known:
            entries[now] = Entry(now, known[now].text, known[now].todo or not known[now].text)
        elif left:
            nearest = max(left, key=lambda entry: _alike(entry.words, piece))
            if _alike(nearest.words, piece) >= ALIKE:
                left.remove(nearest)
                entries[now] = Entry(now, nearest.text, True)
    follows = {before.digest: entry for before, entry in zip(old, old[1:])}
    last = None
    for piece in english:
        now = units.digest(piece)
        if now not in entries:
            behind = follows.get(last)
            entries[now] = Entry(now, behind.text if behind in left else "", True)
        last = now
    return written(english, entries)


def _alike(words: str, piece: str) -> float:
    """Similarity, from 0 to 1, of the beginnings of two English pieces."""
    other = _first(_harmless(piece))
    shared = min(len(words), len(other))
    return SequenceMatcher(None, words[:shared], other[:shared]).ratio()


def _first(piece):
    words = " ".join(piece.split())
    return words if len(words) <= WORDS else words[:WORDS].rsplit(" ", 1)[0] + " …"


def _harmless(piece):
    """Escape the end of a comment in text that goes inside one."""
    return piece.replace("-->", "--&gt;")
