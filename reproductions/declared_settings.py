"""What a declaration sets, checked against what it is given to: names, kinds, and what is lacking."""

import collections.abc
import inspect
import re
import types
import typing
from collections.abc import Callable
from fractions import Fraction

from fairfl.errors import Refused, unknown

_Made = typing.TypeVar("_Made")


def made(what: str, make: Callable[..., _Made], given: dict, kind: str = "setting of") -> _Made:
    """``make(**given)``, with fractions such as "1/3" as numbers and lists as tuples.

    ``what`` names the owner in messages ("local", "rule FedFV"), ``kind`` what a name in ``given`` is. Raises ``Refused`` for a name
    that ``make`` does not take, a value of another kind than its annotation asks for, and a name that is lacking. What ``make``
    itself raises goes through.
    """
    if not isinstance(given, dict):
        raise Refused(
            f"{what} is {given!r}; allowed: settings by name, as in {{ name = value }}. Change the declaration"
        )
    given, parameters, hints = numbers(given), _parameters(make), _hints(make)
    if not any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        for name in given:
            if name not in parameters:
                raise unknown(f"{kind} {what}", name, parameters)
    lacking = [
        name
        for name, p in parameters.items()
        if name not in given and p.default is p.empty and p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)
    ]
    if lacking:
        label = given.get("label", given.get("name"))
        raise Refused(f"{what}{f' {label!r}' if label else ''} lacks {', '.join(lacking)}; add it to the declaration")
    for name, value in given.items():
        if not fits(value, hints.get(name)):
            raise Refused(
                f"{what}'s {name} is {value!r}, a {type(value).__name__}; allowed: a value of type {_told(hints[name])}"
            )
    return make(**{name: tuple(value) if isinstance(value, list) else value for name, value in given.items()})


def defaults(make: Callable) -> dict:
    """What ``make`` sets where nothing is given, by name."""
    return {name: p.default for name, p in _parameters(make).items() if p.default is not p.empty}


def numbers(settings: dict) -> dict:
    """``settings`` with fractions such as "1/3" as numbers."""
    return {
        name: float(Fraction(value)) if isinstance(value, str) and re.fullmatch(r"\d+/[1-9]\d*", value) else value
        for name, value in settings.items()
    }


def fits(value: object, hint: object) -> bool:
    """Whether a value of TOML is of the kind that the annotation ``hint`` asks for. Annotations that TOML cannot mean let anything pass."""
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin in (types.UnionType, typing.Union):
        return any(fits(value, one) for one in inner)
    if origin is typing.Literal:
        return value in inner
    if hint is type(None):
        return value is None
    if hint is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    if hint in (str, bool):
        return isinstance(value, hint)
    if (origin or hint) is dict:
        return isinstance(value, dict)
    if (origin or hint) in (list, tuple, collections.abc.Sequence, collections.abc.Iterable):
        every = inner[0] if len(set(inner) - {Ellipsis}) == 1 else None
        return isinstance(value, (list, tuple)) and all(fits(one, every) for one in value)
    return True


def _told(hint):
    return (
        hint.__name__
        if isinstance(hint, type) and not typing.get_args(hint)
        else str(hint).replace("collections.abc.", "")
    )


def _parameters(make):
    try:
        return inspect.signature(make).parameters
    except ValueError:  # some functions written in C do not say what they take
        return {"settings": inspect.Parameter("settings", inspect.Parameter.VAR_KEYWORD)}


def _hints(make):
    try:
        return typing.get_type_hints(make.__init__ if isinstance(make, type) else make)
    except (NameError, TypeError):  # annotations that exist for a type checker alone
        return {}
