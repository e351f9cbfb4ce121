"""Turn references to numbered figures into links to their captions, on the same page or on another chapter's."""

import re

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

from fairfl_book.build import figure_numbers
from fairfl_book.site import languages, text_links
from fairfl_book.site.chapter_index import Known

# As bold words: a caption of this page, in English or Chinese.
CAPTION = re.compile(rf"Figure ({figure_numbers.NUMBER})\.|图 ({figure_numbers.NUMBER})")
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
            if first is not None and (found := CAPTION.fullmatch(first.astext())):
                number = found[1] or found[2]
                quote["ids"].append(figure_numbers.anchor(number))
                own.add(number)
            elif first is not None and _TABLE.fullmatch(first.astext()):
                quote["classes"].append("table-caption")
        kept = (*text_links.KEPT, nodes.strong)
        text_links.put(self.document, kept, figure_numbers.MENTION, lambda text: self.links(text, own, known, here))

    def links(self, text: str, own: set[str], known: Known, here: str) -> text_links.Links:
        """The links to figures in ``text``. ``own``: numbers of the figures on this page."""
        for found in figure_numbers.MENTION.finditer(text):
            page = "" if found[1] in own else known.numbered(int(found[1].lstrip("C").partition(".")[0]))
            page = page and languages.in_language_of(here, page, self.env)
            if page is None or (page and (found[1].startswith("C") or page == here)):
                continue
            uri = f"{self.app.builder.get_relative_uri(here, page) if page else ''}#{figure_numbers.anchor(found[1])}"
            yield found, {"refuri": uri}
