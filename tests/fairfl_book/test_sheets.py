"""The book on paper, without a browser: what a notebook's cells become, and where links lead."""

import re

import nbformat
import pytest
from fairfl_book import book_paths, figures
from fairfl_book.build import book_pdf, chapter_notebooks, print_html

pytest.importorskip("mdit_py_plugins", reason="the extra book brings it")


def code(source, *outputs, tags=(), **metadata):
    return nbformat.v4.new_code_cell(source, outputs=list(outputs), metadata={"tags": list(tags), **metadata})


def shown(**data):
    return nbformat.v4.new_output("display_data", {key.replace("_", "/"): value for key, value in data.items()})


def chapter(*cells, solved=()):
    return print_html.chapter(nbformat.v4.new_notebook(cells=list(cells)), "04", frozenset(solved))


def text(source):
    return nbformat.v4.new_markdown_cell(source)


def test_what_a_screen_folds_stands_open():
    made = chapter(text("<details>\n<summary>Proof</summary>\n\nLet $x < y$.\n\n</details>")).content
    assert '<div class="folded">' in made and '<p class="summary">Proof</p>' in made and "details" not in made
    assert r"\(x &lt; y\)" in made


def test_code_that_only_draws_is_left_out_and_its_picture_stays():
    picture = shown(text_html='<img alt="a" src="data:image/svg+xml;base64,AA==">', text_plain="a")
    made = chapter(code("plot()", picture, jupyter={"source_hidden": True}), code("x = 1")).content
    assert "plot" not in made and "image/svg+xml" in made
    assert ">x</span>" in made, "other code is printed, in colours"


def test_a_check_prints_no_verdict_and_leads_to_the_answer():
    cell = code('check("a.b", f)', shown(text_plain="not attempted yet"), tags=["check"])
    assert "not attempted" not in chapter(cell).content and "#solution" not in chapter(cell).content
    assert '<a href="#solution-a.b">' in chapter(cell, solved={"a.b"}).content


def test_links_stay_inside_the_book():
    made = chapter(
        text(
            "# 4. MGDA\n\n[there](02_proximal_average.ipynb), [here](#References), [out](https://e.org/a)\n\n## References\n\n- [A](https://e.org)"
        )
    )
    for address in ("#c02", "#c04-references", "https://e.org/a"):
        assert f'href="{address}"' in made.content
    assert [(h.level, h.anchor) for h in made.headings] == [(1, "c04"), (2, "c04-references")]
    assert '<section class="references"><h2' in made.content


def test_a_mention_of_a_figure_leads_to_its_caption():
    made = chapter(text("Figure 4.2 shows a < b.\n\n> **Figure 4.2.** A line.\n\nSee Figure 4.2.")).content
    assert '<blockquote id="figure-4-2">' in made and "<strong>Figure 4.2.</strong>" in made
    assert made.count('<a href="#figure-4-2">Figure 4.2</a>') == 2 and "</a> shows a &lt; b." in made


def test_what_was_printed_is_no_html():
    said = nbformat.v4.new_output("stream", name="stdout", text="a < b\n")
    assert "a &lt; b" in chapter(code("x", said)).content


def test_every_heading_and_every_link_of_the_whole_book_has_a_place(tmp_path):
    """From the texts alone: anchors are unique, and no link inside leads nowhere."""
    book = book_paths.find()
    made, anchors = book_pdf.page(
        book,
        {name: chapter_notebooks.read(book.twin(name)) for name in book.names()},
        {name: chapter_notebooks.read(book.twin(name)) for name in book.companions()},
        tmp_path / "m.js",
    )
    assert len(anchors) == len(set(anchors))
    ids = set(re.findall(r' id="([^"]+)"', made))
    assert set(anchors) <= ids
    assert [link for link in re.findall(r'href="#([^"]+)"', made) if link not in ids] == []


def test_pictures_for_paper_are_lines_as_wide_as_the_screens_and_the_same_twice(monkeypatch):
    plt = pytest.importorskip("matplotlib.pyplot")

    def drawn():
        figure, axes = plt.subplots(figsize=(5.3, 3.0))
        axes.plot([0, 1])
        made = figures.image(figure, "A line goes up.")
        plt.close(figure)
        return made, int(re.search(r'width="(\d+)"', made)[1])

    _, width = drawn()
    monkeypatch.setenv(figures.PICTURES, "svg")
    assert 'src="data:image/svg+xml;base64,' in drawn()[0] and drawn() == drawn()
    assert abs(drawn()[1] - width) <= 2
