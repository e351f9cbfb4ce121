"""Three clients, and FedFV's projections one after another: what each of them changes for whom."""

import numpy as np

from fairfl_book.figures import COLOURS, GREY
from fairfl_book.labs.lab import Choice, Lab, Slider

_CLIENTS = ("blue", "orange", "green")
_SIZES = np.array([4.0, 1.0, 1.5])


class Projections(Lab):
    """Gradients of lengths 4, 1 and 1.5 at 0°, 130° and a chosen angle; the losses ascend from client 1 to client 3.

    The six meetings of a client with a target come client by client, as in Algorithm 2; step 7 rescales the mean.
    """

    controls = {
        "step": Slider("projections done", 0, 7, 1, 7),
        "order": Choice("order of the targets", ("ascending loss", "descending loss"), "ascending loss"),
        "keepers": Slider("keepers (largest losses)", 0, 2, 1, 0),
        "angle": Slider("angle of g₃ (°)", 90, 240, 10, 160),
    }

    def compute(self, step, order, keepers, angle):
        turns = np.radians([0, 130, angle])
        G = _SIZES[:, None] * np.stack([np.cos(turns), np.sin(turns)], 1)
        A, C = G @ G.T, np.eye(3)
        targets = [0, 1, 2] if order == "ascending loss" else [2, 1, 0]
        meetings = [(k, j) for k in range(3) for j in targets if j != k]
        event = "no projection yet: the mean is FedAvg's"
        for number, (k, j) in enumerate(meetings[:step], 1):
            product, event = C[k] @ A[:, j], f"step {number}: client {k + 1} meets g{'₁₂₃'[j]}, "
            if k >= 3 - keepers:
                event += "but it is a keeper"
            elif product < -1e-12:
                C[k, j] -= product / A[j, j]
                event += f"product {product:.2f}: projected"
            else:
                event += f"product {abs(product):.2f}: no conflict"
        weights = C.mean(0)
        size = np.sqrt(weights @ A @ weights)
        if step == 7:
            weights = weights * (np.sqrt(A.mean()) / size if size > 1e-9 else 0.0)
            event = "step 7: the mean gets the length of FedAvg's mean"
        return {
            "G": G,
            "projected": C @ G,
            "weights": weights,
            "direction": weights @ G,
            "rates": A @ weights,
            "fedavg": A.mean(1),
            "event": event,
            "stationary": bool(angle >= 180),
        }

    def axes(self):
        from matplotlib import pyplot as plt

        return plt.subplots(1, 2, figsize=(8.6, 3.3), width_ratios=(5, 3))

    def draw(self, axes, numbers):
        plane, bars = axes
        arrow = {"angles": "xy", "scale_units": "xy", "scale": 1}
        for k, colour in enumerate(_CLIENTS):
            plane.quiver(0, 0, *numbers["G"][k], color=COLOURS[colour], alpha=0.3, width=0.012, **arrow)
            plane.quiver(
                0, 0, *numbers["projected"][k], color=COLOURS[colour], width=0.008, label=f"client {k + 1}", **arrow
            )
        plane.quiver(0, 0, *numbers["direction"], color=COLOURS["black"], width=0.008, label="direction", **arrow)
        plane.set(xlim=(-2.2, 4.4), ylim=(-1.5, 3.4), aspect="equal", xlabel="w₁", ylabel="w₂")
        plane.legend(loc="upper right", fontsize=8)
        names = ["client 1", "client 2", "client 3"]
        bars.bar(names, numbers["fedavg"], color="none", edgecolor=GREY, linestyle="--", label="FedAvg")
        bars.bar(names, numbers["rates"], color=[COLOURS[c] for c in _CLIENTS], width=0.5)
        bars.axhline(0, color=COLOURS["black"], linewidth=1)
        bars.set(ylabel="rate: how fast the loss falls")
        bars.legend(loc="upper right", fontsize=8)

    def words(self, numbers):
        row = lambda values: " ".join(f"{round(v, 2) + 0.0:6.2f}" for v in values)
        losers = [str(k + 1) for k in range(3) if numbers["rates"][k] < -5e-3]
        lines = [
            numbers["event"],
            f"weights λ {row(numbers['weights'])}",
            f"rates ρ   {row(numbers['rates'])}",
            f"worse off: client{'s' * (len(losers) > 1)} {' and '.join(losers)}" if losers else "worse off: nobody",
        ]
        return lines + ["0 lies in the hull of the gradients: no direction helps everybody"] * numbers["stationary"]

    def alt(self, numbers):
        rates = ", ".join(f"{r:.2f}" for r in numbers["rates"])
        return f"Three gradients, their projected versions and the mean as arrows; bars of the clients' rates {rates}. {numbers['event']}"
