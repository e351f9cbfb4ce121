"""Aggregation rules: what a server does with one round's updates. ``README.md`` has a table of all rules.

Every rule has a file of its own. ``base`` defines the interface, ``gram`` the passes over the rows, and ``solvers`` the
quadratic programs that several rules share. All rules can be imported from here, or made by name with ``make``.

Input: ``Updates``, with the numbers that the rule lists in ``needs``. Output: a ``Direction``, the vector that the
server steps against, with weights and rates if the rule has them. A rule lists the state that it keeps between rounds
in ``remembers``. It does not know where updates come from, or which step the server takes.
"""

import inspect
from typing import Any

from fairfl._validation import known
from fairfl.errors import refuse
from fairfl.rules.adafed import AdaFed
from fairfl.rules.afl import AFL
from fairfl.rules.aligned_mtl import AlignedMTL
from fairfl.rules.base import Direction, GramRule, Rule, WeightRule, Weights
from fairfl.rules.cagrad import CAGrad
from fairfl.rules.conflict_free import ConFIG
from fairfl.rules.coordinate_median import CoordinateMedian
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
from fairfl.rules.krum import Krum
from fairfl.rules.mgda import FedMGDA, FedMGDAPlus
from fairfl.rules.nash_mtl import NashMTL
from fairfl.rules.pcgrad import PCGrad
from fairfl.rules.propfair import PropFair
from fairfl.rules.qfedavg import QFedAvg
from fairfl.rules.solvers.min_norm import MinNorm, min_norm
from fairfl.rules.term import TERM
from fairfl.rules.torchjd import TorchJD
from fairfl.rules.trimmed_mean import TrimmedMean
from fairfl.rules.upgrad import UPGrad
from fairfl.rules.with_memory import WithMemory

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
        # Against clients that lie.
        CoordinateMedian,
        TrimmedMean,
        Krum,
    )
}


# A rule prints its name in the papers, such as "FedMGDA+", which cannot be the name of a class. The name is known
# without calling ``__init__``.
PRINTED: dict[str, str] = {rule.__new__(rule).name: name for name, rule in RULES.items()}


def names() -> list[str]:
    """The names of all rules, as their classes are called. ``make`` also takes the names that rules print."""
    return list(RULES)


def class_name(name: str) -> str:
    """Map the name that a rule prints to its class's name: "FedMGDA+" to "FedMGDAPlus". Other names are unchanged."""
    return PRINTED.get(name, name)


def make(name: str, **settings: Any) -> Rule:
    """Make the rule called ``name`` with these settings.

    Raises ``Refused`` of kind "name" for an unknown name or setting.

    >>> make("FedMGDA+", epsilon=0.5), make("FedMGDAPlus").name
    (FedMGDAPlus(epsilon=0.5), 'FedMGDA+')
    """
    name = class_name(known("rule", name, {*RULES, *PRINTED}, "For your own rule pass an instance of a Rule subclass."))
    for setting in settings:
        known(f"setting of rule {name}", setting, inspect.signature(RULES[name]).parameters)
    return RULES[name](**settings)


def as_rule(rule: Rule | str) -> Rule:
    """Return ``rule`` itself, or make the rule of that name."""
    if isinstance(rule, str):
        return make(rule)
    if isinstance(rule, type) and issubclass(rule, Rule):
        remedy = f"Got the class; pass an instance: {rule.__name__}()."
        raise refuse("rule", rule, "a rule's name or a Rule", remedy, "type")
    if not isinstance(rule, Rule):
        remedy = "Derive your class from fairfl.rules.Rule or GramRule, and pass an instance."
        raise refuse("rule", rule, "a rule's name or a Rule", remedy, "type")
    return rule


__all__ = [
    "Direction",
    "GramRule",
    "MinNorm",
    "Rule",
    "TorchJD",
    "WeightRule",
    "Weights",
    "WithMemory",
    "as_rule",
    "class_name",
    "make",
    "min_norm",
    "names",
    *RULES,
]
