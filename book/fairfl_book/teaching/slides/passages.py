"""Read a chapter's stored notebook as a lecturer would leaf through it: section by section, without code, folds and exercises."""

import base64
import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from nbformat import NotebookNode

from fairfl_book import labs
from fairfl_book.build import figure_numbers, lab_cells, note_pdf
from fairfl_book.exercises import turns
from fairfl_book.exercises.exercise_cells import turn_in


@dataclass(frozen=True)
class _Markdown:
    """A block of the text. ``text``: its Markdown."""

    text: str


class Words(_Markdown):
    """A paragraph."""


class Formula(_Markdown):
    """A displayed formula."""


class Items(_Markdown):
    """A list or a table."""


class Statement(_Markdown):
    """A theorem, a fact or a sentence that the chapter sets apart."""


class Proof(_Markdown):
    """A proof on the main line."""


@dataclass(frozen=True)
class Picture:
    """A stored picture. ``source``: its data URL. ``ratio``: width over height. ``caption``: Markdown, may be empty. ``lab``: the name of the lab whose start it is, if any."""

    source: str
    words: str
    ratio: float
    caption: str = ""
    lab: str = ""


@dataclass(frozen=True)
class Results:
    """A stored table of results. ``table``: HTML. ``caption``: Markdown, may be empty."""

    table: str
    caption: str = ""


@dataclass(frozen=True)
class Turn:
    """A *Your turn*. ``question``: Markdown without the words *Your turn*."""

    slug: str
    question: str


Passage = Words | Formula | Items | Statement | Proof | Picture | Results | Turn


@dataclass(frozen=True)
class Section:
    """A section. ``heading``: Markdown; empty for what stands above the first heading. ``shortest``: whether it is on the shortest way through the book."""

    heading: str
    passages: list[Passage] = field(default_factory=list)
    shortest: bool = False


_FOLD = re.compile(r"<details[^>]*>|</details>")
_IMAGE = re.compile(r'<img [^>]*?src="(data:image/[^"]+)"')
_SIZE = re.compile(r'<svg[^>]*? width="([\d.]+)\w*" height="([\d.]+)')
_LINK = re.compile(r"\[([^\]]+)\]\((?:<[^>]*>|[^()\s]*(?:\([^()]*\)[^()\s]*)*)\)")
_ASIDE = re.compile(r" ?\(\[[^\]]+\]\((?!#References)[^()\s]+\)\)")  # "(proof)" with a link to it
_CAPTION = re.compile(rf"\*\*(?:Figure|Table) {figure_numbers.NUMBER}\.\*\*")
_EXERCISE, _PROMISE = re.compile(r"\*\*\d+\.\*\*"), re.compile(r"\*[^*]+\*")
_MINUTES = re.compile(r"\*\*\d+ minutes\*\*")
_END = "∎"


def sections(notebook: NotebookNode) -> list[Section]:
    """The sections of an executed chapter in order, the first of which has no heading."""
    found, named = [Section("")], {}
    for cell in notebook.cells:
        if cell.cell_type == "code":
            named |= lab_cells.created(cell.source)
            for passage in _outputs(cell, named):
                _show(found[-1].passages, passage)
            continue
        for kind, text in _blocks(unlinked(unfolded(cell.source))):
            if kind == "heading":
                found.append(Section(text))
            elif text.startswith("<small>◆"):
                found[-1] = replace(found[-1], shortest=True)
            else:
                _add(found[-1].passages, kind, text)
    return found


def unfolded(text: str) -> str:
    """Markdown without what is folded in it (the inner folds too)."""
    kept, depth, end = [], 0, 0
    for mark in _FOLD.finditer(text):
        if depth == 0:
            kept.append(text[end : mark.start()])
        depth += -1 if mark[0] == "</details>" else 1
        end = mark.end()
    return "".join(kept) + text[end:]


def unlinked(text: str) -> str:
    """Markdown with the words of its links, which lead nowhere from a slide, and without brackets that hold nothing else."""
    return _LINK.sub(r"\1", _ASIDE.sub("", text))


