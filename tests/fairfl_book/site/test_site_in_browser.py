"""The built site as a reader opens it from disk: headless Chromium, no network. `make test-site` builds it first.

$CHROMIUM names the browser; $FAIRFL_SITE another folder of pages; $FAIRFL_SCREENSHOTS a folder for pictures to look at.
"""

import os
from pathlib import Path

import pytest
import site_links
from fairfl_book import places

pytestmark = pytest.mark.site

BOOK = places.find()
HTML = Path(os.environ.get("FAIRFL_SITE") or BOOK.root / "book" / "_build" / "html").resolve()
PAGES = (
    [str(path.relative_to(HTML)) for path in site_links.paths(HTML) if path.relative_to(HTML).parts[0] != "_modules"]
    if HTML.exists()
    else []
)
PAGES = PAGES or [pytest.param("", marks=pytest.mark.skip(reason="the site is not built (make book)"))]
TYPESET = "async () => { if (window.MathJax?.startup) await MathJax.startup.promise; }"


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
        self.page.evaluate(TYPESET)
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
    formulas, typeset = page.locator(".math").count(), page.locator("mjx-container svg").count()
    assert typeset >= formulas, "a formula stays LaTeX"
    assert page.locator('[data-mml-node="merror"]').count() == 0, "MathJax does not understand a formula"
    page.evaluate(
        "async () => Promise.all([...document.images].map(i => { i.loading = 'eager'; return i.decode().catch(() => 0); }))"
    )
    dead = page.evaluate("[...document.images].filter(i => !i.naturalWidth).map(i => i.src.slice(-60))")
    silent = page.evaluate(
        "[...document.images].filter(i => i.getAttribute('role') !== 'presentation' && !i.alt.trim()).map(i => i.src.slice(-60))"
    )
    assert (dead, silent) == ([], []), "pictures that do not show, or say nothing"
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_timeout(500 if width == 390 else 50)  # the sidebar slides away
        one.look(f"{name}-{width}")
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, f"the page is {wide} px wide in a window of {width} px"
    assert one.troubles == []


def test_the_search_finds_a_chapter_from_disk(reader):
    one = reader()
    page = one.open("search.html?q=pareto")
    page.locator("ul.search li a").first.wait_for(timeout=10_000)
    assert page.locator('ul.search a[href*="03_pareto_stationarity.html"]').count()
    page.wait_for_timeout(500)
    one.look("search-results")
    assert one.troubles == []


def test_pictures_keep_a_light_ground_in_the_dark(reader):
    one = reader(color_scheme="dark")
    page = one.open("03_pareto_stationarity.html")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    grounds = page.evaluate(
        "[...document.querySelectorAll('div.cell_output img')].map(e => getComputedStyle(e).backgroundColor)"
    )
    assert grounds and set(grounds) == {"rgb(255, 255, 255)"}
    page.locator("div.cell_output img").first.scroll_into_view_if_needed()
    one.look("dark")
    assert one.troubles == []


def test_a_solution_opens(reader):
    one = reader()
    page = one.open("00_start_here.html")
    solution = page.locator("details.answer", has_text="One solution").first
    code = solution.locator(".highlight")
    assert not code.is_visible()
    solution.locator("summary").click()
    assert code.is_visible()
    one.look("solution")
