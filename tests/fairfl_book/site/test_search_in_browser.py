"""The built site's search as a reader uses it, from disk and from a server: headless Chromium. `make test-site` builds the site first."""

import functools
import gzip
import json
import os
import re
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

import pytest
from fairfl_book import book_paths

pytestmark = pytest.mark.site

BOOK = book_paths.find()
HTML = Path(os.environ.get("FAIRFL_SITE") or BOOK.root / "book" / "_build" / "html").resolve()
INDEX = HTML / "_static" / "search_index.js"
HEAVIEST = 600_000  # bytes of the compressed index

# What a student types, and where the first hit leads.
QUERIES = [
    ("common descent direction", "glossary.html#term-common-descent-direction"),
    ("min-norm", "glossary.html#term-min-norm-point"),
    ("Gram matrix", "glossary.html#term-Gram-matrix"),
    ("A/A test", "glossary.html#term-A-A-test"),
    ("tenth office", "01_federated_learning.html#why-the-tenth-office-pays"),
    ("what is a box", "05_fedmgda_plus.html#the-box"),
    ("fairfl.rules.AdaFed", "api/fairfl.rules.html#fairfl.rules.AdaFed"),
    ("lambda", "notation.html#notation-"),
    ("Desideri", "bibliography.html#bibliography-"),
    ("权重", "glossary.html#term-weight"),
]
SHOWN = """() => {
  const there = document.querySelector(':target'), box = there.getBoundingClientRect();
  return [there.textContent, box.top >= 0 && box.top < innerHeight, there.checkVisibility()];
}"""


