"""Settings that are numbers or truth values, and arrays of numbers. In: Python's, NumPy's or a tensor's. Out: Python's
own or NumPy's, or a refusal with what is allowed.
"""

import math
import operator
from typing import Any

import numpy as np

from fairfl.errors import refuse

CHANGE = "Choose a value in this range."


def whole(name: str, value: object, low: int | None = None, remedy: str = CHANGE, *, high: int | None = None) -> int:
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


def yes_or_no(name: str, value: bool) -> bool:
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
