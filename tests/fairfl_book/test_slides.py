"""Decks of slides: what stands on them, that they need nothing else, and that nothing runs over a slide's edge."""

import io
import re

import nbformat
import pytest
from fairfl_book import book_paths
from fairfl_book.exercises import turns
from fairfl_book.exercises.exercise_cells import turn_in
from fairfl_book.exercises.registry import Exercise, Wrong
from fairfl_book.site import third_party
from fairfl_book.teaching import class_notebooks
from fairfl_book.teaching.slides import deck, files, passages
from refusals import refused

BOOK = book_paths.find()
NAMES = class_notebooks.chosen(BOOK, [])
typeset = pytest.mark.skipif(
    bool(third_party.missing(BOOK.vendored)), reason="KaTeX has not been downloaded (make slides does it)"
)
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAYAAAD0In+KAAAADUlEQVR4nGNg+M8AAAICAQB7CYF4AAAAAElFTkSuQmCC"
MIND = """## Two ferries

<small>◆ On the shortest way through the book</small>

Two ferries leave. Which is faster ([proof](more/x.ipynb#It-is))?

<details><summary>Look closer</summary>

Folded $x$ words. <details><summary>Again</summary>inner</details> still folded.

</details>

> **Theorem.** The *second* ferry wins.

Its speed is a **knot**. Nobody minds.

$$ v = 2 \\tag{1} $$

In words: twice. More follows."""


def chapter(*cells):
    return nbformat.v4.new_notebook(
        cells=[
            nbformat.v4.new_markdown_cell("# 1. Ferries\n\n*A promise.*\n\n> **5 minutes** · needs nothing"),
            *cells,
            nbformat.v4.new_markdown_cell(
                "## Exercises\n\n**For an hour:** 1.\n\n**1.** *(work)* Row.\n\n## What to take away\n\nRow. It is **slow** but sure. Then rest.\n\nThe companion rows on.\n\n## References\n\n- A. Rower (1990)."
            ),
        ]
    )


def slides(*cells):
    return deck.slides(passages.sections(chapter(*cells)), "1. Ferries", "A promise.", ["row"])


def shown(**data):
    return nbformat.v4.new_code_cell(
        "draw()", outputs=[nbformat.v4.new_output("display_data", {"text/plain": "", **data})]
    )


def test_sections_leave_out_folds_links_minutes_and_code():
    first, ferries, *_ = passages.sections(chapter(nbformat.v4.new_markdown_cell(MIND)))
    assert first.passages == [] and ferries.heading == "Two ferries" and ferries.shortest
    assert [type(one).__name__ for one in ferries.passages] == ["Words", "Statement", "Words", "Formula", "Words"]
    assert ferries.passages[0].text == "Two ferries leave. Which is faster?"


def test_a_section_keeps_its_question_its_terms_its_theorem_and_what_a_formula_says():
    title, goals, only, end = slides(nbformat.v4.new_markdown_cell(MIND))
    assert (title.kind, goals.kind, end.kind) == ("title", "goals", "end")
    assert [text.markdown for text in only.before] == [
        "Two ferries leave. Which is faster?",
        "**Theorem.** The *second* ferry wins.",
        "Its speed is a **knot**. Nobody minds.\n\n$$ v = 2 \\tag{1} $$\n\nIn words: twice.",
    ]
    assert only.shortest and only.before[1].look == "statement"


def test_the_last_slide_has_each_paragraphs_idea_and_the_exercises():
    *_, end = slides()
    assert [text.markdown for text in end.before] == ["Row. It is **slow** but sure."]
    assert end.small == "**For an hour:** 1."


def test_a_picture_takes_its_caption_and_a_turn_is_followed_by_its_answer(monkeypatch):
    monkeypatch.setitem(
        turns._TURNS,
        "ferries.turn.count",
        Exercise("ferries.turn.count", "how many", 2, praise="Both.", wrong={"one": Wrong(1, "Look again.")}),
    )
    picture = shown(**{"text/html": f'<img alt="Two" src="data:image/png;base64,{PNG}">'})
    asked = nbformat.v4.new_markdown_cell(
        "> **Figure 1.1.** Two ferries.\n\nThey leave at noon.\n\n**Your turn.** How many in Figure 1.1?"
    )
    turn = nbformat.v4.new_code_cell('n = ...\ncheck("ferries.turn.count", n)', metadata={"tags": ["turn"]})
    _, _, figure, question, answer, _ = slides(nbformat.v4.new_markdown_cell("## Sea"), picture, asked, turn)
    assert figure.shown.caption == "**Figure 1.1.** Two ferries." and figure.shown.ratio == 2
    assert [text.markdown for text in question.before] == ["They leave at noon.", "How many in Figure 1.1?"]
    assert question.shown == figure.shown and question.part == "Sea"
    assert [text.markdown for text in answer.before] == ["2", "Both."] and answer.replies == [("1", "Look again.")]


def test_sentences_end_neither_in_formulas_nor_before_a_sentence_has_begun():
    assert deck.sentences("Let $a. B$ be `x. Y`. **It ends.** (So does this.) See e.g. here.") == [
        "Let $a. B$ be `x. Y`.",
        "**It ends.**",
        "(So does this.)",
        "See e.g. here.",
    ]


def test_a_kept_sentence_brings_what_it_leans_on_and_no_slide_has_only_a_sections_first_sentence():
    text = "## Sea\n\nThe sea is wide.\n\nWaves come. They rise. Such a wave is a **swell**. (If it is long.) It breaks.\n\n## Shore\n\nHere it ends."
    *_, only, _ = made = slides(nbformat.v4.new_markdown_cell(text))
    assert [slide.heading for slide in made[2:-1]] == ["Sea"]
    assert only.before[-1].markdown == "Waves come. They rise. Such a wave is a **swell**. (If it is long.)"


