"""A toy problem with two or three clients, and the rules' descent paths from a start point."""

from collections.abc import Sequence

from fairfl_book.labs import descent_paths
from fairfl_book.labs.controls import Choice, Placed, Points, Several, Slider
from fairfl_book.labs.lab import Lab


class Playground(Lab):
    """Descent paths of several rules from one start, on the losses of two or three clients. The reader drags minimisers
    and start.

    All steps have the same length (``descent_paths.STRIDE``), so that directions are compared, not step sizes. A path
    stops where its rule has no direction. FedFV uses α = 0, so no client keeps its gradient, and has no state. DQN-Fed
    uses exact Hessians and does not run on Fonseca and Fleming's losses, which are not convex.
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
    """The clients whose losses have risen by more than one percent."""
    return [k for k, (f, g) in enumerate(zip(before, after)) if g > 1.01 * f + 1e-3]
