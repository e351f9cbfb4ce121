"""What is asked of a rule: how to make a fresh one, what it promises, and what it is expected to fail."""

import copy
import inspect
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from fairfl._validation import known, number
from fairfl.errors import Refused, refuse
from fairfl.rules import Rule
from fairfl.testing.properties import BY_NAME, OWED
from fairfl.testing.property import MakeRule, Property

Promises = Collection[str] | Mapping[str, Any]
Reasons = Mapping[str, str]


@dataclass(frozen=True)
class Request:
    """One property to try on a rule. ``reason``: why it is expected to fail; empty if it must hold."""

    tested: Property
    value: Any
    reason: str


def requests(promises: Promises, expected_failures: Reasons) -> list[Request]:
    """Every property that the rule owes, promises or is expected to fail, in the order of ``PROPERTIES``.

    Raises ``Refused`` of kind "name" for an unknown property, "type" for a string instead of a collection, and
    "combination" for a property that is both promised and expected to fail.
    """
    for what, names in (("promises", promises), ("expected_failures", expected_failures)):
        wanted = Mapping if what == "expected_failures" else Collection
        if isinstance(names, str) or not isinstance(names, wanted):
            example = '{"inflation": "a larger update counts for more"}' if wanted is Mapping else '{"descent"}'
            allowed = "property → reason" if wanted is Mapping else "names of properties"
            raise refuse(what, names, allowed, f"Pass {what}={example}.", "type")
        for name in names:
            known("property", name, BY_NAME, "fairfl.testing.PROPERTIES says what each of them means.")
    for name, reason in expected_failures.items():
        if not isinstance(reason, str) or not reason.strip():
            remedy = "Say why the rule is meant to be so."
            raise refuse(f"expected_failures[{name!r}]", reason, "a reason, in words", remedy, "type")
    values = dict(promises) if isinstance(promises, Mapping) else dict.fromkeys(promises, True)
    if both := sorted(set(values) & set(expected_failures)):
        raise Refused(
            f"{both[0]!r} is among the promises and among the expected failures; allowed: one of them. Remove it from "
            "the promises if the rule is meant to fail it",
            "combination",
        )
    asked = {*OWED, *values, *expected_failures}
    return [
        Request(tested, _value(tested, values.get(name, True)), expected_failures.get(name, ""))
        for name, tested in BY_NAME.items()
        if name in asked
    ]


def _value(tested: Property, given: Any) -> Any:
    """What the promise says beyond its name, validated; ``True`` stands for the default."""
    what = f"promises[{tested.name!r}]"
    if given is True:
        return tested.value
    if tested.name == "homogeneous":
        return number(what, given, remedy="It is the power of c by which the direction grows.")
    if tested.name in ("rates", "least_rates"):
        if not callable(given):
            remedy = "Pass True for equal rates, or a function such as lambda updates: updates.losses."
            raise refuse(what, given, "True, or a function updates → (K,)", remedy, "type")
        return given
    raise refuse(
        what, given, "True", "This promise has no settings; leave it out if the rule does not make it.", "type"
    )


def maker(rule: Rule | type[Rule] | MakeRule) -> MakeRule:
    """A function that makes a fresh rule: copies of an instance, or ``rule`` itself if it is a class or a function.

    Raises ``Refused`` of kind "type" for anything else, and for a class or function that needs arguments.
    """
    if isinstance(rule, Rule):
        return lambda: copy.deepcopy(rule)
    remedy = "Pass an instance, such as MyRule(), or a function, such as lambda: MyRule(gamma=2)."
    if not callable(rule):
        raise refuse("rule", rule, "a Rule, or a function without arguments that makes one", remedy, "type")
    try:
        inspect.signature(rule).bind()
    except TypeError:
        raise refuse("rule", rule, "a class or a function that needs no arguments", remedy, "type") from None
    made = rule()
    if not isinstance(made, Rule):
        raise refuse("what rule() returns", made, "a fairfl.rules.Rule", remedy, "type")
    return rule
