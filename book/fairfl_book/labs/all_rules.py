"""Every rule on the same two gradients: the direction of its step, each client's rate, and the effect of a false
report."""

import copy
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch

from fairfl import rules
from fairfl.updates import Layout, Updates
from fairfl_book.labs.controls import Choice, Placed, Points, Several, Slider
from fairfl_book.labs.lab import Lab
from fairfl_book.labs.rounding import zero

# Where each of the lab's rules comes from, and what it fixes. js/rules.js computes them, because all of them have an
# answer for two gradients in a plane. A rule that a reader adds to fairfl.rules has the kind "new" and is computed in
# Python.
RULES = {
    "the four papers": {
        "FedAvg": "weights",
        "FedAvgN": "weights",
        "QFedAvg": "weights",
        "TERM": "weights",
        "AFL": "weights",
        "FedFA": "weights",
        "FedMGDA": "rates",
        "FedMGDAPlus": "rates",
        "AdaFed": "rates",
        "DQNFed": "rates",
        "FedFV": "neither",
        "FedLF": "neither",
        "FedHEAL": "weights",
    },
    "other federated": {"PropFair": "weights", "CVaR": "weights", "FedMDFG": "neither"},
    "multi-task": {
        "NashMTL": "neither",
        "FairGrad": "neither",
        "IMTLG": "rates",
        "ConFIG": "rates",
        "AlignedMTL": "neither",
        "CAGrad": "neither",
        "DualProj": "neither",
        "UPGrad": "neither",
        "PCGrad": "neither",
    },
}
# With two clients there is no majority: the first two are then the mean, and the third needs five clients.
NEED_A_MAJORITY = ("CoordinateMedian", "TrimmedMean", "Krum")
SOURCES = tuple(RULES)
FAMILIES = {name: family for some in RULES.values() for name, family in some.items()}
LIES = ("loss", "Newton fall", "gradient")
TIMES = 3  # rounds with the same updates for a rule with state
SHORTEST = 1e-7  # a shorter direction is a rounding error, and the server stands still
NEAR = [[0.5, 0.0], [0.86, 0.5]]


