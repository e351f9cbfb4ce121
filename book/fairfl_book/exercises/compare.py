"""Compare two answers: numbers, vectors, sets, dictionaries and anything else."""

from typing import Any

import numpy as np


def plain(value: Any) -> Any:
    """Convert tensors to NumPy arrays, and leave anything else as it is."""
    if hasattr(value, "detach"):
        value = value.detach().cpu().numpy()
    return value


def numbers(value: object) -> np.ndarray | None:
    """Convert a number, or nested lists of numbers, to an array of floats; ``None`` for anything else."""
    try:
        return np.asarray(plain(value), dtype=float)
    except (OverflowError, TypeError, ValueError):  # 10**400 is a number but not a float
        return None


def equal(given: object, right: object, tolerance: float) -> bool:
    """Whether ``given`` equals ``right`` up to ``tolerance``. Never raises, whatever a reader's function returns."""
    given, right = plain(given), plain(right)
    if isinstance(given, np.ndarray) and given.shape == () and given.dtype == bool:
        given = bool(given)
    if isinstance(right, (str, bool, np.bool_, type(None))):
        return type(given) in (type(right), np.bool_) and bool(given == right)
    if isinstance(right, (set, frozenset)):
        return isinstance(given, (set, frozenset, list, tuple)) and _members(given) == set(right)
    if isinstance(right, dict):
        return (
            isinstance(given, dict)
            and given.keys() == right.keys()
            and all(equal(given[k], right[k], tolerance) for k in right)
        )
    a, b = numbers(given), numbers(right)
    if a is None or b is None:
        return False
    return a.shape == b.shape and bool(np.allclose(a, b, rtol=tolerance, atol=tolerance, equal_nan=True))


def _members(given):
    """The set of the members of ``given``; ``None`` if a member is not hashable."""
    try:
        return set(given)
    except TypeError:
        return None


def short(value: object) -> str:
    """Format a value for a reply: few digits, few entries."""
    value = plain(value)
    if isinstance(value, str):
        return value
    if isinstance(value, (float, np.floating)):
        return f"{value:.4g}"
    if isinstance(value, np.ndarray):
        if value.ndim == 0:
            return short(value.item())
        shown = value.tolist()
        return short(shown[:6] + ["…"] + shown[-1:] if len(shown) > 8 else shown)
    if isinstance(value, (list, tuple)):
        inside = ", ".join(short(v) for v in value)
        return f"[{inside}]" if isinstance(value, list) else f"({inside})"
    return repr(bool(value) if isinstance(value, np.bool_) else value)
