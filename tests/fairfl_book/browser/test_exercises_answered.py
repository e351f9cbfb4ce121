"""Exercises answered in JupyterLab as a reader would: wrongly in several ways, broken, not run again, and rightly."""

import json
import time

import pytest

from .lab import BOOK, NAMES, PATIENCE, Lab, cell_with, menu, run, run_all, shot

pytestmark = pytest.mark.browser

DESK = (1440, 900)  # pixels of a laptop's screen


def test_an_exercise_judges_what_the_readers_cell_says_now(browser, tmp_path):
    """Wrong, broken, changed and not run, right: the check has the fitting word each time, and what is solved is remembered."""
    with Lab(tmp_path) as lab:
        name = NAMES[0]
        page = lab.open(browser, f"/lab/tree/{name}.ipynb", *DESK)
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


CURVATURE, SURELY = "def curvature(eta, H, lam): return ", "def surely(f, g, e): return "
SHRINKING = "def step_size(t, T, eta, decay): return eta * "
# One exercise of each of five chapters, of five kinds: its chapter, its stub's beginning, and what wrong answers are told.
WRONG = {
    "fl.test_images": ("01", "images =", {"images = 30": "a square is missing", "images = 9": "that is the variance", "images = 90": "where does a factor of ten get lost"}),
    "prox.round": (
        "02",
        "def curvature(",
        {
            CURVATURE + "np.einsum('k,kij->ij', lam, H)": "the curvature of the mean loss",
            CURVATURE + "np.linalg.inv(np.einsum('k,kij->ij', lam, np.linalg.inv(H)))": "the harmonic mean of the H_k",
            CURVATURE + "np.einsum('k,kij->ij', lam, np.linalg.inv(np.eye(len(H[0])) + eta * np.asarray(H)))": "A loss with curvature B has the map",
        },
    ),
    "pareto.dominates": (
        "03",
        "def surely(",
        {
            SURELY + "bool((np.add(f, 2 * e) < g).all())": "You require that every client gain",
            SURELY + "bool((np.add(f, 2 * e) <= g).all())": "accepts a worst case in which no client gains",
            SURELY + "bool((np.add(f, e) <= g).all() and (np.add(f, e) < g).any())": "both may be off",
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
            SHRINKING + "decay ** (t / T)": "shrinks a little in every round",
            SHRINKING + "decay ** (100 / T * ((t + 1) // 100))": "to the nearest whole number",
        },
    ),
}  # fmt: skip


@pytest.mark.parametrize("slug", WRONG)
def test_wrong_answers_of_five_kinds_are_told_why(lab, browser, slug):
    number, stub, answers = WRONG[slug]
    [name] = BOOK.select([number])
    page = lab.open(browser, f"/lab/tree/{name}.ipynb", *DESK)
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
