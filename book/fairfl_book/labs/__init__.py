"""The book's labs. Each is one file with its controls and what it computes, and one module of ``js`` that computes the same and draws it."""

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
