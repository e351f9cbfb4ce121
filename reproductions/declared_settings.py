"""Checks of the settings in a declaration against the signature of the class or function that takes them."""

import collections.abc
import inspect
import re
import types
import typing
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache

from fairfl._validation import known
from fairfl.errors import Refused, refuse
from reproductions import own_code

_Made = typing.TypeVar("_Made")


def made(what: str, make: Callable[..., _Made], given: dict, kind: str = "setting of") -> _Made:
    """``make(**given)``, with fractions such as "1/3" as numbers and lists as tuples.

    In messages, ``what`` names the owner of the settings ("local", "rule FedFV") and ``kind`` what a name in ``given`` is. Raises
    ``Refused`` for a name that ``make`` does not take, for a value that does not match its annotation, and for a missing name.
    Exceptions that ``make`` raises pass through.
    """
    if not isinstance(given, dict):
        raise refuse(what, given, "settings by name, as in { name = value }", "Change the declaration.", "type")
    given, parameters, hints = (
        numbers(given),
        _parameters(make),
        types_of(make.__init__ if isinstance(make, type) else make),
    )
    if not any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        for name in given:
            known(f"{kind} {what}", name, parameters)
    missing = [
        name
        for name, p in parameters.items()
        if name not in given and p.default is p.empty and p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)
    ]
    if missing:
        label = given.get("label", given.get("name"))
        owner = f"{what} {label!r}" if label else what
        raise Refused(f"{owner} has no {', '.join(missing)}; add it to the declaration", "missing")
    for name, value in given.items():
        if not fits(value, hints.get(name)):
            allowed = f"a value of type {_spelled(hints[name])}"
            raise refuse(f"{what}'s {name}", value, allowed, f"This is a {type(value).__name__}.", "type")
    return make(**{name: tuple(value) if isinstance(value, list) else value for name, value in given.items()})


def defaults(make: Callable) -> dict:
    """The default values of ``make``'s parameters, by name."""
    return {name: p.default for name, p in _parameters(make).items() if p.default is not p.empty}


def numbers(settings: dict) -> dict:
    """``settings`` with fractions such as "1/3" as numbers."""
    return {
        name: float(Fraction(value)) if isinstance(value, str) and re.fullmatch(r"\d+/[1-9]\d*", value) else value
        for name, value in settings.items()
    }


def fits(value: object, hint: object) -> bool:
    """Whether a value from TOML matches the annotation ``hint``. Annotations that TOML cannot express accept anything."""
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin in (types.UnionType, typing.Union):
        return any(fits(value, one) for one in inner)
    if origin is typing.Literal:
        return value in inner
    if hint is type(None):
        return value is None
    if hint in (int, float):
        return isinstance(value, (int, hint)) and not isinstance(value, bool)
    if hint in (str, bool):
        return isinstance(value, hint)
    if (origin or hint) is dict:
        return isinstance(value, dict)
    if (origin or hint) in (list, tuple, collections.abc.Sequence, collections.abc.Iterable):
        every = inner[0] if len(set(inner) - {Ellipsis}) == 1 else None
        return isinstance(value, (list, tuple)) and all(fits(one, every) for one in value)
    return True


def types_of(function: Callable) -> dict[str, object]:
    """The types that ``function``'s annotations state, by parameter and "return"; empty if they cannot be resolved."""
    try:
        return typing.get_type_hints(function)
    except (AttributeError, NameError, TypeError):  # some annotations exist for a type checker alone
        return {}


def _spelled(hint):
    if isinstance(hint, type) and not typing.get_args(hint):
        return hint.__name__
    return str(hint).replace("collections.abc.", "")


@cache  # reading a table's records asks thousands of times
def _parameters(make) -> Mapping[str, inspect.Parameter]:
    signature = own_code.signature(make)
    return (
        signature.parameters
        if signature
        else {"settings": inspect.Parameter("settings", inspect.Parameter.VAR_KEYWORD)}
    )
