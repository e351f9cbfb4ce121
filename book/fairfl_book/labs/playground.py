"""A toy problem of two or three clients, a start to drag, and the rules' ways from there."""

from collections.abc import Sequence

from fairfl_book.labs import descent_paths
from fairfl_book.labs.controls import Choice, Placed, Points, Several, Slider
from fairfl_book.labs.lab import Lab


class Playground(Lab):
    """Rules race from one start down the losses of two or three clients; minimisers and start are to be dragged.

    Every rule takes steps of one length (``descent_paths.STRIDE``), so that the ways can be compared and not the step sizes; a path rests where its
    rule sees no way on. FedFV keeps nobody's gradient (α = 0) and has no memory. DQN-Fed has the exact Hessians, and does not run on
    Fonseca–Fleming's losses, which curve downwards.
    """

    view = "playground"
    controls = {
        "problem": Choice("problem", descent_paths.PROBLEMS, "two valleys"),
        "rules": Several("rules", descent_paths.RULES, ["FedAvg", "FedMGDA", "AdaFed", "FedFV"]),
        "gamma": Slider("γ of AdaFed", 0.0, 1.0, 0.25, 0.5),
        "epsilon": Slider("ε of FedMGDA+", 0.0, 1.0, 0.05, 1.0),
        "minimisers": Points("the clients' minimisers", 2.0, [[-1.0, -0.5], [1.0, 0.5], [-0.2, 1.4]]),
        "start": Points("the start", 2.0, [[1.9, 0.1]]),
    }
    tries = {
        "AdaFed's wall (two circles)": {
            "problem": "two circles",
            "start": [[1.6, 1.1]],
            "gamma": 0.0,
            "minimisers": [[-1.0, -0.5], [0.4, 0.2], [-0.2, 1.4]],
        },
        "a bulging front (Fonseca–Fleming)": {
            "problem": "Fonseca–Fleming",
            "minimisers": [[0.71, 0.71], [-0.71, -0.71], [-0.2, 1.4]],
            "start": [[-0.6, 0.5]],
        },
        "three clients, all rules": {
            "problem": "three clients",
            "rules": list(descent_paths.RULES),
            "start": [[0.8, -0.3]],
        },
    }

    def compute(
        self, problem: str, rules: Sequence[str], gamma: float, epsilon: float, minimisers: Placed, start: Placed
    ) -> dict:
        land = descent_paths.landscape(problem, minimisers)
        walks = {
            rule: descent_paths.walk(rule, land, start[0], epsilon, gamma)
            for rule in rules
            if rule != "DQN-Fed" or land.falls is not None
        }
        return {
            "running": list(walks),
            "before": land.losses(start[0]),
            "paths": {rule: [list(w) for w in path] for rule, (path, _) in walks.items()},
            "after": {rule: land.losses(path[-1]) for rule, (path, _) in walks.items()},
            "where": {rule: where for rule, (_, where) in walks.items()},
        }

    def words(self, numbers: dict) -> list[str]:
        lines = ["rule        losses at the end" + " " * 8 + "it ends"]
        before = " ".join(f"{f + 0.0:6.2f}" for f in numbers["before"])
        lines.append(f"{'(start)':9} {before}")
        for rule in numbers["running"]:
            losses = " ".join(f"{f + 0.0:6.2f}" for f in numbers["after"][rule])
            pay = [str(k + 1) for k in payers(numbers["before"], numbers["after"][rule])]
            note = f"; {'clients' if len(pay) > 1 else 'client'} {' and '.join(pay)} paid" if pay else ""
            lines.append(f"{rule:9} {losses}   {numbers['where'][rule]}{note}")
        return lines


def payers(before: list[float], after: list[float]) -> list[int]:
    """Whose loss has risen by more than one part in a hundred."""
    return [k for k, (f, g) in enumerate(zip(before, after)) if g > 1.01 * f + 1e-3]
