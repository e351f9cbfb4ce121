"""The passages of a page that the search finds: paragraphs, exercises, figures, terms, names of the API. Each has an anchor.

Code, outputs, labs, hints and solutions are no passages: a hit must not give away an answer.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from docutils import nodes
from sphinx import addnodes

from fairfl_book.site.figure_links import CAPTION

_EXERCISE = re.compile(r"\d+\.")
_TURNS = {"Your turn.", "轮到你了"}
_WORK = re.compile(r"(.+? \(\d{4}\))\. ")  # a line of the bibliography
_SUMMARY = re.compile(r"<summary>(.*?)</summary>", re.DOTALL)
_FOLDS = re.compile(r'<details( class="answer")?|</details>')
_TAGS = re.compile(r"<[^>]+>")
_UNREAD = (addnodes.toctree, addnodes.index, nodes.comment, nodes.literal_block, nodes.math_block, nodes.image)
_PRINTED = "autosummary"  # tables that repeat the names below them


@dataclass(frozen=True)
class Passage:
    """``kind``: empty for a paragraph, or "term", "api", "figure", "exercise", "turn", "symbol", "work". ``name``: a term, a symbol,
    a name of the API, a work's authors and year, or the title of a fold. ``text``: without markup, with formulas as
    ``\\(LaTeX\\)``."""

    anchor: str
    text: str
    kind: str = ""
    name: str = ""


@dataclass
class Section:
    """A heading with the passages below it. ``depth``: 0 for the page's title."""

    depth: int
    anchor: str
    title: str
    passages: list[Passage] = field(default_factory=list)


def sections(document: nodes.document) -> list[Section]:
    """The sections of one page. Passages without an anchor get one: the section's, with ``-p`` and a number."""
    found: list[Section] = []
    for section in document.findall(nodes.section, descend=True):
        if not isinstance(section.parent, nodes.section):
            _section(section, 0, found)
    return found


def _section(node: nodes.section, depth: int, found: list[Section]) -> None:
    if "references" in node["ids"]:  # a copy of lines of the bibliography
        return
    title = next(iter(node.findall(nodes.title)), None)
    own = Section(depth, node["ids"][0], words(title) if title else "")
    found.append(own)
    folds = _Folds()
    for one in node.children:
        if isinstance(one, nodes.section):
            _section(one, depth + 1, found)
        else:
            _inside(one, own, folds)


class _Folds:
    """The folds that are open at a place of the page, from its raw HTML. ``title``: of a fold that has just begun."""

    def __init__(self) -> None:
        self.open: list[bool] = []
        self.title = ""

    def read(self, html: str) -> None:
        before = len(self.open)
        for mark in _FOLDS.finditer(html):
            if mark[0].startswith("</"):
                if self.open:
                    self.open.pop()
            else:
                self.open.append(bool(mark[1]))
        self.title = ""
        if len(self.open) > before and (said := _SUMMARY.findall(html)):
            self.title = " ".join(_TAGS.sub("", said[-1]).split())

    @property
    def answer(self) -> bool:
        return any(self.open)


def _inside(node: nodes.Node, section: Section, folds: _Folds) -> None:
    if isinstance(node, nodes.raw):
        folds.read(node.astext())
    elif isinstance(node, addnodes.desc):
        _described(node, section)
    elif isinstance(node, nodes.definition_list_item) and any(term["ids"] for term in node.findall(nodes.term)):
        _term(node, section)
    elif isinstance(node, nodes.paragraph | nodes.block_quote | nodes.row):
        if not folds.answer:
            _passage(node, section, folds)
    elif not isinstance(node, (*_UNREAD, nodes.title, nodes.thead, nodes.Text)) and not (
        "cell" in node.get("classes", ()) or _PRINTED in node.get("classes", ())
    ):
        for one in node.children:
            _inside(one, section, folds)


def _passage(node: nodes.Element, section: Section, folds: _Folds) -> None:
    first = next(iter(node.findall(nodes.paragraph)), node) if not isinstance(node, nodes.row) else node
    text = " · ".join(filter(None, map(words, node.children))) if isinstance(node, nodes.row) else words(node)
    inside = [one for one in first.children if one.astext()]  # the parser begins a paragraph with an empty text
    if not text or (isinstance(inside[0], nodes.raw) and inside[0].astext() == "<small>"):
        return
    kind, name = _kind(inside), ""
    if section.anchor == "bibliography" and (work := _WORK.match(text)):
        kind, name, text = "work", work[1], text[work.end() :]
    elif section.anchor == "notation" and isinstance(node, nodes.row):
        kind, (name, _, text) = "symbol", text.partition(" · ")
    elif not kind and folds.title:
        name = folds.title
    folds.title = ""
    # In a tight list, a paragraph with an anchor would be set as in a loose one.
    item = node.parent
    place = item if isinstance(item, nodes.list_item) and item[0] is node else node
    if not place["ids"]:
        place["ids"] = [f"{section.anchor}-p{len(section.passages) + 1}"]
    section.passages.append(Passage(place["ids"][0], text, kind, name))


def _kind(inside: list[nodes.Node]) -> str:
    """The kind of a paragraph, from the bold words that it begins with."""
    bold = inside[0].astext().strip() if isinstance(inside[0], nodes.strong) else ""
    if CAPTION.fullmatch(bold):
        return "figure"
    if bold in _TURNS:
        return "turn"
    numbered = _EXERCISE.fullmatch(bold) and any(isinstance(one, nodes.emphasis) for one in inside[1:3])
    return "exercise" if numbered else ""


def _term(node: nodes.definition_list_item, section: Section) -> None:
    terms = list(node.findall(nodes.term))
    name = " · ".join(map(words, terms))
    text = "\n".join(words(one) for one in node.findall(nodes.paragraph))
    section.passages.append(Passage(terms[0]["ids"][0], text, "term", name))


def _described(node: addnodes.desc, section: Section) -> None:
    """A class or function and what its docstring says, then its methods."""
    for signature in node.findall(addnodes.desc_signature):
        if signature.parent is node and signature["ids"]:
            said = [text for text in map(words, _own(node)) if not text.startswith("Bases: ")]
            section.passages.append(Passage(signature["ids"][0], " ".join(said), "api", signature["ids"][0]))
    for one in node.findall(addnodes.desc):
        if one is not node and next(_outer(one)) is node:
            _described(one, section)


def _own(node: addnodes.desc) -> Iterator[nodes.paragraph]:
    yield from (one for one in node.findall(nodes.paragraph) if next(_outer(one)) is node)


def _outer(node: nodes.Node) -> Iterator[addnodes.desc]:
    while (node := node.parent) is not None:
        if isinstance(node, addnodes.desc):
            yield node


def words(node: nodes.Node) -> str:
    """The text of ``node`` in one line, without raw HTML and displayed formulas, with formulas as ``\\(LaTeX\\)``."""
    return " ".join("".join(_words(node)).split())


def _words(node: nodes.Node) -> Iterator[str]:
    if isinstance(node, nodes.Text):
        yield node.astext()
    elif isinstance(node, nodes.math):
        yield rf"\({node.astext()}\)"
    elif isinstance(node, nodes.math_block | nodes.literal_block):
        yield " … "
    elif not isinstance(node, (nodes.raw, *_UNREAD)):
        for one in node.children:
            yield from _words(one)
            if isinstance(one, nodes.paragraph | nodes.list_item):
                yield " "
