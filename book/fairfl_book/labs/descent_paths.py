"""Descent paths of the rules on two or three losses. All steps have the same length, so rules differ only in direction.

A step has the length ``STRIDE``, or less near the end of the path: it is never longer than a lower bound on the
distance to the nearest point where the rule's direction vanishes. Those points are the Pareto set and, for AdaFed and
DQN-Fed, also the points where two gradients become parallel (chapter 8's wall). So a path never steps over its end.

In the plane every rule has a closed form, and tests compare each with ``fairfl.rules``. The code uses plain numbers
instead of arrays, because a path consists of a thousand operations on pairs. ``labs/js/descent_paths.js`` repeats the
computation.
"""

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fairfl_book import toy

ROUNDS, STRIDE = 120, 0.05
HALT = 2e-3  # a shorter step is not taken: the rule has stopped
CANCELS = 1e-9  # a shorter sum of projections, relative to the gradients, is rounding error
ARRIVED = 1e-2  # this close to Pareto stationarity, a path has reached the Pareto set
PROBLEMS = ("two valleys", "two circles", "Fonseca–Fleming", "three clients")
RULES = ("FedAvg", "FedMGDA", "FedMGDA+", "AdaFed", "FedFV", "DQN-Fed")

Pair = Sequence[float]
_CURVATURES = {
    "two valleys": toy.two_valleys().hessians.tolist(),
    "two circles": [[[1.0, 0.0], [0.0, 1.0]]] * 2,
    "three clients": [[[1.5, 0.0], [0.0, 0.5]], [[0.75, 0.43], [0.43, 1.25]], [[0.75, -0.43], [-0.43, 1.25]]],
}


@dataclass(frozen=True)
class Landscape:
    """K losses in the plane. The functions return K numbers or pairs at a point w; ``falls`` also takes the gradients.

    ``bends``: bounds on the curvature of each loss. ``stiff``: the same for their sum. ``falls``: DQN-Fed's Newton
    rates ``r_k = g_k · H_k⁻¹ g_k``, or ``None`` if some loss is not convex, so that r_k could be negative.
    """

    losses: Callable[[Pair], list[float]]
    gradients: Callable[[Pair], list[Pair]]
    bends: Callable[[Pair], list[float]]
    stiff: Callable[[Pair], list[float]]
    falls: Callable[[list[Pair]], list[float]] | None


def landscape(problem: str, minimisers: Sequence[Pair]) -> Landscape:
    """One of ``PROBLEMS`` with its clients' ``minimisers``. Surplus minimisers are ignored."""
    if problem == "Fonseca–Fleming":
        return _fonseca_fleming(minimisers[:2])
    return _quadratics(_CURVATURES[problem], minimisers)


def _quadratics(H, centres) -> Landscape:
    clients = list(zip(H, centres))
    steep = [(a + d) / 2 + math.hypot((a - d) / 2, b) for (a, b), (_, d) in H]

    def gradients(w):
        away = [(h, w[0] - c[0], w[1] - c[1]) for h, c in clients]
        return [(h[0][0] * x + h[0][1] * y, h[1][0] * x + h[1][1] * y) for h, x, y in away]

    def losses(w):
        return [0.5 * (g[0] * (w[0] - c[0]) + g[1] * (w[1] - c[1])) for g, (_, c) in zip(gradients(w), clients)]

    def falls(G):
        return [(d * x * x - 2 * b * x * y + a * y * y) / (a * d - b * b) for (x, y), ((a, b), (_, d)) in zip(G, H)]

    return Landscape(losses, gradients, lambda w: steep, lambda w: steep, falls)


def _fonseca_fleming(centres) -> Landscape:
    squares = lambda w: [(w[0] - x) ** 2 + (w[1] - y) ** 2 for x, y in centres]

    def gradients(w):
        steep = [2 * math.exp(-q) for q in squares(w)]
        return [(e * (w[0] - x), e * (w[1] - y)) for e, (x, y) in zip(steep, centres)]

    return Landscape(
        losses=lambda w: [1 - math.exp(-q) for q in squares(w)],
        gradients=gradients,
        bends=lambda w: [2 * math.exp(-q) for q in squares(w)],
        stiff=lambda w: [2 * math.exp(-q) * max(1, 2 * q - 1) for q in squares(w)],
        falls=None,
    )


def _dot(a, b):
    return a[0] * b[0] + a[1] * b[1]


def _size(a):
    return math.sqrt(a[0] * a[0] + a[1] * a[1])


def _sum(rows):
    return sum(g[0] for g in rows), sum(g[1] for g in rows)


def nearest_point(points: Sequence[Pair]) -> Pair:
    """The point of the convex hull of points in the plane that is nearest to the origin."""
    best = points[0]
    least = _dot(best, best)
    for p, q in itertools.combinations(points, 2):
        side = (q[0] - p[0], q[1] - p[1])
        long = _dot(side, side)
        t = min(1.0, max(0.0, -_dot(p, side) / long)) if long > 0 else 0.0
        foot = (p[0] + t * side[0], p[1] + t * side[1])
        square = _dot(foot, foot)
        if square < least:
            best, least = foot, square
    # If some point lies on the near side of every edge, the origin is inside.
    return (0.0, 0.0) if any(_dot(p, best) < least * (1 - 1e-9) for p in points) else best


def _corners(rows, epsilon):
    """The vertices of the set of points Σ μ_k h_k with μ in FedMGDA+'s box."""
    K = len(rows)
    low, high = max(0.0, 1 / K - epsilon), min(1.0, 1 / K + epsilon)
    found = []
    for free in range(K):
        for others in itertools.product((low, high), repeat=K - 1):
            mu = [*others[:free], 1 - sum(others), *others[free:]]
            if low - 1e-12 <= mu[free] <= high + 1e-12:
                found.append(_sum([(m * h[0], m * h[1]) for m, h in zip(mu, rows)]))
    return found


