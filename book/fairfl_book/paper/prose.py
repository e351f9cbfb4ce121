"""Markdown cells as Typst."""

import html
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from fairfl.errors import Refused
from fairfl_book.build import figure_numbers, formula_numbers, note_pdf
from fairfl_book.paper import places
from fairfl_book.paper.formulas import Formula
from fairfl_book.paper.index_terms import IndexTerms
from fairfl_book.paper.typst_text import called, escaped, quoted

_HTML = re.compile(r"(<[^>]+>)")
_STATEMENT = re.compile(r"^\*\*((?:Theorem|Proposition|Lemma|Corollary|Fact|Counterexample)\b.*?)\*\*", re.DOTALL)
_TURN = "**Your turn.**"
_EFFORT = re.compile(r"^\*\*\d+ minutes\*\*")
_EXERCISE = re.compile(r"^\*\*\d+\.\*\* \*\(")


@dataclass
class Prose:
    """Translates the Markdown cells of one chapter. It collects formulas, because they are translated together.

    ``formulas``: the book's formulas so far; the text has ``formula_mark(n)`` in the place of the n-th. ``terms``: of
    the index. ``tags``: the numbers of the chapter's formulas. ``promise``: its sentence, which is not repeated. ``sections``,
    ``subsections``: the headings so far. ``folds``: the file and line of each <details> that is open; a fold may hold
    several cells.
    """

    chapter: places.Chapter
    at: places.Places
    formulas: list[Formula]
    terms: IndexTerms
    tags: frozenset[str] = frozenset()
    promise: str = ""
    sections: int = 0
    subsections: int = 0
    folds: list[str] = field(default_factory=list)

    def closed(self) -> None:
        """Raise ``Refused``, with file and line, if a fold is open."""
        if self.folds:
            raise Refused(f"{self.folds[-1]}: <details> is not closed. Add </details> on a line of its own.", "file")

    def blocks(self, text: str, where: Callable[[int], str]) -> list["Block"]:
        """The blocks of a Markdown cell in order. ``where(line)``: the file and line of a line of ``text``, from 0."""
        tokens = note_pdf.reader().parse(text)
        return _Reader(self, tokens, where, text.splitlines()).read()


@dataclass
class Block:
    """A piece of a page. ``kind``: "text", "caption", "turn", "exercise". ``typst``: its markup. ``where``: file and
    line. ``number``: of a caption's figure."""

    kind: str
    typst: str
    where: str
    number: str = ""


def formula_mark(number: int) -> str:
    """What stands for the formula ``number`` until all are translated. The letters are private, so no text has them."""
    return f"\ue000{number}\ue001"


