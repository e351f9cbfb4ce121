"""The proximal average of three clients against FedAvg: one deforms with η, the other rests where E local steps leave it."""

import numpy as np

from fairfl_book.figures import COLOURS, GREY
from fairfl_book.labs.lab import Choice, Lab, Slider

_LR = 0.2
_STEPS = 500
_PENS = ("blue", "orange", "green")
# Curvatures h, minimisers c and the largest slope L: Huber losses, which are quadratics where L is infinite.
_CLIENTS = {
    "unequal curvature": ((1.0, 0.1, 0.01), (18.0, 24.0, 19.0), np.inf),
    "equal curvature": ((0.1, 0.1, 0.1), (18.0, 24.0, 19.0), np.inf),
    "bounded slope": ((1.0, 0.1, 0.1), (18.0, 24.0, 19.0), 0.2),
}
_W = np.linspace(17.0, 25.0, 801)
_ETAS = np.logspace(-4, 6, 201)


class ProximalAverage(Lab):
    """Three clients with equal weights: the proximal average for a chosen η, FedAvg's resting point for chosen local steps E."""

    controls = {
        "log_eta": Slider("log₁₀ η", -2.0, 4.0, 0.25, 1.0),
        "steps": Slider("local steps E", 1, _STEPS, 1, 20),
        "clients": Choice("clients", tuple(_CLIENTS), "unequal curvature"),
    }

    def compute(self, log_eta, steps, clients):
        eta, problem = 10.0**log_eta, _CLIENTS[clients]
        reached = np.array([_rest(_prox(_W, e, problem).mean(-1)) for e in _ETAS])
        path = _path(problem)
        rest = path[steps - 1]
        return {
            "eta": eta,
            "steps": steps,
            "problem": problem,
            "average": _average(_W, eta, problem),
            "path": path,
            "rest": rest,
            "least": _rest(_prox(_W, eta, problem).mean(-1)),
            "band": (reached.min(), reached.max()),
            "reach": _reach(reached, rest),
        }

    def axes(self):
        from matplotlib import pyplot as plt

        # Fixed margins: a constrained layout would draw everything twice, and a moved control should answer at once.
        margins = {"left": 0.08, "right": 0.99, "bottom": 0.15, "top": 0.97, "wspace": 0.22}
        return plt.subplots(1, 2, figsize=(8.2, 3.4), width_ratios=(5, 4), gridspec_kw=margins, layout="none")

    def draw(self, axes, numbers):
        losses, resting = axes
        values = _loss(_W, numbers["problem"])
        for k, pen in enumerate(_PENS):
            losses.plot(_W, values[:, k], color=COLOURS[pen], linewidth=1, label=f"client {k + 1}")
        losses.plot(_W, values.mean(1), color=GREY, linestyle="--", label="mean loss")
        losses.plot(_W, numbers["average"], color=COLOURS["black"], linewidth=2.4, label="proximal average")
        low = np.interp(numbers["least"], _W, numbers["average"])
        losses.plot(numbers["least"], low, "ks", markersize=7)
        losses.axvline(numbers["rest"], color=COLOURS["vermilion"], linewidth=1.2, label="FedAvg rests")
        losses.set(xlim=(17, 25), ylim=(-0.06, 1.9), xlabel="w", ylabel="loss")
        losses.legend(loc="upper center", fontsize=8, ncols=3, frameon=True, framealpha=1.0, edgecolor="none")
        resting.axhspan(*numbers["band"], color=COLOURS["sky"], alpha=0.25, linewidth=0, label="within reach of some η")
        resting.semilogx(range(1, _STEPS + 1), numbers["path"], color=COLOURS["vermilion"], label="FedAvg rests")
        resting.plot(numbers["steps"], numbers["rest"], "o", color=COLOURS["vermilion"], markersize=7)
        resting.axhline(
            numbers["least"], color=COLOURS["black"], linewidth=1.2, linestyle="--", label="least proximal average"
        )
        resting.set(xlabel="local steps E", ylabel="w", ylim=(18, 21.4), xticks=(1, 10, 100), xticklabels=(1, 10, 100))
        resting.minorticks_off()
        resting.legend(loc="upper left", fontsize=8)

    def words(self, numbers):
        return [
            f"η = {numbers['eta']:.3g}: the proximal average is least at {numbers['least']:.2f}",
            f"E = {numbers['steps']}: FedAvg rests at {numbers['rest']:.2f}; {numbers['reach']}",
        ]

    def alt(self, numbers):
        return (
            "Three clients' losses, their mean and their proximal average; FedAvg's resting point against local steps: "
            + "; ".join(self.words(numbers))
        )


def _slope(x, problem):
    h, c, bound = problem
    return np.clip(np.array(h) * (x - np.array(c)), -bound, bound)


def _loss(w, problem):
    h, c, bound = np.array(problem[0]), np.array(problem[1]), problem[2]
    away = np.abs(w[:, None] - c)
    bend = np.minimum(away, bound / h)
    return h * bend**2 / 2 + h * bend * (away - bend)


def _prox(w, eta, problem):
    """(..., K): the clients' proximal maps. A step of at most ``eta`` times the largest slope."""
    h, c, bound = np.array(problem[0]), np.array(problem[1]), problem[2]
    w = np.asarray(w)[..., None]
    step = eta * h * (w - c) / (1 + eta * h)
    return w - np.clip(step, -eta * bound, eta * bound)


def _rest(mapped):
    """Where a round leaves w alone: the zero of mapped − w, which never increases along the grid."""
    change = mapped - _W
    return float(np.interp(0.0, -change, _W))


def _path(problem):
    """FedAvg's resting point for E = 1, 2, …"""
    local, rests = np.repeat(_W[:, None], 3, 1), []
    for _ in range(_STEPS):
        local = local - _LR * _slope(local, problem)
        rests.append(_rest(local.mean(1)))
    return np.array(rests)


def _average(x, eta, problem):
    """The proximal average at the points x: find w with mean proximal map x by bisection, then add up the split's cost."""
    low, high = x - 10 * eta - 10, x + 10 * eta + 10
    for _ in range(70):
        w = (low + high) / 2
        below = _prox(w, eta, problem).mean(-1) < x
        low, high = np.where(below, w, low), np.where(below, high, w)
    split = _prox((low + high) / 2, eta, problem)
    cost = np.stack([_loss(split[:, k], problem)[:, k] for k in range(3)], 1) + (split - x[:, None]) ** 2 / (2 * eta)
    return cost.mean(1)


def _reach(reached, rest):
    """Which η rests where FedAvg does, in words. ``reached``: the minimisers for ``_ETAS``."""
    if np.ptp(reached) < 1e-6:
        return "every η gives it"
    if abs(reached[0] - rest) < 2e-3:
        return "η → 0 gives it"
    crossing = np.flatnonzero((reached[:-1] - rest) * (reached[1:] - rest) <= 0)
    if not len(crossing):
        return "no η gives it"
    i = crossing[0]
    share = (rest - reached[i]) / (reached[i + 1] - reached[i]) if reached[i + 1] != reached[i] else 0.0
    return f"η near {_ETAS[i] * (_ETAS[i + 1] / _ETAS[i]) ** share:.2g} gives it"
