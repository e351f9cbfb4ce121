"""Settings as plain values: readable in a history, and strict, as the identity of a run, in its checkpoint."""

import dataclasses
import functools
import hashlib
import random
import re
import types
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from pathlib import PurePath
from typing import Any

import numpy as np
import torch

from fairfl.errors import Refused
from fairfl.federation import Federation
from fairfl.rules import Rule
from fairfl.training import code_fingerprint
from fairfl.training.public_names import public_name

SHOWN_BY_REPR = (complex, bytes, range, slice, Fraction, Decimal, PurePath, Enum, torch.dtype, torch.device)
DEEPEST = 20
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
Inside = Callable[[object, object], Any]  # (value, its name) → plain values, by ``_Describer.describe``
REMEDY = (
    "pass a named function, a functools.partial of one, or a small class whose settings are public attributes "
    "(a dataclass, as fairfl.attacks.Scaling is)"
)


def describe(thing: object) -> Any:
    """``thing`` as nested plain values; tensors by their shape and a digest of their content.

    A function is represented by its module and name, and by the values that it captured, if any; a
    ``functools.partial`` by its function, arguments and keywords. The code of functions and classes is left out.
    """
    return _Describer().describe(thing)


def identify(what: str, thing: object) -> Any:
    """As ``describe``, but strict: different settings have different descriptions.

    It adds the class of a dataclass, the instance of a method, the content of a ``Module``, and the code of the user's
    own functions and classes: their instructions, their defaults, and the globals that they read (``code``).

    ``what`` is the name of ``thing`` in a message. Raises ``Refused`` for a thing that cannot be distinguished from
    another of its type, such as a lambda.
    """
    return _Describer(strict=True).describe(thing, what)


def code_of(cls: type) -> dict:
    """The code of ``cls`` as in ``identify``; empty if the class is not the user's own."""
    return _Describer(strict=True).code(cls)


def function_code(function: types.FunctionType) -> Any:
    """``function`` as in ``identify``; lambdas are allowed, because their code distinguishes them."""
    return _Describer(strict=True, within=True).describe(function)


def state_of(thing: object) -> Any:
    """As ``describe``, with underscored attributes, so it differs after a call that changed ``thing``."""
    return _Describer(private=True).describe(thing)


