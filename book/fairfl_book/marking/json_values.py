"""Values that pass between a student's process and the marking process: numbers, strings and containers of them, as JSON.

They are never pickled, because loading a student's pickle would run their code in the teacher's process.
"""

import inspect
import math
from collections.abc import Mapping

import numpy as np

from fairfl_book.exercises.compare import numbers, plain

LONGEST = 200  # characters of the description of a value that cannot be sent
LARGEST = 1_000_000  # elements of an array. Also bounds its shape: 30,000,000 empty rows are short as JSON but fill the memory as a list
DIMENSIONS = 32  # largest number of dimensions of an array
_KINDS = {"f": float, "i": np.int64, "u": np.uint64, "b": bool}


class Thing:
    """Placeholder for a value that is not a number, string or container; only its description is known."""

    def __init__(self, words: str) -> None:
        self.words = words

    def __repr__(self) -> str:
        return self.words


def encode(value: object) -> object:
    """``value`` in a form that JSON supports. Anything but numbers, strings and containers is replaced by a description."""
    value = plain(value)
    if value is ...:
        return {"dots": True}
    if value is None or isinstance(value, (bool, str)):
        return value
    for kind, made in ((np.bool_, bool), ((int, np.integer), int), ((float, np.floating), float)):
        if isinstance(value, kind):
            return made(value)
    if isinstance(value, np.ndarray) and value.dtype.kind in _KINDS:
        return {"array": value.ravel().tolist(), "shape": list(value.shape), "kind": value.dtype.kind}
    for name, kind in (("list", list), ("tuple", tuple), ("set", (set, frozenset))):
        if isinstance(value, kind):
            return {name: [encode(one) for one in value]}
    if isinstance(value, Mapping):
        return {"dict": [[encode(key), encode(one)] for key, one in value.items()]}
    made = None if callable(value) else numbers(value)
    return encode(made) if made is not None else {"thing": _words(value)}


def _words(value: object) -> str:
    try:
        return f"{type(value).__name__} {value!r}"[:LONGEST]
    except Exception:  # a student's own __repr__
        return type(value).__name__


def decode(sent: object) -> object:
    """The inverse of ``encode``. Raises ``ValueError`` for anything else, because the sender is not trusted."""
    if sent is None or isinstance(sent, (bool, int, float, str)):
        return sent
    match sent:
        case {"dots": True}:
            return ...
        case {"array": list(flat), "shape": list(shape), "kind": str(kind)} if kind in _KINDS:
            sizes = all(isinstance(size, int) and 0 <= size <= LARGEST for size in shape) and len(shape) <= DIMENSIONS
            if sizes and math.prod(shape) == len(flat) and math.prod(filter(None, shape)) <= LARGEST:
                return _array(flat, shape, kind)
        case {"list": list(parts)}:
            return [decode(part) for part in parts]
        case {"tuple": list(parts)}:
            return tuple(decode(part) for part in parts)
        case {"set": list(parts)}:
            return frozenset(_hashable(decode(part)) for part in parts)
        case {"dict": list(pairs)} if all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
            return {_hashable(decode(key)): decode(one) for key, one in pairs}
        case {"thing": str(words)}:
            return Thing(words[:LONGEST])
    raise ValueError("not a value that was sent by this program")


def _array(flat, shape, kind):
    try:
        return np.array(flat, dtype=_KINDS[kind]).reshape(shape)
    except (TypeError, OverflowError) as error:
        raise ValueError(str(error)) from error


def _hashable(value):
    try:
        hash(value)
    except TypeError as error:
        raise ValueError(str(error)) from error
    return value


def parameters(function: object) -> list[str]:
    """The names of a function's positional parameters; empty if its signature is not available."""
    try:
        given = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    return [one.name for one in given if one.kind is one.POSITIONAL_OR_KEYWORD]
