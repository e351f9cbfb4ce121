"""The glossary's data: both languages, whole sentences, and a term for everything that a chapter says it teaches."""

import re
import tomllib

from fairfl_book import book_paths
from fairfl_book.build import notebook_checks

BOOK = book_paths.find()
GLOSSARY = tomllib.loads((BOOK.root / "book" / "glossary.toml").read_text(encoding="utf-8"))
TERMS, SYMBOLS = GLOSSARY["term"], GLOSSARY["symbol"]
FRONTS = notebook_checks.fronts(BOOK)
CHINESE = re.compile(r"[\u4e00-\u9fff]")


def repeated(words):
    return sorted({word for word in words if words.count(word) > 1})


def test_every_term_is_there_once_in_either_language():
    # The site puts both languages into one glossary, where a word may head one entry only.
    assert repeated([term["en"].lower() for term in TERMS] + [term["zh"].lower() for term in TERMS]) == []
    assert repeated([symbol["tex"] for symbol in SYMBOLS]) == []


def test_terms_are_whole_sentences_in_both_languages():
    assert len(TERMS) >= 60
    for term in TERMS:
        assert CHINESE.search(term["zh"]) and CHINESE.search(term["definition_zh"]), f"{term['en']}: no Chinese"
        assert not CHINESE.search(term["en"] + term["definition"]), f"{term['en']}: Chinese in the English part"
        assert term["definition"].endswith(".") and term["definition_zh"].endswith("。"), (
            f"{term['en']}: no full stop at the end"
        )
        assert not re.search(r"[\u4e00-\u9fff][,.;:?]|[,;:?][\u4e00-\u9fff]", term["definition_zh"]), (
            f"{term['en']}: Latin punctuation in Chinese"
        )
        for sentences in (re.split(r"[.?](?:\s|$)", term["definition"]), term["definition_zh"].split("。")):
            assert 2 <= len(sentences) <= 3, f"{term['en']}: one or two sentences a language"


def test_whatever_a_chapter_teaches_has_a_term_that_names_the_chapter():
    known = {term["en"]: term.get("chapter") for term in TERMS}
    wanted = {word: name[:2] for name in sorted(FRONTS, reverse=True) for word in FRONTS[name].teaches}
    wrong = [
        f'{word!r}: add it to book/glossary.toml with chapter = "{digits}"'
        if word not in known
        else f"{word!r}: the glossary says chapter {known[word]}, it is taught in {digits}"
        for word, digits in wanted.items()
        if known.get(word) != digits
    ]
    assert not wrong, "\n".join(wrong)


def test_chapters_that_are_named_exist():
    numbers = {name[:2] for name in BOOK.names()}
    assert {term["chapter"] for term in TERMS if "chapter" in term} <= numbers


def test_the_letters_of_the_rules_are_there_in_both_languages():
    assert all(CHINESE.search(symbol["zh"]) and not CHINESE.search(symbol["en"]) for symbol in SYMBOLS)
    letters = " ".join(symbol["tex"] for symbol in SYMBOLS)
    for letter in (
        r"\lambda",
        r"\rho",
        "A = G G",
        "g_k",
        "f_k",
        "w_t",
        r"\mathrm{dir}",
        "p_k",
        r"\eta",
        r"\ell",
        "s_k",
        r"\epsilon",
        r"\gamma",
        r"\tau",
        r"\mu",
        "q",
        "H_k",
        "r_k",
        r"\Delta",
    ):
        assert letter in letters, letter


def test_a_terms_symbol_is_a_letter_of_the_notation():
    letters = "".join(symbol["tex"] for symbol in SYMBOLS).replace(" ", "")
    for term in TERMS:
        symbol = term.get("symbol", "").replace(" ", "")
        assert not symbol or symbol.partition("=")[0].removesuffix("_k") in letters, (
            f"{term['en']}: {symbol} is not in the notation"
        )
