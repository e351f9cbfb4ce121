"""The book on paper: what cells become, where references lead, and that nothing is lost."""

import io
import json
import re

import nbformat
import pytest
from fairfl_book import book_paths
from fairfl_book.build import bibtex, formula_numbers
from fairfl_book.paper import chapters, formulas, html_output, press
from fairfl_book.paper.formulas import Formula
from fairfl_book.paper.index_terms import IndexTerms
from fairfl_book.paper.pictures import Pictures
from fairfl_book.paper.places import Chapter, Places
from fairfl_book.paper.prose import Prose
from fairfl_book.paper.typst_text import escaped
from fairfl_book.site.glossary import Term
from refusals import refused

pytest.importorskip("mdit_py_plugins", reason="the extra book brings it")
v4 = nbformat.v4
BOOK = book_paths.find()
TWO = ["04_mgda", "07_fedfv_more"]
# A PNG of one pixel.
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
PICTURE = v4.new_output(
    "display_data", {"text/html": f'<img alt="a" width="4" src="data:image/png;base64,{PNG}">', "text/plain": "a"}
)


def rejects(call, *mentions):
    with refused("file", *mentions):
        call()


def code(source, *outputs, tags=(), **metadata):
    return v4.new_code_cell(source, outputs=list(outputs), metadata={"tags": list(tags), **metadata})


def text(source):
    return v4.new_markdown_cell(source)


@pytest.fixture
def sheet(tmp_path):
    """A function that turns cells into Typst, as chapter 4 with one work to cite."""
    entry = bibtex.Reference("jaggi2013", (("M.", "Jaggi"),), "T", 2013, "V", "https://e.org")

    def made(*cells, terms=()):
        source = tmp_path / "04_mgda.md"
        source.write_text("---\nhead\n---\n\n" + "\n\n".join(cell.source for cell in cells), encoding="utf-8")
        notebook = v4.new_notebook(cells=list(cells))
        made.places = Places({"jaggi2013": entry})
        chapter = Chapter("04_mgda", "4", "c04", ["jaggi2013"])
        made.prose = Prose(chapter, made.places, [], IndexTerms(terms, "04"), formula_numbers.numbered(notebook))
        lines = chapters.Lines(source, tmp_path)
        return chapters.body(notebook, made.prose, Pictures(tmp_path / "pictures"), lines)

    return made


def test_code_that_only_draws_is_left_out_and_its_picture_stays(sheet):
    made = sheet(code("plot()", PICTURE, jupyter={"source_hidden": True}), code("x = 1"))
    assert "plot" not in made and '#picture("pictures/' in made and '#listing("python", "x = 1")' in made


def test_a_figure_has_its_number_and_its_picture(sheet):
    made = sheet(code("draw()", PICTURE), text("> **Figure 4.2.** A *line*.\n\nSee Figure 4.2."))
    assert re.search(
        r'#let drawn = \[#picture\(.*\n.*\]\n#caption\(drawn, "figure-4-2", "4.2"\)\[A #emph\[line\];', made
    )
    assert '#figure-there("figure-4-2")' in made
    sheet.places.check()
    rejects(lambda: sheet(text("Words.\n\n> **Figure 4.2.** A line.")), "04_mgda.md:7", "Figure 4.2")


def test_a_turn_is_one_box_and_prints_no_verdict(sheet):
    said = v4.new_output("stream", text="not attempted")
    stub = 'step = ...\ncheck("mgda.turn.more_weight", step)'
    made = sheet(text("Before.\n\n**Your turn.** Guess.\n\n- left"), code(stub, said, tags=["turn"]), text("After."))
    [box] = re.findall(r'#turn\("mgda.turn.more_weight"\)\[.*?\n\n\];', made, re.DOTALL)
    assert "Guess" in box and "left" in box and "check" not in made and "not attempted" not in made
    rejects(lambda: sheet(text("**Your turn.** Guess.")), "04_mgda.md:5", "turn")


def test_a_stub_is_printed_only_if_it_says_something(sheet):
    made = sheet(
        code("def f(x):\n    ...", tags=["exercise"]),
        code('check("a.b", f)', tags=["check"]),
        code("c = ...", tags=["exercise"]),
    )
    assert made.count("#listing") == 1 and "def f(x)" in made


def test_what_a_screen_folds_is_a_box_and_the_answers_of_a_question_are_replies(sheet):
    made = sheet(
        text("<details>\n<summary>Ask</summary>\n\n<details><summary>$x$</summary>No.</details>\n"),
        code("1"),
        text("</details>"),
    )
    assert re.search(r"#fold\(\[Ask\]\)\[.*#reply\(\[\ue0000\ue001\]\)\[No\\\.\];.*#listing.*\];", made, re.DOTALL)
    rejects(lambda: sheet(text("Words.\n\n<details>\n<summary>Ask</summary>\n\nMore.")), "04_mgda.md:7", "not closed")


