"""A chapter in another language: the executed English notebook with translated text. Nothing is run again, and nothing is committed.

Code and printed outputs stay as they are, except for the book's own messages: checks of unanswered stubs, claims, and the labs' pictures. A piece without
a translation stays in English and is marked. The first line of the notebook's code sets the language of its checks and labs.
"""

import copy
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from fairfl import _atomic_files
from fairfl_book import anchors, labs
from fairfl_book.book_paths import Book
from fairfl_book.build import bibtex, frontmatter
from fairfl_book.exercises import display
from fairfl_book.exercises.check import unsolved
from fairfl_book.exercises.claim import retold
from fairfl_book.exercises.exercise_cells import answered_after
from fairfl_book.translation import translation_file, units
from fairfl_book.translation.sentences import choosing, tr, using

FOLDER = "editions"  # in book/_build
CHANGED = "The English of this part is newer than its translation."
ABOUT = (
    "Translated from the English edition. Code is the same in both, and so are its outputs with their English labels."
)
REFERENCES = "References"
_COMPANION = "](more/"  # how a link to a companion begins; companions are in English, and translated chapters one folder further down
_MADE = re.compile(r"^(\w+) = (?:labs\.)?(\w+)\(\)$", re.MULTILINE)
_SHOWN = re.compile(r"^(\w+)\.picture\((?:\"(\w+)\")?(?:, )?(?:words=False)?\)$", re.MULTILINE)
_FULL = r"[\u2e80-\u9fff\u3000-\u303f\uff00-\uffef“”‘’…—]"  # Chinese characters and punctuation, between which a line break must not become a space
_MARK = r"[\u3000-\u303f\uff00-\uffef“”‘’…—]"
_BLOCK = r"(?:\s|>|\||#|<|[-+*] |\d+[.)] |\$\$|```)"  # the beginning of a line that does not continue a paragraph
_JOINED = re.compile(rf"(?<={_FULL})\n(?={_FULL})|(?<={_MARK})\n(?!{_BLOCK})")


def translated(notebook: NotebookNode, known: dict[str, str], language: str) -> NotebookNode:
    """A copy of an executed ``notebook`` in ``language``. ``known``: digest → translation, as returned by ``translation_file.read``.

    Links within the chapter are rewritten to the translated headings, and links to its companion to the English one, so a translation
    keeps the English targets.
    """
    made = copy.deepcopy(notebook)
    made.metadata["fairfl"] = _front(notebook, known)
    headings: dict[str, str] = {}
    pictured: dict[str, str] = {}
    with using(language):
        for cell in made.cells:
            if cell.cell_type == "markdown":
                cell.source = "\n\n".join(_piece(piece, known, headings) for piece in units.sections(cell.source))
            elif answered_after(cell) and "check" in cell.metadata.get("tags", ()):
                cell.outputs = [nbformat.v4.new_output("display_data", display.bundle(*unsolved(answered_after(cell))))]
            else:
                pictured |= dict(_MADE.findall(cell.source))
                _draw(cell, pictured)
                _retell(cell)
        made.cells[0].source += f"\n\n<small>{tr(ABOUT)}</small>"
    _choose(made, language)
    for cell in made.cells:
        if cell.cell_type == "markdown":
            for english, here in headings.items():
                cell.source = cell.source.replace(f"](#{english})", f"](#{here})")
            cell.source = cell.source.replace(_COMPANION, f"](../{_COMPANION[2:]}")
    return made


def of_chapter(book: Book, name: str, language: str) -> NotebookNode:
    """The executed notebook of chapter ``name``, ``translated``."""
    notebook = nbformat.read(book.notebook(name), as_version=4)
    return translated(notebook, translation_file.read(translation_file.file(book, name, language)), language)


def _front(notebook, known):
    """The front matter of an English ``notebook`` with translated text."""
    front, headings = notebook.metadata["fairfl"], {}
    title, promise, *able = (known.get(units.digest(line), line) for line in units.of_front(front))
    for english in units.of_notebook(notebook):
        headings |= _headings(english, known.get(units.digest(english), ""))
    shortest = [headings.get(heading, heading) for heading in front["shortest"]]
    return {**front, "title": title, "promise": promise, "able": able, "shortest": shortest}


