"""Every rule on the same two gradients: where its step goes, and what each client gets from it."""

import copy
from dataclasses import replace

import numpy as np
import torch

from fairfl import rules
from fairfl.updates import Layout, Updates
from fairfl_book.figures import COLOURS, GREY
from fairfl_book.labs.lab import Choice, Lab, Slider

# What each of the book's rules fixes; a rule that is added to RULES and not yet told apart here is drawn as "new".
FAMILIES = {
    "FedAvg": "weights",
    "FedAvgN": "weights",
    "QFedAvg": "weights",
    "TERM": "weights",
    "AFL": "weights",
    "FedFA": "weights",
    "FedHEAL": "weights",
    "FedMGDA": "rates",
    "FedMGDAPlus": "rates",
    "AdaFed": "rates",
    "DQNFed": "rates",
    "FedFV": "between",
    "FedLF": "between",
}
PENS = {"weights": "sky", "rates": "green", "between": "purple", "new": "yellow", "yours": "vermilion"}
LIES = (
    "none",
    "reports its loss + 2",
    "reports 3 × its loss and fall",
    "sends 3 × its gradient",
    "multiplies its whole loss by 3",
)
TIMES = 3  # a rule with a memory is asked so often with the same updates, so that it has something to remember
CIRCLE = np.stack([np.cos(np.linspace(0, 2 * np.pi, 181)), np.sin(np.linspace(0, 2 * np.pi, 181))])


class AllRules(Lab):
    """Two clients with gradients g₁ = (1, 0) and g₂, losses 1 and f₂, and falls 1 and r₂ of their own Newton steps; client 2 may lie.

    Every rule's direction is drawn with length 1, and its rates are those of the true gradients. ``extra``: a rule of your own, or
    several, shown after the package's.
    """

    controls = {
        "angle": Slider("angle between them (°)", 5, 175, 5, 115),
        "length": Slider("length of g₂", 0.25, 4.0, 0.25, 2.0),
        "loss": Slider("loss of client 2", 0.2, 4.0, 0.2, 3.0),
        "fall": Slider("Newton fall r₂", 0.2, 4.0, 0.2, 0.6),
        "lie": Choice("client 2's lie", LIES, "none"),
    }

    def __init__(self, extra=()):
        extra = list(extra) if isinstance(extra, (list, tuple)) else [extra]
        self.rules = [rules.make(name) for name in rules.names()] + extra
        self.kinds = [FAMILIES.get(name, "new") for name in rules.names()] + ["yours"] * len(extra)

    def compute(self, angle, length, loss, fall, lie):
        turn = np.radians(angle)
        G = np.array([[1.0, 0.0], [length * np.cos(turn), length * np.sin(turn)]])
        updates = tell(G, np.array([1.0, loss]), np.array([1.0, fall]), LIES.index(lie))
        steps = np.array([self.step(rule, updates) for rule in self.rules])
        lengths = np.linalg.norm(steps, axis=1, keepdims=True)
        steps = np.divide(steps, lengths, out=np.zeros_like(steps), where=lengths > 1e-12)
        return {
            "G": G,
            "names": [rule.name for rule in self.rules],
            "kinds": self.kinds,
            "steps": steps,
            "rates": steps @ G.T + 0.0,
            "losses": np.array([1.0, loss]),
            "lie": lie,
        }

    @staticmethod
    def step(rule, updates):
        """The direction (2,) of a copy of ``rule``."""
        rule = copy.deepcopy(rule)
        for t in range(TIMES if rule.remembers else 1):
            answer = rule.direction(replace(updates, round=t))
        return answer.vector.double().numpy()

    def axes(self):
        from matplotlib import pyplot as plt
        from matplotlib.layout_engine import PlaceHolderLayoutEngine

        margins = {"left": 0.065, "right": 0.99, "bottom": 0.13, "top": 0.92, "wspace": 0.42}
        return plt.subplots(
            1,
            3,
            figsize=(10.4, 4.2),
            width_ratios=(3.4, 3.4, 3),
            gridspec_kw=margins,
            layout=PlaceHolderLayoutEngine(adjust_compatible=True, colorbar_gridspec=True),
        )

    def draw(self, axes, numbers):
        plane, felt, bars = axes
        G, rates = numbers["G"], numbers["rates"]
        plane.plot(*CIRCLE, color=GREY, linewidth=0.8)
        for g, colour, name in ((G[0], "blue", "g₁"), (G[1], "orange", "g₂")):
            plane.quiver(
                0, 0, *g, color=COLOURS[colour], angles="xy", scale_units="xy", scale=1, width=0.012, label=name
            )
        _dots(plane, numbers["steps"], numbers["kinds"])
        reach = 1.15 * max(np.abs(G).max(), 1.6)
        _window(plane, reach, "w₁", "w₂", "directions, all of length 1")
        plane.legend(loc="lower left", fontsize=8, ncols=2, columnspacing=1)
        menu = G @ CIRCLE
        reach = 1.35 * np.abs(menu).max()
        felt.axvspan(0, 9, 0.5, 1, color=COLOURS["green"], alpha=0.12, linewidth=0)
        felt.plot(*menu, color=GREY, linewidth=0.8)
        felt.plot(*np.outer(numbers["losses"], [0, 9]), color=COLOURS["black"], linewidth=0.8, linestyle="--")
        _dots(felt, rates, numbers["kinds"])
        named = [i for i, kind in enumerate(numbers["kinds"]) if i == 0 or kind == "rates"]
        _numbers(felt, rates, named, 0.08 * reach)
        _window(felt, reach, "rate of client 1", "rate of client 2", "what a step of length 1 can give")
        where = np.arange(len(rates))
        for k, colour in enumerate(("blue", "orange")):
            bars.barh(where + (-0.2, 0.2)[k], rates[:, k], 0.4, color=COLOURS[colour])
        bars.axvline(0, color=COLOURS["black"], linewidth=1)
        bars.set(
            yticks=where,
            yticklabels=[f"{name} {i}" for i, name in enumerate(numbers["names"], 1)],
            xlabel="rate of client 1, 2",
            ylim=(len(rates) - 0.4, -0.6),
            title="who gets what",
        )
        bars.tick_params(axis="y", labelsize=8, length=0)
        for label, kind in zip(bars.get_yticklabels(), numbers["kinds"]):
            label.set_color("black" if kind != "yours" else COLOURS[PENS[kind]])

    def words(self, numbers):
        lines = [f"client 2's lie: {numbers['lie']}", f"{'':20} rate of client 1   client 2"]
        for i, (name, (one, two)) in enumerate(zip(numbers["names"], numbers["rates"]), 1):
            pays = [str(k) for k, rate in ((1, one), (2, two)) if rate < -5e-3]
            note = f"   client {pays[0]} pays" if pays else "" if one or two else "   stands still"
            lines.append(f"{i:2} {name:17} {_zero(one):16.2f} {_zero(two):10.2f}{note}")
        return lines

    def alt(self, numbers):
        pay = [name for name, rate in zip(numbers["names"], numbers["rates"]) if rate.min() < -5e-3]
        return (
            "Two gradients and the directions of all rules on a circle; the same directions as points on the ellipse of rates that a step of "
            "length 1 can give, with the quadrant where both losses fall shaded; bars of both clients' rates for each rule. "
            f"Somebody pays with {', '.join(pay) if pay else 'no rule'}."
        )


