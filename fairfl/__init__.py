"""fairfl: fair federated learning as multi-objective optimisation.

A rule chooses weights λ; each client's rate is its entry of A λ. The Gram matrix A of the clients' updates, and perhaps
a few numbers per client, are all that a rule needs to see.

The public names are imported on first access, so ``import fairfl`` does not load PyTorch.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fairfl import attacks, clients, data, deployment, errors, metrics, models, partition, rules, testing
    from fairfl.clients import LocalSGD
    from fairfl.data import Dataset
    from fairfl.federation import Federation
    from fairfl.rules import Direction, GramRule, Rule, WeightRule
    from fairfl.training import History, Server, backward, train
    from fairfl.training.sweep import sweep
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
    "backward",
    "clients",
    "data",
    "deployment",
    "errors",
    "metrics",
    "models",
    "partition",
    "rules",
    "sweep",
    "testing",
    "train",
]

# Public class or function → the module that defines it. Every other public name is a submodule.
_DEFINED_IN = {
    "Dataset": "data",
    "Direction": "rules",
    "Federation": "federation",
    "GramRule": "rules",
    "History": "training",
    "Layout": "updates",
    "LocalSGD": "clients",
    "Rule": "rules",
    "Server": "training",
    "Updates": "updates",
    "WeightRule": "rules",
    "backward": "training",
    "sweep": "training",
    "train": "training",
}


def __getattr__(name: str) -> object:
    """Import a public name on first access (PEP 562)."""
    if name in _DEFINED_IN:
        value: object = getattr(import_module(f"fairfl.{_DEFINED_IN[name]}"), name)
    elif name in __all__ or name in ("federation", "training", "updates"):
        value = import_module(f"fairfl.{name}")
    else:
        raise AttributeError(f"module 'fairfl' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
