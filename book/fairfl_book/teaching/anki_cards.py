"""Cards for spaced review, made from the glossary: a text file that Anki imports (File, Import).

A card asks for the meaning of a term or a letter. Its tag is the chapter that teaches the term, so a class can unlock the cards chapter by chapter. The first lines of the file tell Anki what is
in it: https://docs.ankiweb.net/importing/text-files.html. The first field is unique, so a second import updates the cards and keeps the dates of review.
"""

import csv
import io
import re
from collections.abc import Iterable
from html import escape

from fairfl_book.book_paths import Book
from fairfl_book.site import glossary
from fairfl_book.site.glossary import Symbol, Term
from fairfl_book.translation import sentences

DECKS = {"en": "Fair federated learning", "zh": "公平联邦学习"}  # by language
_CHAPTERS = {"en": "Chapter {number}", "zh": "第 {number} 章"}
_COMMA = {"en": ", ", "zh": "，"}
TAG = "fairfl"  # the common part of all tags; Anki shows tags with :: as a tree
_FORMULA = re.compile(r"\$([^$]+)\$")

Card = tuple[str, str, str]


def file_name(language: str) -> str:
    """The name of the file in ``language``."""
    return f"fairfl-cards-{language}.txt"


def made(book: Book, language: str = sentences.ENGLISH) -> bytes:
    """The file of all cards in ``language``, "en" or "zh". Raises ``Refused`` for another one."""
    sentences.refuse_unknown(language, DECKS)
    terms, symbols = glossary.load(book.root / "book" / "glossary.toml")
    ordered = sorted(terms, key=lambda term: (term.chapter, term.en.lower()))
    text = io.StringIO(newline="")
    text.write(f"#separator:tab\n#html:true\n#deck:{DECKS[language]}\n#columns:Front\tBack\tTags\n#tags column:3\n")
    writer = csv.writer(text, delimiter="\t", lineterminator="\n")
    writer.writerows(cards(ordered, symbols, language))
    return text.getvalue().encode("utf-8")


def cards(terms: Iterable[Term], symbols: Iterable[Symbol], language: str) -> list[Card]:
    """Front, back and tags of every card: first the terms, then the letters."""
    return [*(_of_term(term, language) for term in terms), *(_of_symbol(symbol, language) for symbol in symbols)]


def _of_term(term: Term, language: str) -> Card:
    front, meaning = (term.en, term.definition) if language == sentences.ENGLISH else (term.zh, term.definition_zh)
    extra = [f"\\({escape(term.symbol)}\\)"] if term.symbol else []
    if term.chapter:
        extra.append(_CHAPTERS[language].format(number=int(term.chapter)))
    small = f"<br><small>{_COMMA[language].join(extra)}</small>" if extra else ""
    return html(front), html(meaning) + small, f"{TAG}::chapter-{term.chapter}" if term.chapter else TAG


def _of_symbol(symbol: Symbol, language: str) -> Card:
    meaning = symbol.en if language == sentences.ENGLISH else symbol.zh
    shape = f"<br><small>{escape(symbol.shape)}</small>" if symbol.shape else ""
    return f"\\({escape(symbol.tex)}\\)", html(meaning) + shape, f"{TAG}::notation"


def html(text: str) -> str:
    """A text of the glossary as HTML: formulas between dollar signs in the form that Anki's MathJax reads."""
    return _FORMULA.sub(r"\\(\1\\)", escape(text, quote=False))