def tell(G, losses, falls, lie):
    """What the server gets to see if the second client lies: ``lie`` counts in ``LIES``."""
    liar = np.array([0.0, 1.0])
    add, number, row = {0: (0, 0, 0), 1: (2, 0, 0), 2: (0, 2, 0), 3: (0, 0, 2), 4: (0, 2, 2)}[lie]
    return Updates(
        torch.as_tensor(G * (1 + row * liar)[:, None]),
        losses=losses * (1 + number * liar) + add * liar,
        layout=Layout(("w",), ((G.shape[1],),)),
        extras={
            "newton_rates": falls * (1 + number * liar),
            "accuracies": np.exp(-losses),
            "losses_after": 0.9 * losses,
        },
    )


def _dots(axis, points, kinds):
    for kind, colour in PENS.items():
        chosen = [i for i, of in enumerate(kinds) if of == kind]
        if chosen:
            axis.scatter(
                *points[chosen].T,
                s=70 if kind == "yours" else 34,
                c=COLOURS[colour],
                marker="*" if kind == "yours" else "o",
                edgecolors="black",
                linewidths=0.6,
                zorder=4,
                label=kind,
            )


def _numbers(axis, points, named, near):
    """Beside the ``named`` points their numbers, from 1; points less than ``near`` from the first of a group share one label."""
    groups = []
    for i in sorted(named, key=lambda i: -np.arctan2(points[i, 1], points[i, 0])):
        if not points[i].any():
            continue
        if not (groups and np.linalg.norm(points[i] - points[groups[-1][0]]) < near):
            groups.append([])
        groups[-1].append(i)
    for group in groups:
        x, y = points[group].mean(0)
        size = np.hypot(x, y)
        axis.annotate(
            ", ".join(str(i + 1) for i in sorted(group)),
            (x, y),
            (11 * x / size, 11 * y / size),
            textcoords="offset points",
            fontsize=8,
            ha="left" if x > 0.2 * size else "right" if x < -0.2 * size else "center",
            va="center" if abs(y) < 0.7 * size else "bottom" if y > 0 else "top",
            zorder=5,
        )


def _window(axis, reach, x, y, title):
    axis.axhline(0, color=COLOURS["black"], linewidth=0.8)
    axis.axvline(0, color=COLOURS["black"], linewidth=0.8)
    axis.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal", xlabel=x, ylabel=y, title=title)
    axis.locator_params(nbins=5)


def _zero(value):
    """No minus sign in front of a rounded zero."""
    return 0.0 if abs(value) < 5e-3 else value