@pytest.mark.parametrize("name", NAMES)
def test_a_chapters_deck_has_all_its_turns_figures_and_theorems(name):
    notebook = nbformat.read(BOOK.notebook(name), as_version=4)
    sections = passages.sections(notebook)
    made = deck.slides(sections, "T", "P.", ["see"])
    asked = [turn_in(cell) for cell in notebook.cells if cell.cell_type == "code" and turn_in(cell)]
    places = [place for place, slide in enumerate(made) if slide.kind == "question"]
    assert len(places) == len(asked) and all(made[place].before[-1].markdown for place in places)
    assert [made[place + 1].before[0].markdown for place in places] == [turns.answered(one)[0][0] for one in asked]
    text = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    captions = re.findall(r"^> (\*\*(?:Figure|Table) [\d.]+\*\*)", text, re.MULTILINE)
    found = [slide.shown.caption for slide in made if slide.shown and slide.kind != "question" and slide.shown.caption]
    assert [re.match(r"\*\*.*?\*\*", one)[0] for one in found] == captions
    stated = [one.text for section in sections for one in section.passages if isinstance(one, passages.Statement)]
    assert stated == [
        text.markdown for slide in made for text in slide.before + slide.after if text.look == "statement"
    ]
    assert made[-1].kind == "end" and made[-1].before
    assert sum(slide.kind == "lab" for slide in made) == sum(
        "lab" in cell.metadata.get("tags", []) for cell in notebook.cells
    )


@typeset
def test_a_deck_is_one_file_that_needs_nothing_else(tmp_path):
    [file] = files.write(BOOK, ["4"], tmp_path / "new")
    page = file.read_text(encoding="utf-8")
    assert file.name == "04_mgda.html" and page == files.made(BOOK, "04_mgda")
    outside = re.findall(r"""(?:src|href)=["'](?!data:|#)[^"'$]+|url\((?!data:)[^)]*""", page)
    assert outside == [] and "@import" not in page


def test_decks_are_not_written_among_a_readers_copies():
    for folder in (BOOK.chapters, BOOK.work / "mine"):
        with refused("file", folder):
            list(files.write(BOOK, ["4"], folder))


# What of a slide lies outside its body or the window, and which letters are too small to be read from the last row.
OVER = """() => [...document.querySelectorAll('section')].flatMap((slide) => {
  const edge = slide.querySelector('.body').getBoundingClientRect(), whole = slide.getBoundingClientRect(), found = [];
  for (const one of slide.querySelectorAll('p, li, td, th, img, .katex-html, .living, h1, h2, .fairfl-lab')) {
    const box = one.getBoundingClientRect(), limit = one.closest('.body') ? edge : whole;
    if (!box.width) continue;
    if (box.right > limit.right + 2 || box.bottom > limit.bottom + 2 || box.left < limit.left - 2 || box.top < limit.top - 2)
      found.push(`${slide.id} ${one.tagName} ${one.className} ${one.textContent.slice(0, 30)}`);
  }
  if (Number(slide.dataset.size) < 0.6) found.push(`${slide.id}: letters of ${slide.dataset.size}`);
  return found;
})"""


@typeset
@pytest.mark.parametrize("name", ["04_mgda", "10_one_picture"])
def test_no_slide_overflows_on_screen_or_on_paper(browser, tmp_path, name):
    [file] = files.write(BOOK, [name], tmp_path)
    window = browser.new_page(viewport={"width": 1024, "height": 768})
    troubles = []
    window.on("pageerror", lambda error: troubles.append(str(error)))
    window.on("request", lambda one: one.url.startswith(("file:", "data:")) or troubles.append(one.url))
    try:
        window.goto(file.as_uri())
        window.wait_for_function(files.READY)
        assert window.evaluate(OVER) == [] and troubles == []
        assert window.locator(".katex-error").count() == 0 < window.locator(".katex").count()
        window.keyboard.press("ArrowRight")
        window.keyboard.press("PageDown")
        assert window.evaluate("location.hash") == "#3"
        lab = window.locator("section.lab")
        handle, place = lab.locator(".handle").first, int(lab.get_attribute("id"))
        lab.scroll_into_view_if_needed()
        handle.focus()
        before = handle.bounding_box()
        window.keyboard.press("ArrowLeft")
        assert handle.bounding_box() != before, "arrows move what has the focus in a lab"
        window.keyboard.press("PageDown")
        assert window.evaluate("location.hash") == f"#{place + 1}"
        window.emulate_media(media="print")
        window.set_viewport_size({"width": 1280, "height": 720})
        assert window.evaluate(OVER) == []
    finally:
        window.close()


@typeset
def test_a_pdf_has_a_slide_on_each_page(browser, tmp_path):
    pypdf = pytest.importorskip("pypdf", reason="pypdf is not installed")
    [file] = files.write(BOOK, ["00"], tmp_path)
    pages = pypdf.PdfReader(io.BytesIO(files.printed(browser, file).read_bytes())).pages
    slides = re.findall(
        r'<section class="[a-z ]+" id="\d+">', file.read_text(encoding="utf-8")
    )  # a lab's script has one, too
    assert len(pages) == len(slides) > 0
    assert {tuple(map(round, page.mediabox[2:])) for page in pages} == {(960, 540)}
