"""FedFV's projections for three clients, one at a time: what each of them changes for each client."""

import itertools

import numpy as np

from fairfl_book.labs.controls import Choice, Placed, Points, Slider
from fairfl_book.labs.lab import Lab
from fairfl_book.labs.rounding import row, zero

ORDERS = tuple("→".join(order) for order in itertools.permutations("123"))
SWEEPS = 3
_TRIANGLE = [[3.6, 0.5], [-1.4, 1.7], [-0.9, -1.3]]  # around the origin: no direction lowers all losses
_VANISHED = 3e-6  # a mean this much shorter than its parts is rounding error (the root of fairfl.rules.gram.resolution)


def meetings(order: str) -> list[tuple[int, int]]:
    """The sequence of projections as pairs (client, target) from 0: the six of Algorithm 2, then two more sweeps of
    nine.

    In these sweeps a client is also projected on its own gradient, in order. Only then do repeated projections converge
    to the cone of directions that raise no loss.
    """
    targets = [int(one) - 1 for one in order.split("→")]
    first = [(k, j) for k in range(3) for j in targets if j != k]
    return first + [(k, j) for k in range(3) for j in targets] * (SWEEPS - 1)


class Projections(Lab):
    """Three gradients that the reader drags. Client 3 has the largest loss. FedFV's projections are shown one at a
    time.

    After step 6, ``direction`` is FedFV's: the mean of ``projected``, scaled to the length of FedAvg's mean. Before, it
    is the direction if the server stopped there; after, the result of further sweeps.
    """

    view = "projections"
    controls = {
        "step": Slider("meetings done", 0, len(meetings(ORDERS[0])), 1, 0),
        "order": Choice("order of the targets", ORDERS, ORDERS[0]),
        "keepers": Slider("keepers (not projected)", 0, 3, 1, 0),
        "tips": Points("tips of the gradients", 4.0, [[3.5, -1.6], [-0.5, 0.9], [-1.5, 1.2]]),
    }
    tries = {
        "all six meetings": {"step": 6},
        "client 3 a keeper": {"step": 6, "keepers": 1},
        "no way out": {"step": 6, "tips": _TRIANGLE},
        "no way out, 3→2→1": {"step": 6, "tips": _TRIANGLE, "order": ORDERS[-1]},
    }
    also = {"projected": {"step": 6}}

    def compute(self, step: int, order: str, keepers: int, tips: Placed) -> dict:
        G = np.array(tips, dtype=float)
        A, C = G @ G.T, np.eye(3)
        product, before, kept = 0.0, np.zeros(2), False
        for k, j in meetings(order)[:step]:
            product, before, kept = float(C[k] @ A[:, j]), C[k] @ G, k >= 3 - keepers
            if product < 0 and not kept:
                C[k, j] -= product / A[j, j]
        weights, mean = C.mean(0), G.mean(0)
        size, typical = np.linalg.norm(weights @ G), weights @ np.sqrt(A.diagonal())
        scale = float(np.linalg.norm(mean) / size) if size > _VANISHED * typical else 0.0
        return {
            "G": G,
            "step": step,
            "order": order,
            "product": product,
            "before": before,
            "kept": kept,
            "projected": C @ G,
            "scale": scale,
            "weights": scale * weights,
            "direction": scale * (weights @ G),
            "rates": scale * (A @ weights),
            "fedavg": G @ mean,
        }

    def words(self, numbers: dict) -> list[str]:
        losers = [str(k + 1) for k in range(3) if numbers["rates"][k] < -5e-3]
        return [
            self._last(numbers),
            f"weights λ {row(numbers['weights'])}",
            f"rates ρ   {row(numbers['rates'])}",
            f"worse off: client{'s' * (len(losers) > 1)} {' and '.join(losers)}" if losers else "worse off: nobody",
        ]

    def _last(self, numbers):
        if numbers["step"] == 0:
            return "no meeting yet: the mean is FedAvg's"
        k, j = meetings(numbers["order"])[numbers["step"] - 1]
        product = numbers["product"]
        outcome = f"product {zero(product):.2f}: projected" if product < -1e-12 else "no conflict"
        return (
            f"meeting {numbers['step']}: client {k + 1} and g{'₁₂₃'[j]}, {'a keeper' if numbers['kept'] else outcome}"
        )
