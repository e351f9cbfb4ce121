"""``module:name``: how a declaration names code that is not in the package."""

import importlib
import inspect
import re
from collections.abc import Callable

from fairfl.errors import Refused, unknown


def find(kind: str, reference: str) -> Callable:
    """What is called ``name`` in ``module``, for a ``reference`` "module:name".

    Raises ``Refused`` naming ``reference`` if the module cannot be imported, has no such name, or it cannot be called.
    """
    module, _, name = reference.partition(":")
    if not re.fullmatch(r"\w+(\.\w+)*:\w+", reference):
        raise Refused(f"{kind} {reference!r} names no code; allowed: module:name, with dots between packages")
    try:
        held = importlib.import_module(module)
    except ImportError as error:
        raise Refused(
            f"{kind} {reference!r}: module {module!r} cannot be imported ({error}); is its folder on PYTHONPATH?"
        ) from error
    if not hasattr(held, name):
        raise unknown(
            f"name in module {module!r} for {kind} {reference!r}",
            name,
            [n for n in vars(held) if not n.startswith("_")],
        )
    if not callable(getattr(held, name)):
        raise Refused(
            f"{kind} {reference!r} is {getattr(held, name)!r}, which cannot be called; name a function or a class"
        )
    return getattr(held, name)


def function(kind: str, reference: str, *arguments: str, **settings: object) -> Callable:
    """As ``find``, refused unless it can be called with ``arguments`` (what they are, in words) and ``settings``."""
    found = find(kind, reference)
    try:
        taken = inspect.signature(found)
    except ValueError:  # some functions written in C do not say what they take
        return found
    try:
        taken.bind(*arguments, **settings)
    except TypeError as error:
        given = ", ".join([*arguments, *settings])
        raise Refused(
            f"{kind} {reference!r} takes {taken} and would be called with ({given}): {error}; change the one or the other"
        ) from error
    return found
