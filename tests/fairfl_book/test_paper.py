"""What a page for paper is made of, without a browser."""

import nbformat
import pytest
from fairfl_book import book_paths
from fairfl_book.build import bibtex, note_pdf
from fairfl_book.paper import __main__ as printed_book
from fairfl_book.site import __main__ as site
from fairfl_book.site import third_party

HEAD = '---\ntitle: "T"\nby: "B"\ncites: [k]\n---\n'
PNG = "data:image/png;base64,iVBORw0KGgo="


def page(body, picture=str, cited=lambda keys: [f"- cited {keys[0]}"], tmp="script.js"):
    pytest.importorskip("mdit_py_plugins", reason="the extra book brings it")
    return note_pdf.page(HEAD + body, picture, cited, book_paths.find().root / tmp)


def test_formulas_are_left_to_mathjax_and_survive_markdown():
    made = page("*A $a_1 * b_2 < c$ and $$ x_{1} * y $$ b*\n")
    assert r"\(a_1 * b_2 &lt; c\)" in made and r"\[x_{1} * y\]" in made
    assert "<em>" in made and "$" not in made.split("<body>")[1]


def test_a_picture_becomes_a_figure_with_its_words_below():
    made = page("![Two < three.](<a.ipynb#Two, one>)\n", picture=lambda address: f"at:{address}")
    assert (
        '<figure><img src="at:a.ipynb#Two,%20one" alt="Two &lt; three."><figcaption>Two &lt; three.' in made
        and "<p><figure" not in made
    )


def test_a_citation_stands_on_paper_as_the_text_has_it_and_is_no_link():
    assert "as shown (Bell, 1990)." in page("as shown ([Bell, 1990](#References)).")


def test_references_follow_from_the_keys_and_a_text_without_front_matter_is_refused():
    assert "<li>cited k</li>" in page("x")
    with pytest.raises(ValueError, match="front matter"):
        note_pdf.page("x", str, list, book_paths.find().root)


def test_the_picture_is_the_one_output_whose_words_begin_so(tmp_path):
    output = lambda words: nbformat.v4.new_output(
        "display_data", {"text/html": f'<img src="{PNG}">', "text/plain": words}
    )
    cell = nbformat.v4.new_code_cell(outputs=[output("Left, a line"), output("Left, a ring"), output("Right")])
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), tmp_path / "a.ipynb")
    assert note_pdf.stored_picture(tmp_path, "a.ipynb#Left,%20a%20ring") == PNG
    for words in ("Left", "Nowhere"):
        with pytest.raises(ValueError, match=words):
            note_pdf.stored_picture(tmp_path, f"a.ipynb#{words}")


def test_what_the_note_cites_is_in_the_bibliography():
    book = book_paths.find()
    text = (book.root / "book" / "note" / f"{note_pdf.NOTE}.md").read_text(encoding="utf-8")
    keys = text.split("cites: [")[1].split("]")[0].split(", ")
    assert len(bibtex.lines(keys, bibtex.load(book.bibliography))) == len(keys)


@pytest.mark.parametrize("command", [note_pdf, printed_book, site], ids=["note", "pdf", "book"])
def test_a_path_that_cannot_be_written_is_an_error_of_one_line(command, book, monkeypatch, capsys):
    pytest.importorskip("myst_nb", reason="the extra book brings it")
    (book.root / "book" / "_build").write_text("a file")
    monkeypatch.chdir(book.root)
    monkeypatch.setattr(third_party, "fetch", lambda folder: [])
    assert command.main([]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith("fairfl: ") and "_build" in line


def test_help_prints_nothing_but_help(monkeypatch, capsys):
    monkeypatch.setattr(note_pdf.book_paths, "find", lambda: pytest.fail("it would have been printed"))
    for line, status in (("--help", 0), ("draft", 2)):
        with pytest.raises(SystemExit) as left:
            note_pdf.main([line])
        assert left.value.code == status
    assert "It takes no options." in capsys.readouterr().out
