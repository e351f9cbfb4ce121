"""Chapter 4 in JupyterLab as a reader's hands meet it: a turn answered wrongly and rightly, a fold opened, the way to the companion and back."""

import pytest

from .lab import PATIENCE, cell_with, found, run, shot

pytestmark = pytest.mark.browser

DESK = (1440, 900)  # pixels of a laptop's screen


def opened(lab, browser):
    page = lab.open(browser, "/lab/tree/04_mgda.ipynb", *DESK)
    page.wait_for_timeout(2000)
    return page


def test_a_turn_says_why_a_guess_is_wrong_and_what_is_right(lab, browser):
    page = opened(lab, browser)
    run(page, cell_with(page, "Run this first"))
    run(page, cell_with(page, "The imports of this chapter"))
    turn = cell_with(page, 'check("mgda.turn.more_weight"')
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


def test_links_lead_to_a_section_of_the_companion_and_back_to_the_chapter(lab, browser):
    page = opened(lab, browser)
    there = page.locator('.jp-RenderedMarkdown a[href*="where-the-steps-lead"]')
    assert found(page, there)
    there.first.evaluate(
        "link => { for (let e = link; e; e = e.parentElement) if (e.tagName === 'DETAILS') e.open = true; }"
    )
    there.first.click()
    heading = page.locator(".jp-RenderedMarkdown h2", has_text="Where the steps lead, and how fast")
    heading.wait_for(timeout=1000 * PATIENCE)
    page.wait_for_function(
        "h => { const at = h.getBoundingClientRect(); return at.top >= 0 && at.top < innerHeight; }",
        arg=heading.element_handle(),
        timeout=1000 * PATIENCE,
    )
    shot(page, "companion-section")
    back = page.locator('.jp-NotebookPanel:not(.lm-mod-hidden) .jp-RenderedMarkdown a[href*="04_mgda.ipynb"]')
    assert found(page.locator(".jp-NotebookPanel:not(.lm-mod-hidden)"), back) or back.count()
    page.close()
