"""The search's index: every passage of every page, as a script, because pages opened from disk cannot read other files.

The page ``search`` alone loads it, and ``static/search.js`` searches it with MiniSearch.
"""

import json
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

from fairfl_book.site import formulas, languages, search_page
from fairfl_book.site.passages import Passage, Section, sections
from fairfl_book.translation.sentences import ENGLISH

FILE = "search_index.js"
SCRIPTS = ("vendor/minisearch.js", FILE, "search_words.js", "search_ranking.js", "search.js")
STYLE = "search.css"
_ALL_LANGUAGES = ("glossary", "notation")


class Anchors(SphinxPostTransform):
    """Runs after all links exist, and gives every passage an anchor."""

    default_priority = 900
    formats = ("html",)

    def run(self, **kwargs: object) -> None:
        """Keep the passages of one page until the index is written."""
        if self.env.docname.rpartition("/")[2] != search_page.NAME:
            kept(self.app)[self.env.docname] = sections(self.document)


def kept(app: Sphinx) -> dict[str, list[Section]]:
    """The sections of the pages that were written so far."""
    if not hasattr(app.env, "passages"):
        app.env.passages = {}
    return app.env.passages


def script(pages: dict[str, list[Section]]) -> str:
    """The index as a script: ``[page, language, [[depth, anchor, title, [passage, …]], …]]`` for each page,
    with an empty language if the page is in all of them.

    A passage is its text if it is a paragraph with the anchor that ``passages.sections`` gives, else
    ``[anchor, kind, name, text]``.
    """
    spoken = {page: "" if page in _ALL_LANGUAGES else languages.of_page(page)[0] for page in pages}
    entries = [[page, spoken[page], [_section(one) for one in pages[page]]] for page in sorted(pages)]
    return f"globalThis.SEARCH_INDEX={json.dumps(entries, ensure_ascii=False, separators=(',', ':'))};\n"


def _section(section: Section) -> list:
    passages = [_passage(one, f"{section.anchor}-p{n}") for n, one in enumerate(section.passages, 1)]
    return [section.depth, section.anchor, section.title, passages]


def _passage(passage: Passage, usual: str) -> str | list:
    if passage.anchor == usual and not passage.kind and not passage.name:
        return passage.text
    return [passage.anchor if passage.anchor != usual else "", passage.kind, passage.name, passage.text]


def write(app: Sphinx, error: Exception | None) -> None:
    """Write the index of a whole build."""
    if error is None and app.builder.format == "html":
        (Path(app.outdir) / "_static" / FILE).write_text(script(kept(app)), encoding="utf-8")


def load(app: Sphinx, page: str, template: str, context: dict, tree: nodes.document | None) -> None:
    """Make the search page load what it needs, and lead every search field to the page in its own language."""
    own, pathto = languages.of_page(page)[0], context["pathto"]
    there = search_page.NAME if own == ENGLISH else f"{own}/{search_page.NAME}"
    if there in app.env.found_docs:
        context["pathto"] = lambda other, *rest, **how: pathto(
            there if other == search_page.NAME else other, *rest, **how
        )
    if page == there:
        app.add_css_file(formulas.STYLE)
        app.add_css_file(STYLE)
        for one in (formulas.SCRIPTS[0], *SCRIPTS):
            app.add_js_file(one, loading_method="defer")


def _without_sphinxs_own(app: Sphinx) -> None:
    app.builder.search = False


def setup(app: Sphinx) -> None:
    """Register the index with Sphinx, in place of Sphinx's own."""
    app.add_post_transform(Anchors)
    app.connect("builder-inited", _without_sphinxs_own)
    app.connect("html-page-context", load)
    app.connect("build-finished", write)
