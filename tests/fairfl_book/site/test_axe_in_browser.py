"""Barriers for readers with disabilities, as axe-core finds them: on the built pages, in the labs and on slides."""

import os
import subprocess
from pathlib import Path

import pytest
import site_links
from fairfl_book import book_paths
from fairfl_book.build import javascript_tools, lab_images
from fairfl_book.site import third_party
from fairfl_book.teaching.slides import files

pytestmark = pytest.mark.site

BOOK = book_paths.find()
HTML = Path(os.environ.get("FAIRFL_SITE") or BOOK.root / "book" / "_build" / "html").resolve()
PAGES = [
    str(path.relative_to(HTML))
    for path in (site_links.paths(HTML) if HTML.exists() else ())
    if path.relative_to(HTML).parts[0] != "_modules"
]
# A page of each kind. Only on these axe-core measures contrast as well, which takes most of its time. contrast.js measures it on all
# pages, and where axe-core leaves it open: in drawings, on gradients, and where something lies over something else.
KINDS = [
    *("index.html", "00_start_here.html", "more/14_real_federations_more.html", "zh/00_start_here.html"),
    *("api/fairfl.rules.html", "glossary.html", "bibliography.html", "search.html", "teachers.html", "playground.html"),
]
KINDS = [name for name in KINDS if name in PAGES] + [name for name in PAGES if name.startswith("how_to/")][:1]
NOT_BUILT = [pytest.param("", marks=pytest.mark.skip(reason="the site is not built (make book)"))]
LABS = {lab.name: lab for lab in lab_images.every()}
# What formulas, drawings and code consist of is hidden from screen readers or plain text, and is nine tenths of a page.
LESS = """() => {
  for (const one of document.querySelectorAll(".katex-html, .drawn")) one.replaceChildren();
  for (const one of document.querySelectorAll("pre")) one.textContent = one.textContent;
}"""
SAID = """() => {
  for (const one of document.querySelectorAll("th .katex")) one.textContent = one.querySelector("annotation").textContent;
}"""
# All rules of axe-core that are not experiments: WCAG's to 2.2 AA, and good practice. A line for each barrier: the rule, its words, the node.
FOUND = """([where, without]) => axe.run(where, {
  preload: false, resultTypes: ["violations"], rules: Object.fromEntries(without.map(rule => [rule, { enabled: false }])),
}).then(({ violations }) => violations.flatMap(({ id, help, nodes }) => nodes.map(one => `${id}: ${help}: ${one.target.join(" ")}: ${one.html.slice(0, 160)}`)))"""


@pytest.fixture(scope="module")
def axe():
    try:
        return javascript_tools.axe()
    except (javascript_tools.Unavailable, subprocess.CalledProcessError) as error:
        pytest.skip(f"axe-core could not be installed: {error}")


@pytest.fixture
def shown(browser):
    """Opens a page of the site with all that is folded."""
    contexts = []

    def shown(name, **options):
        contexts.append(browser.new_context(offline=True, reduced_motion="reduce", **options))
        page = contexts[-1].new_page()
        page.goto(f"{HTML.as_uri()}/{name}")
        page.evaluate("document.fonts.ready.then(() => 0)")
        page.evaluate("document.querySelectorAll('details').forEach(e => e.open = true)")
        return page

    yield shown
    for one in contexts:
        one.close()


def barriers(page, axe, where="html", without=()):
    page.wait_for_timeout(400)  # the theme's scripts look what scrolls a while after the window has changed
    page.evaluate("Promise.all(document.getAnimations().map(fade => fade.finished)).then(() => 0)")
    if not page.evaluate("'axe' in window"):
        page.evaluate(axe)
    return page.evaluate(FOUND, [where, list(without)])


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (390, "dark")])
@pytest.mark.parametrize("name", KINDS or NOT_BUILT)
def test_a_page_of_each_kind_has_no_barriers_in_light_and_dark(shown, axe, name, width, scheme):
    page = shown(name, viewport={"width": width, "height": 900}, color_scheme=scheme)
    assert barriers(page, axe) == []


@pytest.mark.every_page
@pytest.mark.parametrize("name", [name for name in PAGES if name not in KINDS] or NOT_BUILT)
def test_no_page_has_barriers(shown, axe, name):
    page = shown(name, viewport={"width": 1440, "height": 900})
    page.evaluate(LESS)
    assert barriers(page, axe, without=["color-contrast"]) == []


@pytest.mark.parametrize(
    ("name", "scheme"),
    [pytest.param(name, "light") for name in LABS]
    + [pytest.param(name, "dark", marks=pytest.mark.every_page) for name in LABS],
)
def test_a_lab_has_no_barriers_before_and_after_the_guess(opened, axe, name, scheme):
    one = opened(LABS[name], color_scheme=scheme)
    one.page.evaluate("document.querySelectorAll('details').forEach(e => e.open = true)")
    found = {"at first": barriers(one.page, axe, where=".fairfl-lab")}
    one.page.locator(".guesses button").first.click()
    found["guessed"] = barriers(one.page, axe, where=".fairfl-lab")
    one.page.locator(".try button").first.click()
    found["tried"] = barriers(one.page, axe, where=".fairfl-lab")
    assert not any(found.values()), found


@pytest.mark.skipif(
    bool(third_party.missing(BOOK.vendored)), reason="KaTeX has not been downloaded (make slides does it)"
)
@pytest.mark.parametrize("name", ["04_mgda", "12_reproductions"])
def test_slides_have_no_barriers(browser, axe, tmp_path, name):
    file = tmp_path / "deck.html"
    file.write_text(files.made(BOOK, name), encoding="utf-8")
    page = browser.new_page(viewport={"width": 1280, "height": 720}, reduced_motion="reduce")
    page.goto(file.as_uri())
    page.wait_for_function(files.READY)
    # axe-core does not count a formula as the words of a heading; screen readers read its MathML.
    page.evaluate(SAID)
    found = barriers(page, axe)
    page.close()
    assert found == []
