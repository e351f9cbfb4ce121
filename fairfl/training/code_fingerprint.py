"""The user's own code as plain values: the instructions of a function, and the values that it reads while it runs.

Equal source gives equal values in every process of the same Python version: ids, files and line numbers are left out.
Code of this package, of Python and of installed packages is represented only by its name.
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
# Docstrings, and what newer versions of Python add to a class body: line numbers and, in no fixed order, attributes.
ABOUT = ("__doc__", "__firstlineno__", "__static_attributes__")
HAS_DOCSTRING = 0x4000000  # a flag of Python 3.13 and later
GLOBAL = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS")
Describe = Callable[[object, str], Any]  # (value, its name) → plain values


def own(thing: object) -> bool:
    """Whether a function, class or module is the user's: not of this package, Python or an installed package."""
    name = thing.__name__ if isinstance(thing, types.ModuleType) else getattr(thing, "__module__", None)
    if not isinstance(name, str) or name == "__main__":
        return name == "__main__"  # also in a notebook, where the started file belongs to the kernel
    root, file = name.partition(".")[0], getattr(sys.modules.get(name), "__file__", None) or ""
    if root == "fairfl" or {"site-packages", "dist-packages"} & set(PurePath(file).parts):
        return False
    # A user's file can have the name of a standard module, such as test.py.
    return root not in sys.stdlib_module_names or bool(file) and not PurePath(file).is_relative_to(STDLIB)


def of_function(function: types.FunctionType, describe: Describe) -> dict:
    """The instructions of ``function``, its defaults, and the globals that it reads."""
    code = function.__code__
    found: dict[str, Any] = {"steps": digest(_steps(code))}
    positional = function.__defaults__ or ()
    names = code.co_varnames[code.co_argcount - len(positional) : code.co_argcount]
    defaults = dict(zip(names, positional)) | (function.__kwdefaults__ or {})
    if defaults:
        found["defaults"] = {name: describe(value, name) for name, value in defaults.items()}
    globals_read, used = _reads(code)
    reads = {}
    for name in sorted(globals_read):
        if name in function.__globals__:
            reads[name] = _read(function.__globals__[name], name, used, describe, ())
    return found | ({"reads": reads} if reads else {})


def of_class(cls: type, describe: Describe) -> dict:
    """The methods and attributes of ``cls`` and of its base classes that are the user's own, by "code of CLASS"."""
    return {f"code of {kind.__qualname__}": _body(kind, describe) for kind in cls.__mro__ if own(kind)}


def digest(described: object) -> str:
    """A hash of code, or of the description of a function: equal for equal code in the same version of Python."""
    return f"{PYTHON} code:{hashlib.blake2b(repr(described).encode(), digest_size=6).hexdigest()}"


def _body(cls: type, describe: Describe) -> dict:
    found = {}
    for name, value in vars(cls).items():
        functions = _functions(value)
        if functions:
            written = [f for f in functions if not (dataclasses.is_dataclass(cls) and _generated(f))]
            if written:
                parts = [describe(function, name) for function in written]
                found[name] = parts[0] if len(parts) == 1 else parts
        elif not (name.startswith("__") and name.endswith("__")) and not inspect.isdatadescriptor(value):
            found[name] = describe(value, name)
    return found


def _functions(value: object) -> list[types.FunctionType]:
    """The functions behind an entry of a class body."""
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
    """The instructions, with names and constants instead of their indices."""
    steps: list = []
    for step in dis.get_instructions(code):
        if step.opname.startswith("STORE") and step.argval in ABOUT:
            steps.pop()  # the value that would be stored
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
    """The globals that ``code`` and functions inside it read, and all names that they use, including attributes."""
    found = {step.argval for step in dis.get_instructions(code) if step.opname in GLOBAL}
    used = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            inner = _reads(constant)
            found, used = found | inner[0], used | inner[1]
    return found, used


def _read(value: object, name: str, used: set[str], describe: Describe, around: tuple) -> Any:
    """The description of a global; for one of the user's own modules, only of those members that ``used`` names."""
    if not isinstance(value, types.ModuleType) or not own(value) or value in around:
        return describe(value, name)
    inside = {part: vars(value)[part] for part in sorted(used) if part in vars(value)}
    return {"module": value.__name__} | {
        part: _read(thing, part, used, describe, (*around, value)) for part, thing in inside.items()
    }