@dataclass(frozen=True)
class _Describer:
    """The rules of one description.

    - ``strict``: include code, and refuse things that cannot be distinguished.
    - ``private``: include underscored attributes.
    - ``within``: describe what code reads; nothing is refused, and functions and classes become digests.
    - ``digests``: the functions and classes that were started, by their ids, with their digests.
    """

    strict: bool = False
    private: bool = False
    within: bool = False
    digests: dict[int, tuple[object, str]] = field(default_factory=dict)

    def code(self, cls: type) -> dict:
        """The code of ``cls`` and of its base classes that are the user's own; empty unless ``strict``."""
        return code_fingerprint.of_class(cls, self._within) if self.strict else {}

    def _within(self, thing: object, name: str) -> Any:
        """The description of a value that code reads, or of a function in a class body."""
        if isinstance(thing, (types.FunctionType, type)) and code_fingerprint.own(thing):
            return self._digest(thing, name)
        return replace(self, within=True).describe(thing, name)

    def _digest(self, thing: types.FunctionType | type, name: str) -> str:
        if id(thing) not in self.digests:
            self.digests[id(thing)] = (thing, "(itself)")
            inner = replace(self, within=True)
            described = inner.code(thing) if isinstance(thing, type) else inner.describe(thing, name)
            self.digests[id(thing)] = (thing, code_fingerprint.digest(described))
        return self.digests[id(thing)][1]

    def describe(self, thing: object, path: str = "", around: tuple[int, ...] = ()) -> Any:
        """``thing`` as plain values. ``path``: its name in messages; ``around``: the ids of its containers."""
        if thing is None or isinstance(thing, bool):
            return thing
        for plain in (int, float, str):
            if isinstance(thing, plain):  # NumPy and enumeration members become values that a checkpoint can hold
                return str.__str__(thing) if plain is str else plain(thing)
        if isinstance(thing, torch.Tensor):
            content = thing.detach().cpu().contiguous().reshape(-1).view(torch.uint8)
            return _digest(f"tensor{tuple(thing.shape)}", content.numpy().data)
        if isinstance(thing, np.ndarray) and not thing.dtype.hasobject:
            return _digest(
                f"array{thing.shape}{thing.dtype}", np.ascontiguousarray(thing).reshape(-1).view(np.uint8).data
            )
        if isinstance(thing, (np.ndarray, np.generic)):
            return self.describe(thing.tolist(), path, around)
        if isinstance(thing, SHOWN_BY_REPR):
            return repr(thing)
        if isinstance(thing, (type, types.ModuleType)):
            if isinstance(thing, type) and self.strict and code_fingerprint.own(thing):
                return {"class": _name(thing), "code": self._digest(thing, path)}
            return _name(thing)
        if id(thing) in around:
            return "(itself)"
        if len(around) > DEEPEST:
            return self._unknown(path, "nested too deeply to be compared", "...")
        return self._parts(thing, path, (*around, id(thing)))

    def _parts(self, thing: Any, path: str, around: tuple[int, ...]) -> Any:
        inside = lambda value, name: self.describe(value, f"{path}.{name}", around)
        if isinstance(thing, dict):
            return {_ADDRESS.sub("", str(k)): inside(v, k) for k, v in thing.items()}
        if isinstance(thing, (set, frozenset)):
            try:
                thing = sorted(thing)
            except TypeError:
                thing = sorted(thing, key=lambda one: _ADDRESS.sub("", repr(one)))
        if isinstance(thing, (list, tuple, deque)):
            return [inside(v, i) for i, v in enumerate(thing)]
        if isinstance(thing, functools.partial):
            parts = {
                "function": inside(thing.func, "function"),
                "arguments": inside(thing.args, "arguments"),
                "keywords": inside(thing.keywords, "keywords"),
            }
            return {name: value for name, value in parts.items() if value}
        if isinstance(thing, types.FunctionType):
            return self._function(thing, path, inside)
        if self.strict and isinstance(getattr(thing, "__wrapped__", None), types.FunctionType):  # functools.cache
            return {"function": _name(thing), "code": self._within(thing.__wrapped__, "__wrapped__")}
        if callable(thing) and hasattr(thing, "__qualname__"):
            holder = getattr(thing, "__self__", None)
            if not self.strict or holder is None or isinstance(holder, types.ModuleType):
                return _name(thing)
            return {"method": thing.__qualname__, "of": inside(holder, "its object")}
        if self.within and not _compared(thing):
            return {"class": _name(type(thing))}
        return self._object(thing, path, inside)

    def _function(self, thing: types.FunctionType, path: str, inside: Inside) -> Any:
        if self.strict and not self.within and thing.__code__.co_name == "<lambda>":
            return self._unknown(path, "a lambda, and lambdas cannot be distinguished from each other", "")
        cells = dict(zip(thing.__code__.co_freevars, thing.__closure__ or ()))
        captured = {name: inside(_content(cell), name) for name, cell in cells.items()}
        if "<locals>" in thing.__qualname__:
            count, values = thing.__code__.co_argcount, thing.__defaults__ or ()
            defaults = dict(zip(thing.__code__.co_varnames[count - len(values) : count], values))
            captured |= {name: inside(value, name) for name, value in (defaults | (thing.__kwdefaults__ or {})).items()}
        code = code_fingerprint.of_function(thing, self._within) if self.strict and code_fingerprint.own(thing) else {}
        if not captured and not code:
            return _name(thing)
        found = {"captured": captured, "code": code}
        return {"function": _name(thing)} | {name: value for name, value in found.items() if value}

    def _object(self, thing: Any, path: str, inside: Inside) -> Any:
        kind = {"class": _name(type(thing))} | self.code(type(thing))
        if isinstance(thing, torch.Generator):
            return kind | {"state": inside(thing.get_state(), "state")}
        if isinstance(thing, np.random.Generator):
            return kind | {"state": inside(thing.bit_generator.state, "state")}
        if isinstance(thing, (random.Random, np.random.RandomState)):
            state = thing.getstate() if isinstance(thing, random.Random) else thing.get_state()
            return kind | {"state": _digest("state", repr(state).encode())}
        if dataclasses.is_dataclass(thing):
            fields = {f.name: inside(getattr(thing, f.name), f.name) for f in _set_fields(thing)}
            return kind | fields if self.strict else fields
        if isinstance(thing, torch.nn.Module):
            if not (self.strict or self.private):
                return str(thing)
            held = (
                public(thing)
                | dict(thing.named_children())
                | dict(thing.named_parameters(recurse=False))
                | dict(thing.named_buffers(recurse=False))
            )
            return kind | {name: inside(value, name) for name, value in held.items() if name != "training"}
        if not hasattr(thing, "__dict__") and not hasattr(type(thing), "__slots__"):
            return self._unknown(path, f"a {type(thing).__name__}, whose content cannot be compared", kind)
        attributes = {
            name: getattr(thing, name) for cls in type(thing).__mro__ for name in _slots(cls) if hasattr(thing, name)
        } | getattr(thing, "__dict__", {})
        return kind | {
            name: inside(value, name) for name, value in attributes.items() if self.private or not name.startswith("_")
        }

    def _unknown(self, path: str, why: str, instead: object) -> object:
        if not self.strict or self.within:
            return instead
        raise Refused(
            f"{path} is {why}, so a checkpoint could be continued under other settings; {REMEDY}, "
            f"or leave checkpoint= out",
            "type",
        )