class _Reader:
    """One pass over the tokens of a cell."""

    def __init__(self, prose: Prose, tokens: list, where: Callable[[int], str], lines: list[str]) -> None:
        self.prose, self.tokens, self.lines = prose, tokens, lines
        self.line, self._where = 0, where
        self.folds = prose.folds

    @property
    def where(self) -> str:
        return self._where(self.line)

    def read(self) -> list[Block]:
        blocks, place = [], 0
        while place < len(self.tokens):
            token = self.tokens[place]
            end = self._end(place)
            part = self.tokens[place : end + 1]
            self.line = token.map[0] if token.map else self.line
            source, where = "\n".join(self.lines[slice(*token.map)]) if token.map else "", self.where
            if token.type == "blockquote_open":
                blocks.append(self._quote(part, source, where))
            elif token.type == "paragraph_open" and source.strip() == f"*{self.prose.promise}*":
                pass  # the chapter's opening shows it
            elif token.type == "paragraph_open" and source.startswith(_TURN):
                blocks.append(Block("turn", self._run(part), where))
            elif token.type == "paragraph_open" and _EXERCISE.match(source):
                blocks.append(Block("exercise", self._run(part), where))
            else:
                blocks.append(Block("text", self._run(part), where))
            place = end + 1
        return blocks

    def _end(self, start: int) -> int:
        level = 0
        for place in range(start, len(self.tokens)):
            level += self.tokens[place].nesting
            if level == 0:
                return place
        return len(self.tokens) - 1

    def _quote(self, part: list, source: str, where: str) -> Block:
        inner = part[1:-1]
        if found := figure_numbers.CAPTION.match(source):
            words = inner[1].children
            bold = next(i for i, child in enumerate(words) if child.type == "strong_close")
            del words[: bold + 1]  # the number, which Typst sets itself
            if words and words[0].type == "text":
                words[0].content = words[0].content.lstrip()
            label = self.prose.at.set(places.figure(found[1]), where)
            return Block(
                "caption", called("caption", label, quoted(found[1]), body=self._run(inner).strip()), where, found[1]
            )
        plain = re.sub(r"^> ?", "", source, flags=re.MULTILINE)
        if _STATEMENT.match(plain):
            return Block("text", called("statement", body=self._run(inner)) + "\n\n", where)
        if _EFFORT.match(plain):
            return Block("text", called("effort", body=self._run(inner).strip()) + "\n\n", where)
        return Block("text", called("remark", body=self._run(inner)) + "\n\n", where)

    def _run(self, tokens: list) -> str:
        made, place = [], 0
        while place < len(tokens):
            token = tokens[place]
            if token.map:
                self.line = token.map[0]
            if token.type == "table_open":
                end = next(i for i in range(place, len(tokens)) if tokens[i].type == "table_close")
                made.append(self._table(tokens[place : end + 1]))
                place = end + 1
                continue
            if token.type == "heading_open":
                made.append(self._heading(token, tokens[place + 1]))
                place += 3
                continue
            handler = getattr(self, f"_{token.type}", None)
            if handler is None:
                raise Refused(
                    f"{self.where}: the book on paper cannot show Markdown's {token.type!r}. Write it in another way, or "
                    "teach fairfl_book.paper.prose.",
                    "file",
                )
            made.append(handler(token))
            place += 1
        return "".join(made)

    # blocks

    def _paragraph_open(self, token: Any) -> str:
        return ""

    def _paragraph_close(self, token: Any) -> str:
        return "\n" if token.hidden else "\n\n"

    def _heading(self, opening: Any, inline: Any) -> str:
        prose, level = self.prose, int(opening.tag[1])
        label = f"{prose.chapter.prefix}-{places.plainly(inline.content)}" if level > 1 else prose.chapter.prefix
        if level == 1:
            return ""  # the title, which the chapter's opening shows
        if level == 2:
            prose.sections, prose.subsections = prose.sections + 1, 0
            prose.terms.new_section()
            number = f"{prose.chapter.number}.{prose.sections}"
        else:
            prose.subsections += 1
            number = f"{prose.chapter.number}.{prose.sections}.{prose.subsections}" if level == 3 else ""
        words = self._inline(inline, index=False)
        return (
            "\n" + called("section", str(level), quoted(number), prose.at.set(label, self.where), body=words) + "\n\n"
        )

    def _bullet_list_open(self, token: Any) -> str:
        return "#list("

    def _ordered_list_open(self, token: Any) -> str:
        return f"#enum(start: {token.attrs.get('start', 1)}, "

    def _bullet_list_close(self, token: Any) -> str:
        return ");\n\n"

    _ordered_list_close = _bullet_list_close

    def _list_item_open(self, token: Any) -> str:
        return "["

    def _list_item_close(self, token: Any) -> str:
        return "],"

    def _blockquote_open(self, token: Any) -> str:
        return "#remark["

    def _blockquote_close(self, token: Any) -> str:
        return "];\n\n"

    def _fence(self, token: Any) -> str:
        return code(token.content, token.info.strip() or "text") + "\n\n"

    def _code_block(self, token: Any) -> str:
        return code(token.content, "text") + "\n\n"

    def _hr(self, token: Any) -> str:
        return "#hr();\n\n"

    def _math_block(self, token: Any) -> str:
        return self._formula(token.content, display=True) + "\n\n"

    def _html_block(self, token: Any) -> str:
        made = []
        pieces = [piece for piece in _HTML.split(token.content) if piece.strip()]
        place = 0
        while place < len(pieces):
            piece = pieces[place]
            self.line = token.map[0] + token.content[: token.content.index(piece)].count("\n")
            if piece == "<details>":
                if pieces[place + 1] != "<summary>" or pieces[place + 3] != "</summary>":
                    raise Refused(f"{self.where}: <details> begins without a <summary> on one line.", "file")
                title = self._words(pieces[place + 2])
                made.append(f"#{'reply' if self.folds else 'fold'}([{title}])[")
                self.folds.append(self.where)
                place += 4
            elif piece == "</details>":
                if not self.folds:
                    raise Refused(f"{self.where}: </details> closes nothing.", "file")
                self.folds.pop()
                made.append("];\n\n")
                place += 1
            elif piece == "<small>":
                made.append(called("small-print", body=self._words(pieces[place + 1])) + "\n\n")
                place += 3
            elif piece.startswith("<"):
                raise Refused(
                    f"{self.where}: the book on paper cannot show {piece}; allowed: details, summary, small.", "file"
                )
            else:
                made.append(self._words(piece))
                place += 1
        return "".join(made)

    def _words(self, text: str) -> str:
        """Text inside HTML, which may have formulas and emphasis."""
        return self._inline(note_pdf.reader().parseInline(html.unescape(" ".join(text.split())))[0])

    # tables

    def _table(self, tokens: list) -> str:
        columns, cells, head, aligned = 0, [], 0, []
        for token, inline in zip(tokens, tokens[1:], strict=False):
            if token.type in ("th_open", "td_open"):
                if token.type == "th_open":
                    columns += 1
                    aligned.append(str(token.attrs.get("style", "")).rpartition(":")[2] or "left")
                cells.append(f"[{self._inline(inline)}]")
            head += token.type == "thead_close"
        header, body = ", ".join(cells[:columns]), ", ".join(cells[columns:])
        if not any(re.sub(r"[\[\]\s]", "", cell) for cell in cells[:columns]):
            header = ""
        return called("rows", f"({', '.join(aligned)},)", f"({header}{',' if header else ''})", f"({body},)") + "\n\n"

    # inline

    def _inline(self, token: Any, index: bool = True) -> str:
        made, open_links = [], []
        children = token.children or []
        for place, child in enumerate(children):
            if child.type == "link_open":
                open_links.append((str(child.attrs["href"]), len(made), place))
            elif child.type == "link_close":
                address, start, first = open_links.pop()
                words = "".join(made[start:])
                plain = "".join(c.content for c in children[first:place])
                made[start:] = [self.prose.at.link(address, words, plain, self.prose.chapter, self.where)]
            elif child.type == "text":
                made.append(self._text(child.content, linked=bool(open_links), index=index))
            elif child.type in ("math_inline", "math_inline_double", "math_single"):
                made.append(self._formula(child.content, display=child.type.endswith("double")))
            elif child.type == "code_inline":
                made.append(called("raw", quoted(child.content)))
            elif child.type == "softbreak":
                made.append("\n")
                self.line += 1
            elif child.type == "hardbreak":
                made.append(" \\\n")
            elif child.type in ("em_open", "strong_open"):
                made.append("#emph[" if child.type == "em_open" else "#strong[")
            elif child.type in ("em_close", "strong_close"):
                made.append("];")
            elif child.type == "html_inline" and child.content in ("<small>", "</small>"):
                made.append("#small-print[" if child.content == "<small>" else "];")
            elif child.type == "html_inline" and re.match(r"<br ?/?>", child.content):
                made.append(" \\\n")
            elif child.type == "html_inline" and child.content.startswith("<!--"):
                pass
            else:
                raise Refused(
                    f"{self.where}: the book on paper cannot show {child.type} {child.content!r}. Write it in another "
                    "way, or teach fairfl_book.paper.prose.",
                    "file",
                )
        return "".join(made)

    def _text(self, words: str, linked: bool, index: bool) -> str:
        pieces: list[tuple[str, str]] = [("", words)]
        if not linked:
            pieces = _split(pieces, figure_numbers.MENTION, self._figure)
            pieces = _split(pieces, formula_numbers.MENTION, self._number)
        made = []
        for typst, plain in pieces:
            made.append(typst or (self.prose.terms.marked(plain) if index else escaped(plain)))
        return "".join(made)

    def _figure(self, found: re.Match) -> str:
        return called("figure-there", self.prose.at.ask(places.figure(found[1]), self.where), body=escaped(found[0]))

    def _number(self, found: re.Match) -> str:
        if found[1] not in self.prose.tags:
            return ""
        label = self.prose.at.ask(places.formula(self.prose.chapter.prefix, found[1]), self.where)
        return called("formula-there", label, body=escaped(found[0]))

    def _formula(self, tex: str, display: bool) -> str:
        formula = Formula(tex.strip(), display, self.where)
        self.prose.formulas.append(formula)
        mark = formula_mark(len(self.prose.formulas) - 1)
        if not display:
            return mark
        label = "none"
        if formula.number:
            label = self.prose.at.set(places.formula(self.prose.chapter.prefix, formula.number), self.where)
        return f"#display({quoted(formula.number)}, {label}, {mark});"


def _split(
    pieces: list[tuple[str, str]], pattern: re.Pattern, made: Callable[[re.Match], str]
) -> list[tuple[str, str]]:
    """Replace matches of ``pattern`` in the plain pieces by Typst. A match stays if ``made`` returns ""."""
    result = []
    for typst, plain in pieces:
        end = 0
        for found in pattern.finditer(plain) if not typst else ():
            if link := made(found):
                result += [("", plain[end : found.start()]), (link, "")]
                end = found.end()
        result.append((typst, plain[end:]))
    return result


def code(text: str, language: str) -> str:
    """A block of code."""
    return called("listing", quoted(language), quoted(text.rstrip("\n")))
