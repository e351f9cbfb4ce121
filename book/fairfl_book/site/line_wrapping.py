"""Wrap long lines of code and printed output on narrow screens, with a hanging indent."""

import html
import re

_BLOCK = re.compile(r'(<div class="highlight">)?<pre( [^>]*)?>(.*?)</pre>', re.DOTALL)
# Spans for names, punctuation and blanks have the default colour. They are two thirds of all spans.
_PLAIN = re.compile(r'<span class="[npw]">([^<]*)</span>')
_MARKS = re.compile(r"<[^>]+>")


def hung(body: str) -> str:
    """Wrap every line of the ``pre`` blocks of a page's ``body`` in an element of its own.

    Spans that change no colour are removed. The CSS variable ``--letters`` of a block is the length of its longest
    line, and ``--in`` of a line is its indentation (see ``book.css``).
    """
    return _BLOCK.sub(_block, body)


def _block(block: re.Match) -> str:
    lines = _PLAIN.sub(r"\1", block[3]).removesuffix("\n").split("\n")
    if any(line.count("<span") != line.count("</span") for line in lines):  # a span over several lines
        return block[0]
    plain = [html.unescape(_MARKS.sub("", line)) for line in lines]
    inside = "".join(_line(line, text) for line, text in zip(lines, plain))
    letters = max(map(len, plain))
    return f'{block[1] or ""}<pre{block[2] or ""} style="--letters: {letters}">{inside}</pre>'


def _line(line: str, text: str) -> str:
    indented = len(text) - len(text.lstrip(" ")) if text.strip() else 0
    style = f' style="--in: {indented}"' if indented else ""
    return f'<span class="line"{style}>{line}\n</span>'
