"""Split a chapter's text into pieces for translation: its Markdown cells, split at section headings, and the title, promise and abilities of its front matter.

A piece is identified by the digest of its English, so a translation belongs to exactly one wording. The list of references is not a piece, because it
is made from the bibliography in every language.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping

from nbformat import NotebookNode

from fairfl_book.build import bibtex

LENGTH = 12  # hex digits of a digest, enough for the few thousand pieces of a book
_SECTION = re.compile(r"^(?=## )", re.MULTILINE)


def digest(english: str) -> str:
    """The identity of a piece: the beginning of the SHA-256 of its text, stripped of surrounding space."""
    return hashlib.sha256(english.strip().encode("utf-8")).hexdigest()[:LENGTH]


def sections(source: str) -> list[str]:
    """A Markdown cell split before each second-level heading, with each piece stripped."""
    return [piece.strip() for piece in _SECTION.split(source) if piece.strip()]


def is_references(piece: str) -> bool:
    """Whether a piece is the list of references."""
    return piece.startswith(bibtex.HEADING)


def of_front(front: Mapping) -> list[str]:
    """The lines of the front matter that readers see: title, promise and abilities."""
    return [front["title"], front["promise"], *front["able"]]


def of_notebook(notebook: NotebookNode) -> Iterator[str]:
    """Every piece to translate, in the order of the text, each once."""
    texts = [*of_front(notebook.metadata["fairfl"])]
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            texts += [piece for piece in sections(cell.source) if not is_references(piece)]
    yield from dict.fromkeys(texts)
