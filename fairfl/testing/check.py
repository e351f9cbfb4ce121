"""``check_rule``: all properties that a rule owes or promises, tried one after the other."""

from collections.abc import Callable, Mapping

from fairfl.rules import Rule
from fairfl.testing.failure import PropertyFailed, failed, passed_unexpectedly
from fairfl.testing.property import MakeRule
from fairfl.testing.request import Promises, Reasons, Request, maker, requests

NOTHING: Mapping[str, str] = {}


def check_rule(
    rule: Rule | type[Rule] | Callable[[], Rule], promises: Promises = (), expected_failures: Reasons = NOTHING
) -> None:
    """Test an aggregation rule of your own, on everything that every rule owes and on what this one promises.

    Cases are tried from small to large, so the first that fails is the smallest. A few seconds per rule.

    - ``rule``: an instance, of which copies are tested, or a class or function without arguments that makes one.
    - ``promises``: names of ``PROPERTIES`` that not every rule has, such as ``{"descent", "convex"}``. A dictionary
      gives some of them a value: ``{"homogeneous": 0}``, or ``{"rates": lambda updates: updates.losses}``.
    - ``expected_failures``: property → reason. The rule must fail these, so the reason cannot go stale.

    Raises ``PropertyFailed``, an ``AssertionError`` that names the property and prints the smallest case, also if an
    expected failure does not happen; and ``Refused`` for an unknown property, or something that makes no rule.

    >>> from fairfl import rules
    >>> from fairfl.testing import check_rule
    >>> check_rule(rules.FedMGDA(), {"descent", "convex"}, {"inflation": "a larger update counts for more"})
    """
    make = maker(rule)
    for request in requests(promises, expected_failures):
        verify(make, request)


def verify(make: MakeRule, request: Request) -> None:
    """Raise ``PropertyFailed`` if the property fails, or if it was expected to fail and holds."""
    failure = find_failure(make, request)
    if failure is not None and not request.reason:
        raise failure
    if failure is None and request.reason:
        raise passed_unexpectedly(request.tested, make(), request.reason)


def find_failure(make: MakeRule, request: Request) -> PropertyFailed | None:
    """The failure in the smallest case, or ``None`` if the property holds in all cases.

    Any exception that the rule raises is a failure, and the cause of the one that is returned.
    """
    for case in request.tested.cases(make()):
        cause = None
        try:
            fault = request.tested.fault(make, case, request.value)
        except Exception as error:
            notes = [note for note in getattr(error, "__notes__", ()) if not note.endswith(".history")]
            cause, fault = error, ". ".join([f"{type(error).__name__}: {error}", *notes]).rstrip(".")
        if fault:
            failure = failed(request.tested, make(), case, fault, cause)
            failure.__cause__ = cause
            return failure
    return None
