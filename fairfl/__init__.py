"""fairfl: fair federated learning as multi-objective optimisation.

A rule chooses weights λ, and each client's loss then falls at its rate, an entry of A λ. A is the Gram matrix of the
clients' updates. A rule needs to see only A and perhaps a few numbers per client.
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
