"""The book as a wheel: chapter 0 read and answered in JupyterLab without the clone and without a network.

`make test-wheel` runs it with $FAIRFL_INSTALLED, the Python of an environment into which the two wheels were installed.
"""

import json
import os
import subprocess
from pathlib import Path

import pytest

from .lab import Lab, cell_with, run, run_all, shot

INSTALLED = os.environ.get("FAIRFL_INSTALLED")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not INSTALLED, reason="make test-wheel installs the wheels and runs this"),
]
NOWHERE = {f"{kind}_PROXY": "http://127.0.0.1:9" for kind in ("HTTP", "HTTPS", "ALL")} | {"NO_PROXY": "127.0.0.1"}
RIGHT = "def from_others(G, weights): return (G @ G.T - np.diag((G * G).sum(1))) @ weights"


class Installed(Lab):
    """JupyterLab as ``fairfl-book lab`` starts it from the wheel, at the default folder of a reader with an empty home."""

    python = str(Path(INSTALLED or "").absolute())

    def __init__(self, folder):
        super().__init__(folder)
        self.place = self.home = folder / "home"
        self.home.mkdir()
        self.work = self.home / "fairfl-book" / "work"

    @property
    def environment(self):
        kept = {name: value for name, value in super().environment.items() if name != "PYTHONPATH"}
        return {**kept, **NOWHERE, "HOME": str(self.home), "USERPROFILE": str(self.home)}

    def command(self, *more):
        return [str(Path(self.python).with_name("fairfl-book")), "lab", "--no-browser", *more]

    def say(self, *words):
        done = subprocess.run(
            [*self.command()[:1], *words], cwd=self.place, env=self.environment, capture_output=True, text=True
        )
        return done.returncode, done.stdout + done.stderr


def test_chapter_0_is_read_answered_and_reset_from_the_wheel(browser, tmp_path):
    with Installed(tmp_path) as lab:
        assert "from a wheel" in lab.say("--version")[1]
        page = lab.open(browser, "/lab/tree/00_start_here.ipynb", 1440, 900)
        outside = []
        page.on("request", lambda request: outside.append(request.url) if "127.0.0.1" not in request.url else None)
        copy = lab.work / "00_start_here.ipynb"
        notebook = run_all(page, copy)
        failed = [out for cell in notebook.cells for out in cell.get("outputs", ()) if out.output_type == "error"]
        assert not failed
        shot(page, "wheel-run-all")
        cell_with(page, "def from_others(").locator(".cm-content").click()
        page.keyboard.press("Control+a")
        page.keyboard.insert_text(RIGHT + '\nsolution("start.rates")')
        answer = cell_with(page, "def from_others(")
        run(page, answer)
        assert "np.diag" in answer.locator(".jp-OutputArea").inner_text(), "the second wheel has the solution"
        cell = cell_with(page, 'check("start.rates"')
        run(page, cell)
        assert "right" in cell.locator(".jp-OutputArea").inner_text()
        shot(page, "wheel-right")
        page.keyboard.press("Control+s")
        page.wait_for_timeout(1000)
        page.close()
        assert list(json.loads((lab.work / ".fairfl-progress.json").read_text())) == ["start.rates"]
        assert not [url for url in outside if url.startswith("http")]

        status, said = lab.say("reset", "00")
        kept = copy.with_name("00_start_here.yours.ipynb")
        assert status == 0 and RIGHT in json.dumps(json.loads(kept.read_text())) and RIGHT not in copy.read_text(), said
        assert lab.say("student", "00")[0] == 0 and (lab.home / "fairfl-book/dist/student/00_start_here.ipynb").exists()
        assert lab.say("solutions", "00")[0] == 0
        status, said = lab.say("chapters", "00")
        assert status == 2 and "clone" in said and "Traceback" not in said
