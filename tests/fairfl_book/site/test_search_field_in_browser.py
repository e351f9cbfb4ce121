"""The search field in the theme's styles and the book's, in headless Chromium. It needs no built site."""

from pathlib import Path

import pytest
from fairfl_book import book_paths

pytestmark = pytest.mark.site

OWN = book_paths.find().root / "book" / "static" / "book.css"
MARK = ".fa-solid { display: inline-block; width: 1em; height: 1em; line-height: 1; }"  # as wide as the icons' font draws it
# Where the magnifying glass ends, and where the first letter begins.
MEASURED = """() => {
  const field = document.querySelector('input'), style = getComputedStyle(field);
  return [document.querySelector('i').getBoundingClientRect().right, field.getBoundingClientRect().left + parseFloat(style.borderLeftWidth) + parseFloat(style.paddingLeft)];
}"""


@pytest.mark.parametrize("width", [390, 1280])
def test_the_search_icon_leaves_the_first_letter_free(browser, tmp_path, width):
    pydata = pytest.importorskip("pydata_sphinx_theme", reason="the extra book brings it")
    book = pytest.importorskip("sphinx_book_theme", reason="the extra book brings it")
    styles = sorted(
        sheet
        for theme in (pydata, book)
        for sheet in (Path(theme.__file__).parent / "theme").rglob("static/styles/*theme.css")
    )
    assert len(styles) > 1
    [field] = (Path(pydata.__file__).parent / "theme").rglob("search-field.html")
    links = "".join(f'<link rel="stylesheet" href="{sheet.as_uri()}">' for sheet in [*reversed(styles), OWN])
    form = field.read_text(encoding="utf-8").partition("#}")[2]
    page = browser.new_page(viewport={"width": width, "height": 400})
    (tmp_path / "page.html").write_text(
        f'<!doctype html><html data-theme="light"><head>{links}<style>{MARK}</style></head><body>{form}</body></html>'
    )
    page.goto((tmp_path / "page.html").as_uri())
    icon, letter = page.evaluate(MEASURED)
    page.close()
    assert 10 < icon < letter - 2
