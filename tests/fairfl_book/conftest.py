"""A tiny book in a temporary folder, and tiny notebooks that pass every guard until a test spoils them."""

import nbformat
import pytest
import yaml
from fairfl_book.book_paths import Book
from fairfl_book.build import bibtex, notebook_checks
from fairfl_book.build.frontmatter import read
from fairfl_book.exercises import Exercise, Question
from fairfl_book.exercises.registry import _EXERCISES

BIBLIOGRAPHY = """
@article{ada1843,
  author = {Lovelace, Ada},
  title = {Notes on the Analytical Engine},
  journal = {Scientific Memoirs},
  year = {1843},
  url = {https://example.org/ada},
}
@inproceedings{bell1990,
  author = {Bell, Jo-Ann B. and Agüera y Cruz, Carl},
  title = "On {FedAvg}, again",
  booktitle = {AISTATS},
  volume = 54,
  pages = {1--9},
  year = 1990,
  doi = {10.1000/182},
}
"""
FRONT = {
    "title": "Ferries",
    "promise": "You will see one ferry.",
    "able": ["count to one"],
    "teaches": ["ferry"],
    "needs": ["calculus"],
    "minutes": 5,
    "exercise_minutes": 10,
    "cites": ["ada1843"],
    "shortest": [],
}
HEADER = {
    "jupytext": {"text_representation": {"extension": ".md", "format_name": "myst"}},
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
}
REFERENCES = "## References\n\n- A. Lovelace (1843). [Notes on the Analytical Engine](https://example.org/ada). *Scientific Memoirs*."


@pytest.fixture
def bibliography():
    return BIBLIOGRAPHY


@pytest.fixture
def front():
    """A valid front matter block, to be spoilt."""
    return {name: list(value) if isinstance(value, list) else value for name, value in FRONT.items()}


@pytest.fixture
def book(tmp_path):
    """An empty book with a bibliography."""
    made = Book(tmp_path / "book")
    (made.chapters / "src").mkdir(parents=True)
    made.bibliography.parent.mkdir()
    made.bibliography.write_text(BIBLIOGRAPHY, encoding="utf-8")
    return made


@pytest.fixture
def write_twin(book, front):
    """``write_twin(name, body, **front matter)`` writes a text twin into the book."""

    def write(name, body, **changed):
        header = yaml.safe_dump({**HEADER, "fairfl": {**front, **changed}}, allow_unicode=True)
        book.twin(name).write_text(f"---\n{header}---\n\n{body}\n", encoding="utf-8")
        return book.twin(name)

    return write


@pytest.fixture
def exercises(monkeypatch):
    """Two exercises beside the book's own: ``ferries.count``, which is 2, and the open ``ferries.why``; two hints and one."""
    for one in (
        Exercise("ferries.count", "how many", 2, praise="Both.", hints=("Look at `n < 3`.", "Less than 3.")),
        Question("ferries.why", "why so many", hints=("Ask.",)),
    ):
        monkeypatch.setitem(_EXERCISES, one.slug, one)


@pytest.fixture
def chapter(front, exercises):
    """A chapter that passes every guard."""
    v4 = nbformat.v4
    cells = [
        v4.new_markdown_cell("# Ferries\n\nA page with `code`, $a_{b}$ and a [link](https://example.org)."),
        v4.new_code_cell(
            "print('one')", execution_count=1, outputs=[v4.new_output("stream", name="stdout", text="one\n")]
        ),
        v4.new_code_cell(
            "figure",
            execution_count=2,
            outputs=[
                v4.new_output(
                    "display_data",
                    data={"image/png": "AAAA", "text/plain": "<Figure>"},
                    metadata={"image/png": {"alt": "a dot"}},
                )
            ],
        ),
        v4.new_code_cell("# ferries.why: your prediction", execution_count=3, metadata={"tags": ["exercise"]}),
        v4.new_code_cell(""),
        v4.new_markdown_cell(REFERENCES),
    ]
    notebook = v4.new_notebook(cells=cells, metadata={"fairfl": front, "fairfl_run": {"seconds": 1.0}})
    return notebook_checks.Chapter("01_ferries", notebook, read(front), 1000, bibtex.parse(BIBLIOGRAPHY))
