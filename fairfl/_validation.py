"""Validation of arguments: each function returns the argument in one known form, or raises ``Refused``.

A message says what was given, what is allowed, and what to do.
"""

import inspect
import math
import operator
import reprlib
from collections.abc import Callable, Collection
from typing import Any, TypeVar

import numpy as np
import torch

from fairfl.errors import Kind, Refused, refuse, unknown

IN_RANGE = "Choose a value in this range."
NUMBERS = "numbers, as a tensor, an array, or lists of one length"
T = TypeVar("T")


def integer(
    name: str, value: object, low: int | None = None, remedy: str = IN_RANGE, *, high: int | None = None
) -> int:
    """Validate a whole number between ``low`` and ``high``, both included, and return it as an ``int``.

    Takes integers of Python, NumPy and PyTorch. Raises ``Refused`` of kind "type" for anything else, booleans and
    floats among them, and of kind "value" outside the range.
    """
    plain: Any = value.tolist() if hasattr(value, "tolist") else value
    try:
        as_int = None if isinstance(plain, bool) else operator.index(plain)
    except TypeError:
        as_int = None
    if as_int is None or low is not None and as_int < low or high is not None and as_int > high:
        bounds = "" if low is None else f", {low} or more" if high is None else f", {low} to {high}"
        raise refuse(name, value, f"a whole number{bounds}", remedy, "type" if as_int is None else "value")
    return as_int


def number(
    name: str,
    value: Any,
    low: float = -math.inf,
    high: float = math.inf,
    remedy: str = IN_RANGE,
    *,
    above: bool = False,
    below: bool = False,
) -> float:
    """Validate a finite real number between ``low`` and ``high``, and return it as a ``float``.

    The bounds are included; ``above=True`` excludes ``low``, ``below=True`` excludes ``high``. Raises ``Refused`` of
    kind "type" for what is not a number (strings and booleans included), and of kind "value" for a number that is not
    finite or outside the range.
    """
    kind: Kind = "value"
    try:
        if isinstance(value, (str, bool)):
            raise TypeError
        as_float = float(value)
    except OverflowError:
        as_float = math.inf
    except (TypeError, ValueError):
        as_float, kind = math.nan, "type"
    inside = (low < as_float if above else low <= as_float) and (as_float < high if below else as_float <= high)
    if not (math.isfinite(as_float) and inside):
        if above and (low, high) == (0, math.inf):
            allowed = "a positive number"
        elif low == -math.inf:
            allowed = "any finite number"
        elif high == math.inf:
            allowed = f"{low:g} or more"
        else:
            allowed = f"{'above ' * above}{low:g}{', at most' if above else ' to below' if below else ' to'} {high:g}"
        raise refuse(name, value, allowed, remedy, kind)
    return as_float


def boolean(name: str, value: bool) -> bool:
    """Validate a boolean of Python or NumPy, and return it as a ``bool``. Raises ``Refused`` of kind "type"."""
    if not isinstance(value, (bool, np.bool_)):
        remedy = "Strings and numbers are not converted: most of them, 'False' included, would count as True."
        raise refuse(name, value, "True or False", remedy, "type")
    return bool(value)


def betas(values: object) -> tuple[float, float]:
    """Validate Adam's two decay rates, each from 0 to below 1."""
    if not isinstance(values, (tuple, list)) or len(values) != 2:
        raise refuse("betas", values, "two numbers, each 0 to below 1", "Pass a pair, such as (0.9, 0.999).", "type")
    first, second = (number("betas", value, 0, 1, below=True) for value in values)
    return first, second


def one_of(name: str, value: str, *allowed: str) -> str:
    """Validate a string that selects one of the ``allowed`` options. Raises ``Refused`` of kind "name"."""
    return known(name, value, allowed)


def known(what: str, name: object, names: Collection[str], remedy: str = "") -> str:
    """Validate a string that is among ``names``. Raises ``Refused`` of kind "name", for a list or ``None`` as well."""
    if not isinstance(name, str) or name not in names:
        raise unknown(what, name, names, remedy)
    return name


def instance_of(name: str, value: object, cls: type[T]) -> T:
    """Validate an instance of ``cls``, a class that needs no arguments. Raises ``Refused`` of kind "type"."""
    if not isinstance(value, cls):
        raise refuse(name, value, f"a {cls.__name__}", f"Pass an instance, such as {cls.__name__}().", "type")
    return value


def takes(name: str, function: Callable, *arguments: str) -> None:
    """Raise ``Refused`` of kind "type" if ``function`` cannot be called with these positional ``arguments``.

    A function that does not tell its parameters, as some of PyTorch's, passes.
    """
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return
    try:
        signature.bind(*arguments)
    except TypeError:
        called = getattr(function, "__name__", type(function).__name__)
        allowed, remedy = f"a function of ({', '.join(arguments)})", "It is called with these arguments, by position."
        raise refuse(name, f"{called}{signature}", allowed, remedy, "type") from None


def check_module(model: torch.nn.Module) -> torch.nn.Module:
    """Validate a model when there is no dataset, so that a model's name is not enough."""
    if not isinstance(model, torch.nn.Module):
        remedy = "models.build(model, dataset, seed=0) makes one from a name or a function."
        raise refuse("model", model, "a torch.nn.Module", remedy, "type")
    return model


