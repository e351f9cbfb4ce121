"""What is done to a page's pieces: lines of code, pictures, mentions of chapters and works."""

import base64
import io
from types import SimpleNamespace

import nbformat
import pytest

pytest.importorskip("sphinx", reason="the site's packages are not installed (pip install -e '.[book]')")

from docutils import nodes
from docutils.utils import new_document
from fairfl_book.site import (
    cross_references,
    figure_links,
    glossary_links,
    image_files,
    line_wrapping,
    meta_tags,
    notebooks,
)
from fairfl_book.site.chapter_index import Known, Word
from PIL import Image


def test_lines_of_code_keep_their_marks_and_know_their_length():
    body = '<div class="highlight"><pre><span></span><span class="k">if</span> a &lt; b:\n\n    go\n</pre></div>'
    hung = line_wrapping.hung(body)
    assert "--letters: 9" in hung and '<span class="line" style="--in: 4">    go\n</span></pre>' in hung
    assert line_wrapping._MARKS.sub("", hung) == line_wrapping._MARKS.sub("", body), "what is copied stays"


def test_a_mark_over_several_lines_is_left_alone():
    body = '<pre><span class="s">one\ntwo</span></pre>'
    assert line_wrapping.hung(body) == body


def test_a_picture_becomes_a_smaller_file_of_the_same_pixels(tmp_path):
    png = io.BytesIO()
    drawn = Image.new("RGB", (60, 40), "white")
    drawn.putpixel((3, 4), (0, 114, 178))
    drawn.save(png, format="png")
    image = f'<img alt="a dot" width="30" src="data:image/png;base64,{base64.b64encode(png.getvalue()).decode()}">'
    cell = nbformat.v4.new_code_cell("x", outputs=[nbformat.v4.new_output("display_data", {"text/html": image})])
    page = nbformat.v4.new_notebook(cells=[cell])
    [file] = image_files.take_out(page, tmp_path / "made", "there")
    shown = page.cells[0].outputs[0].data["text/html"]
    assert shown == f'<img alt="a dot" width="30" height="20" loading="lazy" src="there/{file.name}">'
    assert Image.open(file).convert("RGB").tobytes() == drawn.tobytes()
    assert image_files.take_out(page, tmp_path / "made", "there") == set(), "nothing is left to take out"


def test_a_drawing_becomes_a_file_with_its_own_words(tmp_path):
    svg = '<svg xmlns="http://www.w3.org/2000/svg" aria-label="Left, a dot &amp; a line"></svg>'
    cell = nbformat.v4.new_code_cell("x", outputs=[nbformat.v4.new_output("display_data", {"image/svg+xml": svg})])
    [file] = image_files.take_out(nbformat.v4.new_notebook(cells=[cell]), tmp_path, "there")
    shown = cell.outputs[0].data["text/html"]
    assert shown == f'<img alt="Left, a dot &amp; a line" loading="lazy" src="there/{file.name}">'
    assert file.read_text(encoding="utf-8") == svg


def items(*texts):
    return [nodes.list_item("", nodes.paragraph(text=text)) for text in texts]


LINES = items(
    "T. Li, S. Hu, A. Beirami and V. Smith (2021). Ditto. ICML.",
    "T. Li, A. Beirami, M. Sanjabi and V. Smith (2021). Tilted. ICLR.",
    "J.-A. Désidéri (2012). One. A.",
    "J.-A. Désidéri (2012). Two. B.",
    "S. M. Hamidi and E.-H. Yang (2024). AdaFed. TMLR.",
)


@pytest.mark.parametrize(
    "citation, meant",
    [
        ("Li, Hu et al., 2021", [0]),
        ("Li, Beirami et al., 2021, section 2", [1]),
        ("Li et al., 2021", [0, 1]),
        ("Désidéri, 2012", [2, 3]),
        ("Hamidi and\nYang, 2024", [4]),
        ("Hamidi and Yang (2024)", [4]),
    ],
)
def test_a_citation_finds_its_lines(citation, meant):
    assert [LINES.index(line) for line in cross_references.cited(citation, LINES)] == meant


@pytest.mark.parametrize("citation", ["Li, 2021", "Hamidi et al., 2023", "Hamidi and Ye, 2024"])
def test_a_citation_that_no_line_fits_is_refused(citation):
    with pytest.raises(ValueError, match="references"):
        cross_references.cited(citation, LINES)


