"""Code and printed output that fit any screen: a line too long for it goes on below, further in than it began."""

import html
import re

_BLOCK = re.compile(r'(<div class="highlight">)?<pre( [^>]*)?>(.*?)</pre>', re.DOTALL)
# Names, punctuation and blanks have the colour of code that is not marked, and are two of three marks.
_PLAIN = re.compile(r'<span class="[npw]">([^<]*)</span>')
_MARKS = re.compile(r"<[^>]+>")


def hung(body: str) -> str:
    """The ``body`` of a page with every line of its ``pre`` blocks as a block of its own.

    Marks that change no colour are taken away. A block carries the number of letters of its longest line as ``--letters``, a line its indentation as ``--in`` (see ``book.css``).
    """
    return _BLOCK.sub(_block, body)


def _block(block: re.Match) -> str:
    lines = _PLAIN.sub(r"\1", block[3]).removesuffix("\n").split("\n")
    if any(line.count("<span") != line.count("</span") for line in lines):  # a mark that goes over lines
        return block[0]
    plain = [html.unescape(_MARKS.sub("", line)) for line in lines]
    inside = "".join(_line(line, text) for line, text in zip(lines, plain))
    letters = max(map(len, plain))
    return f'{block[1] or ""}<pre{block[2] or ""} style="--letters: {letters}">{inside}</pre>'


def _line(line: str, text: str) -> str:
    indented = len(text) - len(text.lstrip(" ")) if text.strip() else 0
    style = f' style="--in: {indented}"' if indented else ""
    return f'<span class="line"{style}>{line}\n</span>'
