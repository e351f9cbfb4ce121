"""The site's own look: typefaces from its own folder, the measure, the margin, the home page at three widths."""

import os
from pathlib import Path

import pytest
from fairfl_book import book_paths

pytestmark = pytest.mark.site

HTML = Path(os.environ.get("FAIRFL_SITE") or book_paths.find().root / "book" / "_build" / "html").resolve()
if not HTML.exists():
    pytest.skip("the site is not built (make book)", allow_module_level=True)
MEASURED = """() => {
  const canvas = document.createElement('canvas').getContext('2d'), all = [...document.querySelectorAll('article section > p')];
  const text = all.find(p => p.clientHeight > 80 && !p.querySelector('.math'));
  const style = getComputedStyle(text);
  canvas.font = `${style.fontSize} ${style.fontFamily}`;
  return text.clientWidth / (canvas.measureText(text.textContent).width / text.textContent.length);
}"""


@pytest.fixture
def page(browser):
    context = browser.new_context(offline=True, reduced_motion="reduce")
    yield context.new_page()
    context.close()


def opened(page, name, width):
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{HTML.as_uri()}/{name}")
    page.evaluate("document.fonts.ready.then(() => 0)")
    return page


@pytest.mark.parametrize("width", [390, 820, 1440])
@pytest.mark.parametrize("name", ["index.html", "04_mgda.html", "api/fairfl.rules.html", "glossary.html"])
def test_nothing_is_wider_than_the_window(page, name, width):
    opened(page, name, width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_typefaces_are_the_sites_own(page):
    opened(page, "04_mgda.html", 1280)
    loaded = page.evaluate("[...document.fonts].filter(f => f.status === 'loaded').map(f => f.family)")
    assert {"Source Serif 4 Variable", "Source Sans 3 Variable"} <= {family.strip("\"'") for family in loaded}
    fonts = "e => getComputedStyle(e).fontFamily"
    assert "Source Serif" in page.locator("article section > p").nth(3).evaluate(fonts).partition(",")[0]
    assert "Source Sans" in page.locator("article h2").first.evaluate(fonts).partition(",")[0]


@pytest.mark.parametrize("width", [1280, 1440])
def test_a_line_has_about_seventy_letters_and_code_has_room_for_a_hundred(page, width):
    opened(page, "04_mgda.html", width)
    assert 62 < page.evaluate(MEASURED) < 78
    room = page.locator("div.cell_input pre").first.evaluate(
        "e => { const c = document.createElement('canvas').getContext('2d'), s = getComputedStyle(e); c.font = `${s.fontSize} ${s.fontFamily}`;"
        " return (e.clientWidth - parseFloat(s.paddingLeft) - parseFloat(s.paddingRight)) / c.measureText('m').width; }"
    )
    assert room >= 100


def test_a_works_first_citation_is_told_in_the_margin_where_there_is_one(page):
    opened(page, "09_dqn_fed.html", 1440)
    notes = page.locator(".margin-note")
    texts = notes.all_text_contents()
    assert len(texts) == len(set(texts)) > 1 and notes.first.is_visible()
    note, text = notes.first.bounding_box(), notes.first.locator("xpath=following-sibling::p[1]").bounding_box()
    assert note["x"] >= text["x"] + text["width"] and abs(note["y"] - text["y"]) < 30, "beside its paragraph"
    page.set_viewport_size({"width": 1024, "height": 900})
    assert notes.first.is_hidden()


def test_a_number_in_the_text_leads_to_its_formula(page):
    opened(page, "04_mgda.html", 1280)
    link = page.locator("article p > a[href^='#equation-']").first
    number = link.inner_text()
    link.click()
    assert page.locator("div.math:target .tag").inner_text().strip() == number


def test_the_home_page_has_no_contents_beside_it_and_its_lab_moves(page):
    opened(page, "index.html", 1440)
    assert page.locator(".bd-sidebar-secondary").count() == 0
    title, lab = page.locator("h1").last.bounding_box(), page.locator(".front-lab").bounding_box()
    assert lab["x"] >= title["x"] + title["width"] - 1 and lab["y"] < 900, "beside the title"
    words = page.locator(".front-lab .words")
    before = words.inner_text()
    page.get_by_role("button", name="a weight that hurts nobody").click()
    assert words.inner_text() != before
    assert page.locator(".hero a.button").count() == 3
    drawn = "e => getComputedStyle(e).borderTopColor"
    needed, other = page.locator('[data-chapter="00"]'), page.locator('[data-chapter="14"]')
    page.locator('[data-chapter="03"]').hover()
    assert needed.evaluate(drawn) != other.evaluate(drawn), "what chapter 3 needs is marked"
