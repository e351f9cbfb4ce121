"""Stored HTML outputs as Typst: tables and short texts."""

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

from fairfl.errors import Refused
from fairfl_book.paper.typst_text import called, escaped, quoted

_COLOUR = re.compile(r"(?<!-)\bcolor: *(#[0-9a-fA-F]{6})")
_MINUS = re.compile(r"^\\-(?=\d)")  # a hyphen, escaped for Typst
_WRAPPERS = {"div", "p", "table", "thead", "tbody", "tfoot", "small", "style"}
_INLINE = {"b": "strong", "strong": "strong", "i": "emph", "em": "emph"}


def typst(page: str, where: str) -> str:
    """The output ``page`` of a cell. Raises ``Refused``, with file and line, for an element that paper cannot show."""
    reader = _Reader(where)
    reader.feed(page)
    reader.close()
    return "".join(reader.made).strip() + "\n\n"


@dataclass
class _Table:
    caption: str = ""
    head: list[str] = field(default_factory=list)
    cells: list[str] = field(default_factory=list)
    sides: list[str] = field(default_factory=list)
    columns: int = 0
    rows: int = 0
    rows_of_body: int = 0
    in_head: bool = False


class _Reader(HTMLParser):
    def __init__(self, where: str) -> None:
        super().__init__()
        self.where, self.made, self.table = where, [], None
        self.spans: list[str] = []
        self.silent = False

    def handle_starttag(self, tag: str, attrs: list) -> None:
        given = dict(attrs)
        if tag == "table":
            self.table = _Table()
        elif tag == "style":
            self.silent = True
        elif tag in ("caption", "th", "td"):
            self.made.append("\0")  # where the cell begins
            self.side = given.get("align") or ("left" if tag == "td" else "")
            self.span = int(given.get("colspan", 1)), int(given.get("rowspan", 1))
        elif tag == "tr":
            self.table.rows += 1
            self.table.rows_of_body += not self.table.in_head
        elif tag == "thead":
            self.table.in_head = True
        elif tag == "br":
            self.made.append(" \\\n")
        elif tag == "span":
            colour = _COLOUR.search(given.get("style", ""))
            self.spans.append(f'#text(fill: rgb("{colour[1]}"))[' if colour else "#[")
            self.made.append(self.spans[-1])
        elif tag in _INLINE:
            self.made.append(f"#{_INLINE[tag]}[")
        elif tag == "code":
            self.made.append("#code-words[")
        elif tag not in _WRAPPERS:
            raise Refused(
                f"{self.where}: an output has <{tag}>, which the book on paper cannot show. Show a table with "
                "fairfl_book.tables.show, a picture with figures.show.",
                "file",
            )

    def handle_endtag(self, tag: str) -> None:
        table = self.table
        if tag in ("caption", "th", "td"):
            start = len(self.made) - 1 - self.made[::-1].index("\0")
            words = _MINUS.sub("−", "".join(self.made[start + 1 :]).strip())
            del self.made[start:]
            if tag == "caption":
                table.caption = words
                return
            span, deep = self.span
            cell = f"[{words}]" if (span, deep) == (1, 1) else f"table.cell(colspan: {span}, rowspan: {deep})[{words}]"
            (table.head if table.in_head else table.cells).append(cell)
            table.columns += span if table.rows == 1 else 0
            if table.rows_of_body == 1:
                table.sides += [self.side or "left"] * span
        elif tag == "thead":
            table.in_head = False
        elif tag == "table":
            caption = f"[{table.caption}]" if table.caption else "none"
            sides = ", ".join((table.sides + ["left"] * table.columns)[: table.columns])
            head = ", ".join(table.head) + ("," if table.head else "")
            made = called("results", f"({sides},)", f"({head})", f"({', '.join(table.cells)},)", f"caption: {caption}")
            self.made.append(made)
            self.table = None
        elif tag == "style":
            self.silent = False
        elif tag in ("span", "code") or tag in _INLINE:
            self.made.append("];")

    def handle_data(self, data: str) -> None:
        if self.silent or (self.table is not None and "\0" not in self.made):
            return
        self.made.append(escaped(" ".join(data.split(" "))) if data.strip() else " ")


def printed(text: str) -> str:
    """What a cell printed."""
    return called("printed", quoted(text.rstrip("\n"))) + "\n\n"
