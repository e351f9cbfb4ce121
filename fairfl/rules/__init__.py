"""Aggregation rules: what a server does with one round's updates. One idea a file; a table is in ``README.md``.

Rules stand in three rooms by what they read: ``losses`` (losses and what else clients say of themselves), ``geometry``
(the Gram matrix of the updates) and ``structure`` (layers, coordinates, earlier rounds). ``solvers`` holds what they
share; ``base`` is the contract, ``gram`` the passes over the rows. All are offered here by name.

In: ``Updates``, with the numbers that the rule lists in ``needs``. Out: a ``Direction``: the vector that the server
steps against, with weights and rates where the rule has them. What a rule keeps from round to round it names in
``remembers``. A rule does not know where updates come from, nor what a step is.
"""

import inspect
from typing import Any

from fairfl.errors import unknown
from fairfl.rules.base import Direction, GramRule, Rule, WeightRule, Weights
from fairfl.rules.geometry.adafed import AdaFed
from fairfl.rules.geometry.aligned_mtl import AlignedMTL
from fairfl.rules.geometry.cagrad import CAGrad
from fairfl.rules.geometry.conflict_free import ConFIG
from fairfl.rules.geometry.dqnfed import DQNFed
from fairfl.rules.geometry.dualproj import DualProj
from fairfl.rules.geometry.fairgrad import FairGrad
from fairfl.rules.geometry.fedavg_n import FedAvgN
from fairfl.rules.geometry.imtl_g import IMTLG
from fairfl.rules.geometry.mgda import FedMGDA, FedMGDAPlus
from fairfl.rules.geometry.nash_mtl import NashMTL
from fairfl.rules.geometry.pcgrad import PCGrad
from fairfl.rules.geometry.upgrad import UPGrad
from fairfl.rules.losses.afl import AFL
from fairfl.rules.losses.cvar import CVaR
from fairfl.rules.losses.fedavg import FedAvg
from fairfl.rules.losses.fedfa import FedFA
from fairfl.rules.losses.propfair import PropFair
from fairfl.rules.losses.qfedavg import QFedAvg
from fairfl.rules.losses.term import TERM
from fairfl.rules.solvers.min_norm import MinNorm, min_norm
from fairfl.rules.structure.fedfv import FedFV
from fairfl.rules.structure.fedheal import FedHEAL
from fairfl.rules.structure.fedlf import FedLF
from fairfl.rules.structure.fedmdfg import FedMDFG
from fairfl.rules.torchjd import TorchJD

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


__all__ = [
    "Direction",
    "GramRule",
    "MinNorm",
    "Rule",
    "TorchJD",
    "WeightRule",
    "Weights",
    "class_name",
    "make",
    "min_norm",
    "names",
    *RULES,
]
