"""The book's labs. Each is one file: what it computes, how it is drawn, and its controls."""

from fairfl.labs.affine import AffineHull
from fairfl.labs.all_rules import AllRules
from fairfl.labs.attack import Attack
from fairfl.labs.box import Box
from fairfl.labs.dropout import Dropout
from fairfl.labs.hull import Hull
from fairfl.labs.lab import Choice, Lab, Slider
from fairfl.labs.newton import NewtonRates
from fairfl.labs.projections import Projections
from fairfl.labs.proximal import ProximalAverage
from fairfl.labs.reweighting import Reweighting
from fairfl.labs.scalarisation import Scalarisation
from fairfl.labs.spread import SpreadBound
from fairfl.labs.two_clients import TwoClients
from fairfl.labs.verdicts import Verdicts

__all__ = ["AffineHull", "AllRules", "Attack", "Box", "Choice", "Dropout", "Hull", "Lab", "NewtonRates", "Projections", "ProximalAverage", "Reweighting", "Scalarisation", "Slider", "SpreadBound", "TwoClients", "Verdicts"]