def test_what_paper_cannot_show_is_an_error_with_file_and_line(sheet):
    for source in ("a\n\n<video>\n\nb", "a\n\nb ![c](d.png)"):
        rejects(lambda source=source: sheet(text(source)), "04_mgda.md:7", "cannot show")
    page = v4.new_output("display_data", {"text/html": "<canvas></canvas>"})
    rejects(lambda: sheet(code("x", page)), "04_mgda.md:5", "<canvas>")


def test_references_lead_to_places_in_the_book(sheet):
    made = sheet(
        text(
            "## Two steps\n\n[a](#Two-steps), [b](more/04_mgda_more.ipynb#A-%26-b), ([Jaggi, 2013](#References)), [c](https://e.org)"
        )
    )
    for call in (
        '#there("c04-two-steps")[a]',
        '#there("c04m-a-26-b")[b]',
        '#cited("jaggi2013")',
        '#elsewhere("https://e.org")[c]',
    ):
        assert call in made
    assert '#section(2, "4.1", "c04-two-steps")' in made
    rejects(sheet.places.check, "04_mgda.md:7", "c04m-a-26-b")
    rejects(lambda: sheet(text("[Bell, 1990](#References)")), "04_mgda.md:5", "Bell, 1990")


def test_works_that_authors_and_year_do_not_tell_apart_get_letters():
    authors = (("T.", "Li"), ("S.", "Hu"), ("V.", "Smith"))
    works = {title: bibtex.Reference(title, authors, title, 2020, "V", "https://e.org") for title in ("two", "one")}
    works["alone"] = bibtex.Reference("alone", authors, "T", 2021, "V", "https://e.org")
    known = Places(works)
    assert known.letters == {"one": "a", "two": "b"}
    words = "Li et al., 2020, section 2"
    made = known.link("#References", words, words, Chapter("04_mgda", "4", "c04", ["two"]), "here")
    assert made == '#cited("two")[Li et al., 2020b, section 2];'


def test_a_number_in_brackets_leads_to_its_formula_only_if_there_is_one(sheet):
    made = sheet(text("$$ x \\tag{3} $$\n\nBy (3), not by (4)."))
    assert '#display("3", "c04-formula-3", \ue0000\ue001)' in made and made.count("#formula-there") == 1


def test_terms_are_marked_once_in_a_section_and_bold_where_they_are_taught(sheet):
    terms = [Term("weight", "-", "-", "-", chapter="04"), Term("hull", "-", "-", "-", chapter="03")]
    made = sheet(text("The weights and a weight of the hull.\n\n## New\n\nThe hull."), terms=terms)
    assert made.count('#indexed("weight", true, true)') == 1 and "weights#indexed" in made
    assert '#indexed("hull", false, true)' in made and '#indexed("hull", false, false)' in made


def test_tables_keep_their_cells_alignment_and_colours():
    table = (
        '<table><caption>C</caption><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td align="left">x</td>'
        '<td align="right"><span style="color: #00704F">1 &lt; 2</span></td></tr></tbody></table>'
    )
    made = html_output.typst(table, "here")
    assert made.startswith(
        '#results((left, right,), ([a], [b],), ([x], [#text(fill: rgb("#00704F"))[1 \\< 2];],), caption: [C]);'
    )


def shown(tex, display=True):
    pytest.importorskip("pypandoc", reason="the extra pdf brings it")
    return formulas.translated([Formula(tex, display, "a.md:3")])[0]


def test_formulas_keep_sizes_spaces_names_and_pairs_of_bars():
    assert shown(r"\tfrac12 \frac1K") == "tight( 1 / 2 ) 1 / K"
    assert shown(r"\tfrac{\eta L}{2}") == "tight( frac(eta L, 2) )"
    assert shown(r"a \; b \! c") == "a #h(0.278em) b #h(-0.167em) c"
    assert shown(r"\mathrm{dir}") == 'upright("dir")'
    assert shown(r"\operatorname*{argmin}_x f") == 'op("argmin", limits: #true)_x f'
    assert shown(r"\|g\|") == '#fence("opening", $bar.v.double$) g #fence("closing", $bar.v.double$)'
    assert shown(r"d = 656{,}810") == 'd = upright("656,810")', "no space after the comma of a large number"
    assert shown(r"P(a | b)").count("normal") == 1, "a single bar is no pair"
    assert shown(r"\Big( x \Big)") == r'#big(180, "opening", $\($) x #big(180, "closing", $\)$)'
    assert "tag" not in shown(r"x \tag{3}")


def test_a_formula_that_cannot_be_read_is_refused_with_its_place():
    rejects(lambda: shown(r"\frac{1"), "a.md:3", "cannot read")


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    """A chapter and another's companion: their manuscript, and the folder with what Typst sets."""
    pytest.importorskip("typst", reason="the extra pdf brings it")
    pytest.importorskip("pypandoc", reason="the extra pdf brings it")
    folder = tmp_path_factory.mktemp("paper")
    made = press.manuscript(BOOK, folder, TWO)
    press.write(made, folder)
    return made, folder


