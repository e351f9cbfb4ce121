"""How words reach a reader: wrapped at any width where HTML is shown, at 88 letters where it is not."""

import html
import re
import textwrap

WIDTH = 88


def say(mark: str, head: str, text: str = "", tail: str = "") -> None:
    """Show ``mark head text`` and, in smaller letters below, ``tail``. Between backticks stands code."""
    line = " ".join(part for part in (mark, head, text) if part)
    words = [line, *([tail] if tail else [])]
    plain = "\n".join(textwrap.fill(part, WIDTH, subsequent_indent="  ", break_long_words=False) for part in words)
    try:
        from IPython import get_ipython
        from IPython.display import display
    except ImportError:
        get_ipython = lambda: None
    if get_ipython() is None:
        print(plain)
        return
    small = f'<br><small style="opacity: 0.75">{_html(tail)}</small>' if tail else ""
    body = " ".join(part for part in (mark, f"<b>{_html(head)}</b>", _html(text)) if part)
    shown = f'<div style="max-width: 46em; line-height: 1.5; overflow-wrap: break-word">{body}{small}</div>'
    display({"text/plain": plain, "text/html": shown}, raw=True)


def _html(text):
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text, quote=False))
