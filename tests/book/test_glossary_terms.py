"""The glossary's data: both languages, whole sentences, and a term for everything that a chapter says it teaches."""

import tomllib

from fairfl.book import guards, places

BOOK = places.find()
GLOSSARY = tomllib.loads((BOOK.root / "book" / "glossary.toml").read_text(encoding="utf-8"))


def test_terms_are_unique_and_whole():
    terms = GLOSSARY["term"]
    assert len({t["en"].lower() for t in terms}) == len(terms) >= 60
    for t in terms:
        assert t["definition"].endswith(".") and t["definition_zh"].endswith("。"), t["en"]
        assert any("\u4e00" <= c <= "\u9fff" for c in t["definition_zh"]), t["en"]
        assert t["zh"].strip()


def test_whatever_a_chapter_teaches_has_a_term():
    known = {t["en"].lower() for t in GLOSSARY["term"]}
    lacking = {name: [term for term in front.teaches if term.lower() not in known] for name, front in guards.fronts(BOOK).items()}
    assert not any(lacking.values()), lacking


def test_chapters_and_letters_are_there():
    numbers = {name[:2] for name in BOOK.names()}
    assert {t["chapter"] for t in GLOSSARY["term"] if "chapter" in t} <= numbers
    assert all(s["tex"] and s["en"] and s["zh"] for s in GLOSSARY["symbol"]) and len(GLOSSARY["symbol"]) >= 12
