"""Aggregation rules: what a server does with one round's updates. One idea a file; a table is in ``README.md``.

Every rule has a file of its own. ``base`` is the contract, ``gram`` the passes over the rows, and ``solvers`` the
quadratic programs that several rules share. All rules are offered here by name.

In: ``Updates``, with the numbers that the rule lists in ``needs``. Out: a ``Direction``: the vector that the server
steps against, with weights and rates where the rule has them. What a rule keeps from round to round it names in
``remembers``. A rule does not know where updates come from, nor what a step is.
"""

import inspect
from typing import Any

from fairfl.errors import refuse, unknown
from fairfl.rules.adafed import AdaFed
from fairfl.rules.afl import AFL
from fairfl.rules.aligned_mtl import AlignedMTL
from fairfl.rules.base import Direction, GramRule, Rule, WeightRule, Weights
from fairfl.rules.cagrad import CAGrad
from fairfl.rules.conflict_free import ConFIG
from fairfl.rules.cvar import CVaR
from fairfl.rules.dqnfed import DQNFed
from fairfl.rules.dualproj import DualProj
from fairfl.rules.fairgrad import FairGrad
from fairfl.rules.fedavg import FedAvg
from fairfl.rules.fedavg_n import FedAvgN
from fairfl.rules.fedfa import FedFA
from fairfl.rules.fedfv import FedFV
from fairfl.rules.fedheal import FedHEAL
from fairfl.rules.fedlf import FedLF
from fairfl.rules.fedmdfg import FedMDFG
from fairfl.rules.imtl_g import IMTLG
from fairfl.rules.mgda import FedMGDA, FedMGDAPlus
from fairfl.rules.nash_mtl import NashMTL
from fairfl.rules.pcgrad import PCGrad
from fairfl.rules.propfair import PropFair
from fairfl.rules.qfedavg import QFedAvg
from fairfl.rules.solvers.min_norm import MinNorm, min_norm
from fairfl.rules.term import TERM
from fairfl.rules.torchjd import TorchJD
from fairfl.rules.upgrad import UPGrad

RULES: dict[str, type[Rule]] = {
    rule.__name__: rule
    for rule in (
        # The four papers' tables, in the order of the book.
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
        # Beyond them.
        PropFair,
        CVaR,
        FedMDFG,
        NashMTL,
        FairGrad,
        IMTLG,
        ConFIG,
        AlignedMTL,
        CAGrad,
        DualProj,
        UPGrad,
        PCGrad,
    )
}


# What a rule prints is its name in the papers, such as "FedMGDA+", which no class can have. A name needs no settings.
PRINTED: dict[str, str] = {rule.__new__(rule).name: name for name, rule in RULES.items()}


def names() -> list[str]:
    """The rules that ``make`` knows, by the names of their classes. It takes the names that they print as well."""
    return list(RULES)


def class_name(name: str) -> str:
    """The class's name for the name that a rule prints: "FedMGDAPlus" for "FedMGDA+". Any other name stays."""
    return PRINTED.get(name, name)


def make(name: str, **settings: Any) -> Rule:
    """The rule called ``name`` with these settings. Raises ``ValueError`` for an unknown name or setting.

    >>> make("FedMGDA+", epsilon=0.5), make("FedMGDAPlus").name
    (FedMGDAPlus(epsilon=0.5), 'FedMGDA+')
    """
    given, name = name, class_name(name)
    if name not in RULES:
        raise unknown("rule", given, {*RULES, *PRINTED}, "For your own rule pass an instance of a Rule subclass.")
    known = list(inspect.signature(RULES[name]).parameters)
    for setting in settings:
        if setting not in known:
            raise unknown(f"setting of rule {name}", setting, known)
    return RULES[name](**settings)


def as_rule(rule: Rule | str) -> Rule:
    """``rule`` itself, or the rule of that name."""
    if isinstance(rule, str):
        return make(rule)
    if isinstance(rule, type) and issubclass(rule, Rule):
        raise refuse("rule", rule, "a rule's name or a Rule", f"This is the class; make one of it: {rule.__name__}().")
    if not isinstance(rule, Rule):
        raise refuse(
            "rule",
            rule,
            "a rule's name or a Rule",
            "Derive your class from fairfl.rules.Rule or GramRule, and pass an instance.",
        )
    return rule


__all__ = [
    "Direction",
    "GramRule",
    "MinNorm",
    "Rule",
    "TorchJD",
    "WeightRule",
    "Weights",
    "as_rule",
    "class_name",
    "make",
    "min_norm",
    "names",
    *RULES,
]
