"""``parametrize_with_properties``: one pytest test per rule and property."""

from collections.abc import Callable, Sequence
from typing import Any

from fairfl._extras import needed_by
from fairfl.rules import Rule
from fairfl.testing.check import NOTHING, find_failure
from fairfl.testing.failure import PropertyFailed
from fairfl.testing.property import MakeRule
from fairfl.testing.request import Promises, Reasons, Request, maker, requests

Given = Rule | type[Rule] | Callable[[], Rule]


class PropertyCheck:
    """One property, as a function of the rule: the argument ``check`` of a test."""

    def __init__(self, request: Request):
        self.request = request

    def __call__(self, rule: Given) -> None:
        """Raise ``PropertyFailed`` if the property fails."""
        failure = find_failure(maker(rule), self.request)
        if failure is not None:
            raise failure

    def __repr__(self) -> str:
        return f"PropertyCheck({self.request.tested.name!r})"


def parametrize_with_properties(
    rules: Sequence[Given],
    promises: Promises | Callable[[Rule], Promises] = (),
    expected_failures: Reasons | Callable[[Rule], Reasons] = NOTHING,
) -> Any:
    """Decorate a pytest test with one case per rule and property, like scikit-learn's ``parametrize_with_checks``.

    The test takes the arguments ``rule`` and ``check``, and calls ``check(rule)``. An expected failure is marked as a
    strict ``xfail``: pytest reports it if it passes.

    - ``rules``: instances, classes or functions, as ``check_rule`` takes them.
    - ``promises``: as ``check_rule`` takes them, the same for all rules, or a function of the rule.
    - ``expected_failures``: the same, with reasons.

    Raises ``NotInstalled`` without pytest, and ``Refused`` as ``check_rule`` does, when the tests are collected.

    Example::

        @parametrize_with_properties([MyRule(), MyRule(gamma=2)], promises={"descent"})
        def test_my_rule(rule, check):
            check(rule)
    """
    with needed_by("fairfl.testing.parametrize_with_properties"):
        import pytest

    tests = []
    for rule in rules:
        make: MakeRule = maker(rule)
        made = make()
        promised = promises(made) if callable(promises) else promises
        expected = expected_failures(made) if callable(expected_failures) else expected_failures
        for request in requests(promised, expected):
            marks = [pytest.mark.xfail(raises=PropertyFailed, reason=request.reason, strict=True)]
            tests.append(
                pytest.param(
                    rule,
                    PropertyCheck(request),
                    id=f"{made!r}-{request.tested.name}",
                    marks=marks if request.reason else [],
                )
            )
    return pytest.mark.parametrize("rule, check", tests)
