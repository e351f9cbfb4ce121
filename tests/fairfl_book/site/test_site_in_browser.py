"""The built site as a reader opens it from disk: headless Chromium, no network. `make test-site` builds it first.

$CHROMIUM names the browser; $FAIRFL_SITE another folder of pages; $FAIRFL_SCREENSHOTS a folder for pictures to look at.
"""

import io
import os
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
import site_links
from fairfl_book import book_paths
from PIL import Image

pytestmark = pytest.mark.site

BOOK = book_paths.find()
HTML = Path(os.environ.get("FAIRFL_SITE") or BOOK.root / "book" / "_build" / "html").resolve()
PAGES = (
    [str(path.relative_to(HTML)) for path in site_links.paths(HTML) if path.relative_to(HTML).parts[0] != "_modules"]
    if HTML.exists()
    else []
)
PAGES = PAGES or [pytest.param("", marks=pytest.mark.skip(reason="the site is not built (make book)"))]
CHAPTERS = [name for name in PAGES if isinstance(name, str) and name[:2].isdigit()]
CONTRAST = (Path(__file__).parent / "contrast.js").read_text(encoding="utf-8")
HEAVIEST = 2_000_000  # bytes of a chapter with all that it loads
# Cells, and what is in them, of which a part lies outside.
CLIPPED = """() => [...document.querySelectorAll('.bd-article :is(div.cell, div.cell_input, div.cell_output, pre, table)')]
  .filter(e => e.clientWidth && e.scrollWidth > e.clientWidth + 1).map(e => `${e.tagName} ${e.scrollWidth} > ${e.clientWidth}: ${e.textContent.trim().slice(0, 40)}`)"""
SMALL = """() => {
  const walker = document.createTreeWalker(document.querySelector('.bd-article') ?? document.body, NodeFilter.SHOW_TEXT), found = [];
  while (walker.nextNode()) {
    const e = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || e.closest('svg, .katex, script, style') || !e.getClientRects().length) continue;
    if (parseFloat(getComputedStyle(e).fontSize) < 9) found.push(`${getComputedStyle(e).fontSize}: ${e.textContent.slice(0, 30)}`);
  }
  return found;
}"""
# Letters of drawings that are files, in the labs' size of 14 px, as large as the drawing is shown.
DRAWN = """async () => {
  const all = [...document.querySelectorAll('.bd-article img')].filter(e => /\\.svg$/.test(e.getAttribute('src')));
  await Promise.all(all.map(e => { e.loading = 'eager'; return e.decode(); }));
  return all.filter(e => e.clientWidth && 14 * e.clientWidth / e.naturalWidth < 9).map(e => `${e.clientWidth} of ${e.naturalWidth}: ${e.alt.slice(0, 40)}`);
}"""
# Cards of the page that are light; pictures are looked at by their pixels.
LIGHT = """() => [...document.querySelectorAll('.bd-article *')].filter(e => !e.closest('svg, .katex, button, a.button') && e.clientWidth * e.clientHeight > 2000).filter(e => {
  const [r, g, b, a = 1] = (getComputedStyle(e).backgroundColor.match(/[\\d.]+/g) ?? [0, 0, 0, 0]).map(Number);
  return a > 0.3 && e.checkVisibility() && r + g + b > 330;
}).map(e => e.outerHTML.slice(0, 80))"""