def source_text(name):
    """The prose of a chapter's source, without its code, front matter and references."""
    whole = BOOK.twin(name).read_text(encoding="utf-8").split("\n---\n", 1)[1].partition("\n## References")[0]
    return re.sub(r"^```\{code-cell\}.*?^```$", "", whole, flags=re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("name", TWO)
def test_no_formula_figure_or_table_of_a_chapter_is_lost(two, name):
    typst = pytest.importorskip("typst")
    made, folder = two
    source, typeset = source_text(name), (folder / f"{name}.typ").read_text(encoding="utf-8")
    path = str(BOOK.twin(name).relative_to(BOOK.root))
    written = len(re.findall(r"\$\$.+?\$\$|\$[^$\n]+\$", source, re.DOTALL))
    assert written > 40 and sum(one.where.startswith(path + ":") for one in made.formulas) == written
    figures = re.findall(r"^> \*\*Figure (\S+)\.\*\*", source, re.MULTILINE)
    assert re.findall(r'^#caption\(drawn, "\S+", "(\S+)"\)', typeset, re.MULTILINE) == figures
    cells = nbformat.read(BOOK.notebook(name), as_version=4).cells
    pages = [output.get("data", {}).get("text/html", "") for cell in cells for output in cell.get("outputs", [])]
    tables = len(re.findall(r"^\|(?: ?:?-+:? ?\|)+$", source, re.MULTILINE)) + sum("<table" in page for page in pages)
    assert len(re.findall(r"#(?:rows|results)\(", typeset)) == tables
    # What Typst has laid out: the chapter alone, with the places that it refers to.
    labels = set(
        re.findall(r'(?:there|display|caption|section|cited|chapter)\([^\n]*?"(c\d\dm?[\w-]*|figure-[\w-]+)"', typeset)
    )
    own = set(re.findall(r'#(?:section|chapter|caption|display)\([^\n]*?"(c\d\dm?[\w-]*|figure-[\w-]+)"', typeset))
    elsewhere = [*(labels - own), *(f"reference-{key}" for key in re.findall(r'#cited\("(\w+)"', typeset))]
    alone = f'#import "book.typ": *\n#show: book.with([T], "A")\n#include "{name}.typ"\n'
    alone += "".join(f'#metadata(none)#label("{label}")\n' for label in sorted(set(elsewhere)))
    (folder / "alone.typ").write_text(alone, encoding="utf-8")
    count = lambda kind: len(
        json.loads(
            typst.query(
                str(folder / "alone.typ"), kind, root=str(folder), field="body" if kind != "table" else "columns"
            )
        )
    )
    assert count("math.equation") == written and count("figure") == len(figures) and count("table") == tables


def test_typst_prints_every_letter_as_it_is_and_names_the_line_of_an_error(two, tmp_path):
    pypdf = pytest.importorskip("pypdf")
    pytest.importorskip("pikepdf", reason="the extra pdf brings it")
    signs = "\\ # $ * _ ` < > @ = - + / ~ [ ] { } ( ) | ^ & % . : ; ! ? // /* -- ... -1 a_b *c* 1. https://e.org"
    head = '#import "book.typ": *\n'
    (tmp_path / "book.typ").write_text(press.STYLE.read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / press.MAIN).write_text(head + '#show: book.with([T], "A")\n' + escaped(signs), encoding="utf-8")
    printed = pypdf.PdfReader(io.BytesIO(press.printed(tmp_path))).pages[0].extract_text()
    assert "".join(signs.split()) in "".join(printed.split())
    (tmp_path / press.MAIN).write_text(head + "// a.md:7\nfine\n// a.md:9\n\n#nonsense\n", encoding="utf-8")
    rejects(lambda: press.printed(tmp_path), "a.md:9", "nonsense")


def test_letters_after_a_digit_are_no_inches():
    assert escaped('client 1\'s "one"') == 'client 1’s "one”'


def test_every_reference_of_the_whole_book_has_a_place(tmp_path):
    made = press.manuscript(BOOK, tmp_path)
    assert len(made.files) == len(BOOK.names()) + len(BOOK.companions()) + 1


def test_a_slimmer_pdf_shows_the_same_pixels():
    pikepdf = pytest.importorskip("pikepdf", reason="the extra pdf brings it")
    from fairfl_book.paper.slimming import slimmed

    pixels = bytes([255, 0, 0, 0, 0, 255] * 2000 + [1, 2, 3] * 4000)
    book = pikepdf.new()
    drawn = book.make_stream(pixels)
    drawn.update({"/Type": pikepdf.Name.XObject, "/Subtype": pikepdf.Name.Image, "/Width": 80, "/Height": 100})
    drawn.update({"/ColorSpace": pikepdf.Name.DeviceRGB, "/BitsPerComponent": 8})
    book.add_blank_page().Resources = pikepdf.Dictionary(XObject=pikepdf.Dictionary(I=drawn))
    whole = io.BytesIO()
    book.save(whole)
    slim = pikepdf.open(io.BytesIO(slimmed(whole.getvalue())))
    made = slim.pages[0].Resources.XObject.I
    assert made.ColorSpace[0] == pikepdf.Name.Indexed
    assert pikepdf.PdfImage(made).as_pil_image().convert("RGB").tobytes() == pixels
