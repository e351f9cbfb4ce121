"""``PropertyFailed``: which property of a rule failed, and on what."""

import textwrap

from fairfl.errors import Refused
from fairfl.rules import Rule
from fairfl.testing.case import Case
from fairfl.testing.hard_inputs import HARD_INPUTS
from fairfl.testing.property import Property

HARD = {tested.name for tested in HARD_INPUTS}


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


def failed(tested: Property, rule: Rule, case: Case, fault: str, cause: Exception | None = None) -> PropertyFailed:
    """The error for ``rule`` if ``tested`` does not hold in ``case``. ``cause``: the error that the rule raised."""
    size = f" ({case.size})" if case.size else ""
    shown = "\n".join(filter(None, (case.code(rule.needs), f"rule = {rule!r}", case.note)))
    message = (
        f"{rule!r} fails {tested.name!r}: {tested.description}.\n"
        f"Observed: {fault}.\n"
        f"The smallest case found{size}:\n\n{textwrap.indent(shown, '    ')}\n\n"
        f"{_remedy(tested, case, cause)}If the rule is meant to be so, "
        + (f"do not promise {tested.name!r}, or " if tested.promised else "")
        + f'pass expected_failures={{{tested.name!r}: "the reason"}}.'
    )
    return PropertyFailed(message, tested.name, repr(rule), case, fault)


def _remedy(tested: Property, case: Case, cause: Exception | None) -> str:
    """What to do. An error says more than the property's remedy, except on inputs that are meant to cause errors."""
    if cause is None or tested.name in HARD:
        return f"{tested.remedy} "
    if isinstance(cause, Refused):
        return ""
    changing = len({tuple(sorted(updates.clients.tolist())) for updates in case.rounds}) > 1
    return "The traceback above shows the line. " + (
        "Not every client takes part in every round: size what the rule remembers by updates.population, and index it "
        "by updates.clients. "
        if changing
        else ""
    )


def passed_unexpectedly(tested: Property, rule: Rule, reason: str) -> PropertyFailed:
    """The error for ``rule`` if ``tested`` was expected to fail and held in every case."""
    then = "and promise it" if tested.promised else "because every rule owes it"
    message = (
        f"{rule!r} was expected to fail {tested.name!r} ({reason}), and it held in every case: {tested.description}. "
        f"Take {tested.name!r} out of expected_failures, {then}."
    )
    return PropertyFailed(message, tested.name, repr(rule))
