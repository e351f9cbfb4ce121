"""One of four clients sends false values: how far each rule's direction turns."""

from collections.abc import Sequence

import numpy as np
import torch

from fairfl import rules
from fairfl.attacks import Scaling
from fairfl.updates import Updates
from fairfl_book.labs.controls import Choice, Placed, Points, Several, Slider
from fairfl_book.labs.lab import Lab

LOSSES = (1.0, 1.2, 0.8, 0.6)
LIAR = 3
PARTS = {(): None, ("its loss",): "loss", ("its update",): "update", ("its loss", "its update"): "both"}
NOTHING, LOSES = 1e-9, 1e-6  # a shorter direction counts as zero; a loss rises if the cosine is below minus this
RULES = {
    "FedAvg": lambda: rules.FedAvg("uniform"),
    "FedAvg-n": rules.FedAvgN,
    "q-FedAvg": lambda: rules.QFedAvg(q=1.0),
    "FedMGDA": rules.FedMGDA,
    "FedMGDA+": rules.FedMGDAPlus,
    "AdaFed": lambda: rules.AdaFed(gamma=1.0),
    "FedFV": lambda: rules.FedFV(alpha=0.25),
}


class Attack(Lab):
    """Four gradients that the reader drags. Client 4 multiplies its loss, its update, or both, before it sends them.

    For each rule of the package, with equal shares, the lab shows by how many degrees the attack turns the direction,
    and which of the three other clients lose, that is, whose losses rise along it. Multiplying only the loss equals the
    bias attack, which adds a constant.
    """

    view = "attack"
    controls = {
        "rule": Choice("rule", tuple(RULES), "FedAvg"),
        "lies": Several("client 4 multiplies", ("its loss", "its update"), ["its loss", "its update"]),
        "power": Slider("how many times (powers of ten)", 0.0, 3.0, 0.05, 1.5, shown=False),
        "tips": Points("tips of the gradients", 1.6, [[1.35, 0.5], [0.4, 1.3], [1.05, -0.3], [-0.65, 0.8]]),
    }
    tries = {
        "a false loss, under q-FedAvg": {"rule": "q-FedAvg", "lies": ["its loss"]},
        "a longer update, under AdaFed": {"rule": "AdaFed", "lies": ["its update"]},
        "both, under FedMGDA+": {"rule": "FedMGDA+"},
    }

    def compute(self, rule: str, lies: Sequence[str], power: float, tips: Placed) -> dict:
        G = torch.tensor(tips, dtype=torch.float64)
        honest = Updates(G, losses=torch.tensor(LOSSES, dtype=torch.float64))
        part = PARTS[tuple(lies)]
        sent = honest if part is None else Scaling(LIAR, 10.0**power, part)(honest)
        before, after = ([_unit(make().direction(u).vector.numpy()) for make in RULES.values()] for u in (honest, sent))
        return {
            "names": list(RULES),
            "factor": 10.0**power,
            "reported": float(sent.losses[LIAR]),
            "sent": sent.gradients[LIAR].tolist(),
            "before": before,
            "after": after,
            "turned": [_between(a, b) for a, b in zip(before, after)],
            "lostBefore": [_losers(G[:LIAR].numpy(), a) for a in before],
            "loses": [_losers(G[:LIAR].numpy(), b) for b in after],
        }

    def words(self, numbers: dict) -> list[str]:
        lines = []
        for name, turn, after, lost in zip(*(numbers[key] for key in ("names", "turned", "after", "loses"))):
            moved = (
                "stands still" if after is None else "no longer still" if turn is None else f"{np.degrees(turn):5.0f}°"
            )
            lines.append(f"{name:9} {moved}   honest clients that lose: {sum(lost)}")
        return lines


def _unit(vector):
    size = float(np.hypot(*vector))
    return (vector / size).tolist() if size > NOTHING else None


def _between(a, b):
    """The angle between two unit vectors, in radians. 0 if both are missing, ``None`` if one is."""
    if a and b:
        return abs(float(np.arctan2(a[0] * b[1] - a[1] * b[0], np.dot(a, b))))
    return None if a or b else 0.0


def _losers(G, direction):
    """Whether each row's loss rises along ``direction``."""
    if direction is None:
        return [False] * len(G)
    return [bool(g @ direction < -LOSES * np.hypot(*g)) for g in G]
