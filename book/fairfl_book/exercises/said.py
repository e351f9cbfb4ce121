"""How words reach a reader: wrapped at any width where HTML is shown, at 88 letters where it is not."""

import html
import re
import sys
import textwrap

WIDTH = 88


def say(mark: str, head: str, text: str = "", tail: str = "") -> None:
    """Show ``mark head text`` and, in smaller letters below, ``tail``. Between backticks stands code."""
    line = " ".join(part for part in (mark, head, text) if part)
    words = [line, *([tail] if tail else [])]
    plain = "\n".join(textwrap.fill(part, WIDTH, subsequent_indent="  ", break_long_words=False) for part in words)
    if not in_notebook():
        print(plain)
        return
    small = f'<br><small style="opacity: 0.75">{_html(tail)}</small>' if tail else ""
    body = " ".join(part for part in (mark, f"<b>{_html(head)}</b>", _html(text)) if part)
    shown = f'<div style="max-width: 46em; line-height: 1.5; overflow-wrap: break-word">{body}{small}</div>'
    show({"text/plain": plain, "text/html": shown})


def in_notebook() -> bool:
    """Whether IPython runs, so that more than plain text can be shown."""
    return "IPython" in sys.modules and sys.modules["IPython"].get_ipython() is not None


def show(bundle: dict[str, str]) -> None:
    """Show one thing in several forms, of which a front end takes the richest that it knows: media type → content."""
    from IPython.display import display

    display(bundle, raw=True)


def _html(text):
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text, quote=False))
