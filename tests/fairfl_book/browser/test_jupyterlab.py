"""A reader's first hour, driven in headless Chromium against the JupyterLab that `make lab` starts.

`make test-browser` runs it. $CHROMIUM names the browser; $FAIRFL_SCREENSHOTS a folder for pictures to look at.
"""

import ast
import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import nbformat
import pytest
from fairfl_book import places
from fairfl_book.build import stills
from fairfl_book.build.guards import code_cells
from fairfl_book.reading import copies, dress

pytestmark = pytest.mark.browser

BOOK = places.find()
NAMES = [name for name in BOOK.names() if BOOK.notebook(name).exists()] or [
    pytest.param("", marks=pytest.mark.skip(reason="the book has no executed chapters yet"))
]
TOKEN = "a-token-for-this-test-only"
PATIENCE = 180  # seconds for a chapter that takes at most 40 on a quiet machine


class Lab:
    """The real command, with its own settings, its own copies, and a known token."""

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
                cwd=BOOK.root,
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
        return [sys.executable, "-m", "fairfl_book", "lab", "--no-browser", f"--work={self.work}", *more]

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

    def open(self, browser, path):
        page = browser.new_page(viewport={"width": 1280, "height": 1000})
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


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    with Lab(tmp_path_factory.mktemp("lab")) as running:
        yield running


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
    deadline = time.monotonic() + PATIENCE
    while any(cell.execution_count is None for _, cell in code_cells(notebook)) and time.monotonic() < deadline:
        time.sleep(1)
        notebook = saved(page, path)
    page.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]").wait_for(timeout=1000 * PATIENCE)
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


def move_every_control(page):
    """Move each handle of the chapter's lab; returns the labels of those that changed nothing that a reader sees."""
    panel, box = page.locator(".jp-WindowedPanel-outer").first, page.locator("div.fairfl-lab")
    for number in range(80):
        if box.count():
            return move_every_handle(page)
        panel.evaluate(f"panel => panel.scrollTop = {number} * panel.clientHeight / 2")
        page.wait_for_timeout(250)
    raise AssertionError("the chapter shows no lab")


# Where a handle is taken, and how far it is then dragged: along its line, if it has one, away from the end that is nearer.
AWAY = """handle => {
  const knob = handle.querySelector(".knob").getBoundingClientRect(), [x, y] = [knob.x + knob.width / 2, knob.y + knob.height / 2];
  const [a, b, ...other] = handle.dataset.track.split(" ").map(Number), screen = handle.ownerSVGElement.getScreenCTM();
  if (!other.length) return [x, y, -25, 15];
  const ends = [[a, b], other].map(([x, y]) => new DOMPoint(x, y).matrixTransform(screen)), far = ends.map(end => Math.hypot(end.x - x, end.y - y));
  const goal = ends[far[0] > far[1] ? 0 : 1];
  return [x, y, 0.4 * (goal.x - x), 0.4 * (goal.y - y)];
}"""


def move_every_handle(page):
    """Move each handle of a lab one can touch by mouse and by keyboard; returns those that changed nothing that a reader sees."""
    box = page.locator("div.fairfl-lab").first
    box.scroll_into_view_if_needed()
    shown = lambda: box.locator(".drawn").evaluate_all("all => all.map(e => e.innerHTML)")
    unmoved = []
    for handle in box.locator(".handle:visible").all():
        before = shown()
        handle.scroll_into_view_if_needed()
        x, y, right, down = handle.evaluate(AWAY)
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + right, y + down, steps=4)
        page.mouse.up()
        dragged = shown()
        page.keyboard.press("ArrowUp")
        if not before != dragged != shown():
            unmoved.append(handle.get_attribute("aria-label"))
    return unmoved


@pytest.mark.parametrize("touched", stills.every(), ids=lambda touched: touched.name)
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
        for name in (dress.COVER, f"{NAMES[0]}.ipynb"):
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


def cell_with(page, words):
    """The cell of the open notebook that holds ``words``, scrolled into view: JupyterLab draws only what is near."""
    panel, cell = page.locator(".jp-WindowedPanel-outer").first, page.locator(".jp-CodeCell", has_text=words)
    for number in range(80):
        if cell.count():
            cell.first.scroll_into_view_if_needed()
            return cell.first
        panel.evaluate(f"panel => panel.scrollTop = {number} * panel.clientHeight / 2")
        page.wait_for_timeout(250)
    raise AssertionError(f"no cell holds {words!r}")


def run(page, cell):
    """Run one cell and wait until it has run: its number has changed, and it is no star."""
    prompt, deadline = cell.locator(".jp-InputPrompt"), time.monotonic() + PATIENCE
    before = prompt.inner_text()
    cell.locator(".cm-content").click()
    page.keyboard.press("Control+Enter")
    while prompt.inner_text() == before or "*" in prompt.inner_text():
        assert time.monotonic() < deadline, "the cell does not run to its end"
        page.wait_for_timeout(100)