class Reader:
    """A browser window without a network. ``troubles``: what went wrong, as a reader with the console open would see it."""

    def __init__(self, browser, **options):
        self.context = browser.new_context(viewport={"width": 1280, "height": 900}, offline=True, **options)
        self.page, self.troubles = self.context.new_page(), []
        self.page.on(
            "console", lambda message: message.type in ("error", "warning") and self.troubles.append(message.text)
        )
        self.page.on("pageerror", lambda error: self.troubles.append(f"script: {error}"))
        self.page.on("requestfailed", lambda request: self.troubles.append(f"failed: {request.url} {request.failure}"))
        self.page.on(
            "request",
            lambda request: (
                request.url.startswith(("file:", "data:", "blob:")) or self.troubles.append(f"network: {request.url}")
            ),
        )

    def open(self, name):
        self.page.goto(f"{HTML.as_uri()}/{name}")
        self.page.evaluate("document.fonts.ready.then(() => 0)")
        return self.page

    def look(self, label):
        if folder := os.environ.get("FAIRFL_SCREENSHOTS"):
            Path(folder).mkdir(parents=True, exist_ok=True)
            self.page.screenshot(path=str(Path(folder) / f"{label.replace('/', '-')}.png"))


@pytest.fixture
def reader(browser):
    readers = []
    yield lambda **options: readers.append(Reader(browser, **options)) or readers[-1]
    for one in readers:
        one.context.close()


def test_no_link_is_broken_and_no_picture_without_words():
    if not HTML.exists():
        pytest.skip("the site is not built (make book)")
    assert list(site_links.problems(HTML)) == [] and list(site_links.outside(HTML)) == []


@pytest.mark.parametrize("name", PAGES)
def test_a_page_reads_well(reader, name):
    one = reader()
    page = one.open(name)
    formulas, typeset = page.locator(".math").count(), page.locator(".math .katex-html").count()
    assert typeset >= formulas, "a formula stays LaTeX"
    assert page.locator(".katex-error").count() == 0, "KaTeX does not understand a formula"
    page.evaluate(
        "async () => Promise.all([...document.images].map(i => { i.loading = 'eager'; return i.decode().catch(() => 0); }))"
    )
    dead = page.evaluate("[...document.images].filter(i => !i.naturalWidth).map(i => i.src.slice(-60))")
    silent = page.evaluate(
        "[...document.images].filter(i => i.getAttribute('role') !== 'presentation' && !i.alt.trim()).map(i => i.src.slice(-60))"
    )
    assert (dead, silent) == ([], []), "pictures that do not show, or say nothing"
    fonts = page.evaluate("[...document.querySelectorAll('.fa-solid')].map(e => getComputedStyle(e).fontFamily)")
    assert all("Font Awesome" in font for font in fonts), "an icon is a letter of another font"
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_timeout(500 if width == 390 else 50)  # the sidebar slides away
        one.look(f"{name}-{width}")
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, f"the page is {wide} px wide in a window of {width} px"
        page.evaluate("document.querySelectorAll('details').forEach(e => e.open = true)")
        clipped = page.evaluate(CLIPPED)
        assert clipped == [], f"at {width} px something is wider than its cell"
    assert page.evaluate(SMALL) == [], "letters of less than 9 px on a phone"
    assert page.evaluate(DRAWN) == [], "letters of less than 9 px in a drawing on a phone"
    assert one.troubles == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_every_text_stands_out_in_both_modes(reader, name, scheme):
    one = reader(color_scheme=scheme, reduced_motion="reduce")
    page = one.open(name)
    assert page.evaluate("document.documentElement.dataset.theme") == scheme
    page.evaluate("document.querySelectorAll('details').forEach(e => e.open = true)")
    page.wait_for_timeout(100)
    page.evaluate(
        "Promise.all(document.getAnimations().map(fade => fade.finished)).then(() => 0)"
    )  # what unfolds fades in
    assert page.evaluate(CONTRAST) == [], "a contrast of less than 4.5, or 3 for large letters"
    if scheme == "dark":
        assert page.evaluate(LIGHT) == [], "a light card in the dark"


