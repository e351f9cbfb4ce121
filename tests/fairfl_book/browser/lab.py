"""A real JupyterLab in headless Chromium: the command that starts it, and what a reader's hand does there."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import nbformat
import pytest
from fairfl_book import book_paths
from fairfl_book.build.notebook_checks import code_cells

BOOK = book_paths.find()
NAMES = BOOK.executed() or [pytest.param("", marks=pytest.mark.skip(reason="the book has no executed chapters yet"))]
TOKEN = "a-token-for-this-test-only"
PATIENCE = 180  # seconds for a chapter that takes at most 40 on a quiet machine


class Lab:
    """The real command, with its own settings, its own copies, and a known token."""

    python, place = sys.executable, BOOK.root  # who runs it, and in which folder

    def __init__(self, folder):
        self.work, self.log = folder / "work", folder / "jupyterlab.log"
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}"
        self.folders = {f"JUPYTER_{kind}_DIR": str(folder / kind.lower()) for kind in ("CONFIG", "DATA", "RUNTIME")}

    def __enter__(self):
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                self.command(f"--port={self.port}"),
                cwd=self.place,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=self.environment,
            )
        deadline = time.monotonic() + PATIENCE
        while not self.answers():
            assert self.process.poll() is None and time.monotonic() < deadline, self.log.read_text()
            time.sleep(0.1)
        return self

    @property
    def environment(self):
        return {**os.environ, **self.folders, "JUPYTER_TOKEN": TOKEN}

    def command(self, *more):
        return [self.python, "-m", "fairfl_book", "lab", "--no-browser", f"--work={self.work}", *more]

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(PATIENCE)

    def answers(self):
        try:
            return self.get("/api/status")
        except (urllib.error.URLError, ConnectionError):
            return None

    def get(self, path):
        request = urllib.request.Request(self.address + path, headers={"Authorization": f"token {TOKEN}"})
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)

    def open(self, browser, path, width=1280, height=1000):
        page = browser.new_page(viewport={"width": width, "height": height})
        page.goto(f"{self.address}{path}?token={TOKEN}&reset")  # reset: without the tabs that another test left open
        page.locator(".jp-Notebook").wait_for(timeout=1000 * PATIENCE)
        # Before, JupyterLab asks who runs a cell which kernel it shall have.
        page.locator(".jp-Toolbar-kernelName", has_text="Python").first.wait_for(timeout=1000 * PATIENCE)
        page.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]").wait_for(timeout=1000 * PATIENCE)
        return page

    def front_door(self, browser, width, height, path="/"):
        """What a reader sees who opens the printed address for the first time."""
        page = browser.new_page(viewport={"width": width, "height": height})
        page.goto(f"{self.address}{path}?token={TOKEN}")
        page.locator(".jp-Notebook").wait_for(timeout=1000 * PATIENCE)
        page.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]").wait_for(timeout=1000 * PATIENCE)
        page.wait_for_timeout(2000)
        return page


def menu(page, name, item):
    page.locator(".lm-MenuBar-itemLabel", has_text=name).first.click()
    page.locator(".lm-Menu-itemLabel").get_by_text(item, exact=True).click()


def saved(page, path):
    """The notebook as JupyterLab saves it now."""
    page.keyboard.press("Control+s")
    time.sleep(1)
    return nbformat.read(path, as_version=4)


def run_all(page, path):
    """The notebook after all its cells were run from the menu, where its copy at ``path`` had no execution counts."""
    menu(page, "Edit", "Clear Outputs of All Cells")
    notebook = saved(page, path)
    assert not any(cell.outputs for _, cell in code_cells(notebook)), "the copies' outputs were not cleared"
    menu(page, "Run", "Run All Cells")
    # Saved once, when all is done: a save on top of another makes JupyterLab ask whose file it is.
    for status in ("busy", "idle"):
        page.locator(f".jp-Notebook-ExecutionIndicator[data-status={status}]").wait_for(timeout=3000 * PATIENCE)
    deadline = time.monotonic() + PATIENCE
    notebook = saved(page, path)
    while any(cell.execution_count is None for _, cell in code_cells(notebook)) and time.monotonic() < deadline:
        time.sleep(10)
        notebook = saved(page, path)
    return notebook


def pictures(page, name):
    """One screenshot a screenful, from the top, into $FAIRFL_SCREENSHOTS."""
    folder = os.environ.get("FAIRFL_SCREENSHOTS")
    if not folder:
        return
    Path(folder).mkdir(parents=True, exist_ok=True)
    panel = page.locator(".jp-WindowedPanel-outer").first
    for number in range(40):
        height, full = panel.evaluate(
            f"panel => {{ panel.scrollTop = {number} * (panel.clientHeight - 60); return [panel.clientHeight, panel.scrollHeight] }}"
        )
        page.wait_for_timeout(400)
        page.screenshot(path=str(Path(folder) / f"{name}-{number:02d}.png"))
        if (number + 1) * (height - 60) >= full:
            return


def shot(page, name):
    if folder := os.environ.get("FAIRFL_SCREENSHOTS"):
        page.screenshot(path=str(Path(folder) / f"{name}.png"))


def found(page, wanted):
    """Scroll the open notebook from its top until ``wanted``, a locator, is there; whether it is. JupyterLab draws only what is near."""
    panel, number = page.locator(".jp-WindowedPanel-outer").first, 0
    while not wanted.count():
        more = panel.evaluate(
            f"panel => {{ panel.scrollTop = {number} * panel.clientHeight / 2; return panel.scrollTop >= {number} * panel.clientHeight / 2 - 1 }}"
        )
        page.wait_for_timeout(250)
        if not more:
            return wanted.count() > 0
        number += 1
    return True


def cell_with(page, words):
    """The cell of the open notebook that holds ``words``, scrolled into view."""
    cell = page.locator(".jp-CodeCell", has_text=words)
    assert found(page, cell), f"no cell holds {words!r}"
    cell.first.scroll_into_view_if_needed()
    return cell.first


def run(page, cell):
    """Run one cell and wait until it has run: its number has changed, and it is no star."""
    prompt, deadline = cell.locator(".jp-InputPrompt"), time.monotonic() + PATIENCE
    before = prompt.inner_text()
    cell.locator(".cm-content").click()
    page.keyboard.press("Control+Enter")
    while prompt.inner_text() == before or "*" in prompt.inner_text():
        assert time.monotonic() < deadline, "the cell does not run to its end"
        page.wait_for_timeout(100)
