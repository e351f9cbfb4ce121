"""Chapter 4 in JupyterLab as a reader's hands meet it: a turn answered wrongly and rightly, a fold opened, the way to the companion."""

import pytest

from .lab import PATIENCE, cell_with, found, menu, run, shot

pytestmark = pytest.mark.browser

DESK = (1440, 900)  # pixels of a laptop's screen


def opened(lab, browser):
    page = lab.open(browser, "/lab/tree/04_mgda.ipynb", *DESK)
    page.wait_for_timeout(2000)
    return page


def test_a_turn_says_why_a_guess_is_wrong_and_what_is_right(lab, browser):
    page = opened(lab, browser)
    # The stored number of a cell is often the one that it gets again, and ``run`` waits until it changes.
    menu(page, "Edit", "Clear Outputs of All Cells")
    turn = cell_with(page, 'check("mgda.turn.more_weight"')
    turn.locator(".cm-content").click()
    menu(page, "Run", "Run All Above Selected Cell")
    page.wait_for_timeout(3000)
    page.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]").wait_for(timeout=1000 * PATIENCE)
    for answer, words in {"...": "○", "0.3": "6 and 1", "0.2": "✓"}.items():
        turn.locator(".cm-content").click()
        page.keyboard.press("Control+a")
        page.keyboard.insert_text(f'a = {answer}\ncheck("mgda.turn.more_weight", a)')
        run(page, turn)
        assert words in turn.locator(".jp-OutputArea").inner_text(), answer
    shot(page, "turn-answered")
    page.close()


def test_the_questions_before_reading_open_by_a_click(lab, browser):
    page = opened(lab, browser)
    fold = page.locator(".jp-RenderedMarkdown details", has_text="Before you read").first
    assert found(page, fold)
    answer = fold.locator("details").first
    assert not answer.is_visible()
    fold.locator("summary").first.click()
    answer.locator("summary").click()
    assert "No." in answer.inner_text()
    shot(page, "before-you-read")
    page.close()


IN_SIGHT = "h => { const at = h.getBoundingClientRect(); return at.top >= 0 && at.top < innerHeight; }"
# JupyterLab replaces a heading when it renders its cell again, so the heading is looked up each time.
REFERENCES_IN_SIGHT = (
    f"() => [...document.querySelectorAll('.jp-RenderedMarkdown h2[data-jupyter-id=References]')].some({IN_SIGHT})"
)


def test_links_lead_to_the_references_and_to_a_section_of_the_companion(lab, browser):
    """JupyterLab follows a link to a section where the notebook is open already; the first click opens it."""
    page = opened(lab, browser)
    cited = page.locator('.jp-RenderedMarkdown a[href*="#References"]:not(.jp-InternalAnchorLink)')
    # JupyterLab scrolls once. A cell that is drawn late, above the section, then pushes it out of sight again.
    for _ in range(6):
        assert found(page, cited)
        cited.first.click()
        page.wait_for_timeout(1000 * PATIENCE / 30)
        if page.evaluate(REFERENCES_IN_SIGHT):
            break
    shot(page, "references")
    assert page.evaluate(REFERENCES_IN_SIGHT)
    there = page.locator('.jp-RenderedMarkdown a[href*="Where-the-steps-lead"]')
    heading = page.locator(".jp-RenderedMarkdown h2", has_text="Where the steps lead, and how fast")
    for _ in range(2):
        assert found(page, there)
        there.first.evaluate("a => { a.closest('details').open = true; }")
        there.first.click()
        heading.wait_for(timeout=1000 * PATIENCE)
        page.wait_for_timeout(2000)
        if heading.evaluate(IN_SIGHT):
            break
        page.locator(".lm-TabBar-tab", has_text="04_mgda.ipynb").first.click()
    shot(page, "companion-section")
    assert heading.evaluate(IN_SIGHT)
    page.close()
