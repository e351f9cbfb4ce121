"""Write Sphinx's source folder: chapters, the hand-written pages of ``book/pages``, pages made from data, and
images."""

import shutil
from collections.abc import Callable
from pathlib import Path

import nbformat

from fairfl_book import labs
from fairfl_book.book_paths import Book
from fairfl_book.build import bibtex, formula_numbers, frontmatter
from fairfl_book.exercises import solutions
from fairfl_book.reading import cloud_launch
from fairfl_book.repository_address import address
from fairfl_book.site import (
    bibliography,
    chapter_index,
    chapter_map,
    contents,
    glossary,
    how_to,
    image_files,
    languages,
    notebooks,
    search_page,
    solution_folds,
    typefaces,
)

FRONT_LAB = "TwoClients"  # the lab of the front page


def lay_out(book: Book, folder: Path, vendored: Path, answered: bool = True) -> list[str]:
    """Write all sources into ``folder`` and return the chapters' names. Unchanged files keep their times, so Sphinx
    renders only what is new.

    ``vendored``: the folder of KaTeX and MiniSearch, which may be missing. ``answered``: whether pages show folded solutions, and the
    teachers' page its notes on open exercises.
    """
    written = set()

    def write(name: str, text: str) -> None:
        path = folder / name
        written.add(path)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def lab(name: str, place: str, task: bool = True) -> str:
        return getattr(labs, name)().page(f"lab-{place}", task)

    def illustrated(page: nbformat.NotebookNode, root: str) -> None:
        written.update(image_files.take_out(page, folder / "_static" / "pictures", f"{root}_static/pictures"))

    _static(folder / "_static", vendored)
    fronts, formulas, place = {}, {}, address(book)
    for name in book.executed():
        notebook = nbformat.read(book.notebook(name), as_version=4)
        fronts[name] = frontmatter.read(notebook.metadata.get("fairfl"))
        formulas[name] = formula_numbers.numbered(notebook)
        solved = solutions.of_chapter(book, name) if answered else {}
        page = notebooks.page(notebook, lambda which, number: lab(which, f"cell-{number}"), solved)
        page.cells = nbformat.from_dict(cloud_launch.under_the_title(page.cells, place, name))
        illustrated(page, "")
        if companion := book.companion(name):
            page.cells.append(
                nbformat.v4.new_markdown_cell(f"```{{toctree}}\n:hidden:\n\nmore/{companion}\n```", id="companion")
            )
            _companion(book, companion, lab, illustrated, write)
        write(f"{name}.ipynb", nbformat.writes(page))
    pages = book.root / "book" / "pages"
    for page in sorted(path for path in pages.rglob("*") if path.is_file()):
        # In the repository a link leads to the notebook; on the site, to the page.
        text = page.read_text(encoding="utf-8").replace("](../../chapters/", "](")
        write(page.relative_to(pages).as_posix(), text)
    teachers = (book.root / "book" / "teachers.md").read_text(encoding="utf-8").replace("](pages/", "](")
    write("teachers.md", teachers if answered else solution_folds.without(teachers))
    write("contents.txt", contents.contents(fronts, languages.lay_out(book, fronts, write, lab, illustrated, answered)))
    write("shortest-way.txt", contents.way(fronts))
    write("chapter-map.txt", chapter_map.cards(fronts))
    write("front-lab.txt", lab(FRONT_LAB, "front", task=False))
    write("playground.txt", lab("Playground", "playground"))
    write("bibliography.md", bibliography.page(bibtex.load(book.bibliography), fronts))
    terms, symbols = glossary.load(book.root / "book" / "glossary.toml")
    write(
        "glossary.md", glossary.terms_page(terms, {name[:2]: name if name in fronts else "" for name in book.names()})
    )
    write(f"{how_to.FOLDER}/index.md", how_to.index(book.root))
    for script in how_to.scripts(book.root):
        write(f"{how_to.FOLDER}/{script.name}.md", script.page)
    write(f"{search_page.NAME}.md", search_page.page())
    write("notation.md", glossary.symbols_page(symbols))
    write(chapter_index.FILE, chapter_index.Known.of(fronts, terms, formulas, languages.fronts(book, fronts)))
    _remove_others(folder, written)
    return sorted(fronts)


def _companion(book: Book, name: str, lab: Callable, illustrated: Callable, write: Callable) -> None:
    """Write the page of a companion, placed below its chapter."""
    page = notebooks.page(
        nbformat.read(book.notebook(name), as_version=4), lambda which, number: lab(which, f"more-{number}")
    )
    illustrated(page, "../")
    write(f"more/{name}.ipynb", nbformat.writes(page))


def _remove_others(folder: Path, written: set[Path]) -> None:
    """Remove pages of an earlier build that no longer exist."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path not in written and folder / "_static" / "vendor" not in path.parents:
            path.unlink()


def _static(folder: Path, vendored: Path) -> None:
    """Copy the third-party files that pages need, without MathJax, which is used only for print."""
    shutil.rmtree(folder / "vendor", ignore_errors=True)
    if vendored.is_dir():
        shutil.copytree(vendored, folder / "vendor", ignore=shutil.ignore_patterns("*-mathjax.txt", "tex-*.js"))
        typefaces.drop_absent(folder / "vendor")
    folder.mkdir(parents=True, exist_ok=True)
