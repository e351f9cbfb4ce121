"""DQN-Fed's path on two quadratics, and how fast it approaches the Pareto set."""

from collections.abc import Sequence
from math import sqrt

import numpy as np

from fairfl_book.labs.controls import Choice, Placed, Points
from fairfl_book.labs.lab import Lab

ROUNDS = 20
SHORT = 0.3  # half the short axis of every ellipse that has a handle
LONG = 0.95  # the largest length of the other half axis
PIECES = 64  # of the Pareto set, used to bracket its nearest point
GOLDEN = 0.6180339887498949
_ALONE, _BOTH = "client 1 alone", "both clients"

Pair = Sequence[float]


class NewtonRates(Lab):
    """DQN-Fed with exact Hessians on two quadratics in the plane. The reader drags minimisers, long axes and the start.

    A client's curvature is 1 along its long axis, whose tip is at ``shapes`` relative to its minimiser, and (long /
    short axis)² across it. ``steps`` multiplies every step; ``"backtracking"`` halves it until both losses fall. The
    distance is to the Pareto set, which is a single point for one client. The code works on single numbers in the same
    order as the JavaScript, because different rounding would lead to different paths where steps are long.
    """

    view = "newton"
    controls = {
        "steps": Choice("steps", ("full", "half", "backtracking"), "full"),
        "clients": Choice("who takes part", (_ALONE, _BOTH), _BOTH),
        "minimisers": Points("minimisers", 1.15, [[-0.75, -0.3], [0.8, -0.2]]),
        "shapes": Points("tips of the long axes, from the minimisers", LONG, [[0.4, 0.7], [0.6, -0.25]]),
        "begin": Points("the start", 2.0, [[0.3, 1.3]]),
    }
    tries = {
        "let both want the same": {"minimisers": [[-0.2, -0.3], [-0.2, -0.3]]},
        "client 1 alone, in a long valley": {
            "clients": _ALONE,
            "minimisers": [[-0.75, -0.3], [0.8, -0.2]],
            "shapes": [[0.94, 0.1], [0.6, -0.25]],
            "begin": [[1.3, 0.73]],
        },
        "backtracking: shorter steps": {"steps": "backtracking"},
        "backtracking, and it stalls": {
            "steps": "backtracking",
            "minimisers": [[0.7, -0.2], [-0.3, 0.6]],
            "shapes": [[-0.5, 0.3], [-0.4, -0.1]],
            "begin": [[-0.8, 1.0]],
        },
    }

    def compute(self, steps: str, clients: str, minimisers: Placed, shapes: Placed, begin: Placed) -> dict:
        K = 1 if clients == _ALONE else 2
        c, H = [tuple(point) for point in minimisers[:K]], [curvature(tip) for tip in shapes[:K]]
        pareto = [minimiser(H, c, i / PIECES) for i in range(PIECES + 1)] if K == 2 else c
        path = [tuple(begin[0])]
        for _ in range(ROUNDS):
            path.append(after(H, c, path[-1], steps))
        distance = [to_pareto(H, c, pareto, w) for w in path]
        return {
            "H": np.array([[[a, b], [b, d]] for a, b, d in H]),
            "c": np.array(c),
            "path": np.array(path),
            "pareto": np.array(pareto),
            "distance": np.array(distance),
            "losses": np.array([[0.5 * r for r in look(H, c, w)[1]] for w in path]),
            "fate": fate(H, c, path, distance),
        }

    def words(self, numbers: dict) -> list[str]:
        distance = numbers["distance"]
        distances = (f"round {t}: {max(distance[t], 1e-16):.0e}" for t in (0, 1, 2, 5, 10, ROUNDS))
        verdict = {
            "cycle": "the path hops between two points for ever",
            "at once": "one step, and the error is gone",
            "shrinks": f"the distance shrinks by a factor of {factor(distance):.2f} a round",
            "arrives": f"the path comes within {max(distance[-1], 1e-4):.0e} of the Pareto set",
            "stalls": f"the path stalls {distance[-1]:.2f} from the Pareto set",
            "wanders": "the path comes and goes, and does not settle",
        }
        return ["distance to the Pareto set   " + "  ".join(distances), verdict[numbers["fate"]]]


def fate(H: Sequence, c: Sequence[Pair], path: Sequence[Pair], distance: Sequence[float]) -> str:
    """The path's outcome: ``"cycle"``, ``"at once"``, ``"shrinks"`` (towards one point), ``"arrives"``, ``"stalls"``
    (where the gradients are parallel) or ``"wanders"``."""
    last = apart(path[-1], path[-2])
    if last > 1e-6 and apart(path[-1], path[-3]) < 1e-6 * last:
        return "cycle"
    if distance[1] < 1e-9:
        return "at once"
    if c[0] == c[-1]:
        return "shrinks"
    if max(distance[-3:]) < 1e-2:
        return "arrives"
    (ax, ay), (bx, by) = look(H, c, path[-1])[0]
    return "stalls" if apart(path[-1], path[-6]) < 1e-3 and ax * bx + ay * by > 0 else "wanders"