@dataclass(frozen=True)
class _Around:
    """Quantities at a point that all rules need. ``units``: the gradients scaled to length 1. ``room``: a lower bound
    on the distance to the nearest minimiser of a client. ``near``: a step of this length does not pass a
    Pareto-stationary point."""

    units: list[Pair]
    room: float
    near: float


def _around(land, w, G):
    sizes = [_size(g) for g in G]
    if not all(sizes):
        return None
    units = [(g[0] / n, g[1] / n) for g, n in zip(G, sizes)]
    room = min(n / bend for n, bend in zip(sizes, land.bends(w)))
    return _Around(units, room, room * _size(nearest_point(units)))


def _without_a_rise(land, w, G, along, far):
    """Shorten ``far`` so that no loss rises if ``along`` lowers all of them to first order: t² L / 2 stays below t
    times the rate.

    The result is at least ``HALT``, because otherwise a path would stop where one client has almost nothing left to
    gain.
    """
    size = _size(along)
    if far < HALT or size == 0:
        return 0.0
    return max(HALT, min(far, *(2 * _dot(g, along) / size / bend for g, bend in zip(G, land.stiff(w)))))


def _fedavg(land, w, G, around, epsilon, gamma):
    along = _sum(G)
    return along, _size(along) / sum(land.stiff(w))


def _mgda(land, w, G, around, epsilon, gamma):
    along = nearest_point(G)
    return along, _without_a_rise(land, w, G, along, around.near)


def _mgda_plus(land, w, G, around, epsilon, gamma):
    along = nearest_point(_corners(around.units, epsilon))
    far = _size(along) * around.room
    # With three clients, a box may make some loss rise. A step that shrinks before that point would never reach it.
    return along, far if epsilon < 1 and len(G) > 2 else _without_a_rise(land, w, G, along, far)


def _adafed(land, w, G, around, epsilon, gamma):
    losses = land.losses(w)
    top = max(losses)
    along, far = _in_proportion(G, [(f / top) ** gamma for f in losses], around)
    return along, _without_a_rise(land, w, G, along, far)


def _dqn(land, w, G, around, epsilon, gamma):
    along, far = _in_proportion(G, land.falls(G), around)
    return along, _without_a_rise(land, w, G, along, far)


def _in_proportion(G, s, around):
    """AdaFed's and DQN-Fed's direction, with rates proportional to ``s``. For three gradients in the plane it is the
    point of the convex hull, as in the package."""
    if len(G) > 2:
        return nearest_point([(g[0] / scale, g[1] / scale) for g, scale in zip(G, s)]), around.near
    g, h = G
    if _size((g[0] - h[0], g[1] - h[1])) <= 1e-9 * (_size(g) + _size(h)):
        return g, around.near
    way = math.copysign(1.0, g[0] * h[1] - g[1] * h[0])
    (a, b), (c, d) = around.units
    far = min(around.near, abs(a * d - b * c) * around.room / 2)
    return (way * (s[0] * h[1] - s[1] * g[1]), way * (s[1] * g[0] - s[0] * h[0])), far


def _fedfv(land, w, G, around, epsilon, gamma):
    losses = land.losses(w)
    order = sorted(range(len(G)), key=losses.__getitem__)
    rows = []
    for k, row in enumerate(G):
        for j in order:
            along = _dot(row, G[j])
            if j != k and along < 0:
                share = along / _dot(G[j], G[j])
                row = (row[0] - share * G[j][0], row[1] - share * G[j][1])
        rows.append(row)
    along = _sum(rows)
    if len(G) == 2:
        return along, _without_a_rise(land, w, G, along, around.near)
    return along, around.near if _size(along) > CANCELS * sum(map(_size, G)) else 0.0


_WAYS = dict(zip(RULES, (_fedavg, _mgda, _mgda_plus, _adafed, _fedfv, _dqn)))


def direction(rule: str, land: Landscape, w: Pair, epsilon: float = 1.0, gamma: float = 0.0) -> tuple[Pair, float]:
    """The direction of ``rule`` at w (uphill, of any length), and the largest step along it.

    ``epsilon``: FedMGDA+'s ε. ``gamma``: AdaFed's γ. Close to some client's minimiser, which is on the Pareto set, only
    FedAvg continues.
    """
    G = land.gradients(w)
    around = _around(land, w, G)
    if rule != "FedAvg" and (around is None or around.room < HALT):
        return (0.0, 0.0), 0.0
    return _WAYS[rule](land, w, G, around, epsilon, gamma)


def walk(rule: str, land: Landscape, start: Pair, epsilon: float, gamma: float) -> tuple[list[Pair], str]:
    """The path of ``rule`` from ``start``, and where it ends: ``"Pareto set"``, ``"wall"`` or ``"on its way"``. The
    path has ``ROUNDS + 1`` points; after the rule has stopped, the last point is repeated."""
    w, path = start, [start]
    while len(path) <= ROUNDS:
        along, far = direction(rule, land, w, epsilon, gamma)
        if far < HALT:
            break
        t = min(STRIDE, far) / _size(along)
        w = (w[0] - t * along[0], w[1] - t * along[1])
        path.append(w)
    around = _around(land, w, land.gradients(w))
    if around is None or around.near < ARRIVED:
        where = "Pareto set"
    else:
        where = "wall" if far < HALT else "on its way"
    return path + [w] * (ROUNDS + 1 - len(path)), where
