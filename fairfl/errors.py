"""Errors that teach: what was given, what is allowed, and what to do."""

import difflib
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Literal

Kind = Literal["value", "name", "type", "shape", "combination", "missing", "file", "state", "diverged"]


class Refused(ValueError):
    """An argument, a file or a reply cannot be used. The message says what was given, what is allowed and what to do.

    The package raises no other ``ValueError``, so a mistake inside a rule is never taken for one. Attributes:

    - ``kind``: what is wrong, in one word, for code that has to tell refusals apart. "value": out of range, or not
      among the allowed values; "name": unknown; "type" and "shape": of the argument; "combination": arguments that do
      not go together; "missing": something needed is not there; "file": cannot be read or written, or is damaged;
      "state": a saved state does not fit; "diverged": numbers are no longer finite.
    - ``history``: the finished rounds (a ``History``, or a list of them) if ``train`` was under way, else ``None``.
      ``train`` adds this attribute to any other exception that passes through it, too.
    - ``clients``: if only some clients' numbers are unusable, who they are and what each sent, so that a server can go
      on without them; otherwise empty.
    """

    kind: Kind = "value"
    history: Any = None
    clients: Mapping[int, str] = MappingProxyType({})

    def __init__(self, message: str = "", kind: Kind | None = None):
        super().__init__(message)
        if kind is not None:
            self.kind = kind


class Diverged(Refused):
    """Numbers of a run are no longer finite: lower a step size, or drop the client that is named.

    Raised for a client's update, loss or other number, and for a rule's direction. Unlike other refusals it is a result
    of the run, and an honest record says so.
    """

    kind: Kind = "diverged"


class NotInstalled(ImportError):
    """An optional package is not installed; the message says which extra installs it, and how.

    ``name`` is the missing module.
    """


def unknown(what: str, given: object, allowed: Iterable[str], remedy: str = "") -> Refused:
    """A ``Refused`` of kind "name" that suggests the nearest known name.

    ``what`` says what the name stands for ("dataset", "rule"); ``allowed`` are the known names.
    """
    names = sorted(allowed)
    # Compare without case: "fedmgda+" is nearer to "FedMGDA+" than to any other name.
    folded = {name.casefold(): name for name in names}
    near = difflib.get_close_matches(str(given).casefold(), folded, n=1, cutoff=0.4)
    hint = f" Did you mean {folded[near[0]]!r}?" if near else ""
    tail = f" {remedy}" if remedy else ""
    return Refused(f"unknown {what} {given!r}; known: {', '.join(names)}.{hint}{tail}", "name")


def refuse(what: str, given: object, allowed: str, remedy: str, kind: Kind = "value") -> Refused:
    """A ``Refused`` that says what ``what`` is, what is ``allowed``, and what to do (``remedy``)."""
    return Refused(f"{what} is {given!r}; allowed: {allowed}. {remedy}", kind)
