"""The words of a refusal. In: what was given, what is allowed, what to do. Out: a ``Refused`` to raise."""

import difflib
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fairfl.training import History


class Refused(ValueError):
    """What was given cannot be used; the message says what it was, what is allowed and what to do.

    This package raises no other ``ValueError``, so that a slip in a rule is never taken for one. ``history``: the
    rounds that were finished where ``train`` was under way, as ``train`` would have returned them; else ``None``.
    (``train`` gives any other exception that passes through it such an attribute too, and leaves its class as it is: a
    bug stays a bug.) ``clients``: where the numbers of single clients cannot be used, who they are and what each sent,
    so that a server can go on without them; else empty.
    """

    history: "History | list[History] | None" = None
    clients: Mapping[int, str] = MappingProxyType({})


class Diverged(Refused):
    """Numbers of a run stopped being finite: lower a step size, or drop the client that is named.

    Raised for a client's update, loss or other number, and for a rule's direction. Unlike other refusals it is a result
    of the run: an honest record says so.
    """


def unknown(kind: str, given: object, allowed: Iterable[str], remedy: str = "") -> Refused:
    """A ``Refused`` for a name that is not known, offering the nearest one that is.

    ``kind`` says what the name was meant to be ("dataset", "rule"); ``allowed`` are the known names.
    """
    names = sorted(allowed)
    # Small letters: "fedmgda+" is nearer to "FedMGDA+" than to any other name.
    small = {name.casefold(): name for name in names}
    near = difflib.get_close_matches(str(given).casefold(), small, n=1, cutoff=0.4)
    hint = f" Did you mean {small[near[0]]!r}?" if near else ""
    tail = f" {remedy}" if remedy else ""
    return Refused(f"unknown {kind} {given!r}; known: {', '.join(names)}.{hint}{tail}")


def refuse(what: str, given: object, allowed: str, remedy: str) -> Refused:
    """A ``Refused`` for a value that is out of range."""
    return Refused(f"{what} is {given!r}; allowed: {allowed}. {remedy}")
