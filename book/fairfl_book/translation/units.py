"""The pieces by which a chapter's text is translated: its Markdown cells, each cut where a section begins, and three lines of its front matter.

A piece is known by the digest of its English, so a translation belongs to one wording and to no other. The list of references is no piece: it
follows from the bibliography, in every language.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping

from nbformat import NotebookNode

from fairfl_book.build import bibtex

LENGTH = 12  # letters of a digest that are shown: one book has a few thousand pieces
_SECTION = re.compile(r"^(?=## )", re.MULTILINE)


def digest(english: str) -> str:
    """What a piece is known by: the beginning of the SHA-256 of its text, without space at its ends."""
    return hashlib.sha256(english.strip().encode("utf-8")).hexdigest()[:LENGTH]


def sections(source: str) -> list[str]:
    """A Markdown cell cut before each heading of the second level, without space at the pieces' ends."""
    return [piece.strip() for piece in _SECTION.split(source) if piece.strip()]


def is_references(piece: str) -> bool:
    """Whether a piece is the list of references."""
    return piece.startswith(bibtex.HEADING)


def of_front(front: Mapping) -> list[str]:
    """The lines of the front matter that readers see: title, promise, and what they will be able to do."""
    return [front["title"], front["promise"], *front["able"]]


def of_notebook(notebook: NotebookNode) -> Iterator[str]:
    """Every piece that wants a translation, in the order of the text, each once."""
    texts = [*of_front(notebook.metadata["fairfl"])]
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            texts += [piece for piece in sections(cell.source) if not is_references(piece)]
    yield from dict.fromkeys(texts)
