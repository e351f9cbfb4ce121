"""``PropertyFailed``: which property of a rule failed, and on what."""

import textwrap

from fairfl.rules import Rule
from fairfl.testing.case import Case
from fairfl.testing.property import Property


class PropertyFailed(AssertionError):
    """A rule does not have a property that it owes or promises, or has one that it was expected to lack.

    Attributes:

    - ``property_name``: the property, a key of ``PROPERTIES``.
    - ``rule``: the rule as its ``repr`` shows it.
    - ``case``: the first case that failed; cases are tried from small to large. ``None`` if the property held in all of
      them although it was expected to fail.
    - ``fault``: what was observed in that case.
    """

    def __init__(self, message: str, property_name: str, rule: str, case: Case | None = None, fault: str = ""):
        super().__init__(message)
        self.property_name, self.rule, self.case, self.fault = property_name, rule, case, fault


def failed(tested: Property, rule: Rule, case: Case, fault: str) -> PropertyFailed:
    """The error for ``rule`` if ``tested`` does not hold in ``case``."""
    size = f" ({case.size})" if case.size else ""
    shown = "\n".join(filter(None, (case.code(rule.needs), f"rule = {rule!r}", case.note)))
    message = (
        f"{rule!r} fails {tested.name!r}: {tested.description}.\n"
        f"Observed: {fault}.\n"
        f"The smallest case found{size}:\n\n{textwrap.indent(shown, '    ')}\n\n"
        f"{tested.remedy} If the rule is meant to be so, "
        + (f"do not promise {tested.name!r}, or " if tested.promised else "")
        + f'pass expected_failures={{{tested.name!r}: "the reason"}}.'
    )
    return PropertyFailed(message, tested.name, repr(rule), case, fault)


def passed_unexpectedly(tested: Property, rule: Rule, reason: str) -> PropertyFailed:
    """The error for ``rule`` if ``tested`` was expected to fail and held in every case."""
    then = "and promise it" if tested.promised else "because every rule owes it"
    message = (
        f"{rule!r} was expected to fail {tested.name!r} ({reason}), and it held in every case: {tested.description}. "
        f"Take {tested.name!r} out of expected_failures, {then}."
    )
    return PropertyFailed(message, tested.name, repr(rule))
