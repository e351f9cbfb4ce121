"""A translator's file, ``chapters/zh/NN_name.md``: after a comment with the digest and the first words of each English piece, its translation.

A piece that nobody has translated yet, or whose English has changed, is headed by a comment that begins with ``todo`` and holds the whole
English; below it stands what is left of an older translation. Who has translated it takes the word ``todo`` away; ``refreshed`` does the rest.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

from fairfl.errors import Refused, refuse
from fairfl_book.book_paths import Book
from fairfl_book.translation import units

ALIKE = 0.7  # from which on two beginnings are taken for one piece, reworded
WORDS = 60  # letters of the English that stand beside a digest
_HEAD = re.compile(rf"^<!-- (todo )?([0-9a-f]{{{units.LENGTH}}})\b(.*?)-->\n?", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Entry:
    """One piece in another language. ``text``: its translation, or an older one's if ``todo``; "" if there is none. ``words``: as its English begins."""

    digest: str
    text: str
    todo: bool = False
    words: str = ""


def file(book: Book, name: str, language: str) -> Path:
    """Where the translation of chapter ``name`` stands."""
    return book.chapters / language / f"{name}.md"


def names(book: Book, language: str) -> list[str]:
    """The chapters that have a translation, whole or in part, in the book's order. Raises ``ValueError`` for a file of no chapter."""
    found = sorted(path.stem for path in (book.chapters / language).glob("*.md"))
    if lost := set(found) - set(book.names()):
        raise Refused(
            f"chapters/{language} has {', '.join(sorted(lost))}.md, and the book no chapter of that name; rename the file"
        )
    return found


def parse(text: str) -> list[Entry]:
    """The entries of a translator's file. Raises ``ValueError`` for a digest that is there twice, and for text before the first one."""
    before, *pieces = _HEAD.split(text)
    if before.strip():
        raise refuse(
            "the beginning of a translation",
            before.strip()[:40],
            "<!-- digest first words -->",
            "Write the translation below a comment with its digest; 'fairfl-book translate' makes them.",
        )
    entries = [
        Entry(digest, said.strip(), bool(todo), _first(words))
        for todo, digest, words, said in zip(*(pieces[n::4] for n in range(4)))
    ]
    seen: set[str] = set()
    for entry in entries:
        if entry.digest in seen:
            raise refuse("a digest in a translation", entry.digest, "each digest once", "Keep one of the two pieces.")
        seen.add(entry.digest)
    return entries


def read(path: Path) -> dict[str, str]:
    """What is translated in the file at ``path``: digest → text; empty where there is no file."""
    if not path.exists():
        return {}
    return {
        entry.digest: entry.text for entry in parse(path.read_text(encoding="utf-8")) if entry.text and not entry.todo
    }


def written(english: Iterable[str], entries: Mapping[str, Entry]) -> str:
    """The translator's file for the pieces of ``english``, in their order. ``entries``: by digest."""
    parts = []
    for piece in english:
        entry = entries[units.digest(piece)]
        words = f"\n{_harmless(piece)}\n" if entry.todo else f"{_harmless(_first(piece))} "
        parts.append(f"<!-- {'todo ' if entry.todo else ''}{entry.digest} {words}-->\n{entry.text}".strip())
    return "\n\n".join(parts) + "\n"


def refreshed(english: Iterable[str], old: list[Entry]) -> str:
    """The translator's file brought into step with ``english``: in its order, what is new or has changed as ``todo``.

    A piece whose English has changed keeps its old translation, to be mended: that of the piece which began with nearly the same words, or else
    stood behind the same one. What belongs to no piece any more is left out.
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
    """From 0 to 1, how alike the beginnings of two English pieces are."""
    other = _first(_harmless(piece))
    shared = min(len(words), len(other))
    return SequenceMatcher(None, words[:shared], other[:shared]).ratio()


def _first(piece):
    words = " ".join(piece.split())
    return words if len(words) <= WORDS else words[:WORDS].rsplit(" ", 1)[0] + " …"


def _harmless(piece):
    """Text inside a comment: its end may not stand in there."""
    return piece.replace("-->", "--&gt;")
