"""The note, and any page of Markdown with formulas, printed as a PDF by headless Chromium. $CHROMIUM names the browser.

What needs MathJax is skipped by name where nobody fetched it (`make note`, `make book`).
"""

import io
import re

import pytest
from fairfl_book import book_paths
from fairfl_book.build import book_pdf, note_pdf, print_html

pytestmark = pytest.mark.site

BOOK = book_paths.find()
SCRIPT = BOOK.root / "book" / "_vendor" / note_pdf.SCRIPT
HEAD = '---\ntitle: "A < B"\nby: "Ada"\ncites: [x]\n---\n'
fetched = pytest.mark.skipif(not SCRIPT.exists(), reason="MathJax is not fetched (make note)")


def made(body, tmp_path, picture=str):
    file = tmp_path / "page.html"
    file.write_text(note_pdf.page(HEAD + body, picture, lambda keys: [f"- {keys}"], SCRIPT), encoding="utf-8")
    return file


@fetched
def test_formulas_become_drawings_and_the_page_a_pdf(browser, tmp_path):
    file = made("Let $x_1 < y$.\n\n| a | b |\n|---|---|\n| $\\lvert x\\rvert$ | 1 |\n\n$$ x^2 \\tag{1} $$\n", tmp_path)
    sheet = browser.new_page()
    sheet.goto(file.as_uri())
    sheet.evaluate(note_pdf._READY)
    assert sheet.locator("mjx-container").count() == 3 and sheet.title() == "A < B"
    assert not re.search(r"\$|\\\(", sheet.locator("body").inner_text())
    sheet.close()
    printed = note_pdf.pdf(browser, file.as_uri())
    assert printed.startswith(b"%PDF-") and len(printed) > 5_000


@fetched
@pytest.mark.parametrize("formula", ["\\frac{1", "\\nosuchthing x", "x^1^2"])
def test_a_formula_that_nobody_understands_is_refused(browser, tmp_path, formula):
    with pytest.raises(ValueError, match="rejects a formula|was not typeset"):
        note_pdf.pdf(browser, made(f"${formula}$", tmp_path).as_uri())


@fetched
def test_the_note_prints_with_all_its_formulas_and_pictures(browser, tmp_path):
    file = tmp_path / "note.html"
    file.write_text(note_pdf.note(BOOK), encoding="utf-8")
    sheet = browser.new_page()
    sheet.goto(file.as_uri())
    sheet.evaluate(note_pdf._READY)
    assert sheet.locator('[data-mml-node="merror"]').count() == 0
    assert sheet.locator("mjx-container svg").count() > 150
    assert "$" not in sheet.locator("body").inner_text(), "a formula stays LaTeX"
    sizes = sheet.evaluate("[...document.images].map(i => i.naturalWidth)")
    assert len(sizes) == 3 and min(sizes) > 500
    wide = sheet.evaluate(
        "[...document.querySelectorAll('table, mjx-container')].filter(e => e.getBoundingClientRect().right > innerWidth).length"
    )
    assert wide == 0, "something is wider than the page"
    sheet.close()
    assert note_pdf.pdf(browser, file.as_uri()).startswith(b"%PDF-")


@fetched
def test_the_contents_name_the_pages_on_which_headings_fall(browser, tmp_path):
    pypdf = pytest.importorskip("pypdf", reason="the extra dev brings it")
    sheet = 'style="break-before: page"'
    headings = [
        print_html.Heading(1, "1. A < B", "a"),
        print_html.Heading(2, "$x$", "b"),
        print_html.Heading(1, "A word " * 25, "c"),
    ]
    body = (
        book_pdf.contents(headings)
        + f'<h1 id="a" {sheet}>1. A</h1><h2 id="b" {sheet}>x</h2><h1 id="c" {sheet}>{"A word " * 25}</h1>'
    )
    file = tmp_path / "page.html"
    file.write_text(note_pdf.document("T", body, SCRIPT, book_pdf.STYLE), encoding="utf-8")
    printed = book_pdf.bound(browser, file.as_uri(), ["contents", "a", "b", "c"])
    pages = pypdf.PdfReader(io.BytesIO(printed)).pages
    numbers = book_pdf.pages_of_bookmarks(printed)
    assert [number - numbers[0] for number in numbers] == [0, 1, 2, 3]
    contents = pages[numbers[0] - 1].extract_text()
    assert [int(word) for word in re.findall(r"\b\d\b(?!\.)", contents)][:3] == numbers[1:]
    titles = [entry.title for entry in pypdf.PdfReader(io.BytesIO(printed)).outline if not isinstance(entry, list)]
    assert titles[-1].split() == ["A", "word"] * 25, "no space is lost where a heading breaks"
    with pytest.raises(ValueError, match="4 bookmarks for 2 headings"):
        book_pdf.bound(browser, file.as_uri(), ["contents", "a"])
