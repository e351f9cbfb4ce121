"""Every chapter run from JupyterLab's menu, every lab's handles moved by mouse and keyboard, and what Python sees of it."""

import ast
import re

import nbformat
import pytest
from fairfl_book.build import lab_images
from fairfl_book.build.notebook_checks import code_cells

from .lab import NAMES, PATIENCE, found, menu, pictures, run, run_all, shot

pytestmark = pytest.mark.browser


def move_every_control(page):
    """Move each handle of the chapter's lab; returns the labels of those that changed nothing that a reader sees."""
    assert found(page, page.locator("div.fairfl-lab")), "the chapter shows no lab"
    return move_every_handle(page)


# Where a handle is taken, and how far it is then dragged: along its line, if it has one, away from the end that is nearer.
AWAY = """handle => {
  const knob = handle.querySelector(".knob").getBoundingClientRect(), [x, y] = [knob.x + knob.width / 2, knob.y + knob.height / 2];
  const [a, b, ...other] = handle.dataset.track.split(" ").map(Number), screen = handle.ownerSVGElement.getScreenCTM();
  if (!other.length) return [x, y, -25, 15];
  const ends = [[a, b], other].map(([x, y]) => new DOMPoint(x, y).matrixTransform(screen)), far = ends.map(end => Math.hypot(end.x - x, end.y - y));
  const goal = ends[far[0] > far[1] ? 0 : 1];
  return [x, y, 0.4 * (goal.x - x), 0.4 * (goal.y - y)];
}"""


# A lab draws with the browser's next frame.
FRAMES = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done())))"


def at_rest(page, handle):
    """Where to take ``handle`` and how far to drag it, once the notebook has stopped moving under it: cells above are drawn late."""
    place = None
    while place != (place := handle.evaluate(AWAY)):
        page.wait_for_timeout(200)
    return place


def move_every_handle(page):
    """Move each handle of a lab one can touch by mouse and by keyboard; returns those that changed nothing that a reader sees."""
    box = page.locator("div.fairfl-lab").first
    box.scroll_into_view_if_needed()
    shown = lambda: box.locator(".drawn").evaluate_all("all => all.map(e => e.innerHTML)")
    unmoved = []
    for handle in box.locator(".handle:visible").all():
        before = shown()
        handle.scroll_into_view_if_needed()
        x, y, right, down = at_rest(page, handle)
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + right, y + down, steps=4)
        page.mouse.up()
        page.evaluate(FRAMES)
        dragged = shown()
        page.keyboard.press("ArrowUp")
        page.evaluate(FRAMES)
        if not before != dragged != shown():
            unmoved.append(handle.get_attribute("aria-label"))
    return unmoved


@pytest.mark.parametrize("touched", lab_images.every(), ids=lambda touched: touched.name)
def test_python_sees_where_a_reader_left_a_lab(lab, browser, touched):
    code = [f"from fairfl_book import labs\n\nlab = labs.{touched.name}()\nlab.widget()", "print(lab.state)"]
    path = lab.work / f"touch-{touched.name}.ipynb"
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    cells = [nbformat.v4.new_code_cell(cell) for cell in code]
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=kernel), path)
    page = lab.open(browser, f"/lab/tree/{path.name}")
    first, second = (page.locator(".jp-CodeCell").nth(n) for n in range(2))
    run(page, first)
    page.locator("div.fairfl-lab .handle").first.wait_for(timeout=1000 * PATIENCE)
    assert move_every_handle(page) == []
    shot(page, f"touch-{touched.name}-jupyterlab")
    page.locator("div.fairfl-lab .reset").click()
    page.locator("div.fairfl-lab .try button").first.click()
    run(page, second)
    page.locator(".jp-OutputArea-output pre", has_text="{").wait_for(timeout=1000 * PATIENCE)
    [told] = page.locator(".jp-OutputArea-output pre", has_text="{").all_inner_texts()
    assert ast.literal_eval(told) == {**touched.start, **next(iter(touched.tries.values()))}
    menu(page, "Settings", "Theme")
    page.locator(".lm-Menu-itemLabel").get_by_text("JupyterLab Dark", exact=True).click()
    page.wait_for_function("document.body.dataset.jpThemeLight === 'false'")
    page.wait_for_timeout(500)
    shot(page, f"touch-{touched.name}-jupyterlab-dark")
    paper = page.locator("div.fairfl-lab").evaluate("e => getComputedStyle(e).backgroundColor")
    page.close()
    assert max(map(int, re.findall(r"\d+", paper)[:3])) < 80


@pytest.mark.parametrize("name", NAMES)
def test_run_all_ends_without_an_error(lab, browser, name):
    page = lab.open(browser, f"/lab/tree/{name}.ipynb")
    page.wait_for_timeout(2000)
    asked = page.locator(".jp-Dialog, .Toastify__toast").all_inner_texts()
    assert asked == [], "something asks the reader before they can read"
    notebook = run_all(page, lab.work / f"{name}.ipynb")
    pictures(page, name)
    unmoved = None
    if any("lab" in cell.metadata.get("tags", []) for cell in notebook.cells):
        unmoved = move_every_control(page)
    page.close()

    assert not unmoved
    counts = [cell.execution_count for _, cell in code_cells(notebook)]
    assert counts == list(range(counts[0], counts[0] + len(counts)))
    errors = [
        (number, output.ename, output.evalue)
        for number, cell in code_cells(notebook)
        for output in cell.outputs
        if output.output_type == "error" and "raises-exception" not in cell.metadata.get("tags", [])
    ]
    assert errors == []