def factor(distance: Sequence[float]) -> float:
    """The average factor by which a distance shrinks per round."""
    return (max(distance[-1], 1e-16) / distance[0]) ** (1 / ROUNDS) if distance[0] > 0 else 0.0


def curvature(tip: Pair) -> tuple[float, float, float]:
    """The Hessian's entries (1, 1), (1, 2), (2, 2): 1 along the long axis, whose half ends at ``tip``, and at most 10 across it."""
    x, y = tip
    length = sqrt(x * x + y * y)
    cos, sin = (x / length, y / length) if length > 1e-9 else (1.0, 0.0)
    ratio = min(max(length, SHORT), LONG) / SHORT
    across = ratio * ratio
    return cos * cos + across * sin * sin, (1 - across) * cos * sin, sin * sin + across * cos * cos


def look(H: Sequence, c: Sequence[Pair], w: Pair) -> tuple[list[tuple[float, float]], list[float]]:
    """Gradients (K, 2) and Newton's rates (K,) at ``w``, chapter 9's formula (2)."""
    G, r = [], []
    for (a, b, d), (cx, cy) in zip(H, c):
        x, y = w[0] - cx, w[1] - cy
        gx, gy = a * x + b * y, b * x + d * y
        G.append((gx, gy))
        r.append(gx * x + gy * y)
    return G, r


def step(G: Sequence[Pair], r: Sequence[float]) -> tuple[float, float]:
    """The shortest ``u`` with ``G u = r``, formula (5). For linearly dependent gradients, the shortest least-squares
    solution."""
    if len(G) == 2:
        (ax, ay), (bx, by) = G
        det, size = ax * by - ay * bx, ax * ax + ay * ay + (bx * bx + by * by)
        if abs(det) > 1e-12 * size:
            return (r[0] * by - r[1] * ay) / det, (r[1] * ax - r[0] * bx) / det
        return ((ax * r[0] + bx * r[1]) / size, (ay * r[0] + by * r[1]) / size) if size > 0 else (0.0, 0.0)
    [(x, y)] = G
    size = x * x + y * y
    return (x * r[0] / size, y * r[0] / size) if size > 0 else (0.0, 0.0)


def after(H: Sequence, c: Sequence[Pair], w: Pair, steps: str) -> tuple[float, float]:
    """The point after one round from ``w``. ``steps``: as the lab's control."""
    G, r = look(H, c, w)
    if max(r) < 1e-28:
        return w[0], w[1]
    x, y = step(G, r)
    size = 0.5 if steps == "half" else 1.0
    if steps == "backtracking":
        bends = [a * x * x + 2 * b * x * y + d * y * y for a, b, d in H]
        rates = [gx * x + gy * y for gx, gy in G]
        while size > 1e-9 and any(rho - 0.5 * size * bend < 1e-4 * rho for rho, bend in zip(rates, bends)):
            size /= 2
    return w[0] - size * x, w[1] - size * y


def minimiser(H: Sequence, c: Sequence[Pair], t: float) -> tuple[float, float]:
    """The point of the Pareto set that minimises ``(1 − t) f_1 + t f_2``."""
    a, b, d, p, q = 0.0, 0.0, 0.0, 0.0, 0.0
    for share, (e, f, g), (x, y) in zip((1 - t, t), H, c):
        a, b, d = a + share * e, b + share * f, d + share * g
        p, q = p + share * (e * x + f * y), q + share * (f * x + g * y)
    det = a * d - b * b
    return (d * p - b * q) / det, (a * q - b * p) / det


def to_pareto(H: Sequence, c: Sequence[Pair], pareto: Sequence[Pair], w: Pair) -> float:
    """The distance of ``w`` from the Pareto set, by golden-section search around the nearest of its points
    ``pareto``."""
    if len(c) == 1:
        return apart(w, c[0])
    squares = [(x - w[0]) * (x - w[0]) + (y - w[1]) * (y - w[1]) for x, y in pareto]
    nearest = squares.index(min(squares))
    low, high = max(0, nearest - 1) / PIECES, min(PIECES, nearest + 1) / PIECES
    far = lambda t: apart(w, minimiser(H, c, t))
    s, t = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    at_s, at_t = far(s), far(t)
    for _ in range(40):
        if at_s < at_t:
            high, t, at_t = t, s, at_s
            s = high - GOLDEN * (high - low)
            at_s = far(s)
        else:
            low, s, at_s = s, t, at_t
            t = low + GOLDEN * (high - low)
            at_t = far(t)
    return min(at_s, at_t, sqrt(squares[nearest]))


def apart(p: Pair, q: Pair) -> float:
    """The distance between two points."""
    x, y = p[0] - q[0], p[1] - q[1]
    return sqrt(x * x + y * y)
