"""The Chinese edition as it is committed: in step with the English or counted, the same but for the words, and set as Chinese is set."""

import re
import subprocess

import pytest
from fairfl_book import book_paths, labs
from fairfl_book.build import chapter_notebooks, frontmatter, lab_images, node, notebook_checks
from fairfl_book.exercises import solutions
from fairfl_book.labs import javascript
from fairfl_book.translation import edition, invariants, pending, required_sentences, translation_file, units
from fairfl_book.translation.sentences import catalogue, using
from markdown_it import MarkdownIt

BOOK = book_paths.find()
NAMES = translation_file.names(BOOK, "zh")
HAN, LATIN = r"[\u4e00-\u9fff]", r"[A-Za-z0-9]"
SAID = catalogue("zh")


def pairs(name):
    """(English, Chinese) of every piece of a chapter that is translated."""
    known = translation_file.read(translation_file.file(BOOK, name, "zh"))
    english = units.of_notebook(chapter_notebooks.read(BOOK.twin(name)))
    return [(piece, known[units.digest(piece)]) for piece in english if units.digest(piece) in known]


def plain(words):
    """Words without what is set by other rules; formulas and code become a letter, since they want the same space around them."""
    words = re.sub(r"\]\([^)]*\)|<[^>]*>|\\text\{[^}]*\}|\*|\$\$.+?\$\$", "", words, flags=re.DOTALL)
    return re.sub(r"\$[^$]+\$|`+[^`]+`+", "x", words).replace("[", "")


def badly_set(words):
    """Latin against Chinese without a space, Latin punctuation in Chinese, a space before a percent sign, and a figure that is not 图."""
    words = plain(words)
    found = re.findall(rf".?{HAN}{LATIN}.?|.?{LATIN}{HAN}.?", words)
    return found + re.findall(rf"{HAN}[,.;:?!()]|[,;:?!()]{HAN}| [，。；：、）]|[（] |\d %|Figure \d", words)


def test_the_first_chapters_are_there():
    assert {"00_start_here", "01_federated_learning"} <= set(NAMES)


def test_what_waits_for_a_translator_is_stated():
    counted = pending.counted(BOOK, "zh")
    assert counted == pending.stated(BOOK, "zh"), (
        "chapters/zh/waiting.toml states other numbers: English cells have changed, or translations have come. "
        "Translate what is marked todo after 'fairfl-book translate', which states the numbers as well."
    )


@pytest.mark.parametrize("name", NAMES)
def test_all_but_the_words_is_the_same_in_every_piece(name):
    wrong = [(piece[:50], said) for piece, chinese in pairs(name) for said in invariants.differences(piece, chinese)]
    assert pairs(name) and wrong == []


@pytest.mark.parametrize("name", NAMES)
def test_every_mark_of_emphasis_closes(name):
    """Two asterisks between a Chinese full stop and a Chinese letter stay asterisks."""
    left = []
    for _, chinese in pairs(name):
        prose = re.sub(r"\$\$.+?\$\$|\$[^$]+\$", "x", edition.lines_joined(chinese), flags=re.DOTALL)
        html = re.sub(r"<code>.*?</code>", "", MarkdownIt("commonmark").enable("table").render(prose), flags=re.DOTALL)
        left += [line for line in html.splitlines() if "*" in line]
    assert left == []


@pytest.mark.parametrize("name", NAMES)
def test_chinese_is_set_as_chinese(name):
    assert [(chinese[:30], badly_set(chinese)) for _, chinese in pairs(name) if badly_set(chinese)] == []


@pytest.mark.parametrize("name", NAMES)
def test_the_front_matter_is_translated_with_the_first_heading(name):
    front = edition.fronts(BOOK, "zh")[name]
    assert isinstance(front, frontmatter.FrontMatter) and re.search(HAN, front.title) and front.promise.endswith("。")
    first = next(chinese for english, chinese in pairs(name) if english.startswith("# "))
    assert first.startswith(f"# {front.title}\n")
    opening = "\n".join(chinese for _, chinese in pairs(name))  # below the title, or in a fold of the first page
    assert all(f"- {able}" in opening for able in front.able)


@pytest.mark.parametrize("name", NAMES)
def test_links_to_notebooks_lead_somewhere_from_the_editions_folder(name):
    cells = edition.of_chapter(BOOK, name, "zh").cells
    links = re.findall(
        r"\]\(([^)#:]+\.ipynb)", "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    )
    folder = BOOK.notebook(name).parent
    assert [link for link in links if link[:-6] not in NAMES and not (folder / "zh" / link).resolve().exists()] == []


def test_every_sentence_around_them_is_translated_and_none_for_nothing():
    assert required_sentences.missing(BOOK, "zh") == [] and required_sentences.unsaid(BOOK, "zh") == []


def test_what_claims_and_solutions_say_is_chinese():
    said = [
        output.text
        for cell in edition.of_chapter(BOOK, "00_start_here", "zh").cells
        if cell.cell_type == "code" and "claim(" in cell.source
        for output in cell.outputs
    ]
    assert len(said) == 2 and "在 200 个随机算例中有 200 个成立，残差不超过 1e-8\n" in said[0]
    assert "最坏的：rates [" in said[1] and said[1].count("残差") == 2 and "residual" not in said[1]
    if solutions.there(BOOK):
        with using("zh"):
            shown = [one.said for name in NAMES for one in solutions.of_chapter(BOOK, name).values()]
        assert shown and all(re.match(rf".*{HAN}", text.partition("```")[0], re.DOTALL) for text in shown)


def test_covers_name_every_chapter_and_a_translated_ones_sections_in_chinese():
    english = notebook_checks.fronts(BOOK)
    shown = edition.of_all(english, edition.fronts(BOOK, "zh"), "zh")
    assert list(shown) == list(english) and all(re.search(HAN, front.title) for front in shown.values())
    assert not set(shown[NAMES[0]].shortest) & set(english[NAMES[0]].shortest)


def test_sentences_keep_their_places_code_and_numbers():
    wrong = [(english, said) for english, chinese in SAID.items() for said in invariants.in_sentence(english, chinese)]
    assert wrong == []


def test_sentences_are_set_as_chinese():
    """Formulas stand in them without dollar signs: what is in brackets without a Chinese letter is one."""
    wrong = {said: badly_set(re.sub(r"\([^()\u4e00-\u9fff]*\)", "x", said)) for said in SAID.values()}
    assert {said: found for said, found in wrong.items() if found} == {}


@pytest.mark.skipif(node.find() is None, reason="node is not installed")
def test_the_lab_speaks_chinese_and_calculates_the_same(tmp_path):
    lab = labs.TwoClients()
    with using("zh"):
        assert lab_images.draw(lab)[""] == lab.still(), "run python -m fairfl_book.build.lab_images"
        script, spec = javascript.bundle(lab.view), lab.spec()
    (file := tmp_path / "bundle.mjs").write_text(script, encoding="utf-8")
    done = subprocess.run([node.find(), "--check", str(file)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "无人付出代价" in script and not any(re.search(r"[a-z]{4}", words) for words in spec["tries"])
    assert re.findall(r"(?:x|y|points)=\"[-\d., ]+\"", lab.still())[0] and lab.spec()["start"] == spec["start"]
