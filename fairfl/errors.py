"""The words of a refusal: what was given, what is allowed, what to do."""

import difflib
from collections.abc import Iterable


def unknown(kind: str, given: object, allowed: Iterable[str], remedy: str = "") -> ValueError:
    """A ``ValueError`` for a name that is not known, offering the nearest one that is.

    ``kind`` says what the name was meant to be ("dataset", "rule"); ``allowed`` are the known names.
    """
    names = sorted(allowed)
    near = difflib.get_close_matches(str(given), names, n=1, cutoff=0.4)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    tail = f" {remedy}" if remedy else ""
    return ValueError(f"unknown {kind} {given!r}; known: {', '.join(names)}.{hint}{tail}")


def refuse(what: str, given: object, allowed: str, remedy: str) -> ValueError:
    """A ``ValueError`` for a value that is out of range."""
    return ValueError(f"{what} is {given!r}; allowed: {allowed}. {remedy}")
