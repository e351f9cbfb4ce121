"""Aggregation rules: what a server does with one round's updates. One idea a file."""

from fairfl.errors import unknown
from fairfl.rules.base import Direction, GramRule, Rule
from fairfl.rules.fedavg import FedAvg

RULES = {rule.__name__: rule for rule in (FedAvg,)}


def names() -> list[str]:
    """The rules that ``make`` knows by name."""
    return list(RULES)


def make(name: str, **settings) -> Rule:
    """The rule called ``name`` with these settings. Raises ``ValueError`` for an unknown name."""
    if name not in RULES:
        raise unknown("rule", name, RULES, "For your own rule pass an instance of a Rule subclass.")
    return RULES[name](**settings)


__all__ = ["Direction", "GramRule", "Rule", "make", "names", *RULES]
