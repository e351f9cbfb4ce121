"""The note, and any page of Markdown with formulas, printed as a PDF by headless Chromium. $CHROMIUM names the browser.

What needs MathJax is skipped by name where nobody fetched it (`make note`, `make book`).
"""

import re

import pytest
from fairfl_book import book_paths
from fairfl_book.build import note_pdf

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
