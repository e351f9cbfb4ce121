"""Whether a reader's answer is the right one, and the words for one that is nearly so."""

import math
from collections.abc import Callable

import numpy as np

from fairfl_book.exercises.compare import equal, numbers, plain, short
from fairfl_book.translation.sentences import tr

LONGEST = 100  # characters of a number in quotes
DIGITS = 3  # a number is right if it is right to so many digits


def same_value(given: object, right: object, tolerance: float) -> bool:
    """Whether ``given`` is ``right`` up to ``tolerance``, or, for a single number that is no whole one, right to ``DIGITS`` digits."""
    if equal(given, right, tolerance):
        return True
    a, b = _number(given), _number(right)
    return a is not None and b is not None and b != round(b) and abs(a - b) <= 0.5000001 * _unit(b, DIGITS)


def clumsy(given: object, right: object, is_right: Callable[[object], bool]) -> str:
    """What to change about an answer whose content may be right but whose form is not asked for; "" if nothing is known.

    ``is_right``: whether a value would be accepted.
    """
    wanted = _number(right)
    if isinstance(given, str) and not isinstance(right, str):
        meant = _read(given)
        if meant is None:
            return ""
        said = tr("You answer with a text in quotes; write it without quotes, as a number.")
        return said + (tr(" The number itself is right.") if is_right(meant) else "")
    if wanted is None:
        return ""
    if isinstance(given, (list, tuple, np.ndarray)) or getattr(plain(given), "ndim", 0):
        count = np.size(np.asarray(plain(given), dtype=object))
        same = tr(" The number itself is right: give it once.") if _each(given, is_right) else ""
        return tr("One number is asked for, not {count}.", count=count) + same
    mine = _number(given)
    if mine is None or wanted == 0 or abs(wanted - _rounded(wanted, DIGITS)) <= 1e-9 * abs(wanted):
        return ""
    if any(abs(mine - _rounded(wanted, digits)) < 1e-9 * abs(wanted) for digits in range(1, DIGITS)):
        return tr(
            "{given} may be right as far as it goes: round less, to {digits} digits or more, or give a fraction.",
            given=short(given),
            digits=DIGITS,
        )
    return ""


def _each(values, is_right):
    """Whether there is an entry, and every one would be accepted."""
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
    """The number or fraction that a text spells; ``None`` if it spells none, or one that no float holds."""
    from fractions import Fraction

    text = text.replace("−", "-").replace(" ", "")
    if len(text) > LONGEST:
        return None
    try:  # ``Fraction`` would write out all digits of "1e99999999999", and not come back
        made = float(Fraction(text)) if "/" in text else float(text)
    except (ValueError, ZeroDivisionError):
        return None
    return made if math.isfinite(made) else None


def _unit(value, digits):
    """The size of the last of so many digits of ``value``."""
    return 10.0 ** (np.floor(np.log10(abs(value))) - digits + 1)


def _rounded(value, digits):
    unit = _unit(value, digits)
    return round(value / unit) * unit
