import pytest
from fairfl_book import book_paths
from fairfl_book.site import glossary

BOOK = book_paths.find()
ENTRY = '[[term]]\nen = "rate"\nzh = "速率"\ndefinition = "How fast."\ndefinition_zh = "快慢。"\n'


def load(tmp_path, text):
    path = tmp_path / "glossary.toml"
    path.write_text(text, encoding="utf-8")
    return glossary.load(path)


def test_the_books_glossary_is_whole_and_its_chapters_exist():
    terms, symbols = glossary.load(BOOK.root / "book" / "glossary.toml")
    assert {"weight", "rate", "Gram matrix"} <= {term.en for term in terms} and symbols
    chapters = {name[:2]: name for name in BOOK.names()}
    page = glossary.terms_page(terms, chapters)
    assert all(f"\n{term.en}\n[{term.zh}]" in page for term in terms)


def test_chinese_is_marked_as_chinese_and_the_chapter_is_linked(tmp_path):
    terms, _ = load(tmp_path, ENTRY + "chapter = \"00\"\nsymbol = '\\rho'\n")
    page = glossary.terms_page(terms, {"00": "00_start_here"})
    assert (
        "rate\n[速率]{.language-zh}\n  How fast. Symbol: $\\rho$. [Chapter 0](00_start_here.ipynb).\n\n  {.language-zh}\n  快慢。"
        in page
    )


@pytest.mark.parametrize(
    "text, told",
    [
        (ENTRY.replace("zh =", "cn ="), "Did you mean"),
        (ENTRY.replace('"How fast."', '""'), "Write definition"),
        (ENTRY + ENTRY, "each term and symbol once"),
        ("[[word]]\n", "unknown table"),
    ],
)
def test_an_entry_that_is_not_whole_is_refused(tmp_path, text, told):
    with pytest.raises(ValueError, match=told):
        load(tmp_path, text)


def test_a_chapter_that_does_not_exist_is_refused(tmp_path):
    terms, _ = load(tmp_path, ENTRY + 'chapter = "77"\n')
    with pytest.raises(ValueError, match="77"):
        glossary.terms_page(terms, {"00": "00_start_here"})