def _blocks(text: str) -> Iterator[tuple[str, str]]:
    """The kind and the source of every block of the top level. The title and the promise are left out."""
    lines = text.splitlines()
    tokens = note_pdf.reader().parse(text)
    for place, token in enumerate(tokens):
        if token.level or token.map is None or token.nesting < 0:
            continue
        source = "\n".join(lines[slice(*token.map)]).strip()
        if token.type == "heading_open":
            if token.tag != "h1":
                yield "heading", tokens[place + 1].content
        else:
            yield token.type, source


def _add(passages: list[Passage], kind: str, text: str) -> None:
    """Append a block of Markdown, or complete with it what stands before it: a caption its picture, a proof's next paragraph the proof."""
    if passages and isinstance(passages[-1], Proof) and _END not in passages[-1].text:
        passages[-1] = Proof(f"{passages[-1].text}\n\n{text}")
    elif kind == "blockquote_open":
        quoted = re.sub(r"^> ?", "", text, flags=re.MULTILINE)
        if _CAPTION.match(quoted):
            _caption(passages, quoted)
        elif not _MINUTES.match(quoted):
            passages.append(Statement(quoted))
    elif kind.startswith("math_block"):
        passages.append(Formula(text))
    elif kind in ("bullet_list_open", "ordered_list_open", "table_open"):
        passages.append(Items(text))
    elif text.startswith("*Proof"):
        passages.append(Proof(text))
    elif kind == "paragraph_open" and not _EXERCISE.match(text) and not (not passages and _PROMISE.fullmatch(text)):
        passages.append(Words(text))


def _caption(passages: list[Passage], caption: str) -> None:
    """Give the caption to the last picture or table, by its kind, that has none."""
    kind = Results if caption.startswith("**Table") else Picture
    for place in range(len(passages) - 1, -1, -1):
        if isinstance(passages[place], kind) and not passages[place].caption:
            passages[place] = replace(passages[place], caption=caption)
            return


def _show(passages: list[Passage], passage: Passage) -> None:
    """Append what a cell shows. A turn takes its question, the paragraph above its cell."""
    if isinstance(passage, Turn) and passages and isinstance(passages[-1], Words):
        passage = Turn(passage.slug, passages.pop().text.removeprefix(turns.LINE).strip())
    passages.append(passage)


def _outputs(cell: NotebookNode, named: dict[str, str]) -> Iterator[Passage]:
    """The pictures and tables of a cell, its lab, or its turn. A check's reply and what is printed are left out.

    ``named``: the labs made so far, by their variables.
    """
    tags = set(cell.metadata.get("tags", []))
    if slug := turn_in(cell):
        yield Turn(slug, "")
    elif "lab" in tags:
        name = lab_cells.shown(cell.source, named)
        if hasattr(labs, name):
            data, _ = getattr(labs, name)().output()
            yield replace(_drawn(data["image/svg+xml"], data["text/plain"]), lab=name)
    if tags & {"turn", "lab", "check", "exercise", "head"}:
        return
    for output in cell.outputs:
        data = output.get("data", {})
        page, words = "".join(data.get("text/html", "")), "".join(data.get("text/plain", ""))
        if "image/svg+xml" in data:
            yield _drawn("".join(data["image/svg+xml"]), words)
        elif image := _IMAGE.search(page):
            yield Picture(image[1], words, _ratio(image[1]))
        elif "<table" in page:
            yield Results(page)


def _drawn(drawing: str, words: str) -> Picture:
    source = f"data:image/svg+xml;base64,{base64.b64encode(drawing.encode()).decode()}"
    return Picture(source, html.unescape(words), _ratio(source))


def _ratio(source: str) -> float:
    """Width over height of the picture in a data URL: a PNG's from its header, an SVG's from its first tag."""
    content = base64.b64decode(source.partition(",")[2])
    if source.startswith("data:image/png"):
        return int.from_bytes(content[16:20], "big") / int.from_bytes(content[20:24], "big")
    size = _SIZE.search(content[:2000].decode("utf-8", "ignore"))
    return float(size[1]) / float(size[2]) if size else 1.5
