"""Three clients with one parameter: where q-FFL, TERM and AFL end, and what a client gains by reporting too large a
loss."""

import math
from collections.abc import Sequence

import numpy as np

from fairfl_book.labs.controls import Slider
from fairfl_book.labs.lab import Lab

CURVATURE = (1.0, 1.0, 0.7)
ROUNDS, STEP = 300, 0.2
RULES = ("equal weights", "q-FFL", "TERM", "AFL")
_WISHES = (-1.0, -0.6, 1.4)


def losses(w: float, wishes: Sequence[float], floors: Sequence[float]) -> list[float]:
    """The clients' losses at w: parabolas with their minimisers and their lowest values."""
    return [0.5 * h * (w - c) * (w - c) + floor for h, c, floor in zip(CURVATURE, wishes, floors)]


def slopes(w: float, wishes: Sequence[float]) -> list[float]:
    return [h * (w - c) for h, c in zip(CURVATURE, wishes)]


def powers(reports: Sequence[float], q: float) -> list[float]:
    """q-FFL's weights for reported losses (chapter 6, equation (3)), scaled to sum to 1."""
    return _shares([(report / max(reports)) ** q for report in reports])


def tilted(reports: Sequence[float], t: float) -> list[float]:
    """TERM's weights for reported losses (equation (4))."""
    return _shares([math.exp(t * (report - max(reports))) for report in reports])


def _shares(values):
    total = values[0] + values[1] + values[2]
    return [value / total for value in values]


def _optimum(weigh, wishes, floors, lie):
    """The point where the weighted slopes cancel. It is unique, because weights do not decrease in a client's loss."""
    low, high = min(wishes), max(wishes)
    for _ in range(60):
        w = (low + high) / 2
        weights, s = weigh(_reported(losses(w, wishes, floors), lie)), slopes(w, wishes)
        pull = weights[0] * s[0] + weights[1] * s[1] + weights[2] * s[2]
        low, high = (w, high) if pull < 0 else (low, w)
    w = (low + high) / 2
    return w, weigh(_reported(losses(w, wishes, floors), lie))


def _reported(f, lie):
    """Client 1 adds ``lie`` to what it reports."""
    return [f[0] + lie, f[1], f[2]]


def afl(gamma: float, wishes: Sequence[float], floors: Sequence[float], lie: float) -> tuple[float, list[float]]:
    """The means of AFL's models and weights over ROUNDS rounds from the minimiser of the mean loss. Sums and products
    are in a fixed order, so the lab's JavaScript gets the same bits even if the weights oscillate."""
    w, _ = _optimum(lambda reports: [1 / 3] * 3, wishes, floors, 0.0)
    weights, total, shares = [1 / 3] * 3, 0.0, [0.0] * 3
    for _ in range(ROUNDS):
        f, s = _reported(losses(w, wishes, floors), lie), slopes(w, wishes)
        shares = [share + weight for share, weight in zip(shares, weights)]
        w = w - STEP * (weights[0] * s[0] + weights[1] * s[1] + weights[2] * s[2])
        weights = _projected([weight + gamma * report for weight, report in zip(weights, f)])
        total += w
    return total / ROUNDS, [share / ROUNDS for share in shares]


def _projected(v):
    """The nearest point of the simplex."""
    a, b, c = sorted(v, reverse=True)
    if (a + b + c - 1) / 3 < c:
        threshold = (a + b + c - 1) / 3
    else:
        threshold = (a + b - 1) / 2 if (a + b - 1) / 2 < b else a - 1
    return [max(x - threshold, 0.0) for x in v]


class Reweighting(Lab):
    """Three losses that the reader drags by their lowest points. Client 1's reported loss can be raised above its true
    loss.

    ``c1`` …: minimisers. ``floor1`` …: lowest losses. ``lie``: what client 1 adds to the loss that it reports; its
    update stays correct. q-FFL and TERM are shown at the minimisers of their objectives, AFL after 300 rounds, so that
    γ makes a difference.
    """

    view = "reweighting"
    controls = {
        "q": Slider("q of q-FFL", 0.0, 10.0, 0.5, 1.0),
        "t": Slider("t of TERM", 0.0, 10.0, 0.5, 1.0),
        "gamma": Slider("γ of AFL", 0.0, 0.5, 0.002, 0.004),
        "lie": Slider("client 1 adds", 0.0, 2.0, 0.05, 0.0, shown=False),
        **{
            f"c{k + 1}": Slider(f"client {k + 1} wants", -1.6, 1.6, 0.05, c, shown=False) for k, c in enumerate(_WISHES)
        },
        **{f"floor{k}": Slider(f"floor of client {k}", 0.1, 2.5, 0.05, 0.1, shown=False) for k in (1, 2, 3)},
    }
    tries = {
        "client 1 adds 2 to its report": {"lie": 2.0},
        "client 3 cannot be served": {"c3": 1.0, "floor3": 2.5},
        "all knobs up: q = t = 10": {"q": 10.0, "t": 10.0, "gamma": 0.1},
    }

    def compute(
        self,
        q: float,
        t: float,
        gamma: float,
        lie: float,
        c1: float,
        c2: float,
        c3: float,
        floor1: float,
        floor2: float,
        floor3: float,
    ) -> dict:
        wishes, floors = (c1, c2, c3), (floor1, floor2, floor3)

        def answers(lie):
            found = [
                _optimum(lambda reports: [1 / 3] * 3, wishes, floors, lie),
                _optimum(lambda reports: powers(reports, q), wishes, floors, lie),
                _optimum(lambda reports: tilted(reports, t), wishes, floors, lie),
                afl(gamma, wishes, floors, lie),
            ]
            ends = np.array([w for w, _ in found])
            return {
                "ends": ends,
                "weights": np.array([weights for _, weights in found]),
                "losses": np.array([losses(w, wishes, floors) for w in ends]),
            }

        return {**answers(lie), "honest": answers(0.0), "settings": [None, q, t, gamma], "lie": lie}

    def words(self, numbers: dict) -> list[str]:
        lines = []
        for name, value, w, weights, f in zip(
            RULES, numbers["settings"], numbers["ends"], numbers["weights"], numbers["losses"]
        ):
            setting = "" if value is None else f"{ {'q-FFL': 'q', 'TERM': 't', 'AFL': 'γ'}[name] } = {value:g}"
            each, heard = (" ".join(f"{v + 0.0:.2f}" for v in np.round(row, 2)) for row in (f, weights))
            lines.append(
                f"{name:14}{setting:10} w {round(w, 2) + 0.0:5.2f}   weights {heard}   losses {each}   "
                f"mean {f.mean():.2f}  worst {f.max():.2f}  spread {f.std():.2f}"
            )
        return lines
