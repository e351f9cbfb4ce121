"""Companions: what they take from their chapter, where they stand, and that links between them lead to sections."""

import ast
import re
import subprocess
import sys

import nbformat
import numpy as np
import pytest
from fairfl_book import anchors, book_paths, companion
from fairfl_book.build import chapter_notebooks, frontmatter, notebook_checks
from fairfl_book.reading import copies, server
from refusals import refused

BOOK = book_paths.find()
NAMES = BOOK.companions()
OPEN, FOLDED = True, False


@pytest.mark.parametrize("name", NAMES)
def test_a_companion_passes_every_guard_and_is_in_step_with_its_text(name):
    assert notebook_checks.check_one(BOOK, name) == []


@pytest.mark.parametrize("name", NAMES)
def test_its_front_matter_names_its_chapter(name):
    front = frontmatter.read_companion(chapter_notebooks.read(BOOK.twin(name)).metadata["fairfl"])
    assert front.companion_of == name.removesuffix(book_paths.MORE)


def cells(*pairs):
    return list(pairs)


@pytest.mark.parametrize(
    "chapter, wanted, defined",
    [
        (cells(("a = 1", OPEN), ("b = 2", OPEN)), {"b"}, {"b": 2}),
        (cells(("a = 1", OPEN), ("b = a + 1", OPEN)), {"b"}, {"a": 1, "b": 2}),
        (cells(("a = 1", FOLDED), ("b = 2", OPEN)), {"a", "b"}, {"b": 2}),
        (cells(("import math\na = 1", FOLDED), ("b = math.floor(2.5)", OPEN)), {"b"}, {"b": 2}),
        (cells(("a = 1", OPEN), ("a = a + 1", OPEN)), {"a"}, {"a": 2}),
        (cells(("def f(x):\n    return g(x)", OPEN), ("g = abs", OPEN)), {"f", "g"}, {}),
        (cells(("a = 1\nprint(a)", OPEN)), {"c"}, {}),
    ],
)
def test_only_what_is_needed_of_the_open_cells_is_run(chapter, wanted, defined):
    namespace = {}
    exec(ast.unparse(ast.Module(companion.needed(chapter, wanted), [])), namespace)
    values = {name: value for name, value in namespace.items() if name != "__builtins__" and isinstance(value, int)}
    assert values == defined


def test_it_begins_with_its_chapters_functions_and_prints_nothing(capsys):
    namespace = {}
    companion.begin(4, namespace, BOOK)
    assert namespace["two"](np.eye(2)).tolist() == [0.5, 0.5]
    assert "offices" not in namespace, "nothing is trained for a companion that does not ask for it"
    assert capsys.readouterr().out == ""


def test_a_chapter_without_a_companion_is_refused():
    without = next(name for name in BOOK.names() if BOOK.companion(name) is None)
    with refused("missing", f"chapter {int(without[:2])} "):
        companion.begin(int(without[:2]), {}, BOOK)
    with refused("missing", without, "--more"):
        server.start(BOOK, chapter=without, more=True)
    with refused("missing", "lab 04 --more"):
        server.start(BOOK, more=True)


def test_a_file_that_belongs_to_no_chapter_is_refused(tmp_path):
    (tmp_path / "chapters" / "src" / "more").mkdir(parents=True)
    (tmp_path / "chapters" / "src" / "04_mgda.md").touch()
    book = book_paths.Book(tmp_path)
    assert book.companions() == [] and book.companion("04_mgda") is None
    (tmp_path / "chapters" / "src" / "more" / "04_mgda_more.md").touch()
    assert book.companions() == ["04_mgda_more"] and book.with_companions(["04_mgda"]) == ["04_mgda", "04_mgda_more"]
    (tmp_path / "chapters" / "src" / "more" / "05_other_more.md").touch()
    with refused("name", "05_other_more.md", "04_mgda_more"):
        book.companions()


def headings(name):
    text = re.sub(r"^```.*?^```$", "", BOOK.twin(name).read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return {anchors.of(found) for found in re.findall(r"^#+ (.+)$", text, re.MULTILINE)}


@pytest.mark.parametrize("name", [*NAMES, *(name.removesuffix(book_paths.MORE) for name in NAMES)])
def test_links_between_a_chapter_and_its_companion_lead_to_sections(name):
    text = BOOK.twin(name).read_text(encoding="utf-8")
    links = re.findall(r"\]\(((?:\.\./|more/)?(\d\d_\w+)\.ipynb)?(#[^)]+)?\)", text)
    assert links
    for path, other, fragment in links:
        if path and (book_paths.is_companion(name) or "more/" in path):
            assert (BOOK.notebook(name).parent / path).resolve() == BOOK.notebook(other).resolve()
        if fragment and "://" not in fragment:
            assert fragment[1:] in headings(other or name), f"{name}: {path}{fragment}"


@pytest.mark.parametrize("name", [name.removesuffix(book_paths.MORE) for name in NAMES])
def test_a_chapter_ends_with_a_link_to_its_companion(name):
    take_away = BOOK.twin(name).read_text(encoding="utf-8").partition("## What to take away")[2]
    assert f"](more/{BOOK.companion(name)}.ipynb)" in take_away


def test_readers_get_copies_in_a_folder_of_their_own_that_lead_back(tmp_path):
    report = copies.prepare(BOOK.chapters / "more", tmp_path / "more")
    assert sorted(report.created) == [f"{name}.ipynb" for name in NAMES]
    copy = nbformat.read(tmp_path / "more" / f"{NAMES[0]}.ipynb", as_version=4)
    assert f"](../{NAMES[0].removesuffix(book_paths.MORE)}.ipynb)" in copy.cells[0].source
    assert "](../COVER.ipynb)" in copy.cells[-1].source


def test_the_command_line_opens_it():
    help_ = subprocess.run(
        [sys.executable, "-m", "fairfl_book", "lab", "--help"], capture_output=True, text=True
    ).stdout
    assert "--more" in help_
