"""What passes between a student's process and the marking one: numbers, words and lists of them, as JSON and never as objects.

A pickle from a student's process would be their code run in the teacher's.
"""

import inspect
import math
from collections.abc import Mapping

import numpy as np

from fairfl_book.exercises.compare import numbers, plain

LONGEST = 200  # characters of what cannot be sent, in words
LARGEST = 1_000_000  # an array with more could not be sent; one of 30,000,000 empty rows could, and fills the memory as a list
DIMENSIONS = 32  # of an array, at most
_KINDS = {"f": float, "i": np.int64, "u": np.uint64, "b": bool}


class Thing:
    """Stands for a value that is no number, word or list; its words are all that is known of it."""

    def __init__(self, words: str) -> None:
        self.words = words

    def __repr__(self) -> str:
        return self.words


def encode(value: object) -> object:
    """``value`` as JSON can carry it. What is no number, word or list of them becomes its words."""
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
    """What ``encode`` made. Raises ``ValueError`` for anything else: the sender may be anybody."""
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
    """The names of a function's arguments by position; none where it does not tell."""
    try:
        given = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    return [one.name for one in given if one.kind is one.POSITIONAL_OR_KEYWORD]
