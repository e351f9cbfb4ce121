"""The pages Glossary and Notation, made from ``book/glossary.toml``."""

import tomllib
import unicodedata
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from pathlib import Path

from fairfl.errors import refuse, unknown


@dataclass(frozen=True)
class Term:
    """A term in both languages. ``symbol``: its letter, as LaTeX. ``chapter``: two digits, the chapter that teaches it.
    ``everyday``: whether it is also an everyday word. Such a word does not become a link, because it need not mean the
    term."""

    en: str
    zh: str
    definition: str
    definition_zh: str
    symbol: str = ""
    chapter: str = ""
    everyday: bool = False


@dataclass(frozen=True)
class Symbol:
    """A symbol of the notation. ``tex``: as LaTeX. ``shape``: as text, empty for a number."""

    tex: str
    en: str
    zh: str
    shape: str = ""


def load(path: Path) -> tuple[list[Term], list[Symbol]]:
    """Terms by their English names, and symbols in file order. Raises ``ValueError`` for an incomplete entry."""
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    for name in set(data) - {"term", "symbol"}:
        raise unknown("table in the glossary", name, ("term", "symbol"))
    terms = [_entry(Term, entry) for entry in data.get("term", [])]
    symbols = [_entry(Symbol, entry) for entry in data.get("symbol", [])]
    for entry in _twice([term.en for term in terms] + [symbol.tex for symbol in symbols]):
        raise refuse("an entry of the glossary", entry, "each term and symbol once", "Merge the two entries.")
    return sorted(terms, key=lambda term: term.en.lower()), symbols


def _entry(kind: type, entry: Mapping) -> Term | Symbol:
    known = {field.name: field.default is MISSING for field in fields(kind)}
    name = entry.get("en", entry.get("tex", "without a name"))
    for key, value in entry.items():
        if key not in known:
            raise unknown(f"key of the glossary's entry {name!r}", key, known)
        if key == "everyday":
            if value is not True:
                raise refuse(f"everyday of the glossary's entry {name!r}", value, "true", "Or leave it out.")
        elif not isinstance(value, str) or "\n\n" in value:
            raise refuse(
                f"{key} of the glossary's entry {name!r}", value, "one paragraph of text", "Put it in quotation marks."
            )
    for key, needed in known.items():
        if needed and not entry.get(key, "").strip():
            raise refuse(f"{key} of the glossary's entry {name!r}", entry.get(key), "a text", f'Write {key} = "...".')
    return kind(**{key: value if value is True else " ".join(value.split()) for key, value in entry.items()})


def _twice(names: list[str]) -> list[str]:
    return [name for n, name in enumerate(names) if name in names[:n]]


def terms_page(terms: list[Term], chapters: Mapping[str, str]) -> str:
    """The glossary in MyST. ``chapters``: two digits → page name, for links to the chapter that teaches a term. The
    name is empty for a chapter without a notebook, which has no page."""
    lines = [
        "# Glossary",
        "",
        "Every term with its Chinese counterpart and the chapter that teaches it. "
        "The letters are on the page [Notation](notation.md).",
        "",
        " · ".join(f"[{letter}](#{letter.lower()})" for letter in sorted({_letter(term.en) for term in terms})),
        "",
    ]
    letter = ""
    for term in sorted(terms, key=lambda term: _spelt(term.en)):
        if letter != (letter := _letter(term.en)):
            lines += [*(["````", ""] if len(lines) > 6 else []), f"## {letter}", "", "````{glossary}"]
        if term.chapter and term.chapter not in chapters:
            raise unknown(
                f"chapter of the glossary's entry {term.en!r}",
                term.chapter,
                chapters,
                "Two digits of a chapter that exists.",
            )
        symbol = f" Symbol: ${term.symbol}$." if term.symbol else ""
        taught = f" {_chapter(term.chapter, chapters[term.chapter])}." if term.chapter else ""
        lines += [
            term.en,
            f"[{term.zh}]{{.language-zh}}",
            f"  {term.definition}{symbol}{taught}",
            "",
            "  {.language-zh}",
            f"  {term.definition_zh}",
            "",
        ]
    return "\n".join([*lines, "````", ""])


def _spelt(term: str) -> str:
    """``term`` as it is sorted: a Greek letter by its name, so that ε stands under E."""
    return "".join(
        unicodedata.name(letter).split()[-1] if unicodedata.name(letter).startswith("GREEK") else letter
        for letter in term
    ).casefold()


def _letter(term: str) -> str:
    return _spelt(term)[0].upper()


def _chapter(digits: str, page: str) -> str:
    words = f"Chapter {int(digits)}"
    return f"[{words}]({page}.ipynb)" if page else words


def symbols_page(symbols: list[Symbol]) -> str:
    """The notation in MyST, as one table."""
    rows = [f"| ${symbol.tex}$ | {symbol.en} | [{symbol.zh}]{{.language-zh}} | {symbol.shape} |" for symbol in symbols]
    return "\n".join(
        [
            "# Notation",
            "",
            "The same letters in text, formulas and code. A shape of (K,) is a list of K numbers, one a client.",
            "",
            "| symbol | meaning | 含义 | shape |",
            "|---|---|---|---|",
            *rows,
            "",
        ]
    )
