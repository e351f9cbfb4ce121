"""Numbered figures: the form of captions and of references to figures, and the anchors of both.

A caption is a block quote that begins with ``**Figure 4.2.**`` (in Chinese ``**图 4.2**``). In a companion, figures are
numbered C4.1, C4.2 (and formulas (C1), (C2)).
"""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from fairfl_book.book_paths import is_companion

if TYPE_CHECKING:
    from fairfl_book.build.notebook_checks import Chapter

NUMBER = r"C?\d+\.\d+"
CAPTION = re.compile(rf"^> \*\*Figure ({NUMBER})\.\*\*", re.MULTILINE)
MENTION = re.compile(rf"(?:\bFigure|图) ({NUMBER})\b(?!\.?\*\*)")


def anchor(number: str) -> str:
    """The anchor of figure ``number`` ("4.2") on its page: "figure-4-2"."""
    return f"figure-{number.replace('.', '-').lower()}"


def figures_in_order(chapter: "Chapter") -> Iterator[str]:
    """Captions are numbered from 1, the text refers to every figure, and every figure that it refers to exists."""
    own = f"{'C' if is_companion(chapter.name) else ''}{int(chapter.name[:2])}."
    captions, mentioned = [], set()
    for number, cell in enumerate(chapter.notebook.cells, 1):
        for found in CAPTION.findall(cell.source) if cell.cell_type == "markdown" else ():
            captions.append(found)
            if found != (due := f"{own}{len(captions)}"):
                yield f"cell {number}: the caption of Figure {found} is where Figure {due} is expected; number figures in order"
    for number, cell in enumerate(chapter.notebook.cells, 1):
        for found in MENTION.findall(cell.source):
            if cell.cell_type == "markdown":
                mentioned.add(found)
            if found.startswith(own) and found not in captions:
                yield f"cell {number}: refers to Figure {found}, but no caption begins with **Figure {found}.**"
    for found in captions:
        if found not in mentioned:
            yield f"the text never refers to Figure {found}; add a sentence that says what it shows"
