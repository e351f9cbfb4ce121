"""What strangers sent, as short printable text: it goes into logs and onto terminals."""

import re
import reprlib

LONGEST = 200


def printable(text: str, longest: int = LONGEST) -> str:
    """At most ``longest`` characters of ``text``, with all that is not printable spelt out: an escape as ``\\x1b``."""
    spelt = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text[: longest + 1])
    return spelt if len(spelt) <= longest else spelt[: longest - 1] + "…"


def quoted(value: object) -> str:
    """A value of any type as Python would write it, shortened."""
    try:
        return printable(reprlib.repr(value))
    except Exception:  # an integer of 5,000 digits, or a class that cannot be printed
        return f"a value of type {printable(type(value).__name__)}"


def told(value: object) -> str:
    """A text as it is, but printable, and anything else as Python would write it; "" for ``None``."""
    return "" if value is None else printable(value) if isinstance(value, str) else quoted(value)


def last_line(text: str | None) -> str:
    """The last line of a traceback or a message, without its colours."""
    lines = re.sub(r"\x1b\[[0-9;]*m", "", text or "").strip().splitlines() or [""]
    return printable(lines[-1].strip(" '>"))
