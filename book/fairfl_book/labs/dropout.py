"""Ten clients (post offices) reply in time, too late, or with invalid values: which of them the server's step still
serves."""

import json
from functools import lru_cache

import torch

from fairfl import rules
from fairfl.updates import Updates
from fairfl_book.labs import javascript
from fairfl_book.labs.controls import Choice, Placed, Points, Slider
from fairfl_book.labs.lab import Lab

RULES = {"FedAvg": rules.FedAvg, "FedMGDA+": rules.FedMGDAPlus, "FedFV": rules.FedFV, "AdaFed": rules.AdaFed}
SOUND, LONG, NAN, SHAPE, POSES = ("sound", "100 × as large", "not a number", "wrong shape", "signed office 0")
ARRIVE = [-4.1, -3.2, -3.6, -2.4, -1.1, -2.0, -0.2, 0.4, -0.7, 3.2]  # hours after noon


def _times(hours):
    return [[hour, 0.0] for hour in hours]


@lru_cache
def offices() -> dict[str, list]:
    """``losses``, ``sizes`` and ``rows`` (10, 10), which have the inner products of the ten updates in round 6 of
    chapter 14."""
    return json.loads(javascript.read("offices.js").partition("OFFICES = ")[2].rstrip(";\n"))


class Dropout(Lab):
    """Offices 0 to 8 have the digits 0 to 7, office 9 has 8 and 9. The model has been trained for five rounds of
    FedMGDA+.

    The reader drags the time at which each reply arrives (its height has no meaning) and the time at which the server
    closes. The accepted updates are aggregated with the package's rules. ``fairfl_book.build.dropout_data`` recorded
    them from a ``Coordinator``.
    """

    view = "dropout"
    controls = {
        "rule": Choice("rule", tuple(RULES), "FedMGDA+"),
        "ninth": Choice("office 9's reply", (SOUND, LONG, NAN, SHAPE, POSES), SOUND),
        "closing": Slider("when the server closes (hours after noon)", -4.5, 4.5, 0.05, 2.0, shown=False),
        "times": Points("when replies arrive (hours after noon)", 4.5, _times(ARRIVE)),
    }
    tries = {
        "office 9 in time": {"times": _times([*ARRIVE[:9], 1.2])},
        "in time, but not a number": {"times": _times([*ARRIVE[:9], 1.2]), "ninth": NAN},
        "in time, 100 × as large, FedAvg": {"rule": "FedAvg", "times": _times([*ARRIVE[:9], 1.2]), "ninth": LONG},
    }

    def compute(self, rule: str, ninth: str, closing: float, times: Placed) -> dict:
        rows = torch.tensor(offices()["rows"], dtype=torch.float64)
        fates = ["heard" if time <= closing else "late" for time, _ in times]
        sent, claimed = rows.clone(), list(range(10))
        if ninth == LONG:
            sent[9] *= 100
        if fates[9] == "heard" and ninth in (NAN, SHAPE):
            fates[9] = "refused"
        elif fates[9] == "heard" and ninth == POSES:
            if fates[0] == "heard":
                fates[0] = fates[9] = "refused"
            else:
                fates[9], claimed[9] = "taken for office 0", 0
        used = sorted((k for k in range(10) if fates[k] in ("heard", "taken for office 0")), key=lambda k: claimed[k])
        step = _step(rule, sent, used, claimed)
        length, whole = float(step.norm()), float(_step(rule, rows, list(range(10)), list(range(10))).norm())
        cosines = rows @ step / rows.norm(dim=1) / length if length > 0 else torch.zeros(10)
        return {"fates": fates, "cosines": cosines.numpy(), "length": length, "longer": length / whole}

    def words(self, numbers: dict) -> list[str]:
        left_out = [f"office {k} {fate}" for k, fate in enumerate(numbers["fates"]) if fate != "heard"]
        against = [f"office {k}" for k, cosine in enumerate(numbers["cosines"]) if cosine < -5e-3]
        return [
            f"did not take part under its own name: {', '.join(left_out) or 'nobody'}",
            f"the step, of length {numbers['length']:.3g}, goes against {', '.join(against) or 'nobody'}",
        ]


def _step(rule, rows, used, claimed):
    """The direction of ``rule`` for the rows of the offices ``used``, which send the ids ``claimed``."""
    if not used:
        return torch.zeros(rows.shape[1], dtype=torch.float64)
    sizes, losses = (torch.tensor(offices()[name], dtype=torch.float64)[used] for name in ("sizes", "losses"))
    heard = Updates(
        rows[used],
        losses=losses,
        shares=sizes / sizes.sum(),
        clients=torch.tensor([claimed[k] for k in used]),
        population=10,
    )
    return RULES[rule]().direction(heard).vector