@pytest.mark.parametrize("name", CHAPTERS)
def test_no_picture_is_a_white_card_in_the_dark(reader, name):
    one = reader(color_scheme="dark")
    page = one.open(name)
    page.evaluate("document.querySelectorAll('details').forEach(e => e.open = true)")
    for picture in page.locator("div.cell_output img").all():
        picture.evaluate("async e => { e.loading = 'eager'; await e.decode(); }")
        shown = Image.open(io.BytesIO(picture.screenshot())).convert("L").resize((100, 100))
        light = sum(shown.histogram()[170:]) / 100**2
        assert light < 0.5, f"{light:.0%} of a picture is light: {picture.get_attribute('alt')[:60]}"
    one.look(f"{name}-dark")


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_chapter_is_light_to_load(reader, name):
    one, loaded = reader(), set()
    one.page.on("requestfinished", lambda request: loaded.add(request.url.partition("?")[0]))
    page = one.open(name)
    page.evaluate(
        "async () => Promise.all([...document.images].map(i => { i.loading = 'eager'; return i.decode().catch(() => 0); }))"
    )
    files = [Path(unquote(urlsplit(url).path)) for url in loaded if url.startswith("file:")]
    weights = {file.name: file.stat().st_size for file in files}
    assert len(weights) > 5 and sum(weights.values()) < HEAVIEST, sorted(weights.items(), key=lambda one: -one[1])[:6]


def test_the_menu_of_a_chapter_downloads_its_notebook_from_disk(reader):
    one = reader(accept_downloads=True)
    page = one.open("07_fedfv.html")
    link = page.locator("a.btn-download-source-button")
    notebook = Path(unquote(urlsplit(link.evaluate("e => e.href")).path))
    assert notebook.read_bytes() == BOOK.notebook("07_fedfv").read_bytes()
    assert link.get_attribute("download") is not None and link.get_attribute("target") == "_blank"
    assert one.open("glossary.html").locator("a.btn-download-source-button").count() == 0


def test_a_chapter_and_a_reference_say_what_they_are_to_who_hovers_tabs_or_touches(reader):
    page = reader(has_touch=True).open("10_one_picture.html")
    tooltip = page.locator("#link-tooltip")
    chapter = page.locator("article a[href='07_fedfv.html']", has_text="hapter 7").first
    mentioned = page.locator("article p:not(details p)").evaluate_all(
        """all => all.flatMap(p => [...p.childNodes].filter(n => n.nodeType === 3 && /\\b[Cc]hapter \\d/.test(n.textContent)).map(n => n.textContent))"""
    )
    assert [text for text in mentioned if "hapter 10" not in text] == [], "a mention that leads nowhere"
    cited = page.locator("article a[href^='#reference-']", has_text="Quinton and Rey, 2024").first
    assert "Quinton" in page.locator(cited.get_attribute("href")).inner_text()
    marks = "e => ['::before', '::after'].map(part => getComputedStyle(e, part).content)"
    assert cited.evaluate(marks) == ['"["', '"]"'] and chapter.evaluate(marks) == ["none", "none"]
    chapter.hover()
    assert "FedFV" in tooltip.inner_text() and chapter.get_attribute("aria-describedby") == "link-tooltip"
    page.keyboard.press("Escape")
    assert tooltip.is_hidden() and chapter.get_attribute("aria-describedby") is None
    cited.focus()
    assert "Jacobian" in tooltip.inner_text()
    assert page.evaluate("e => innerWidth - e.getBoundingClientRect().right", tooltip.element_handle()) > 0
    page.keyboard.press("Escape")
    cited.tap()
    assert "Jacobian" in tooltip.inner_text() and "#" not in page.url, "the first touch tells"
    cited.tap()
    assert page.url.endswith(cited.get_attribute("href")), "the second follows"


def test_a_term_of_another_chapter_is_told_once_with_its_formulas_set(reader):
    page = reader().open("09_dqn_fed.html")
    names = [" ".join(name.split()).lower() for name in page.locator("article a.term").all_text_contents()]
    assert len(names) == len(set(names)) and {"min-norm point", "affine hull"} <= set(names)
    assert "newton step" not in names, "the chapter teaches it itself"
    page.locator("article a.term", has_text="Pareto stationary").first.hover()
    tooltip = page.locator("#link-tooltip")
    told = tooltip.inner_text()
    assert "weights" in told or "gradients" in told
    page.evaluate("document.querySelector('article a.term').dataset.tooltip = 'At most $d + 1$ of them.'")
    page.mouse.move(0, 0)
    page.locator("article a.term").first.hover()
    assert tooltip.locator(".katex").count() == 1 and "$" not in tooltip.inner_text()
    page.locator("article a.term").first.click()
    page.wait_for_url("**/glossary.html#term-*")
    assert page.locator(":target").count() == 1


