"""``Property``: one statement about a rule, with the cases on which it is tried."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from fairfl.rules import Rule
from fairfl.testing.case import Case

MakeRule = Callable[[], Rule]


@dataclass(frozen=True)
class Property:
    """One statement about a rule.

    Attributes:
        name: its key in ``PROPERTIES``.
        description: one line that says what holds.
        remedy: what to do if it does not hold.
        cases: ``rule → cases``, from small to large. They depend on the rule only by ``needs`` and ``needs_everyone``.
        fault: ``(make, case, value) → what is wrong``, empty if the property holds. ``make`` makes a fresh rule.
        promised: whether only rules that promise it are held to it. The others are owed by every rule.
        value: the default of the number or function that a promise may carry, such as a power.
    """

    name: str
    description: str
    remedy: str
    cases: Callable[[Rule], Iterator[Case]]
    fault: Callable[[MakeRule, Case, Any], str]
    promised: bool = False
    value: Any = None
