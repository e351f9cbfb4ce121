"""Lines around formulas: no punctuation starts one, no opening bracket ends one. Formulas that are too wide scroll, by keyboard as well."""

import os
from pathlib import Path

import pytest
from fairfl_book import book_paths
from fairfl_book.site import third_party

pytestmark = pytest.mark.site

BOOK = book_paths.find()
STATIC = BOOK.root / "book" / "static"
HTML = Path(os.environ.get("FAIRFL_SITE") or BOOK.root / "book" / "_build" / "html").resolve()
PAGES = [
    str(path.relative_to(HTML))
    for path in (sorted(HTML.rglob("*.html")) if HTML.exists() else ())
    if path.relative_to(HTML).parts[0] not in ("_static", "_modules")
    and '<span class="math ' in path.read_text("utf-8")
]
PAGES = PAGES or [pytest.param("", marks=pytest.mark.skip(reason="the site is not built (make book)"))]
# [how many formulas have punctuation beside them, those whose punctuation is on another line]
PARTED = (Path(__file__).parent / "parted.js").read_text(encoding="utf-8")
LONG = r"x_k = \sum_i \lambda_i g_i = a + b + c + d = e + f + g + h"
ENGLISH = r"Words and \(LONG\), or (\(LONG\)) of client \(k\)'s. <strong>So \(j\)</strong>; “\(j\)”: \(j\)-fair, \(k\)/\(j\)! "
CHINESE = r"一些文字\(LONG\)，然后（\(LONG\)）则\(j\)。<strong>乃\(j\)</strong>；“\(k\)”：\(j\)好？"


@pytest.mark.parametrize("name", PAGES)
def test_no_punctuation_is_parted_from_its_formula(browser, name):
    page = browser.new_page(reduced_motion="reduce")
    page.goto(f"{HTML.as_uri()}/{name}")
    page.evaluate("document.fonts.ready.then(() => 0)")
    page.evaluate("document.querySelectorAll('details').forEach(e => e.open = true)")
    found = {}
    for width in (1440, 820, 390):
        page.set_viewport_size({"width": width, "height": 900})
        found[width] = page.evaluate(PARTED)[1]
    page.close()
    assert not any(found.values()), found


@pytest.mark.skipif(
    bool(third_party.missing(BOOK.vendored)), reason="KaTeX has not been downloaded (make book does it)"
)
@pytest.mark.parametrize("words", [ENGLISH, CHINESE], ids=["English", "Chinese"])
def test_at_any_width_punctuation_stays_and_a_long_formula_breaks(browser, tmp_path, words):
    pieces = (words.replace("LONG", LONG) * 20).replace(r"\(", '<span class="math">\\(').replace(r"\)", "\\)</span>")
    scripts = "".join(
        f'<script src="{file.as_uri()}"></script>' for file in (BOOK.vendored / "katex.min.js", STATIC / "formulas.js")
    )
    style = f'<link rel="stylesheet" href="{(BOOK.vendored / "katex.min.css").as_uri()}">'
    file = tmp_path / "page.html"
    file.write_text(
        f'<!doctype html><html lang="en"><meta charset="utf-8">{style}<article class="bd-article"><p>{pieces}</p></article>{scripts}',
        encoding="utf-8",
    )
    page = browser.new_page()
    page.goto(file.as_uri())
    for width in range(240, 500, 13):
        page.set_viewport_size({"width": width, "height": 900})
        beside, parted = page.evaluate(PARTED)
        assert beside >= 140 and parted == [], width
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.close()