def as_device(device: str | torch.device | None, here: bool = True) -> torch.device:
    """Resolve a device. ``None`` means CUDA if it is available, otherwise the CPU.

    Raises ``Refused`` for a name that PyTorch does not know, and for a device that cannot compute. With ``here=True``
    the device must also be present on this machine.
    """
    if device is None:
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        found = torch.device(device)
    except (RuntimeError, TypeError) as error:
        raise unknown("device", device, ("cpu", "cuda")) from error
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if found.type == "meta" or here and not _computes(found):
        have = ", ".join(["cpu", *(f"cuda:{i}" for i in range(count))])
        remedy = "Leave device out to use CUDA if it is available, otherwise the CPU."
        raise refuse("device", str(found), f"a device that computes and is here: {have}", remedy)
    return found


def _computes(device: torch.device) -> bool:
    """Whether a tensor can be made on ``device``: PyTorch also knows devices that it was built without."""
    try:
        return torch.empty(0, device=device).device.type == device.type
    except Exception:  # RuntimeError, AssertionError or ImportError, depending on the device
        return False


def unmasked(name: str, values: T) -> T:
    """``values``. Raises ``Refused`` of kind "type" for a masked array, whose mask a tensor does not have."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise refuse(name, "a masked array", "numbers without gaps", "Use .compressed() or .filled(value).", "type")
    return values


def reals(name: str, values: Any, remedy: str = "Convert them first.") -> np.ndarray:
    """Validate real numbers, and return them as a float64 array.

    Takes arrays of any numeric type, lists of one length, and tensors of any type, with or without a graph. Infinities
    and NaN are allowed. Raises ``Refused`` of kind "type" for strings, complex numbers and ragged lists.
    """
    allowed = "real numbers as an array, a tensor, or lists of one length"
    values = unmasked(name, values)
    try:
        if hasattr(values, "detach"):
            values = values.detach().cpu()
            values = values.double() if values.is_floating_point() else values  # NumPy has no bfloat16
        array = np.asarray(values)
        kind = array.dtype.kind
        text = kind in "US" or kind == "O" and any(isinstance(value, (str, bytes)) for value in array.flat)
        found = np.asarray(array, dtype=np.float64) if kind in "biufO" and not text else None
    except (TypeError, ValueError, RuntimeError):  # ragged lists, and objects that cannot be converted
        raise refuse(name, type(values).__name__, allowed, remedy, "type") from None
    if found is None:
        raise refuse(name, "text" if text else array.dtype.name, allowed, remedy, "type")
    return found


def tensor(name: str, values: object, *, precise: bool = True) -> torch.Tensor:
    """Validate real numbers, and return them as a dense, detached tensor on the device where they are.

    A tensor is not copied. An array, or anything that converts to one, is copied, so later writes to it have no effect
    here. Python's floats become float64, or PyTorch's default type with ``precise=False``.

    Raises ``Refused``, with ``name`` in the message, of kind "type" for values that are not numbers and for complex
    ones, sparse ones and nested tensors, and of kind "value" for floats that overflow the default type.
    """
    taken = _dense(name, values) if isinstance(values, torch.Tensor) else _copied(name, values, precise)
    if taken.is_complex():
        remedy = "Pass real and imaginary parts as separate entries."
        raise refuse(f"the type of {name}", str(taken.dtype), "real numbers", remedy, "type")
    return taken


def _dense(name: str, values: torch.Tensor) -> torch.Tensor:
    """``values``, detached. Raises ``Refused`` for sparse and nested tensors."""
    if values.layout != torch.strided or values.is_nested:
        layout = "nested" if values.is_nested else str(values.layout)
        raise refuse(f"the layout of {name}", layout, "dense tensors", "Convert the tensor with to_dense().", "type")
    return values.detach()


def _copied(name: str, values: object, precise: bool) -> torch.Tensor:
    """``values``, an array or Python's numbers, as a new tensor; ``precise`` as in ``tensor``."""
    values = unmasked(name, values)
    try:
        if hasattr(values, "__array__"):
            return torch.from_numpy(np.array(values))
        taken = torch.as_tensor(values)
        if not taken.is_floating_point() or not precise and bool(torch.isfinite(taken).all()):
            return taken
        exact = torch.as_tensor(values, dtype=torch.float64)
    except (TypeError, ValueError, RuntimeError, OverflowError) as error:
        several = isinstance(values, (list, tuple)) and any(isinstance(value, torch.Tensor) for value in values)
        missing = "Missing values and strings are not allowed."
        remedy = "Combine the tensors with torch.stack." if several else missing
        raise Refused(f"{name} is {reprlib.repr(values)}; allowed: {NUMBERS}. {remedy}", "type") from error
    if precise:
        return exact
    if bool((torch.isfinite(exact) & ~torch.isfinite(taken)).any()):
        raise refuse(
            f"the largest entry of {name}",
            float(exact[torch.isfinite(exact)].abs().max()),
            f"up to {torch.finfo(taken.dtype).max:.1e}, the largest {taken.dtype}",
            f"Lists are converted to {taken.dtype}; pass torch.tensor(..., dtype=torch.float64) instead.",
        )
    return taken


def one_per_client(
    name: str, values: torch.Tensor, clients: int, remedy: str, what: str = "number per client"
) -> torch.Tensor:
    """Validate that ``values`` have the shape (``clients``,). Raises ``Refused`` of kind "shape"."""
    if values.shape != (clients,):
        raise refuse(f"the shape of {name}", tuple(values.shape), f"({clients},), one {what}", remedy, "shape")
    return values
