"""Words of a lab's picture do not run into one another, at the widths of phones, windows and JupyterLab. It needs no built site."""

import pytest
from fairfl_book.build import lab_images

pytestmark = pytest.mark.site

LABS = {lab.name: lab for lab in lab_images.every()}
WIDTHS = (360, 390, 680, 820, 1024, 1440)
# Pairs of words of one panel whose boxes overlap; a box has room above and below its letters, of which a third may be shared.
COLLIDING = """() => [...document.querySelectorAll('.panels svg')].flatMap(svg => {
  const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width, found = [];
  const words = [...svg.querySelectorAll('text')].filter(e => e.textContent.trim()).map(e => [e.textContent, e.getBoundingClientRect(), scale * parseFloat(getComputedStyle(e).fontSize)]);
  words.forEach(([a, p, size], i) => words.slice(i + 1).forEach(([b, q]) => {
    const x = Math.min(p.right, q.right) - Math.max(p.left, q.left), y = Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top);
    if (x > 0 && y > 0.32 * size) found.push(`${a} × ${b}`);
  }));
  return found;
})"""
# The same after each button below the picture, from the start on, as [button, pairs].
AFTER_EACH = f"""() => [...document.querySelectorAll('.try .reset, .try button:not(.last button)')].toSorted((a, b) => b.matches('.reset') - a.matches('.reset'))
  .map(button => (button.click(), [button.textContent, ({COLLIDING})()])).filter(([, pairs]) => pairs.length)"""


@pytest.mark.parametrize("name", LABS)
def test_no_word_runs_into_another(browser, tmp_path, name):
    file = tmp_path / "lab.html"
    file.write_text(
        f'<!doctype html><html lang="en"><meta charset="utf-8"><body style="margin: 8px">{LABS[name].page("here")}',
        encoding="utf-8",
    )
    page = browser.new_page(viewport={"width": 1440, "height": 900}, reduced_motion="reduce")
    page.goto(file.as_uri())
    page.locator(".try .reset").wait_for()
    found = {}
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_timeout(100)  # words grow once the page has measured its panels
        found[width] = page.evaluate(AFTER_EACH)
        if name == "AllRules":  # with all rules, its last button
            page.get_by_role("button", name="ellipse").click()
            found[width] += page.evaluate(COLLIDING)
    page.close()
    assert not any(found.values()), found
