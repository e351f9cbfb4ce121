"""The labs on the page: their pictures, words and numbers are the lab's own."""

import json
import re

import nbformat
import numpy as np
import pytest
from fairfl_book import labs, places
from fairfl_book.build import stills
from fairfl_book.site import frames, notebooks, strip, tours
from PIL import Image

BOOK = places.find()
TOURS = tours.load(BOOK.root / "book" / "labs.toml")


@pytest.mark.parametrize("start", [f"{n:02}" for n in range(2, 15)])
def test_the_labs_move_on_the_site(start):
    [name] = [name for name in BOOK.names() if name.startswith(start)]
    asked = []
    page = notebooks.page(
        nbformat.read(BOOK.notebook(name), as_version=4), lambda lab, cell: asked.append(lab) or f"<p>{lab}</p>"
    )
    assert asked and set(asked) <= set(TOURS) | {lab.name for lab in stills.touched()}
    shown = [
        output.data["text/html"]
        for cell in page.cells
        if cell.cell_type == "code" and "check" not in cell.metadata.get("tags", [])
        for output in cell.outputs
        if "text/html" in output.get("data", {}) and "data:image/" not in output.data["text/html"]
        if output.data["text/html"] != notebooks._NOTE  # a lab with a reader's own rule moves in JupyterLab only
    ]
    assert shown == [f"<p>{lab}</p>" for lab in asked]


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    folder = tmp_path_factory.mktemp("labs")
    tour = tours.read(
        "Scalarisation", {"problem": ["two valleys (convex)", "Fonseca–Fleming"], "knob": [0.0, 0.4, 1.0]}
    )
    assert frames.draw_all([tour], folder) == ["Scalarisation"]
    return tour, folder


def test_background_and_difference_make_the_labs_own_picture(drawn):
    tour, folder = drawn
    record = json.loads((folder / tour.name / frames.RECORD).read_text(encoding="utf-8"))
    numbers = [tour.lab.numbers(**state) for state in tour.states()]
    for n, picture in enumerate(frames._pictures(tour, numbers)):
        base, over = (
            Image.open(folder / tour.name / f"{name}.webp").convert("RGBA")
            for name in (f"base-{record['base'][n]}", f"frame-{n:03d}")
        )
        assert np.array_equal(np.asarray(Image.alpha_composite(base, over)), picture)
        assert record["words"][n] == "\n".join(tour.lab.words(numbers[n])) and record["alt"][n] == tour.lab.alt(
            numbers[n]
        )
    assert record["base"] == [0, 0, 0, 1, 1, 1]


def test_what_is_up_to_date_is_not_drawn_again_and_other_numbers_are(drawn, monkeypatch):
    tour, folder = drawn
    assert frames.draw_all([tour], folder) == []
    before = type(tour.lab).compute
    monkeypatch.setattr(type(tour.lab), "compute", lambda self, **state: {**before(self, **state), "jump": 0.5})
    assert frames.draw_all([tour], folder) == ["Scalarisation"]


def test_the_page_reads_without_a_script_and_every_control_has_a_label(drawn):
    tour, folder = drawn
    text = strip.fragment(tour, folder / tour.name, "cell-1")
    controls = re.findall(r'<(?:input type="range"|select) id="([^"]+)"', text)
    assert controls == re.findall(r'<label for="([^"]+)"', text) == ["cell-1-problem", "cell-1-knob"]
    assert (
        'src="_static/labs/Scalarisation/frame-004.webp"' in text
        and 'aria-valuetext="0.4"' in text
        and "aria-live" in text
    )
    assert text.count("</script>") == 1 and "method weighted sum" in text  # what stays fixed is said


@pytest.mark.parametrize(
    "name, values, told",
    [
        ("Bux", {}, "Did you mean 'Box'"),
        ("Box", {"angel": [150]}, "Did you mean 'angle'"),
        ("Box", {"angle": [90]}, "a list with 150"),
        ("Box", {"angle": [150, 400]}, "0 to 180"),
        ("Box", {"angle": [150] * 51, "rows": ["unit", "raw"]}, "at most 100"),
        ("Hull", {}, "Hull moves on the page"),
    ],
)
def test_a_tour_that_cannot_be_is_refused(name, values, told):
    with pytest.raises(ValueError, match=told):
        tours.read(name, values)


def test_a_page_is_a_copy_and_a_lab_without_pictures_says_where_it_moves():
    notebook = nbformat.v4.new_notebook(
        cells=[
            nbformat.v4.new_code_cell("lab = Box()"),
            nbformat.v4.new_code_cell(
                "lab.widget()", outputs=[nbformat.v4.new_output("display_data", {notebooks.WIDGET: {}})]
            ),
        ],
        metadata={"widgets": {}},
    )
    before = json.dumps(notebook)
    page = notebooks.page(notebook, lambda lab, cell: None)
    assert json.dumps(notebook) == before and "widgets" not in page.metadata
    assert "moves in JupyterLab" in page.cells[1].outputs[0].data["text/html"]


def test_every_tour_belongs_to_a_lab_of_the_book():
    assert {"Scalarisation", "Box", "AffineHull"} <= set(TOURS) <= set(labs.__all__)
