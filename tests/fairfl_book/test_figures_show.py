"""A shown figure is one output with its words and a sharp picture; a rerun compares the words and not the picture."""

import base64
import io
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from fairfl_book import figures
from fairfl_book.build import embedded_images
from matplotlib import pyplot as plt
from PIL import Image
from refusals import refused

V4 = nbformat.v4
CFG = Path(__file__).parents[1] / "nbval.cfg"
WORDS = """A line "y" falls & stays < 0, the client's"""


@pytest.fixture
def shown(monkeypatch):
    """What ``figures.show`` hands to the front end."""
    held = []
    monkeypatch.setattr("IPython.display.display", lambda data, **options: held.append((data, options)))
    return held


def line(*heights):
    figure, axes = plt.subplots(figsize=(4, 2))
    axes.plot(heights)
    return figure


def test_one_output_holds_the_words_and_a_picture_of_two_pixels_for_one(shown):
    figure = line(3, 1)
    figures.show(figure, WORDS)
    [(data, options)] = shown
    assert set(data) == {"text/html", "text/plain"} and options == {"raw": True} and data["text/plain"] == WORDS
    assert embedded_images.words(data["text/html"]) == [WORDS] and not plt.fignum_exists(figure.number)
    [(width, code)] = re.findall(
        r'width="(\d+)" style="max-width: 100%; height: auto" src="data:image/png;base64,(\S+)">$', data["text/html"]
    )
    picture = Image.open(io.BytesIO(base64.b64decode(code)))
    assert picture.width == pytest.approx(2 * int(width), abs=1) and 300 < int(width) <= 400


def test_the_same_figure_twice_is_the_same_output():
    assert figures.image(line(3, 1), WORDS) == figures.image(line(3, 1), WORDS) != figures.image(line(1, 3), WORDS)


def test_a_figure_without_words_is_refused():
    with refused("value", "alt", "'plot'"):
        figures.show(line(1), "plot")


def test_a_rerun_compares_the_words_and_not_the_picture(tmp_path):
    source = (
        "import matplotlib\n"
        "matplotlib.use('agg')\n"
        "from matplotlib import pyplot as plt\n"
        "from fairfl_book import figures\n"
        "figure, axes = plt.subplots(figsize=(3, 2))\n"
        "figures.show(figure, 'The same four words')"
    )

    def cell(words, number):  # stored: another picture, of another size
        data = {"text/html": figures.image(line(3, 1, number), words), "text/plain": "The same four words"}
        return V4.new_code_cell(source, execution_count=number, outputs=[V4.new_output("display_data", data)])

    notebook = V4.new_notebook(cells=[cell("The same four words", 1), cell("Four words now changed", 2)])
    nbformat.write(notebook, tmp_path / "two.ipynb")
    made = subprocess.run(
        [sys.executable, "-m", "pytest", "-c", "/dev/null", "--rootdir", str(tmp_path), "-p", "no:cacheprovider", "-rA"]
        + ["--nbval", "--nbval-current-env", "--nbval-sanitize-with", str(CFG), str(tmp_path / "two.ipynb")],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert "PASSED two.ipynb::Cell 0" in made.stdout and "FAILED two.ipynb::Cell 1" in made.stdout, made.stdout
    assert "Four words now changed" in made.stdout
