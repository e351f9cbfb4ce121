"""``module:name``: how a declaration names code outside the package."""

import importlib
import inspect
import re
from collections.abc import Callable

from fairfl.errors import Refused, refuse, unknown


def find(kind: str, reference: str) -> Callable:
    """The object called ``name`` in ``module``, for a ``reference`` "module:name". ``kind`` is for the messages.

    Raises ``Refused`` naming ``reference`` if the module cannot be imported, or has no such name, or if the object is not callable.
    """
    module, _, name = reference.partition(":")
    if not re.fullmatch(r"\w+(\.\w+)*:\w+", reference):
        raise refuse(kind, reference, "module:name, with dots between packages", "Name the code that way.", "name")
    try:
        imported = importlib.import_module(module)
    except ImportError as error:
        raise Refused(
            f"{kind} {reference!r}: module {module!r} cannot be imported ({error}); put its folder on PYTHONPATH",
            "missing",
        ) from error
    if not hasattr(imported, name):
        public = [one for one in vars(imported) if not one.startswith("_")]
        raise unknown(f"name in module {module!r} for {kind} {reference!r}", name, public)
    found = getattr(imported, name)
    if not callable(found):
        raise Refused(f"{kind} {reference!r} is {found!r}, which is not callable; name a function or a class", "type")
    return found


def function(kind: str, reference: str, *arguments: str, **settings: object) -> Callable:
    """As ``find``, and raises ``Refused`` unless it can be called with ``arguments`` (described in words) and ``settings``."""
    found = find(kind, reference)
    if taken := signature(found):
        try:
            taken.bind(*arguments, **settings)
        except TypeError as error:
            given = ", ".join([*arguments, *settings])
            raise Refused(
                f"{kind} {reference!r} takes {taken} but is called with ({given}): {error}; change one of them",
                "combination",
            ) from error
    return found


def signature(function: Callable) -> inspect.Signature | None:
    """The signature of ``function``; ``None`` for functions written in C that do not have one."""
    try:
        return inspect.signature(function)
    except ValueError:
        return None
