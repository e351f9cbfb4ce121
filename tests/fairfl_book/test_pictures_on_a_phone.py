"""No letter of a chapter's picture falls under 9 pixels on a phone of 390, where a page leaves a picture 358.

A letter of 10 points, matplotlib's and the book's own, is 100/72 · 10 pixels high in the picture as stored. So a picture may be 552 pixels wide; 5.3 inches and the
margin that ``figures.png`` leaves are 542. What the texts ask for is tried here, and the width of every stored picture that the text still draws in the same words.
"""

import ast
import re

import nbformat
import pytest
from fairfl_book import book_paths
from fairfl_book.build import chapter_notebooks

BOOK = book_paths.find()
INCHES, POINTS = 5.3, 10
PHONE, LETTER = 358, 9  # pixels
WIDEST = POINTS * 100 / 72 * PHONE / LETTER
# Asked for wider, and all the same no letter is too small.
ALLOWED = {
    ("01_federated_learning", 5.6),  # equal lengths in both directions: its height keeps it narrow, 506 pixels
    ("02_proximal_average", 5.8),  # the same: 477 pixels
}


def cells(name: str) -> list[str]:
    return [cell.source for cell in chapter_notebooks.read(BOOK.twin(name)).cells if cell.cell_type == "code"]


def widths(source: str) -> list[float | None]:
    """The width in inches that each new figure of a cell asks for; ``None`` where it is left to the style."""
    asked = []
    for call in ast.walk(ast.parse(re.sub(r"^%.*$", "", source, flags=re.M))):
        if isinstance(call, ast.Call) and ast.unparse(call.func) in (
            "plt.subplots",
            "plt.figure",
            "plt.subplot_mosaic",
        ):
            size = [word.value for word in call.keywords if word.arg == "figsize"]
            asked.append(float(ast.literal_eval(size[0].elts[0])) if size else None)
    return asked


def small_letters(source: str) -> list[str]:
    """Every size of letters under ``POINTS`` that a cell asks for, by number or by one of matplotlib's words."""
    sizes = re.findall(r"\b(?:font|label|title)size[\"']?\s*[=:]\s*[\"']?([\d.]+|[a-z-]+)", source)
    return [size for size in sizes if size.endswith("small") or (size[0].isdigit() and float(size) < POINTS)]


def stored(name: str) -> list[tuple[str, int]]:
    """The source of each cell that shows a picture, and the picture's width in pixels, from the executed notebook."""
    found = []
    for cell in nbformat.read(BOOK.notebook(name), as_version=4).cells:
        for output in cell.get("outputs", []):
            width = re.match(r'<img alt="[^"]*" width="(\d+)"', output.get("data", {}).get("text/html", ""))
            found += [(cell.source, int(width[1]))] if width else []
    return found


@pytest.mark.parametrize("name", BOOK.names())
def test_no_figure_asks_for_more_than_a_phone_can_show(name):
    asked = [width for source in cells(name) for width in widths(source)]
    wide = [width for width in asked if (width is None or width > INCHES) and (name, width) not in ALLOWED]
    assert not wide, f"figsize at most {INCHES} inches wide, and named: the style's own is wider. Set panels in rows"


@pytest.mark.parametrize("name", BOOK.names())
def test_no_letter_is_asked_for_smaller_than_the_style_s(name):
    small = [size for source in cells(name) for size in small_letters(source)]
    assert not small, f"{POINTS} points or more: at {PHONE} pixels less is under {LETTER}"


@pytest.mark.parametrize("name", BOOK.names())
def test_no_stored_picture_is_wider_than_a_phone_can_show(name):
    """What sticks out of a figure widens its picture beyond ``figsize``. A picture whose cell has changed since waits for its next run."""
    as_written = set(cells(name))
    wide = {source: width for source, width in stored(name) if source in as_written and width > WIDEST}
    wide = {source: width for source, width in wide.items() if not {(name, w) for w in widths(source)} & ALLOWED}
    assert not wide, f"a picture wider than {WIDEST:.0f} pixels: a label or legend stands outside of the figure"


def test_widths_and_small_letters_are_seen():
    assert widths("f, a = plt.subplots(1, 2, figsize=(7.6, 3))\ng = plt.figure()") == [7.6, None]
    assert small_letters('a.annotate("x", p, fontsize=9)\na.legend(fontsize="small")\nb.text(fontsize=10)') == [
        "9",
        "small",
    ]
