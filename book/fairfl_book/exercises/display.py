"""Show text to a reader: as HTML that wraps at any width, or as plain text wrapped at 88 characters."""

import html
import re
import sys
import textwrap
from typing import Any

WIDTH = 88
_EMPHASISED = re.compile(r"(?<![\w*])\*(\w(?:[^*]*\w)?)\*(?![\w*])")  # not the asterisks of a * b * c


def say(mark: str, head: str, text: str = "", tail: str = "") -> None:
    """Show ``mark head text`` and, below it in small print, ``tail``. The texts may contain markup (``marked_up``)."""
    show(bundle(mark, head, text, tail))


def shell() -> Any:
    """The running IPython shell; ``None`` outside IPython, which need not be installed."""
    return sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None


def show(forms: dict[str, str]) -> None:
    """Show one thing in several forms, by media type. A front end picks the richest form it supports; outside IPython, the plain text is printed."""
    if shell() is None:
        print(forms["text/plain"])
        return
    from IPython.display import display

    display(forms, raw=True)


def bundle(mark: str, head: str, text: str = "", tail: str = "") -> dict[str, str]:
    """The forms that ``say`` shows, by media type: plain text and HTML."""
    line = " ".join(part for part in (mark, head, text) if part)
    words = [line, *([tail] if tail else [])]
    plain = "\n".join(textwrap.fill(part, WIDTH, subsequent_indent="  ", break_long_words=False) for part in words)
    small = f'<br><small style="opacity: 0.75">{marked_up(tail)}</small>' if tail else ""
    body = " ".join(part for part in (mark, f"<b>{marked_up(head)}</b>", marked_up(text)) if part)
    page = f'<div style="max-width: 46em; line-height: 1.5; overflow-wrap: break-word">{body}{small}</div>'
    return {"text/plain": plain, "text/html": page}


def marked_up(text: str) -> str:
    """Convert plain text to HTML. Text between backticks becomes code, and *words* between asterisks are emphasised."""
    parts = html.escape(text, quote=False).split("`")  # every second part is code
    if len(parts) % 2 == 0:  # an unmatched backtick
        parts[-2:] = ["`".join(parts[-2:])]
    return "".join(
        f"<code>{part}</code>" if n % 2 else _EMPHASISED.sub(r"<em>\1</em>", part) for n, part in enumerate(parts)
    )