def test_an_exercise_judges_what_the_readers_cell_says_now(browser, tmp_path):
    """Wrong, broken, changed and not run, right: the check has the fitting word each time, and what is solved is remembered."""
    with Lab(tmp_path) as lab:
        name = NAMES[0]
        page = lab.open(browser, f"/lab/tree/{name}.ipynb")
        page.wait_for_timeout(2000)
        run_all(page, lab.work / f"{name}.ipynb")
        shot(page, "exercise-run-all")

        def write(source):
            cell_with(page, "def from_others(").locator(".cm-content").click()
            page.keyboard.press("Control+a")
            page.keyboard.insert_text(source)

        def checked():
            cell = cell_with(page, 'check("start.rates"')
            run(page, cell)
            return cell.locator(".jp-OutputArea").inner_text()

        def answered(source):
            write(source)
            run(page, cell_with(page, "def from_others("))
            return checked()

        assert "○ start.rates: not attempted yet" in checked()
        shot(page, "exercise-untouched")
        said = answered("def from_others(G, weights): return G @ G.T @ weights")
        assert "✗ start.rates: not yet" in said and 'hint("start.rates")' in said
        shot(page, "exercise-wrong")
        assert "SyntaxError" in answered("def from_others(G, weights: return 1")
        assert "right" in answered("def from_others(G, weights): return (G @ G.T - np.diag((G * G).sum(1))) @ weights")
        shot(page, "exercise-right")
        assert list(json.loads((lab.work / ".fairfl-progress.json").read_text())) == ["start.rates"]
        write("def from_others(G, weights): return G @ weights")
        deadline = time.monotonic() + PATIENCE
        while "return G @ weights" not in (lab.work / f"{name}.ipynb").read_text():
            assert time.monotonic() < deadline, "JupyterLab does not save by itself"
            page.wait_for_timeout(500)
        assert "has changed since it ran" in checked()
        shot(page, "exercise-changed")
        page.close()


ONE_ROUND, SHRINKING = "def one_round(w, eta, H, c, lam): return ", "def step_size(t, T, eta, decay): return eta * "
# One exercise of each of five chapters, of five kinds: its chapter, its stub's beginning, and what wrong answers are told.
WRONG = {
    "fl.test_images": ("01", "images =", {"images = 30": "a square is missing", "images = 9": "that is the variance", "images = 90": "a ten get lost"}),
    "prox.round": (
        "02",
        "def one_round(",
        {
            ONE_ROUND + "w - eta * np.einsum('k,kij,kj->i', lam, H, w - c)": "one gradient step",
            ONE_ROUND + "np.linalg.solve(np.eye(len(w)) + eta * np.einsum('k,kij->ij', lam, H), w + eta * np.einsum('k,kij,kj->i', lam, H, c))":
                "the proximal map of the mean loss",
            ONE_ROUND + "np.mean([np.linalg.solve(np.eye(len(w)) + eta * h, w + eta * h @ m) for h, m in zip(H, c)], 0)": "counted every client once",
        },
    ),
    "pareto.dominates": (
        "03",
        "def dominates(",
        {
            "def dominates(f, g): return (f < g).all()": "You ask that everybody gain",
            "def dominates(f, g): return (f <= g).all()": "With equal losses nobody gains",
            "def dominates(f, g): return f.sum() < g.sum()": "You compare sums",
        },
    ),
    "mgda.perpendicular": (
        "04",
        "def perpendicular(",
        {
            "def perpendicular(lengths): return 1 / lengths / (1 / lengths).sum()": "its rate is ℓ² λ",
            "def perpendicular(lengths): return lengths / lengths.sum()": "You give the long gradients more weight",
            "def perpendicular(lengths): return 1 / lengths**2": "the weights must sum to 1",
        },
    ),
    "fedmgda.step_size": (
        "05",
        "def step_size(",
        {
            SHRINKING + "decay ** (t // 100)": "every hundred rounds",
            SHRINKING + "decay ** (t / T)": "there is a floor",
            SHRINKING + "decay ** (100 / T * ((t + 1) // 100))": "where is one added?",
        },
    ),
}  # fmt: skip


@pytest.mark.parametrize("slug", WRONG)
def test_wrong_answers_of_five_kinds_are_told_why(lab, browser, slug):
    number, stub, answers = WRONG[slug]
    [name] = BOOK.select([number])
    page = lab.open(browser, f"/lab/tree/{name}.ipynb")
    page.wait_for_timeout(2000)
    menu(page, "Run", "Run All Cells")  # without ``run_all``, whose savings may meet JupyterLab's own
    for _ in range(2):  # between two cells a kernel is idle as well
        page.wait_for_timeout(3000)
        page.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]").wait_for(timeout=1000 * PATIENCE)
    for answer, words in answers.items():
        cell_with(page, stub).locator(".cm-content").click()
        page.keyboard.press("Control+a")
        page.keyboard.insert_text(answer)
        run(page, cell_with(page, stub))
        check = cell_with(page, f'check("{slug}"')
        run(page, check)
        assert words in check.locator(".jp-OutputArea").inner_text(), answer
    page.close()


def test_a_second_start_finds_the_first(lab):
    second = subprocess.run(
        lab.command(NAMES[5][:2]), cwd=BOOK.root, env=lab.environment, capture_output=True, text=True, timeout=PATIENCE
    )
    assert second.returncode == 0, second.stderr
    assert f":{lab.port}/lab/tree/{NAMES[5]}.ipynb?token={TOKEN}" in second.stdout and lab.process.poll() is None
