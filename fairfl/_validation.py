"""Checks of arguments: each function returns what was given in one known form, or raises ``Refused``.

A refusal says what was given, what is allowed, and what to do.
"""

import math
import operator
import reprlib
from typing import Any, TypeVar

import numpy as np
import torch

from fairfl.errors import Diverged, Refused, refuse, unknown

CHANGE = "Choose a value in this range."
Kind = TypeVar("Kind")


def integer(name: str, value: object, low: int | None = None, remedy: str = CHANGE, *, high: int | None = None) -> int:
    """``value``, a Python, NumPy or tensor integer from ``low`` to ``high``, as an ``int``; no truth values, no
    floats.
    """
    plain: Any = value.tolist() if hasattr(value, "tolist") else value
    try:
        as_int = None if isinstance(plain, bool) else operator.index(plain)
    except TypeError:
        as_int = None
    if as_int is None or low is not None and as_int < low or high is not None and as_int > high:
        bounds = "" if low is None else f", {low} or more" if high is None else f", {low} to {high}"
        raise refuse(name, value, f"a whole number{bounds}", remedy)
    return as_int


def number(
    name: str,
    value: Any,
    low: float = -math.inf,
    high: float = math.inf,
    remedy: str = CHANGE,
    *,
    above: bool = False,
    below: bool = False,
) -> float:
    """``value`` as a finite float from ``low`` to ``high``; ``above`` and ``below`` leave the bound itself out."""
    try:
        as_float = math.nan if isinstance(value, (str, bool)) else float(value)
    except (TypeError, ValueError, OverflowError):
        as_float = math.nan
    inside = (low < as_float if above else low <= as_float) and (as_float < high if below else as_float <= high)
    if not (math.isfinite(as_float) and inside):
        allowed = (
            "any finite number"
            if low == -math.inf
            else f"{low:g} or more"
            if high == math.inf
            else f"{'above ' * above}{low:g}{', at most' if above else ' to below' if below else ' to'} {high:g}"
        )
        allowed = "a positive number" if above and (low, high) == (0, math.inf) else allowed
        raise refuse(name, value, allowed, remedy)
    return as_float


def boolean(name: str, value: bool) -> bool:
    """``value``, Python's or NumPy's, as a ``bool``."""
    if not isinstance(value, (bool, np.bool_)):
        raise refuse(name, value, "True or False", "A text or a number would count as True, whatever it says.")
    return bool(value)


def betas(values: object) -> tuple[float, float]:
    """Adam's two decay rates."""
    if not isinstance(values, (tuple, list)) or len(values) != 2:
        raise refuse("betas", values, "two numbers, each 0 to below 1", CHANGE)
    first, second = (number("betas", value, 0, 1, below=True) for value in values)
    return first, second


def one_of(name: str, value: str, *allowed: str) -> str:
    """``value`` if it is one of the ``allowed`` words."""
    if value not in allowed:
        raise unknown(name, value, allowed)
    return value


def instance_of(name: str, value: object, kind: type[Kind]) -> Kind:
    """``value``, an instance of ``kind``, which can be made without arguments."""
    if not isinstance(value, kind):
        raise refuse(name, value, f"a {kind.__name__}", f"Give one, such as {kind.__name__}().")
    return value


def check_module(model: torch.nn.Module) -> torch.nn.Module:
    """``model`` itself, where a module is needed and no dataset says how to build one."""
    if not isinstance(model, torch.nn.Module):
        remedy = "Of a name or a function models.build(model, dataset, seed=0) makes one."
        raise refuse("model", model, "a torch.nn.Module", remedy)
    return model


def as_device(device: str | torch.device | None, here: bool = True) -> torch.device:
    """The device; CUDA where present unless named. It exists on this machine if it is to be used ``here``."""
    if device is None:
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        found = torch.device(device)
    except (RuntimeError, TypeError) as error:
        raise unknown("device", device, ("cpu", "cuda")) from error
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if found.type == "meta" or here and found.type == "cuda" and not (found.index or 0) < count:
        have = ", ".join(["cpu", *(f"cuda:{i}" for i in range(count))])
        raise refuse(
            "device", str(found), f"a device that computes and is here: {have}", "Leave device out to take the fastest."
        )
    return found


def reals(name: str, values: Any, remedy: str = "Convert them first.") -> np.ndarray:
    """``values`` as a float64 array: an array, lists of one length, or a tensor of any type, with a graph or without.

    Neither text nor complex numbers count as numbers. Infinite ones and NaN do.
    """
    allowed = "real numbers as an array, a tensor, or lists of one length"
    try:
        if hasattr(values, "detach"):
            values = values.detach().cpu()
            values = values.double() if values.is_floating_point() else values  # NumPy knows no bfloat16
        array = np.asarray(values)
        kind = array.dtype.kind
        text = kind in "US" or kind == "O" and any(isinstance(value, (str, bytes)) for value in array.flat)
        found = np.asarray(array, dtype=np.float64) if kind in "biufO" and not text else None
    except (TypeError, ValueError, RuntimeError):  # ragged lists, and objects that are no numbers
        raise refuse(name, type(values).__name__, allowed, remedy) from None
    if found is None:
        raise refuse(name, "text" if text else array.dtype.name, allowed, remedy)
    return found


