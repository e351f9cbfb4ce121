"""A reader's first hour in headless Chromium, against the JupyterLab that `make lab` starts: the cover, copies, a second start.

`make test-browser` runs it. $CHROMIUM names the browser; $FAIRFL_SCREENSHOTS a folder for pictures to look at.
"""

import subprocess

import nbformat
import pytest
from fairfl_book.reading import copies, copy_extras

from .lab import BOOK, NAMES, PATIENCE, TOKEN, Lab, pictures, shot

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("name", NAMES[-1:])
def test_a_reader_with_an_answer_is_told_of_the_newer_version(browser, tmp_path, name):
    lab = Lab(tmp_path)
    lab.work.mkdir()
    answered = nbformat.read(BOOK.notebook(name), as_version=4)
    answered.cells.append(nbformat.v4.new_code_cell("my_answer = 42"))
    copy = lab.work / f"{name}.ipynb"
    nbformat.write(answered, copy)
    before = copy.read_bytes()
    with lab:
        page = lab.open(browser, "/")
        page.get_by_role("heading", name="Newer versions of chapters").wait_for(timeout=1000 * PATIENCE)
        assert page.get_by_role("link", name=f"{name}.newer.ipynb").count() == 1
        pictures(page, copies.NOTICE)
        page.close()
    assert copy.read_bytes() == before
    assert copies.fingerprint(lab.work / f"{name}.newer.ipynb") == copies.fingerprint(BOOK.notebook(name))


# What is wider than the room it has, in the contents and in the chapter that shows.
CUT = """() => {
  const here = ".jp-NotebookPanel:not(.lm-mod-hidden) ", drawings = document.querySelectorAll(here + ".jp-RenderedSVG, " + here + ".jp-RenderedImage");
  if (!drawings.length) return ["no drawing shows"];
  const seen = [...document.querySelectorAll(".jp-tocItem-content, " + here + ".cm-scroller, " + here + ".jp-Placeholder"), ...drawings];
  return seen.filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.className + ": " + e.textContent.slice(0, 60));
}"""


@pytest.mark.parametrize("width, height", [(1024, 700), (1440, 900)])
def test_the_front_door(browser, tmp_path, width, height):
    """The cover opens trusted with the contents at its side, a lab shows without a click, nothing is cut off, an untouched chapter closes without a question."""
    with Lab(tmp_path) as lab:
        page = lab.front_door(browser, width, height)
        shot(page, f"door-{width}-cover")
        page.get_by_role("heading", name="The map").wait_for(timeout=1000 * PATIENCE)
        assert page.locator(".jp-Dialog, .Toastify__toast").all_inner_texts() == []
        page.locator(".jp-TableOfContents").wait_for(timeout=1000 * PATIENCE)
        assert page.locator("#jp-left-stack").bounding_box()["width"] <= 0.18 * width
        for name in (copy_extras.COVER, f"{NAMES[0]}.ipynb"):
            cells = lab.get(f"/api/contents/{name}")["content"]["cells"]
            assert all(cell["metadata"]["trusted"] for cell in cells if cell["cell_type"] == "code"), name

        page.locator(f'.jp-Notebook a[href*="{NAMES[0]}.ipynb"]').last.click()
        chapter = page.locator(".jp-NotebookPanel:not(.lm-mod-hidden)")
        chapter.locator("div.fairfl-lab").first.wait_for(timeout=1000 * PATIENCE)
        chapter.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]").wait_for(timeout=1000 * PATIENCE)
        page.wait_for_timeout(2000)
        shot(page, f"door-{width}-chapter")
        assert page.evaluate(CUT) == []
        assert (
            chapter.locator(".jupyter-widgets-disconnected").first.evaluate(
                "e => getComputedStyle(e, '::before').content"
            )
            == "none"
        )
        tab = page.locator(".lm-DockPanel-tabBar .lm-TabBar-tab", has_text=NAMES[0])
        assert tab.count() == 1
        tab.locator(".lm-TabBar-tabCloseIcon").click()
        page.wait_for_timeout(2000)
        assert page.locator(".jp-Dialog").all_inner_texts() == [] and tab.count() == 0
        page.close()


def test_a_second_start_finds_the_first(lab):
    second = subprocess.run(
        lab.command(NAMES[5][:2]), cwd=BOOK.root, env=lab.environment, capture_output=True, text=True, timeout=PATIENCE
    )
    assert second.returncode == 0, second.stderr
    assert f":{lab.port}/lab/tree/{NAMES[5]}.ipynb?token={TOKEN}" in second.stdout and lab.process.poll() is None