def _headings(english, translation):
    """The headings of one piece: English → translated."""
    return dict(zip(*map(anchors.HEADING.findall, (english, translation))))


def _piece(english, known, headings):
    """One piece translated, or in English and marked; adds its headings' links to ``headings``."""
    if units.is_references(english):
        translation = english.replace(bibtex.HEADING, f"## {tr(REFERENCES)}", 1)
    else:
        translation = known.get(units.digest(english), "")
    if translation:
        translation = lines_joined(translation)
        headings |= {anchors.of(e): anchors.of(h) for e, h in _headings(english, translation).items()}
        return translation
    mark = f"> {tr(CHANGED)}"
    heading, _, rest = english.partition("\n") if english.startswith("#") else ("", "", english)
    return "\n\n".join(part for part in (heading, mark, rest.strip()) if part)


def lines_joined(text: str) -> str:
    """A translation with lines joined where Chinese has no space, since translators may start a new line for each sentence."""
    return _JOINED.sub("", text)


def _draw(cell, made):
    """Replace the labs' pictures in a cell's output by those in the current language."""
    for variable, which in _SHOWN.findall(cell.source):
        lab = getattr(labs, made.get(variable, ""), None)
        for output in cell.outputs if lab else ():
            if "image/svg+xml" in output.get("data", {}):
                data, metadata = lab().output(which)
                output.update(data=data, metadata=metadata)
            elif output.output_type == "stream":
                output.text = "\n".join(lab().words(lab().numbers(**lab.also.get(which, {})))) + "\n"


def _retell(cell):
    """Translate what claims have printed."""
    if "claim(" in cell.source:
        for output in cell.outputs:
            if output.output_type == "stream":
                output.text = "".join(f"{retold(line)}\n" for line in output.text.splitlines())


def _choose(notebook, language):
    """Make the chapter's first code cell set the language before it imports the book."""
    first = next(cell for cell in notebook.cells if cell.cell_type == "code")
    comment = re.match(r"(?:#.*\n)*", first.source)[0]
    first.source = comment + choosing(language) + first.source[len(comment) :]


def build(book: Book, language: str, names: list[str] | None = None) -> Path:
    """Write the translated chapters, or those in ``names``, into a folder, which is returned; notebooks without a translation are removed.

    Raises ``Refused`` for a notebook with invalid front matter.
    """
    folder = book.written / "book" / "_build" / FOLDER / language
    folder.mkdir(parents=True, exist_ok=True)
    executed = book.executed()
    there = [name for name in translation_file.names(book, language) if name in executed]
    for path in folder.glob("*.ipynb"):
        if path.stem not in there:
            path.unlink()
    for name in there if names is None else [name for name in there if name in names]:
        notebook = of_chapter(book, name, language)
        frontmatter.read(notebook.metadata["fairfl"])
        _atomic_files.write(folder / f"{name}.ipynb", (nbformat.writes(notebook) + "\n").encode("utf-8"))
    return folder


def fronts(book: Book, language: str) -> dict[str, frontmatter.FrontMatter]:
    """The front matter of the translated chapters, in ``language``."""
    from fairfl_book.build import chapter_notebooks

    found = {}
    for name in translation_file.names(book, language):
        known = translation_file.read(translation_file.file(book, name, language))
        found[name] = frontmatter.read(_front(chapter_notebooks.original(book, name), known))
    return found


def of_all(
    english: Mapping[str, frontmatter.FrontMatter], translated: Mapping[str, frontmatter.FrontMatter], language: str
) -> dict[str, frontmatter.FrontMatter]:
    """The front matter of every chapter for a cover in ``language``: that of the translated chapters, and the ``english`` one of the others, whose title
    and promise are translated if the catalogue has them."""
    with using(language):
        return {
            name: translated.get(name) or replace(front, title=tr(front.title), promise=tr(front.promise))
            for name, front in english.items()
        }