def test_a_table_that_goes_on_behind_its_edge_shows_it(reader):
    page = reader().open("more/13_reading_results_more.html")
    page.set_viewport_size({"width": 390, "height": 844})
    wide = page.locator(".pst-scrollable-table-container").first
    assert wide.evaluate("e => e.scrollWidth > e.clientWidth")
    assert "linear-gradient" in wide.evaluate("e => getComputedStyle(e).backgroundImage")
    solid = "e => [...e.querySelectorAll('tr, td, th')].filter(x => !/\\/ 0|, 0(\\.\\d+)?\\)$/.test(getComputedStyle(x).backgroundColor)).length"
    assert wide.evaluate(solid) == 0, "a row that covers the shadow"


def test_the_menu_opens_on_a_phone_and_folds_beside_a_page(reader):
    page = reader().open("05_fedmgda_plus.html")
    page.set_viewport_size({"width": 390, "height": 844})
    for button, dialog in (("primary", "#pst-primary-sidebar-modal"), ("secondary", "#pst-secondary-sidebar-modal")):
        page.locator(f"button.{button}-toggle:visible").click()
        page.wait_for_selector(f"{dialog}[open] a")
        page.keyboard.press("Escape")
    page.set_viewport_size({"width": 1280, "height": 900})
    page.wait_for_timeout(300)
    edge = "document.querySelector('.bd-sidebar-primary').getBoundingClientRect().right"
    assert page.evaluate(edge) > 200
    page.locator("button.primary-toggle:visible").click()
    page.wait_for_timeout(600)
    assert page.evaluate(edge) <= 0


def test_what_is_wider_than_a_phone_is_as_small_as_helps_and_no_smaller(reader):
    page = reader().open("more/12_reproductions_more.html")
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_timeout(500)
    printed = page.locator("div.cell_output pre").evaluate_all(
        "all => all.map(e => [parseFloat(getComputedStyle(e).fontSize), [...e.querySelectorAll('.line')].some(l => l.clientHeight > 1.9 * parseFloat(getComputedStyle(l).lineHeight))])"
    )
    assert any(broken for _, broken in printed) and any(size < 10.5 for size, _ in printed)
    assert all(size > 10.5 for size, broken in printed if broken), "small, and broken all the same"
    formulas = page.locator("div.math").evaluate_all(
        "all => all.map(e => [e.scrollWidth - e.clientWidth, parseFloat(e.style.fontSize || 1)])"
    )
    assert all(over <= 1 or size == 0.75 for over, size in formulas)


def test_every_page_says_what_it_is(reader):
    one = reader()
    told = {}
    for name in [name for name in PAGES if "/" not in name and name not in ("genindex.html", "py-modindex.html")]:
        page = one.open(name)
        told[name] = page.locator("meta[name='description']").get_attribute("content")
        kept = {"og:title", "og:description", "og:image"}
        assert kept <= set(
            page.locator("meta[property]").evaluate_all("all => all.map(e => e.getAttribute('property'))")
        )
        assert page.locator("link[rel~='icon']").count() == 1
    assert all(len(words) > 30 for words in told.values()) and len(set(told.values())) == len(told), told


def test_a_solution_opens(reader):
    one = reader()
    page = one.open("00_start_here.html")
    solution = page.locator("details.answer", has_text="One solution").first
    code = solution.locator(".highlight")
    assert not code.is_visible()
    solution.locator("summary").click()
    assert code.is_visible()
    one.look("solution")
