"""Turn references to numbered formulas, "(3)", into links to them, on the same page or on another chapter's."""

import re
from collections.abc import Callable

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

from fairfl_book.book_paths import MORE
from fairfl_book.build import formula_numbers
from fairfl_book.site import text_links
from fairfl_book.site.chapter_index import Known

# Whose formula it is: "chapter 8's (10)", "(1) of chapter 4", or a paper's own, "their (19)".
_BEFORE = re.compile(r"[Cc]hapter\s+(\d{1,2})['’]s\s+$")
_AFTER = re.compile(r"\s+(?:of|in)\s+chapter\s+(\d{1,2})\b")
_FOREIGN = re.compile(r"(?:\btheir|\b[Pp]aper['’]s|\b[Tt]heorem|\b[Tt]able)\s+$")


class Numbers(SphinxPostTransform):
    """Runs before references to chapters become links, so that the chapter beside a number is still text."""

    default_priority = 195
    formats = ("html",)

    def run(self, **kwargs: object) -> None:
        """Give the numbered formulas of one page anchors, and link its references to formulas."""
        here, known = self.env.docname, Known.read(self.app.srcdir)
        own = set()
        for block in self.document.findall(nodes.math_block):
            numbers = formula_numbers.TAG.findall(block.astext())
            block["ids"] += [formula_numbers.anchor(number) for number in numbers]
            own |= set(numbers)
        chapter = here.removeprefix("more/").removesuffix(MORE) if here.startswith("more/") else ""
        kept = (
            (*text_links.KEPT, nodes.table) if chapter else text_links.KEPT
        )  # a companion's tables print the numbers of papers

        def place(number: str, of: int | None) -> str | None:
            page = (known.numbered(of) or "") if of is not None else here if number in own else chapter
            if page == here:
                return f"#{formula_numbers.anchor(number)}" if number in own else None
            if page not in known.chapters or number not in known.chapters[page].formulas:
                return None
            return f"{self.app.builder.get_relative_uri(here, page)}#{formula_numbers.anchor(number)}"

        text_links.put(self.document, kept, formula_numbers.MENTION, lambda text: links(text, place))


def links(text: str, place: Callable[[str, int | None], str | None]) -> text_links.Links:
    """The links to formulas in ``text``.

    ``place``: the number, and the chapter that the text names beside it, → where the formula is, or ``None``.
    """
    for found in formula_numbers.MENTION.finditer(text):
        before, after = text[: found.start()], text[found.end() :]
        named = _BEFORE.search(before) or _AFTER.match(after)
        uri = None if _FOREIGN.search(before) else place(found[1], int(named[1]) if named else None)
        # A name before brackets is a call or a citation, not a reference.
        if uri and not before[-1:].isalnum():
            yield found, {"refuri": uri}
