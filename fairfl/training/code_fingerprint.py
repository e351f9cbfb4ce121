"""The reader's own code as plain values: what a function does, by its instructions, and what it reads while it runs.

Equal source gives equal values in any process of the same Python version: no ids, files or line numbers are told. Code
of this package, of Python and of installed packages is told by its name alone.
"""

import dataclasses
import dis
import functools
import hashlib
import inspect
import platform
import sys
import sysconfig
import types
from collections.abc import Callable
from pathlib import PurePath
from typing import Any

PYTHON = f"Python {platform.python_version().rpartition('.')[0]}"
STDLIB = sysconfig.get_path("stdlib")
# Docstrings, and what newer versions of Python write into a class's body: lines and, in no fixed order, attributes.
ABOUT = ("__doc__", "__firstlineno__", "__static_attributes__")
HAS_DOCSTRING = 0x4000000  # a flag of Python 3.13 and later
GLOBAL = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS")
Tell = Callable[[object, str], Any]  # (value, its name) → plain values


def own(thing: object) -> bool:
    """Whether a function, class or module is the reader's: neither this package's nor an installed one's."""
    name = thing.__name__ if isinstance(thing, types.ModuleType) else getattr(thing, "__module__", None)
    if not isinstance(name, str) or name == "__main__":
        return name == "__main__"  # a notebook, though the file that was started is the kernel's
    root, file = name.partition(".")[0], getattr(sys.modules.get(name), "__file__", None) or ""
    if root == "fairfl" or {"site-packages", "dist-packages"} & set(PurePath(file).parts):
        return False
    # A reader's file may be called as one of Python's own, test.py above all.
    return root not in sys.stdlib_module_names or bool(file) and not PurePath(file).is_relative_to(STDLIB)


def of_function(function: types.FunctionType, tell: Tell) -> dict:
    """What ``function`` does, its defaults, and the globals that it reads."""
    code = function.__code__
    told: dict[str, Any] = {"steps": digest(_steps(code))}
    positional = function.__defaults__ or ()
    names = code.co_varnames[code.co_argcount - len(positional) : code.co_argcount]
    defaults = dict(zip(names, positional)) | (function.__kwdefaults__ or {})
    if defaults:
        told["defaults"] = {name: tell(value, name) for name, value in defaults.items()}
    found, used = _reads(code)
    reads = {}
    for name in sorted(found):
        if name in function.__globals__:
            reads[name] = _read(function.__globals__[name], name, used, tell, ())
    return told | ({"reads": reads} if reads else {})


def of_class(cls: type, tell: Tell) -> dict:
    """By ``code of CLASS``: methods and attributes of ``cls`` and of those that it derives from, where they are own."""
    return {f"code of {kind.__qualname__}": _body(kind, tell) for kind in cls.__mro__ if own(kind)}


def digest(told: object) -> str:
    """Short for code, or for all that was told of a function: equal where that is, and Python's version is."""
    return f"{PYTHON} code:{hashlib.blake2b(repr(told).encode(), digest_size=6).hexdigest()}"


def _body(cls: type, tell: Tell) -> dict:
    told = {}
    for name, value in vars(cls).items():
        functions = _functions(value)
        if functions:
            written = [f for f in functions if not (dataclasses.is_dataclass(cls) and _generated(f))]
            if written:
                parts = [tell(function, name) for function in written]
                told[name] = parts[0] if len(parts) == 1 else parts
        elif not (name.startswith("__") and name.endswith("__")) and not inspect.isdatadescriptor(value):
            told[name] = tell(value, name)
    return told


def _functions(value: object) -> list[types.FunctionType]:
    """The functions behind an entry of a class's body."""
    if isinstance(value, property):
        value = [value.fget, value.fset, value.fdel]
    elif isinstance(value, functools.cached_property):
        value = [value.func]
    elif isinstance(value, (staticmethod, classmethod)):
        value = [value.__func__]
    else:
        value = [value]
    return [function for function in value if isinstance(function, types.FunctionType)]


def _generated(function: types.FunctionType) -> bool:
    return function.__code__.co_filename == "<string>" and function.__name__.startswith("__")


def _steps(code: types.CodeType) -> list:
    """The instructions, with names and constants in place of their numbers."""
    steps: list = []
    for step in dis.get_instructions(code):
        if step.opname.startswith("STORE") and step.argval in ABOUT:
            steps.pop()  # what would be stored
            continue
        steps.append((step.opname, _constant(step.argval) if step.opcode in dis.hasconst else step.argrepr or step.arg))
    arguments = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    signature = (arguments, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags & ~HAS_DOCSTRING)
    return [*signature, code.co_exceptiontable.hex(), *steps]


def _constant(value: object) -> object:
    if isinstance(value, types.CodeType):
        return _steps(value)
    if isinstance(value, frozenset):
        return ["set", *sorted(repr(_constant(one)) for one in value)]
    if isinstance(value, tuple):
        return ["tuple", *map(_constant, value)]
    return repr(value)


def _reads(code: types.CodeType) -> tuple[set[str], set[str]]:
    """The globals that ``code`` and functions inside it read, and all names that they use, attributes too."""
    found = {step.argval for step in dis.get_instructions(code) if step.opname in GLOBAL}
    used = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            inner = _reads(constant)
            found, used = found | inner[0], used | inner[1]
    return found, used


def _read(value: object, name: str, used: set[str], tell: Tell, around: tuple) -> Any:
    """A global; of a module of the reader's own, what of it is named beside it."""
    if not isinstance(value, types.ModuleType) or not own(value) or value in around:
        return tell(value, name)
    inside = {part: vars(value)[part] for part in sorted(used) if part in vars(value)}
    return {"module": value.__name__} | {
        part: _read(thing, part, used, tell, (*around, value)) for part, thing in inside.items()
    }
