"""Turn untrusted values into short printable text, which is safe in logs and on terminals."""

import re
import reprlib

LONGEST = 200


def printable(text: str, longest: int = LONGEST) -> str:
    """At most ``longest`` characters of ``text``, with unprintable characters spelt out: an escape as ``\\x1b``."""
    spelt = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text[: longest + 1])
    return spelt if len(spelt) <= longest else spelt[: longest - 1] + "…"


def quoted(value: object) -> str:
    """The ``repr`` of a value of any type, shortened."""
    try:
        return printable(reprlib.repr(value))
    except Exception:  # an integer of 5,000 digits, or a class that cannot be printed
        return f"a value of type {printable(type(value).__name__)}"


def readable(value: object) -> str:
    """A string made printable, the ``repr`` of any other value, and "" for ``None``."""
    return "" if value is None else printable(value) if isinstance(value, str) else quoted(value)


def last_line(text: str | None) -> str:
    """The last line of a traceback or a message, without colour codes."""
    lines = re.sub(r"\x1b\[[0-9;]*m", "", text or "").strip().splitlines() or [""]
    return printable(lines[-1].strip(" '>"))