class AllRules(Lab):
    """Two clients whose gradients the reader drags, with losses 1 and f₂ and Newton rates 1 and r₂. Client 2 may send
    false values.

    All rules of ``fairfl.rules`` can be shown, except those that need a majority; at the start they are those of the four
    papers' tables. A rule's direction is drawn with length 1, and its rates are computed from the true gradients. Rules
    whose directions coincide share an arrow. ``extra``: your own rule or rules, shown after the package's while Python runs.
    """

    view = "all_rules"
    controls = {
        "sources": Several("rules from", SOURCES, [SOURCES[0]]),
        "families": Several("rules that fix", ("weights", "rates", "neither"), ["weights", "rates", "neither"]),
        "lie": Several("client 2 multiplies its", LIES, []),
        "factor": Slider("how many times", 0.1, 5.0, 0.1, 3.0),
        "show": Choice("rates as", ("bars", "ellipse"), "bars"),
        "loss": Slider("loss of client 2", 0.2, 4.0, 0.1, 3.0, shown=False),
        "fall": Slider("Newton fall of client 2", 0.2, 4.0, 0.1, 0.6, shown=False),
        "tips": Points("tips of the gradients", 1.0, [[0.5, -0.14], [-0.36, 0.92]]),
    }
    tries = {
        "client 2: gradient × 3": {"lie": ["gradient"]},
        "client 2: loss, fall, gradient × 3": {"lie": list(LIES)},
        "two who want nearly the same": {"tips": NEAR},
        f"all {len(FAMILIES)} rules": {"sources": list(SOURCES)},
    }
    also = {"menu": {"show": "ellipse"}, "near": {"tips": NEAR}}

    def __init__(self, extra: rules.Rule | list[rules.Rule] | tuple[rules.Rule, ...] = ()) -> None:
        super().__init__()
        extra = list(extra) if isinstance(extra, (list, tuple)) else [extra]
        new = [name for name in rules.names() if not rules.RULES[name].__module__.startswith("fairfl.")]
        self.rules = [rules.make(name) for name in (*FAMILIES, *new)] + extra
        asked = [*["new"] * len(new), *["yours"] * len(extra)]
        self.kinds = [*FAMILIES.values(), *asked]
        self.origins = [*(source for source, some in RULES.items() for _ in some), *asked]

    def compute(
        self,
        sources: Sequence[str],
        families: Sequence[str],
        lie: Sequence[str],
        factor: float,
        show: str,
        loss: float,
        fall: float,
        tips: Placed,
    ) -> dict:
        G = np.array(tips, dtype=float)
        steps, honest = self._steps(self.rules, G, lie, factor, loss, fall)
        return {
            "G": G,
            "names": [rule.name for rule in self.rules],
            "kinds": self.kinds,
            "origins": self.origins,
            "sources": list(sources),
            "steps": steps,
            "rates": steps @ G.T + 0.0,
            "honest": honest @ G.T + 0.0,
            "losses": np.array([1.0, loss]),
            "lie": list(lie),
            "factor": factor,
            "show": show,
        }

    def kernel_numbers(self, state: dict) -> dict:
        asked = self.rules[len(FAMILIES) :]
        if not asked:
            return {}
        answer = {"state": state, "names": [rule.name for rule in asked], "kinds": self.kinds[len(FAMILIES) :]}
        given = {name: state[name] for name in ("lie", "factor", "loss", "fall")}
        try:
            steps, honest = self._steps(asked, np.array(state["tips"], dtype=float), **given)
        except Exception as error:  # a reader's own rule: any error is shown beside the picture
            return {**answer, "trouble": f"{type(error).__name__}: {error}"}
        return {**answer, "steps": steps.tolist(), "honest": honest.tolist()}

    def _steps(self, asked, G, lie, factor, loss, fall):
        """The directions (R, 2) of the rules ``asked``, each of length 1 or 0: for the false report, and for the true
        one."""
        true = G, np.array([1.0, loss]), np.array([1.0, fall])
        found = []
        for updates in [tell(*true, lie, factor), *([tell(*true)] if lie else [])]:
            rounds = _rounds(updates)
            steps = np.array([_last(rule, rounds) for rule in asked])
            lengths = np.linalg.norm(steps, axis=1, keepdims=True)
            found.append(np.divide(steps, lengths, out=np.zeros_like(steps), where=lengths > SHORTEST))
        return found[0], found[-1]

    @staticmethod
    def step(rule: rules.Rule, updates: Updates) -> np.ndarray:
        """The direction (d,) of a copy of ``rule``. A rule with state gets the same updates for ``ROUNDS`` rounds."""
        return _last(rule, _rounds(updates))

    def words(self, numbers: dict) -> list[str]:
        listed = zip(numbers["names"], numbers["rates"], numbers["honest"], numbers["origins"])
        shown = [
            (i, name, rate, honest)
            for i, (name, rate, honest, origin) in enumerate(listed, 1)
            if origin in numbers["sources"] or origin not in SOURCES
        ]
        if not shown:
            return ["no rule is switched on"]
        if numbers["show"] == "ellipse":
            pay = [name for _, name, rate, _ in shown if rate.min() < -5e-3]
            return [f"outside the green, where somebody pays: {', '.join(pay) or 'no rule'}"]
        lie = numbers["lie"]
        lies = f"{numbers['factor']:.1f} times its {', '.join(lie)}" if lie else "nothing but the truth"
        lines = [f"client 2 tells {lies}", f"{'':20} rate of client 1   client 2"]
        for i, name, (one, two), honest in shown:
            pays = [str(k) for k, rate in ((1, one), (2, two)) if rate < -5e-3]
            note = f"   client {pays[0]} pays" if pays else "" if one or two else "   stands still"
            moved = f"   ({zero(honest[0]):.2f}, {zero(honest[1]):.2f} without the lie)" if lie else ""
            lines.append(f"{i:2} {name:17} {zero(one):16.2f} {zero(two):10.2f}{note}{moved}")
        return lines


def tell(G: np.ndarray, losses: np.ndarray, falls: np.ndarray, lie: Sequence[str] = (), factor: float = 1.0) -> Updates:
    """The updates that the server receives if client 2 multiplies the quantities ``lie`` (from ``LIES``) by
    ``factor``."""
    loss, fall, gradient = (np.array([1.0, factor if what in lie else 1.0]) for what in LIES)
    return Updates(
        torch.as_tensor(G * gradient[:, None]),
        losses=losses * loss,
        layout=Layout(("w",), ((G.shape[1],),)),
        extras={"newton_rates": falls * fall, "accuracies": np.exp(-losses), "losses_after": 0.9 * losses},
    )


def _rounds(updates):
    return [replace(updates, round=t) for t in range(TIMES)]


def _last(rule, rounds):
    """The direction (d,) that a copy of ``rule`` takes in the last of ``rounds``, or in the first if it has no
    state."""
    rule = copy.deepcopy(rule)
    for updates in rounds if rule.remembers else rounds[:1]:
        answer = rule.direction(updates)
    return answer.vector.double().numpy()