def tensor(name: str, values: object, *, precise: bool = True) -> torch.Tensor:
    """``values`` as a dense tensor of real numbers, without a graph, on the device where they are.

    A tensor is not copied. An array (NumPy's, or whatever turns into one) is, so that nothing its owner writes into it
    later is felt here. Python's floats become float64, or with ``precise=False`` PyTorch's default type.

    Raises ``Refused``, calling them ``name``, for what is no numbers, for complex and for sparse ones, and for floats
    that the type does not hold.
    """
    taken = _dense(name, values) if isinstance(values, torch.Tensor) else _copied(name, values, precise)
    if taken.is_complex():
        raise refuse(
            f"the type of {name}",
            str(taken.dtype),
            "real numbers",
            "Send real and imaginary parts as entries of their own; rates are real numbers.",
        )
    return taken


def one_per_client(
    name: str, values: torch.Tensor, clients: int, remedy: str, what: str = "number per client"
) -> torch.Tensor:
    """``values`` themselves; ``Refused`` where their shape is not (``clients``,)."""
    if values.shape != (clients,):
        raise refuse(f"the shape of {name}", tuple(values.shape), f"({clients},), one {what}", remedy)
    return values


def _dense(name: str, values: torch.Tensor) -> torch.Tensor:
    if values.layout != torch.strided or values.is_nested:
        kind = "nested" if values.is_nested else str(values.layout)
        raise refuse(f"the layout of {name}", kind, "dense tensors", "Hand over the tensor's to_dense().")
    return values.detach()


def _copied(name: str, values: object, precise: bool) -> torch.Tensor:
    try:
        if hasattr(values, "__array__"):
            return torch.from_numpy(np.array(values))
        taken = torch.as_tensor(values)
        if not taken.is_floating_point() or not precise and bool(torch.isfinite(taken).all()):
            return taken
        exact = torch.as_tensor(values, dtype=torch.float64)
    except (TypeError, ValueError, RuntimeError, OverflowError) as error:
        several = isinstance(values, (list, tuple)) and any(isinstance(value, torch.Tensor) for value in values)
        remedy = "Put the tensors together with torch.stack." if several else "Gaps and texts are no numbers."
        raise Refused(
            f"{name} is {reprlib.repr(values)}; allowed: numbers, as a tensor, an array, or lists of one length. "
            f"{remedy}"
        ) from error
    if precise:
        return exact
    if bool((torch.isfinite(exact) & ~torch.isfinite(taken)).any()):
        raise refuse(
            f"the largest entry of {name}",
            float(exact[torch.isfinite(exact)].abs().max()),
            f"up to {torch.finfo(taken.dtype).max:.1e}, which {taken.dtype} holds",
            "Lists are read as that type; hand over torch.tensor(..., dtype=torch.float64).",
        )
    return taken


def rule_weights(rule: str, values: object, clients: int) -> torch.Tensor:
    """``values``, the weights that ``rule`` chose, as (K,) float64 on the CPU. Raises ``Refused`` for what is not one
    real number per client.
    """
    taken = tensor(f"what {rule} returns as weights", values).double().cpu()
    remedy = "Answer for each row of gradients, zero where a client does not count."
    return one_per_client(f"{rule}'s weights", taken, clients, remedy)


def rule_columns(rule: str, given: dict[str, object]) -> None:
    """Refuse a ``Direction``'s ``weights`` or ``rates`` (by name; ``None`` is allowed)
    that are not a tensor with one number per row; ``Diverged`` where a rate is not finite.

    How many rows is for the rule to say: it may have looked at some that it remembers.
    """
    for name, values in given.items():
        if values is None:
            continue
        if not isinstance(values, torch.Tensor) or values.ndim != 1 or len(values) == 0:
            told = tuple(values.shape) if isinstance(values, torch.Tensor) else type(values).__name__
            raise refuse(
                f"the shape of {rule}'s {name}",
                told,
                "a tensor (K,), one number per row, or None",
                "Leave them out, or say all.",
            )
    found = given.get("rates")
    if isinstance(found, torch.Tensor) and not bool(torch.isfinite(found).all()):
        raise Diverged(
            f"{rule}'s rates have non-finite entries; a rate is the product of an update and the direction. Look at "
            "the updates' sizes, and at how the rule computes its rates"
        )