def _set_fields(thing: Any) -> list[dataclasses.Field]:
    """The fields of a dataclass, without those that are marked to be left out at their default.

    A field with this mark can be added to a class, and runs recorded before keep their settings and identity.
    """
    left_out = lambda f: f.metadata.get("left out at its default") and getattr(thing, f.name) == f.default
    return [f for f in dataclasses.fields(thing) if not left_out(f)]


def _compared(thing: object) -> bool:
    """Whether an object that code reads is compared by content; objects of installed packages only by their class."""
    kind = type(thing)
    known = (torch.nn.Module, torch.Generator, np.random.Generator, np.random.RandomState, random.Random)
    return kind.__module__.partition(".")[0] == "fairfl" or code_fingerprint.own(kind) or isinstance(thing, known)


def _digest(what: str, content: bytes | memoryview) -> str:
    return f"{what}:{hashlib.blake2b(content, digest_size=6).hexdigest()}"


def _name(thing: Any) -> str:
    if isinstance(thing, types.ModuleType):
        return thing.__name__
    return public_name(thing.__module__, thing.__qualname__)


def _content(cell: types.CellType) -> object:
    try:
        return cell.cell_contents
    except ValueError:
        return "(not set yet)"


def _slots(cls: type) -> tuple[str, ...]:
    slots = vars(cls).get("__slots__", ())
    return (slots,) if isinstance(slots, str) else tuple(slots)


def public(thing: object) -> dict:
    """The attributes of ``thing`` that are settings: those without an underscore."""
    return {name: value for name, value in vars(thing).items() if not name.startswith("_")}


def describe_rule(rule: Rule) -> dict:
    """A rule's class and public settings. State belongs in underscored attributes."""
    return {"name": rule.name, **describe(rule)}


def describe_sampler(participation: object) -> Any:
    """``participation`` as a number, or a sampler's class and public settings."""
    described = describe(participation)
    return {"name": type(participation).__name__, **described} if isinstance(described, dict) else described


def describe_federation(federation: Federation, tensors: bool = False) -> dict:
    """The dataset by name, and the split by its recipe and digest.

    ``tensors``: also include digests of inputs and targets, which take about two seconds per gigabyte.
    """
    dataset = federation.dataset
    found = {
        "dataset": dataset.name or dataset.digest,
        "variant": dataset.variant,
        "clients": len(federation),
        "recipe": describe(federation.recipe),
        "digest": federation.digest,
    }
    if tensors:
        found["data"] = {"inputs": describe(dataset.inputs), "targets": describe(dataset.targets)}
    return found


def describe_machine(device: torch.device) -> dict:
    """Versions and hardware, for provenance; they are not compared when a run is resumed."""
    name = torch.cuda.get_device_name(device) if device.type == "cuda" else "cpu"
    return {"torch": str(torch.__version__), "device": name, "threads": torch.get_num_threads()}
