"""Turn "chapter 7" (in Chinese "第 7 章") into a link to the chapter, and "Hu et al., 2022" into a link to its reference,
each with a tooltip."""

import re

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

from fairfl.errors import refuse
from fairfl_book.site import languages, text_links
from fairfl_book.site.chapter_index import Known
from fairfl_book.translation import edition
from fairfl_book.translation.sentences import LANGUAGES, catalogue

_CHAPTERS = re.compile(
    r"\b[Cc]hapters?\s+\d{1,2}(?:(?:,\s+|\s+and\s+|\s+or\s+|\s+to\s+|–)\d{1,2}\b)*(?!\.\d)|第 \d{1,2} 章"
)
_ONE = re.compile(r"(?:[Cc]hapters?\s+|第 )?(\d{1,2})(?: 章)?")
_CITATION = re.compile(r"(.*?),?\s+\(?(\d{4})\b", re.DOTALL)  # "Hu et al., 2022", in brackets, or "Hu et al. (2022)"
_PAGE = re.compile(r"(?:^|/)(\d\d_\w+)\.html")
_REFERENCES = {edition.REFERENCES, *(catalogue(language).get(edition.REFERENCES, "") for language in LANGUAGES)}


class Mentions(SphinxPostTransform):
    """Runs after all other links exist."""

    default_priority = 200
    formats = ("html",)

    def run(self, **kwargs: object) -> None:
        """Link the chapters and citations that one page refers to."""
        known = Known.read(self.app.srcdir)
        here = self.env.docname
        text_links.put(self.document, text_links.KEPT, _CHAPTERS, lambda text: self.links(text, known, here))
        chapters = known.said(languages.of_page(here)[0])
        for link in self.document.findall(nodes.reference):
            page = _PAGE.search(link.get("refuri", "").partition("#")[0])
            if page and page[1] in chapters and "://" not in link["refuri"]:
                link["reftitle"] = chapters[page[1]].words
        listed = [section for section in self.document.findall(nodes.section) if lists_references(section)]
        lines = [item for section in listed for item in section.findall(nodes.list_item)]
        anchors = {anchor for section in listed for anchor in (*section["ids"], section.get("slug"))}
        for link in self.document.findall(nodes.reference):
            there = bool(anchors & {link.get("refid"), link.get("refuri", "").rpartition("#")[2]} - {None, ""})
            if there and lines and _CITATION.match(link.astext()):
                meant = cited(link.astext(), lines)
                for item in meant[:1]:
                    item["ids"] = item["ids"] or [f"reference-{lines.index(item) + 1}"]
                    link.attributes.pop("refid", None)
                    link["refuri"] = f"#{item['ids'][0]}"
                link["reftitle"] = "\n".join(" ".join(item.astext().split()) for item in meant)

    def links(self, text: str, known: Known, here: str) -> text_links.Links:
        """The links to chapters in ``text``. A page does not link to itself."""
        for region in _CHAPTERS.finditer(text):
            for one in _ONE.finditer(text, region.start(), region.end()):
                name = known.numbered(int(one[1]))
                if name and (page := languages.in_language_of(here, name, self.env)) != here:
                    yield one, {"refuri": self.app.builder.get_relative_uri(here, page)}


def cited(citation: str, lines: list[nodes.list_item]) -> list[nodes.list_item]:
    """The references that match ``citation`` ("Family et al., year" or "Family et al. (year)"), several if the authors
    published more than once that year. Raises ``ValueError`` if there are none."""
    names, year = _CITATION.match(citation).groups()
    families = re.split(r",\s+|\s+and\s+", re.sub(r"\s+et al\.", "", names))
    found = [line for line in lines if _meant(" ".join(line.astext().split()), families, year, "et al." in names)]
    if not found:
        raise refuse(
            "a citation",
            citation,
            "the authors and year of a line of the references",
            "Correct the citation or the reference.",
            "name",
        )
    return found


def _meant(line: str, families: list[str], year: str, more: bool) -> bool:
    authors, dated, _ = line.partition(f" ({year}).")
    listed = [re.sub(r"^(?:\w[\w'’]*\.(?:-\w\.)*\s+)+", "", name) for name in re.split(r",\s+|\s+and\s+", authors)]
    return bool(dated) and listed[: len(families)] == families and (more or len(listed) == len(families))


def lists_references(section: nodes.section) -> bool:
    """Whether a section is the list of references, in any language of the site."""
    return section[0].astext() in _REFERENCES
