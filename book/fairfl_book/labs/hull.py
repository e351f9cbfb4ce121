"""The convex hull of two to four gradients in the plane, and each rule's direction."""

import numpy as np
import torch

from fairfl import rules
from fairfl.updates import Updates
from fairfl_book.labs.controls import Choice, Placed, Points, Slider
from fairfl_book.labs.lab import Lab
from fairfl_book.labs.rounding import row

_RULES = {
    "FedAvg": lambda epsilon: rules.FedAvg("uniform"),
    "FedMGDA": lambda epsilon: rules.FedMGDA(),
    "FedMGDA+": lambda epsilon: rules.FedMGDAPlus(epsilon=epsilon),
    "AdaFed": lambda epsilon: rules.AdaFed(gamma=0.0),
    "FedFV": lambda epsilon: rules.FedFV(alpha=0.0),
}


class Hull(Lab):
    """Two to four gradients that the reader drags: their convex hull, a rule's direction, weights and rates.

    The rules are the package's, with equal shares and losses 1, 2, …. FedFV projects in the order of the clients, and
    no client keeps its gradient. AdaFed uses γ = 0, so it works on the affine hull of the unscaled gradients.
    """

    view = "hull"
    controls = {
        "rule": Choice("rule", tuple(_RULES), "FedAvg"),
        "clients": Slider("clients", 2, 4, 1, 3),
        "epsilon": Slider("FedMGDA+'s box ε", 0.0, 1.0, 0.05, 1.0),
        "tips": Points("tips of the gradients", 2.0, [[1.95, 0.35], [-1.0, 0.6], [1.1, 1.4], [-0.95, -1.15]]),
    }
    tries = {
        "FedMGDA: let g₃ matter": {"rule": "FedMGDA", "tips": [[1.95, 0.35], [-1.0, 0.6], [0.3, 0.25], [-0.95, -1.15]]},
        "FedMGDA: swallow the origin": {
            "rule": "FedMGDA",
            "tips": [[1.7, 0.5], [-0.9, 1.2], [-0.4, -1.3], [-0.95, -1.15]],
        },
        "AdaFed: a negative weight": {
            "rule": "AdaFed",
            "clients": 2,
            "tips": [[1.8, 0.5], [0.4, 0.5], [1.1, 1.4], [-0.95, -1.15]],
        },
    }
    also = {"mended": {"rule": "FedMGDA"}}

    def compute(self, rule: str, clients: int, epsilon: float, tips: Placed) -> dict:
        G = np.array(tips[:clients], dtype=float)
        updates = Updates(
            gradients=torch.from_numpy(G),
            losses=torch.arange(1.0, clients + 1, dtype=torch.float64),
            shares=torch.full((clients,), 1 / clients, dtype=torch.float64),
            clients=torch.arange(clients),
            round=0,
            population=clients,
        )
        found = _RULES[rule](epsilon).direction(updates)
        mean, direction = G.mean(0), found.vector.numpy()
        return {
            "G": G,
            "weights": found.weights.numpy(),
            "multipliers": _multipliers(rule, G, epsilon, found.weights.numpy()),
            "direction": direction,
            "rates": found.rates.numpy(),
            "squared": float(direction @ direction),
            "mean": mean,
            "meanRates": G @ mean,
        }

    def words(self, numbers: dict) -> list[str]:
        return [
            f"weights  {row(numbers['weights'])}",
            f"rates    {row(numbers['rates'])}   squared length of dir {numbers['squared']:.2f}",
        ]


def _multipliers(rule, G, epsilon, weights):
    """The multipliers μ of the point nearest to the origin, for rules that compute one (for FedMGDA+, of unit
    gradients). They are known even if that point is the origin, for which the rule returns weights 0. For other rules,
    their weights."""
    lengths, still = np.linalg.norm(G, axis=1), not weights.any()
    keep = lengths > 0
    if rule not in ("FedMGDA", "FedMGDA+") and not (rule == "AdaFed" and still) or not keep.any():
        return weights
    rows = G[keep] / lengths[keep, None] if rule == "FedMGDA+" else G[keep]
    box = {"centre": np.full(len(rows), 1 / len(rows)), "radius": epsilon} if rule == "FedMGDA+" and epsilon < 1 else {}
    multipliers = np.zeros(len(G))
    multipliers[keep] = rules.min_norm(rows @ rows.T, **box).weights.numpy()
    return multipliers
