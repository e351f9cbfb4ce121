"""Turn references to numbered figures into links to their captions, on the same page or on another chapter's."""

import re

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

from fairfl_book.build import figure_numbers
from fairfl_book.site import languages
from fairfl_book.site.chapter_index import Known
from fairfl_book.site.cross_references import KEPT, inside

_CAPTION = re.compile(rf"Figure ({figure_numbers.NUMBER})\.|图 ({figure_numbers.NUMBER})")
_TABLE = re.compile(rf"Table {figure_numbers.NUMBER}\.|表 {figure_numbers.NUMBER}")


class Captions(SphinxPostTransform):
    """Runs after references to chapters have become links."""

    default_priority = 205
    formats = ("html",)

    def run(self, **kwargs: object) -> None:
        """Give the captions of one page anchors, and link its references to figures."""
        known = Known.read(self.app.srcdir)
        here, own = self.env.docname, set()
        for quote in self.document.findall(nodes.block_quote):
            first = next(iter(quote.findall(nodes.strong)), None)
            if first is not None and (found := _CAPTION.fullmatch(first.astext())):
                number = found[1] or found[2]
                quote["ids"].append(figure_numbers.anchor(number))
                own.add(number)
            elif first is not None and _TABLE.fullmatch(first.astext()):
                quote["classes"].append("table-caption")
        for text in list(self.document.findall(nodes.Text)):
            if not inside(text, (*KEPT, nodes.strong)) and figure_numbers.MENTION.search(text):
                text.parent.replace(text, self.linked(str(text), own, known, here))

    def linked(self, text: str, own: set[str], known: Known, here: str) -> list[nodes.Node]:
        """Split ``text`` into pieces in which figures are links. ``own``: numbers of the figures on this page."""
        pieces, end = [], 0
        for found in figure_numbers.MENTION.finditer(text):
            page = "" if found[1] in own else known.numbered(int(found[1].lstrip("C").partition(".")[0]))
            page = page and languages.in_language_of(here, page, self.env)
            if page is None or (page and (found[1].startswith("C") or page == here)):
                continue
            uri = f"{self.app.builder.get_relative_uri(here, page) if page else ''}#{figure_numbers.anchor(found[1])}"
            pieces += [nodes.Text(text[end : found.start()]), nodes.reference("", found[0], internal=True, refuri=uri)]
            end = found.end()
        return [*pieces, nodes.Text(text[end:])]
