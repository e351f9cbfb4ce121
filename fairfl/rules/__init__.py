"""Aggregation rules: what a server does with one round's updates. One idea a file; a table is in ``README.md``.

In: ``Updates``, with the numbers that the rule lists in ``needs``. Out: a ``Direction``: the vector that the server
steps against, with weights and rates where the rule has them. What a rule keeps from round to round it names in
``remembers``. A rule does not know where updates come from, nor what a step is.
"""

import inspect
from typing import Any

from fairfl.errors import unknown
from fairfl.rules.adafed import AdaFed
from fairfl.rules.afl import AFL
from fairfl.rules.base import Direction, GramRule, Rule, WeightRule, Weights
from fairfl.rules.dqnfed import DQNFed
from fairfl.rules.fedavg import FedAvg
from fairfl.rules.fedavg_n import FedAvgN
from fairfl.rules.fedfa import FedFA
from fairfl.rules.fedfv import FedFV
from fairfl.rules.fedheal import FedHEAL
from fairfl.rules.fedlf import FedLF
from fairfl.rules.mgda import FedMGDA, FedMGDAPlus
from fairfl.rules.min_norm import MinNorm, min_norm
from fairfl.rules.qfedavg import QFedAvg
from fairfl.rules.term import TERM
from fairfl.rules.torchjd import TorchJD

RULES = {
    rule.__name__: rule
    for rule in (
        FedAvg,
        FedAvgN,
        QFedAvg,
        TERM,
        AFL,
        FedFA,
        FedMGDA,
        FedMGDAPlus,
        AdaFed,
        DQNFed,
        FedFV,
        FedLF,
        FedHEAL,
    )
}


def names() -> list[str]:
    """The rules that ``make`` knows by name."""
    return list(RULES)


def make(name: str, **settings: Any) -> Rule:
    """The rule called ``name`` with these settings. Raises ``ValueError`` for an unknown name or setting."""
    if name not in RULES:
        raise unknown("rule", name, RULES, "For your own rule pass an instance of a Rule subclass.")
    known = list(inspect.signature(RULES[name]).parameters)
    for setting in settings:
        if setting not in known:
            raise unknown(f"setting of rule {name}", setting, known)
    return RULES[name](**settings)


__all__ = [
    "Direction",
    "GramRule",
    "MinNorm",
    "Rule",
    "TorchJD",
    "WeightRule",
    "Weights",
    "make",
    "min_norm",
    "names",
    *RULES,
]
