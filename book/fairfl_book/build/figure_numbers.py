"""Numbered figures: how a caption and a mention of it are written in a chapter or a companion, and where its anchor is.

A caption is a block quote that begins with ``**Figure 4.2.**``. A companion's figures are C4.1, C4.2, as its formulas are (C1), (C2).
"""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from fairfl_book.book_paths import is_companion

if TYPE_CHECKING:
    from fairfl_book.build.notebook_checks import Chapter

NUMBER = r"C?\d+\.\d+"
CAPTION = re.compile(rf"^> \*\*Figure ({NUMBER})\.\*\*", re.MULTILINE)
MENTION = re.compile(rf"\bFigure ({NUMBER})\b(?!\.\*\*)")


def anchor(number: str) -> str:
    """The address of figure ``number`` ("4.2") on its page: "figure-4-2"."""
    return f"figure-{number.replace('.', '-').lower()}"


def figures_in_order(chapter: "Chapter") -> Iterator[str]:
    """Captions count from 1 in the chapter's own numbers, the text mentions every figure, and what it mentions is there."""
    own = f"{'C' if is_companion(chapter.name) else ''}{int(chapter.name[:2])}."
    captions, mentioned = [], set()
    for number, cell in enumerate(chapter.notebook.cells, 1):
        for found in CAPTION.findall(cell.source) if cell.cell_type == "markdown" else ():
            captions.append(found)
            if found != (due := f"{own}{len(captions)}"):
                yield f"cell {number}: the caption of Figure {found} stands where Figure {due} is due; number figures as they come"
    for number, cell in enumerate(chapter.notebook.cells, 1):
        for found in MENTION.findall(cell.source):
            if cell.cell_type == "markdown":
                mentioned.add(found)
            if found.startswith(own) and found not in captions:
                yield f"cell {number}: speaks of Figure {found}, and no caption begins with **Figure {found}.**"
    for found in captions:
        if found not in mentioned:
            yield f"the text never mentions Figure {found}; say in a sentence what it shows"
