"""The book's bibliography: reads ``book/references.bib`` and writes the reference lists that chapters print."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from fairfl._extras import needed_by
from fairfl.errors import Refused, refuse, unknown

HEADING = "## References"
_NEEDED = ("author", "title", "year")
_VENUES = ("journal", "booktitle", "publisher")
_LINKS = {"url": "", "doi": "https://doi.org/", "eprint": "https://arxiv.org/abs/"}


@dataclass(frozen=True)
class Reference:
    """One entry. ``authors``: pairs (initials, family name) in the printed order. ``link``: a web address."""

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
    """All entries of the BibTeX file at ``path``, by key. Raises ``ValueError`` if one is malformed."""
    return parse(path.read_text(encoding="utf-8"))


def parse(text: str) -> dict[str, Reference]:
    """All entries of a BibTeX text, by key, in the order of the text.

    Values are plain UTF-8, and authors are written "Family, Given". Raises ``ValueError`` for a syntax error (with its
    line), a repeated key or field, a missing field, a TeX command, and an author without a comma.
    """
    with needed_by("the bibliography"):
        from pybtex.database.input.bibtex import Parser
        from pybtex.exceptions import PybtexError
    try:
        # Authors stay text here, because _authors checks that each name has a comma.
        entries = Parser(person_fields=()).parse_string(text).entries
    except PybtexError as error:
        raise Refused(
            f"the bibliography cannot be read: {error}; allowed: @type{{key, field = {{value}}, ...}}, each key and each "
            "field once. Close every brace, and put a comma after every value.",
            "file",
        ) from error
    return {key: _reference(key, entry.fields) for key, entry in entries.items()}


def _reference(key: str, given: Mapping[str, str]) -> Reference:
    fields = {name.lower(): " ".join(re.sub("[{}]", "", value).split()) for name, value in given.items()}
    for name, value in fields.items():
        if "\\" in value:
            raise refuse(
                f"{name} of the bibliography's entry {key!r}", value, "plain UTF-8 text", "Write é, not {\\'e}.", "file"
            )
    venue = next((fields[name] for name in _VENUES if fields.get(name)), "")
    link = next((before + fields[name] for name, before in _LINKS.items() if fields.get(name)), "")
    have = {**{name: fields.get(name, "") for name in _NEEDED}, "/".join(_VENUES): venue, "/".join(_LINKS): link}
    missing = [name for name, value in have.items() if not value]
    if missing or not fields["year"].isdigit():
        raise refuse(
            f"the bibliography's entry {key!r}",
            {name: fields.get(name) for name in _NEEDED},
            f"an entry with {', '.join(have)}; the year in digits",
            f"Add {', '.join(missing) or 'a year'}.",
            "missing" if missing else "file",
        )
    details = [fields[name] for name in ("volume", "pages") if fields.get(name)]
    printed = ", ".join([venue, *details]).replace("--", "–")
    return Reference(key, _authors(fields["author"]), fields["title"], int(fields["year"]), printed, link)


def _authors(text: str) -> tuple[tuple[str, str], ...]:
    from pybtex.bibtex.utils import split_name_list
    from pybtex.database import Person

    authors = []
    for name in split_name_list(text):
        if "," not in name:
            raise refuse(
                "an author in the bibliography", name, "'Family, Given'", "Join several authors with ' and '.", "file"
            )
        person = Person(name)
        given = person.bibtex_first_names
        initials = ["-".join(f"{part[0]}." for part in word.split("-") if part) for word in given]
        authors.append((" ".join(initials), " ".join(person.prelast_names + person.last_names + person.lineage_names)))
    return tuple(authors)


def lines(keys: Iterable[str], entries: Mapping[str, Reference]) -> list[str]:
    """The reference list of a chapter that cites ``keys``, sorted by family name, year and title.

    Raises ``ValueError`` for a key that is not in the bibliography.
    """
    cited = []
    for key in keys:
        if key not in entries:
            raise unknown("BibTeX key", key, entries, "Add the entry to book/references.bib.")
        cited.append(entries[key])
    return [entry.line for entry in sorted(cited, key=lambda entry: (entry.authors[0][1], entry.year, entry.title))]
