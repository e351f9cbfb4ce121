"""Chapter metadata: the ``fairfl:`` block at the top of a chapter's text, and how chapters build on each other."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields

from fairfl.errors import Refused, refuse, unknown

# What readers are expected to know. Every other term must be taught by an earlier chapter.
PREREQUISITES = frozenset(
    {
        "calculus",
        "gradient descent",
        "linear algebra",
        "machine learning",
        "NumPy",
        "plots",
        "probability",
        "Python",
        "PyTorch",
        "statistics",
    }
)


@dataclass(frozen=True)
class FrontMatter:
    """The metadata of a chapter.

    ``title``: the chapter's first heading. ``promise``: one sentence on what the chapter shows. ``able``: what the
    reader will be able to do, at least one thing. ``teaches``: terms that later chapters may need. ``needs``: terms
    taught by earlier chapters, or ``PREREQUISITES``. ``minutes``: reading time. ``exercise_minutes``: time for all
    exercises. Both are computed by ``reading_time``. ``cites``: keys of the bibliography. ``shortest``: the headings of
    its sections on the shortest way through the book; empty if that way skips the chapter.
    """

    title: str
    promise: str
    able: tuple[str, ...]
    teaches: tuple[str, ...]
    needs: tuple[str, ...]
    minutes: int
    exercise_minutes: int
    cites: tuple[str, ...]
    shortest: tuple[str, ...]


@dataclass(frozen=True)
class Companion:
    """The metadata of a companion. ``companion_of``: the name of its chapter. ``title``, ``promise``, ``cites``: as in
    ``FrontMatter``."""

    companion_of: str
    title: str
    promise: str
    cites: tuple[str, ...]


FIELDS = tuple(field.name for field in fields(FrontMatter))


def _text(name: str, value: object) -> str:
    if not isinstance(value, str) or not value.strip() or value != value.strip() or "\n" in value:
        raise refuse(
            f"front matter {name}",
            value,
            "one line of text",
            "If YAML reads it as something else, put it in quotation marks.",
        )
    return value


def _list(name: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise refuse(f"front matter {name}", value, "a list of texts", f"Write '{name}: []' for none.", "type")
    items = tuple(_text(name, item) for item in value)
    repeated = sorted({item for item in items if items.count(item) > 1})
    if repeated:
        raise refuse(f"front matter {name}", value, "each entry once", f"Remove the second {repeated[0]!r}.")
    return items


def _minutes(name: str, block: Mapping, low: int) -> int:
    value = block[name]
    if type(value) is not int or value < low:
        remedy = "Run 'python -m fairfl_book.build.reading_time', which computes the minutes."
        raise refuse(f"front matter {name}", value, f"a whole number, {low} or more", remedy)
    return value


def read(block: object) -> FrontMatter:
    """The front matter in ``block``, the value of the header's ``fairfl`` key.

    Raises ``ValueError`` for a missing, unknown or malformed field.
    """
    if not isinstance(block, Mapping):
        raise refuse(
            "front matter fairfl",
            block,
            f"a block with {', '.join(FIELDS)}",
            "Copy the header from CONTRIBUTING.md.",
            "missing" if block is None else "type",
        )
    for name in sorted(set(block) - set(FIELDS)):
        raise unknown("front matter field", name, FIELDS)
    for name in FIELDS:
        if name not in block:
            raise Refused(
                f"front matter lacks {name!r}; needed: {', '.join(FIELDS)}. A list may be empty: '{name}: []'.",
                "missing",
            )
    times = {"minutes": _minutes("minutes", block, 1), "exercise_minutes": _minutes("exercise_minutes", block, 0)}
    promise = _text("promise", block["promise"])
    if promise[-1] not in ".?!。？！" or re.search(r"[.?!]\s+[A-Z]", promise):
        raise refuse(
            "front matter promise",
            promise,
            "one sentence that ends with '.', '?' or '!'",
            "Write the one thing that a reader should remember.",
        )
    able = _list("able", block["able"])
    if not able:
        raise refuse(
            "front matter able", list(able), "at least one entry", "Finish the sentence 'you will be able to …'."
        )
    lists = {name: _list(name, block[name]) for name in ("teaches", "needs", "cites", "shortest")}
    return FrontMatter(title=_text("title", block["title"]), promise=promise, able=able, **times, **lists)


def read_companion(block: object) -> Companion:
    """The front matter of a companion in ``block``. Raises ``ValueError`` for a missing, unknown or malformed field."""
    known = tuple(field.name for field in fields(Companion))
    if not isinstance(block, Mapping):
        raise refuse(
            "front matter fairfl",
            block,
            f"a block with {', '.join(known)}",
            "Copy the header of another companion.",
            "missing" if block is None else "type",
        )
    for name in sorted(set(block) - set(known)):
        raise unknown("front matter field of a companion", name, known)
    for name in known:
        if name not in block:
            raise Refused(f"The companion's front matter lacks {name!r}. It needs {', '.join(known)}.", "missing")
    texts = {name: _text(name, block[name]) for name in ("companion_of", "title", "promise")}
    return Companion(cites=_list("cites", block["cites"]), **texts)


def needed(chapters: Mapping[str, FrontMatter]) -> dict[str, list[str]]:
    """For each chapter, the earlier chapters that teach what it needs, in book order."""
    taught = {term: name for name in sorted(chapters, reverse=True) for term in chapters[name].teaches}
    return {
        name: sorted({taught[term] for term in front.needs if term in taught} - {name})
        for name, front in sorted(chapters.items())
    }


def dangling(chapters: Mapping[str, FrontMatter]) -> list[str]:
    """Problems in how chapters build on each other: terms needed before they are taught, and terms taught twice.

    ``chapters``: front matter by chapter name, in any order. Book order is the order of the names.
    """
    problems, taught = [], {}
    for name in sorted(chapters):
        front = chapters[name]
        for term in front.needs:
            if term not in taught and term not in PREREQUISITES:
                problems.append(f"{name}: needs: {_later(term, name, chapters, taught)}")
        for term in front.teaches:
            if term in taught:
                problems.append(
                    f"{name}: teaches {term!r}, which {taught[term]} already teaches; remove it from one of them."
                )
            elif term in PREREQUISITES:
                problems.append(
                    f"{name}: teaches {term!r}, which is a prerequisite; choose a narrower term for what the chapter adds."
                )
            taught.setdefault(term, name)
    return problems


def _later(term: str, name: str, chapters: Mapping[str, FrontMatter], taught: Mapping[str, str]) -> str:
    for other in sorted(chapters):
        if other >= name and term in chapters[other].teaches:
            return f"{term!r} is taught in {other}, which comes after {name}; reorder the chapters, or teach it here."
    return str(
        unknown(
            "term",
            term,
            {*taught, *PREREQUISITES},
            "A term in needs must be a prerequisite or taught in an earlier chapter.",
        )
    )
