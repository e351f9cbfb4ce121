"""The one bibliography: a careful reader of ``book/references.bib``, and the lines that chapters print from it."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from fairfl.errors import refuse, unknown

HEADING = "## References"
_NEEDED = ("author", "title", "year")
_VENUES = ("journal", "booktitle", "publisher")
_LINKS = {"url": "", "doi": "https://doi.org/", "eprint": "https://arxiv.org/abs/"}
_HEAD, _FIELD = re.compile(r"@([a-z]+)\{\s*([\w:-]+)\s*,"), re.compile(r"\s*([a-z]+)\s*=\s*")
_SIMPLE, _COMMA, _END = re.compile(r'"([^"]*)"|(\d+)'), re.compile(r"\s*,"), re.compile(r"\s*\}")


@dataclass(frozen=True)
class Reference:
    """One entry. ``authors``: (initials, family name) pairs in the printed order; ``link``: an address."""

    key: str
    authors: tuple[tuple[str, str], ...]
    title: str
    year: int
    venue: str
    link: str

    @property
    def line(self) -> str:
        """The entry as one item of a Markdown list."""
        names = [f"{initials} {family}".strip() for initials, family in self.authors]
        joined = " and ".join([", ".join(names[:-1]), names[-1]] if names[1:] else names)
        return f"- {joined} ({self.year}). [{self.title}]({self.link}). *{self.venue}*."


def load(path: Path) -> dict[str, Reference]:
    """Every entry of the BibTeX file at ``path``, by key. Raises ``ValueError``, with the line, if malformed."""
    return parse(path.read_text(encoding="utf-8"))


def parse(text: str) -> dict[str, Reference]:
    """Every entry of a BibTeX text, by key.

    Understood: ``@type{key, field = {value}, ...}``, values in braces (nested ones are dropped) or quotation
    marks or bare numbers, UTF-8, comments outside entries. Not understood, and refused: TeX commands, ``@string``.
    """
    entries = {}
    position = 0
    while (start := text.find("@", position)) >= 0:
        line = text.count("\n", 0, start) + 1
        head = _HEAD.match(text, start)
        if not head:
            raise refuse(
                f"the entry in line {line} of the bibliography",
                text[start : start + 30],
                "@type{key, field = {value}, ...} with a lower-case type",
                "Write one entry a paragraph.",
            )
        position, fields = _fields(text, head.end(), line)
        if head[2] in entries:
            raise refuse(
                f"the key in line {line} of the bibliography", head[2], "each key once", "Merge the two entries."
            )
        entries[head[2]] = _reference(head[2], fields, line)
    return entries


def _fields(text: str, position: int, line: int) -> tuple[int, dict[str, str]]:
    fields = {}
    while not (end := _END.match(text, position)):
        name = _FIELD.match(text, position)
        if not name:
            raise refuse(
                f"a field of the entry in line {line} of the bibliography",
                text[position : position + 30].strip(),
                "name = {value}",
                "Close every brace and put a comma after every value.",
            )
        position, value = _value(text, name.end(), line)
        if "\\" in value:
            raise refuse(
                f"{name[1]} of the entry in line {line} of the bibliography",
                value,
                "plain UTF-8 text",
                "Write é, not {\\'e}.",
            )
        fields[name[1]] = " ".join(re.sub("[{}]", "", value).split())
        comma = _COMMA.match(text, position)
        position = comma.end() if comma else position
    return end.end(), fields


def _value(text: str, position: int, line: int) -> tuple[int, str]:
    if text[position : position + 1] == "{":
        depth = 0
        for end in range(position, len(text)):
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            if depth == 0:
                return end + 1, text[position + 1 : end]
    simple = _SIMPLE.match(text, position)
    if not simple:
        raise refuse(
            f"a value of the entry in line {line} of the bibliography",
            text[position : position + 30],
            '{...}, "..." or a number',
            "Close every brace.",
        )
    return simple.end(), simple[1] or simple[2] or ""


def _reference(key: str, fields: dict[str, str], line: int) -> Reference:
    venue = next((fields[name] for name in _VENUES if fields.get(name)), "")
    link = next((before + fields[name] for name, before in _LINKS.items() if fields.get(name)), "")
    have = {**{name: fields.get(name, "") for name in _NEEDED}, "/".join(_VENUES): venue, "/".join(_LINKS): link}
    missing = [name for name, value in have.items() if not value]
    if missing or not fields["year"].isdigit():
        raise refuse(
            f"the entry {key!r} in line {line} of the bibliography",
            {n: fields.get(n) for n in _NEEDED},
            f"an entry with {', '.join(have)}; the year in digits",
            f"Add {', '.join(missing) or 'a year'}.",
        )
    details = [fields[name] for name in ("volume", "pages") if fields.get(name)]
    authors = tuple(_author(name) for name in fields["author"].split(" and "))
    printed = ", ".join([venue, *details]).replace("--", "–")
    return Reference(key, authors, fields["title"], int(fields["year"]), printed, link)


def _author(name: str) -> tuple[str, str]:
    family, comma, given = name.partition(",")
    if not comma:
        raise refuse("an author in the bibliography", name, "'Family, Given'", "Join several by ' and '.")
    initials = ["-".join(f"{part[0]}." for part in word.split("-") if part) for word in given.split()]
    return " ".join(initials), family.strip()


def lines(keys: Iterable[str], entries: Mapping[str, Reference]) -> list[str]:
    """The reference list of a chapter that cites ``keys``, by family name, then year.

    Raises ``ValueError`` for a key that is not in the bibliography.
    """
    cited = []
    for key in keys:
        if key not in entries:
            raise unknown("BibTeX key", key, entries, "Add the entry to book/references.bib.")
        cited.append(entries[key])
    return [entry.line for entry in sorted(cited, key=lambda entry: (entry.authors[0][1], entry.year, entry.title))]
