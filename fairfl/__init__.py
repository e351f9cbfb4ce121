"""fairfl: fair federated learning as multi-objective optimisation.

A rule chooses weights λ; what each client feels is its rate A λ; the Gram matrix A of the clients' updates,
and perhaps a few numbers a client, is all that a rule needs to see.
"""

from fairfl import attacks, clients, data, deployment, errors, metrics, models, partition, rules
from fairfl.clients import LocalSGD
from fairfl.data import Dataset
from fairfl.federation import Federation
from fairfl.rules import Direction, GramRule, Rule, WeightRule
from fairfl.training import History, Server, sweep, train
from fairfl.updates import Layout, Updates

__version__ = "1.0.0"
__all__ = [
    "Dataset",
    "Direction",
    "Federation",
    "GramRule",
    "History",
    "Layout",
    "LocalSGD",
    "Rule",
    "Server",
    "Updates",
    "WeightRule",
    "attacks",
    "clients",
    "data",
    "deployment",
    "errors",
    "metrics",
    "models",
    "partition",
    "rules",
    "sweep",
    "train",
]


def __dir__() -> list[str]:
    return sorted(__all__)
