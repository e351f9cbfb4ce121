"""Plain text and strings in Typst's syntax."""

import re

_SPECIAL = re.compile(r"[\\#$*_`<>@=\-+/~\[\]{}()|^&%.:;!?]")


def escaped(words: str) -> str:
    """``words`` as Typst markup that prints them as they are. Typst curls straight quotation marks. After a letter or a
    digit they are curled here, because Typst takes them for feet and inches."""
    words = re.sub(r"(?<=[^\W_])['\"]", lambda found: "’" if found[0] == "'" else "”", words)
    return _SPECIAL.sub(lambda found: "\\" + found[0], words)


def quoted(words: str) -> str:
    """``words`` as a string of Typst's code."""
    return '"' + words.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def called(function: str, *arguments: str, body: str | None = None) -> str:
    """A call in markup: ``#function(arguments)[body];``. The semicolon keeps what follows from becoming an argument."""
    content = f"[{body}]" if body is not None else ""
    return f"#{function}({', '.join(arguments)}){content};"
