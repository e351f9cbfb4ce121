"""The book's labs. Each is a Python file with its controls and its computation, and a module in ``js`` that repeats the
computation and draws it.

A lab is imported on first access, so a chapter loads PyTorch only if its lab needs it.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fairfl_book.labs.adafed_stall import Wall
    from fairfl_book.labs.affine import AffineHull
    from fairfl_book.labs.all_rules import AllRules
    from fairfl_book.labs.attack import Attack
    from fairfl_book.labs.controls import Choice, Points, Several, Slider
    from fairfl_book.labs.dropout import Dropout
    from fairfl_book.labs.epsilon_box import Box
    from fairfl_book.labs.fair_rates import FairRates
    from fairfl_book.labs.hull import Hull
    from fairfl_book.labs.lab import Lab
    from fairfl_book.labs.local_epochs import LocalEpochs
    from fairfl_book.labs.newton import NewtonRates
    from fairfl_book.labs.playground import Playground
    from fairfl_book.labs.projections import Projections
    from fairfl_book.labs.proximal import ProximalAverage
    from fairfl_book.labs.reweighting import Reweighting
    from fairfl_book.labs.scalarisation import Scalarisation
    from fairfl_book.labs.spread import SpreadBound
    from fairfl_book.labs.three_fronts import ThreeFronts
    from fairfl_book.labs.two_clients import TwoClients
    from fairfl_book.labs.verdicts import Verdicts
    from fairfl_book.labs.without_seeing import WithoutSeeing

__all__ = [
    "AffineHull",
    "AllRules",
    "Attack",
    "Box",
    "Choice",
    "Dropout",
    "FairRates",
    "Hull",
    "Lab",
    "LocalEpochs",
    "NewtonRates",
    "Playground",
    "Points",
    "Projections",
    "ProximalAverage",
    "Reweighting",
    "Scalarisation",
    "Several",
    "Slider",
    "SpreadBound",
    "ThreeFronts",
    "TwoClients",
    "Verdicts",
    "Wall",
    "WithoutSeeing",
]

# Public name → the module that defines it.
_DEFINED_IN = {
    "Wall": "adafed_stall",
    "AffineHull": "affine",
    "AllRules": "all_rules",
    "Attack": "attack",
    "Choice": "controls",
    "Points": "controls",
    "Several": "controls",
    "Slider": "controls",
    "Dropout": "dropout",
    "Box": "epsilon_box",
    "FairRates": "fair_rates",
    "Hull": "hull",
    "Lab": "lab",
    "LocalEpochs": "local_epochs",
    "NewtonRates": "newton",
    "Playground": "playground",
    "Projections": "projections",
    "ProximalAverage": "proximal",
    "Reweighting": "reweighting",
    "Scalarisation": "scalarisation",
    "SpreadBound": "spread",
    "ThreeFronts": "three_fronts",
    "TwoClients": "two_clients",
    "Verdicts": "verdicts",
    "WithoutSeeing": "without_seeing",
}


def __getattr__(name: str) -> object:
    """Import a public name on first access (PEP 562)."""
    if name not in _DEFINED_IN:
        raise AttributeError(f"module 'fairfl_book.labs' has no attribute {name!r}")
    value: object = getattr(import_module(f"fairfl_book.labs.{_DEFINED_IN[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
