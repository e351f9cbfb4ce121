"""fairfl: fair federated learning as multi-objective optimisation.

A rule chooses weights λ; what each client feels is its rate A λ; the Gram matrix A of the clients' updates
is all that a rule needs to see.
"""

from fairfl import data, rules
from fairfl.data import Dataset
from fairfl.rules import Direction, GramRule, Rule
from fairfl.updates import Layout, Updates

__version__ = "0.1.0"
__all__ = ["Dataset", "Direction", "GramRule", "Layout", "Rule", "Updates", "data", "rules"]