@pytest.fixture(scope="module")
def server():
    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=HTML)) as one:
        threading.Thread(target=one.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{one.server_port}"
        one.shutdown()


@pytest.fixture(params=["disk", "server"])
def root(request):
    if not INDEX.exists():
        pytest.skip("the site is not built (make book)")
    return HTML.as_uri() if request.param == "disk" else request.getfixturevalue("server")


@pytest.fixture
def page(browser):
    """A page on which nothing goes wrong."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    one, troubles = context.new_page(), []
    one.on("console", lambda said: said.type in ("error", "warning") and troubles.append(said.text))
    one.on("pageerror", lambda error: troubles.append(f"script: {error}"))
    one.on(  # leaving a page ends what it still loads
        "requestfailed",
        lambda request: request.failure != "net::ERR_ABORTED" and troubles.append(f"failed: {request.url}"),
    )
    yield one
    context.close()
    assert troubles == []


def search(page, root, query, folder=""):
    page.goto(f"{root}/{folder}search.html?q={quote(query)}")
    hit = page.locator("ol.search-hits a").first
    hit.wait_for(timeout=10_000)
    return hit


def leads_to(hit, root):
    return unquote(hit.evaluate("e => e.href")).removeprefix(f"{root}/")


def test_a_student_finds_the_place(page, root):
    search(page, root, "rate")
    first = {}
    for query, _ in QUERIES:
        page.locator("form.book-search input").fill(query)
        page.keyboard.press("Enter")
        first[query] = leads_to(page.locator("ol.search-hits a").first, root)
    assert {query: there for query, there in first.items() if not there.startswith(dict(QUERIES)[query])} == {}


def test_a_hit_shows_its_words_and_leads_to_its_paragraph(page, root):
    search(page, root, "softmax twice")
    hit = page.locator("ol.search-hits li", has=page.locator("p mark")).first
    words = {word.lower() for word in hit.locator("p mark").all_inner_texts()}
    assert {"softmax", "twice"} <= words
    link = hit.locator("a")
    name, _, anchor = leads_to(link, root).partition("#")
    chapter = int(re.search(r"\d\d", name)[0])
    assert hit.locator(".search-trail").inner_text().startswith(f"{chapter}.")
    link.click()
    page.wait_for_selector(f"[id='{anchor}']:target")
    page.wait_for_load_state()
    page.evaluate("document.fonts.ready.then(() => new Promise(requestAnimationFrame))")
    text, in_sight, visible = page.evaluate(SHOWN)
    assert "softmax" in text.lower() and in_sight and visible
    ground = "getComputedStyle(document.querySelector(':target')).backgroundColor"
    assert page.evaluate(ground) not in (
        "rgba(0, 0, 0, 0)",
        page.evaluate("getComputedStyle(document.body).backgroundColor"),
    )


def test_a_paragraph_in_a_fold_is_unfolded(page, root):
    search(page, root, "does it pay to exaggerate").click()
    page.wait_for_selector("details[open] :target")
    page.evaluate("document.fonts.ready.then(() => new Promise(requestAnimationFrame))")
    assert page.evaluate(SHOWN)[1:] == [True, True]


def test_the_field_beside_a_page_leads_to_the_hits_and_arrows_go_through_them(page, root):
    page.goto(f"{root}/04_mgda.html")
    page.keyboard.press("Control+k")
    page.keyboard.type("projection")
    page.keyboard.press("Enter")
    links = page.locator("ol.search-hits a")
    links.first.wait_for(timeout=10_000)
    assert urlsplit(page.url).path.endswith("/search.html")
    focused = "document.activeElement"
    assert page.evaluate(f"{focused}.name") == "q"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    assert page.evaluate(f"{focused}.href") == links.first.evaluate("e => e.href")
    page.keyboard.press("Control+k")
    assert page.evaluate(f"{focused}.name") == "q"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_selector(":target")


def test_hits_change_while_the_reader_types(page, root):
    first = leads_to(search(page, root, "rate"), root)
    page.locator("form.book-search input").fill("凸包")
    page.wait_for_function("!document.querySelector('ol.search-hits a')?.href.endsWith('term-rate')")
    assert first == "glossary.html#term-rate"
    assert leads_to(page.locator("ol.search-hits a").first, root) == "glossary.html#term-convex-hull"


def test_more_hits_follow_and_nothing_found_is_said(page, root):
    search(page, root, "client")
    hits = page.locator("ol.search-hits li:not(.search-more)")
    before = hits.count()
    page.locator(".search-more button").click()
    assert hits.count() > before
    page.locator("form.book-search input").fill("qqqqzzzz")
    page.wait_for_function("document.querySelector('.search-status').textContent.includes('qqqqzzzz')")
    assert hits.count() == 0


def test_chinese_pages_have_a_search_in_chinese(page, root):
    page.goto(f"{root}/zh/01_federated_learning.html")
    page.keyboard.press("Control+k")
    page.keyboard.type("邮局")
    page.keyboard.press("Enter")
    hit = page.locator("ol.search-hits a").first
    hit.wait_for(timeout=10_000)
    assert urlsplit(page.url).path.endswith("/zh/search.html")
    assert leads_to(hit, root).startswith("zh/01_federated_learning.html#")
    assert "搜索" in page.locator("article h1").inner_text()
    assert page.locator("ol.search-hits li mark").first.inner_text().startswith("邮局"[0])


def test_without_scripts_the_page_says_so(browser, root):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{root}/search.html?q=rate")
    assert "JavaScript" in page.locator("form.book-search noscript").inner_text()
    context.close()


def indexed():
    if not INDEX.exists():
        pytest.skip("the site is not built (make book)")
    return json.loads(INDEX.read_text(encoding="utf-8").removeprefix("globalThis.SEARCH_INDEX=").removesuffix(";\n"))


def test_every_passage_is_on_its_page_once():
    lost = []
    for page, _, sections in indexed():
        ids = re.findall(r' id="([^"]+)"', (HTML / f"{page}.html").read_text(encoding="utf-8"))
        for _, anchor, _, passages in sections:
            own = [
                (one[0] if not isinstance(one, str) else "") or f"{anchor}-p{n}" for n, one in enumerate(passages, 1)
            ]
            lost += [(page, one, ids.count(one)) for one in [anchor, *own] if ids.count(one) != 1]
    assert lost == []


def test_the_index_is_small_and_only_the_search_loads_it():
    indexed()
    assert len(gzip.compress(INDEX.read_bytes())) < HEAVIEST
    loading = {
        page.relative_to(HTML).as_posix()
        for page in HTML.rglob("*.html")
        if re.search(
            r"search_index\.js|minisearch\.js|searchindex\.js|searchtools\.js", page.read_text(encoding="utf-8")
        )
    }
    assert loading == {"search.html", "zh/search.html"}
