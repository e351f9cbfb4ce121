"""Cards for spaced review: the glossary in the text format that Anki imports."""

import csv
import re

import pytest
from fairfl_book import book_paths, command
from fairfl_book.site import glossary
from fairfl_book.site.glossary import Symbol, Term
from fairfl_book.teaching import anki_cards
from refusals import refused

BOOK = book_paths.find()
TERMS, SYMBOLS = glossary.load(BOOK.root / "book" / "glossary.toml")


def read(content):
    """The headers and the cards of a file, as Anki reads them."""
    lines = content.decode("utf-8").split("\n")
    head = dict(line[1:].split(":", 1) for line in lines if line.startswith("#"))
    return head, list(csv.reader((line for line in lines if line and not line.startswith("#")), delimiter="\t"))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_term_and_letter_is_one_card_with_its_chapter_as_tag(language):
    head, cards = read(anki_cards.made(BOOK, language))
    assert (head["separator"], head["html"], head["tags column"]) == ("tab", "true", "3")
    assert head["deck"] == anki_cards.DECKS[language] and head["columns"].split("\t") == ["Front", "Back", "Tags"]
    assert len(cards) == len(TERMS) + len(SYMBOLS) and all(len(card) == 3 and all(card) for card in cards)
    assert len({front for front, *_ in cards}) == len(cards), (
        "Anki would take the second for a new version of the first"
    )
    tags = {front: tag for front, _, tag in cards}
    for term in TERMS:
        assert tags[anki_cards.html(term.en if language == "en" else term.zh)] == f"fairfl::chapter-{term.chapter}"
    assert all(re.fullmatch(r"fairfl::(chapter-\d\d|notation)", tag) for tag in tags.values()), "a tag has no spaces"
    assert "$" not in "".join(front + back for front, back, _ in cards), "Anki's formulas stand between other brackets"


def test_markup_formulas_and_quotes_survive():
    term = Term('"a" < b', "甲", "For $x < y$ & more", "丙", symbol=r"\lambda_k", chapter="04")
    [front, back, tag] = anki_cards.cards([term], [], "en")[0]
    assert front == '"a" &lt; b' and tag == "fairfl::chapter-04"
    assert back.startswith(r"For \(x &lt; y\) &amp; more") and r"\(\lambda_k\), Chapter 4" in back
    [letter] = anki_cards.cards([], [Symbol(r"K,\ d", "clients", "客户端", "(K,)")], "en")
    assert letter[0] == r"\(K,\ d\)" and "(K,)" in letter[1] and letter[2] == "fairfl::notation"


def test_the_command_writes_the_file(tmp_path, capsys):
    assert command.main(["cards", "--out", str(tmp_path / "c.txt"), "--language", "zh"]) == 0
    assert (tmp_path / "c.txt").read_bytes() == anki_cards.made(BOOK, "zh")
    assert str(len(TERMS) + len(SYMBOLS)) in capsys.readouterr().out
    with refused("name", "xx"):
        anki_cards.made(BOOK, "xx")