@pytest.mark.parametrize(
    "text, numbers",
    [
        ("as chapter 7 and Chapter\n8's wall", ["7", "8"]),
        ("chapters 0, 1 and 3 to 9, 20 clients", ["0", "1", "3", "9", "20"]),
        ("chapter 3.2 of another book", []),
        ("chapter seven", []),
        ("第 10 章和第 12 章对此作了测量，共 3 章", ["10", "12"]),
    ],
)
def test_mentions_of_chapters_are_seen(text, numbers):
    found = [cross_references._ONE.findall(region[0]) for region in cross_references._CHAPTERS.finditer(text)]
    assert sum(found, []) == numbers  # a number that is no chapter's stays text


@pytest.mark.parametrize(
    "text, found",
    [
        ("MGDA, not FedMGDA+ and not MGDA-II", ["MGDA", "FedMGDA+"]),
        ("Convex\nhulls of FedFV's rows", ["convex hull", "FedFV"]),
        ("TERM tilts, the term does not", ["TERM"]),
        ("a convexhull, simplexity", []),
    ],
)
def test_terms_are_found_as_they_stand_in_sentences(text, found):
    words = {name: Word(name, "", "") for name in ("MGDA", "FedMGDA+", "convex hull", "FedFV", "TERM", "simplex")}
    seen = glossary_links.pattern(list(words), joined=False)
    assert [glossary_links.named(one[1], words).name for one in seen.finditer(text)] == found


def test_a_longer_term_that_the_chapter_teaches_itself_holds_no_shorter_one():
    left = {"duality": Word("duality", "", "04")}
    seen = glossary_links.pattern(["duality", "duality gap"], joined=False)
    assert [glossary_links.named(one[1], left) for one in seen.finditer("the duality gap, by duality")] == [
        None,
        left["duality"],
    ]


def test_chinese_terms_stand_without_spaces():
    seen = glossary_links.pattern(["单纯形", "多目标优化"], joined=True)
    assert seen.findall("这是多目标优化问题") == ["多目标优化"]


def linked_figures(monkeypatch, page, first, caption):
    """The links that the transform makes on ``page``, and its document: a paragraph, and a caption below it."""
    document = new_document("page")
    document.settings.env = SimpleNamespace(docname=page, found_docs={"zh/04_mgda"})
    builder = SimpleNamespace(get_relative_uri=lambda here, page: f"{page}.html")
    monkeypatch.setattr(figure_links.Captions, "app", SimpleNamespace(srcdir="", builder=builder))
    monkeypatch.setattr(Known, "read", lambda folder: Known({"04_mgda": None, "07_fedfv": None}, {}))
    document += [nodes.paragraph("", "", nodes.Text(first)), nodes.block_quote("", caption)]
    figure_links.Captions(document).run()
    return {link.astext(): link["refuri"] for link in document.findall(nodes.reference)}, document


def test_figures_are_linked_on_their_page_and_on_others(monkeypatch):
    caption = nodes.paragraph("", "", nodes.strong("", "Figure 4.2."), nodes.Text(" As Figure 4.1, and Figure 7.3."))
    links, document = linked_figures(monkeypatch, "04_mgda", "Figure 4.2 shows it.", caption)
    assert document[1]["ids"] == ["figure-4-2"]
    assert links == {"Figure 4.2": "#figure-4-2", "Figure 7.3": "07_fedfv.html#figure-7-3"}, "4.1 is not there"
    assert document[1].astext() == "Figure 4.2. As Figure 4.1, and Figure 7.3."


def test_chinese_figures_are_linked_to_chinese_pages_where_there_are_any(monkeypatch):
    caption = nodes.paragraph("", "", nodes.strong("", "图 0.2"), nodes.Text(" 再看图 4.1 和图 7.3。"))
    links, document = linked_figures(monkeypatch, "zh/00_boats", "见图 0.2。", caption)
    assert document[1]["ids"] == ["figure-0-2"]
    assert links == {
        "图 0.2": "#figure-0-2",
        "图 4.1": "zh/04_mgda.html#figure-4-1",
        "图 7.3": "07_fedfv.html#figure-7-3",
    }


def test_a_cell_that_mostly_draws_is_folded_and_one_that_computes_is_not():
    shown = 'figures.show(figure, "words")'
    assert notebooks.draws(f"figure, axis = plt.subplots()\naxis.plot(x)\n{shown}")
    assert not notebooks.draws(f"best = least(x)\ny = f(best)\nfigure = both_spaces(y)\n{shown}")
    assert not notebooks.draws("figure = plt.figure()")


def test_a_description_is_the_first_paragraph_of_words():
    body = "<p>Short.</p><p>A <b>server</b> averages what its clients have learned &amp; sends it back.</p>"
    assert meta_tags.first_words(body) == "A server averages what its clients have learned & sends it back."
    assert len(meta_tags.first_words(f"<p>{'word ' * 90}</p>")) <= meta_tags.LONGEST + 2
