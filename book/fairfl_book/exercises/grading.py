"""Judge a single value, and explain an answer that is right in content but not in form."""

import math
from collections.abc import Callable

import numpy as np

from fairfl_book.exercises.compare import equal, numbers, plain, short
from fairfl_book.translation.sentences import tr

LONGEST = 100  # characters of a number in quotes
DIGITS = 3  # a number is right if it is right to this many digits


def same_value(given: object, right: object, tolerance: float) -> bool:
    """Whether ``given`` equals ``right`` up to ``tolerance`` or, for a single number that is not whole, to ``DIGITS`` digits."""
    if equal(given, right, tolerance):
        return True
    a, b = _number(given), _number(right)
    return a is not None and b is not None and b != round(b) and abs(a - b) <= 0.5000001 * _unit(b, DIGITS)


def clumsy(given: object, right: object, is_right: Callable[[object], bool]) -> str:
    """What to change about an answer that may be right but has the wrong form; "" if there is nothing to say.

    ``is_right``: whether a value would be accepted.
    """
    wanted = _number(right)
    if isinstance(given, str) and not isinstance(right, str):
        meant = _read(given)
        if meant is None:
            return ""
        message = tr("Your answer is a text in quotes. Write it without quotes, as a number.")
        return message + (tr(" The number itself is right.") if is_right(meant) else "")
    if wanted is None:
        return ""
    if isinstance(given, (list, tuple, np.ndarray)) or getattr(plain(given), "ndim", 0):
        count = np.size(np.asarray(plain(given), dtype=object))
        same = tr(" The number itself is right: give it once.") if _each(given, is_right) else ""
        return tr("The answer should be one number, not {count}.", count=count) + same
    number = _number(given)
    if number is None or wanted == 0 or abs(wanted - _rounded(wanted, DIGITS)) <= 1e-9 * abs(wanted):
        return ""
    if any(abs(number - _rounded(wanted, digits)) < 1e-9 * abs(wanted) for digits in range(1, DIGITS)):
        return tr(
            "{given} may be right as far as it goes. Round less, to {digits} digits or more, or give a fraction.",
            given=short(given),
            digits=DIGITS,
        )
    return ""


def _each(values, is_right):
    """Whether there is at least one entry, and every entry would be accepted."""
    entries = np.ravel(np.asarray(plain(values), dtype=object)).tolist()
    return bool(entries) and all(map(is_right, entries))


def _number(value):
    """A single real number as a float; ``None`` for anything else."""
    value = plain(value)
    if isinstance(value, (bool, np.bool_, str)) or value is None:
        return None
    made = numbers(value)
    return float(made) if made is not None and made.ndim == 0 else None


def _read(text):
    """The number or fraction written in a text; ``None`` if there is none, or if no float can hold it."""
    from fractions import Fraction

    text = text.replace("−", "-").replace(" ", "")
    if len(text) > LONGEST:
        return None
    try:  # ``Fraction`` would expand all digits of "1e99999999999" and never return
        made = float(Fraction(text)) if "/" in text else float(text)
    except (ValueError, ZeroDivisionError):
        return None
    return made if math.isfinite(made) else None


def _unit(value, digits):
    """The size of the last of this many significant digits of ``value``."""
    return 10.0 ** (np.floor(np.log10(abs(value))) - digits + 1)


def _rounded(value, digits):
    unit = _unit(value, digits)
    return round(value / unit) * unit
