"""Where things are in the printed book: labels, and what a link of a notebook becomes on paper."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import groupby
from string import ascii_lowercase
from urllib.parse import unquote

from fairfl.errors import Refused
from fairfl_book import anchors
from fairfl_book.build import figure_numbers
from fairfl_book.build.bibtex import Reference
from fairfl_book.paper.typst_text import called, quoted

_CHAPTER = re.compile(r"(?:\.\./|more/)*(\d\d)_[a-z0-9_]+?(_more)?\.(?:ipynb|md|html)(#\S+)?")
_REFERENCES = "#References"


@dataclass
class Places:
    """Labels that the book sets, and labels that it refers to. ``references``: the bibliography. ``letters``: after the
    years of works that authors and year do not tell apart, by key.

    Every mention is checked at the end, because a chapter may refer to a later one.
    """

    references: Mapping[str, Reference]
    labels: set[str] = field(default_factory=set)
    asked: dict[str, str] = field(default_factory=dict)
    cited: set[str] = field(default_factory=set)
    letters: Mapping[str, str] = field(init=False)

    def __post_init__(self) -> None:
        self.letters = _letters(self.references)

    def set(self, label: str, where: str) -> str:
        """``label`` as a string of Typst's code, recorded as set. Raises ``Refused`` if it is set twice."""
        if label in self.labels:
            raise Refused(
                f"{where}: the place {label!r} exists already. Give the heading or formula another name.", "file"
            )
        self.labels.add(label)
        return quoted(label)

    def ask(self, label: str, where: str) -> str:
        """``label`` as a string of Typst's code, recorded as needed at ``where``."""
        self.asked.setdefault(label, where)
        return quoted(label)

    def check(self) -> None:
        """Raise ``Refused``, with file and line, if the book refers to a place that it does not have."""
        for label, where in self.asked.items():
            if label not in self.labels:
                raise Refused(
                    f"{where}: refers to {label!r}, which is not in the book. Correct the link, or give the heading, "
                    "figure or exercise that name.",
                    "file",
                )

    def link(self, address: str, words: str, plain: str, chapter: "Chapter", where: str) -> str:
        """The link ``[words](address)`` of ``chapter``, in Typst. ``plain``: its words without markup."""
        if address == _REFERENCES:
            key = self.citation(plain, chapter.cites, where)
            year = str(self.references[key].year)
            words = (year + self.letters.get(key, "")).join(words.rsplit(year, 1))
            return called("cited", quoted(key), body=words)
        if found := _CHAPTER.fullmatch(address):
            label = f"c{found[1]}{'m' if found[2] else ''}" + (f"-{plainly(found[3][1:])}" if found[3] else "")
            return called("there", self.ask(label, where), body=words)
        if address.startswith("#"):
            return called("there", self.ask(f"{chapter.prefix}-{plainly(unquote(address[1:]))}", where), body=words)
        if re.match(r"https?://", address):
            return called("elsewhere", quoted(address), body=words)
        return words  # a file of the repository, which paper cannot open

    def citation(self, words: str, cites: list[str], where: str) -> str:
        """The key that the citation ``words``, such as "Jaggi, 2013", stands for among ``cites``."""
        year = re.search(r"\b(\d{4})\b", words)
        fits = [
            key
            for key in cites
            if year and self.references[key].year == int(year[1]) and self.references[key].authors[0][1] in words
        ]
        if len(fits) > 1:  # several of one family in one year: all names that are printed decide
            fits.sort(key=lambda key: -sum(family in words for _, family in self.references[key].authors))
            count = [sum(family in words for _, family in self.references[key].authors) for key in fits]
            fits = fits[:1] if count[0] > count[1] else fits
        if not fits:
            raise Refused(
                f"{where}: the citation {words!r} fits none of the chapter's `cites`: {', '.join(cites)}. "
                "Write the first author's family name and the year.",
                "file",
            )
        self.cited.add(fits[0])
        return fits[0]


def order(entry: Reference) -> tuple[str, int, str]:
    """Where ``entry`` stands in the list of references."""
    return entry.authors[0][1], entry.year, entry.title


def _letters(references: Mapping[str, Reference]) -> dict[str, str]:
    """ "a", "b", … by key, for works of one year that a citation may name alike."""

    def cited(entry: Reference) -> tuple[str, int, str]:
        others = entry.authors[1][1] if len(entry.authors) == 2 else "et al." * (len(entry.authors) > 2)
        return entry.authors[0][1], entry.year, others

    made: dict[str, str] = {}
    for _, group in groupby(sorted(references.values(), key=lambda one: (*cited(one), one.title)), cited):
        alike = list(group)
        if len(alike) > 1:
            made |= {entry.key: letter for entry, letter in zip(alike, ascii_lowercase)}
    return made


@dataclass(frozen=True)
class Chapter:
    """A chapter or companion of the printed book. ``name``: as its notebook. ``number``: "4", or "C4" for a companion.

    ``prefix``: of its labels. ``cites``: its keys of the bibliography.
    """

    name: str
    number: str
    prefix: str
    cites: list[str]


def plainly(heading: str) -> str:
    """The part of a label that names a section, from its heading or from a notebook's link to it: the site's anchor."""
    return anchors.on_a_page(anchors.of(heading))


def figure(number: str) -> str:
    """The label of figure ``number``."""
    return figure_numbers.anchor(number)


def formula(prefix: str, number: str) -> str:
    """The label of formula ``number`` in the chapter whose labels begin with ``prefix``."""
    return f"{prefix}-formula-{number.lower()}"
