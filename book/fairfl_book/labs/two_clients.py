"""Two clients, one direction: what a weight does to whom."""

import numpy as np

from fairfl_book.figures import COLOURS
from fairfl_book.labs.lab import Lab, Slider


class TwoClients(Lab):
    """Gradients g₁ = (1, 0) and g₂ of chosen length at a chosen angle; the server weighs them (λ, 1 − λ)."""

    controls = {
        "weight": Slider("weight λ₁ of client 1", 0.0, 1.0, 0.05, 0.5),
        "angle": Slider("angle between them (°)", 0, 180, 5, 130),
        "length": Slider("length of g₂", 0.5, 5.0, 0.25, 2.0),
    }

    def compute(self, weight, angle, length):
        turn = np.radians(angle)
        G = np.array([[1.0, 0.0], [length * np.cos(turn), length * np.sin(turn)]])
        lam = np.array([weight, 1 - weight])
        A = G @ G.T
        return {"G": G, "weights": lam, "A": A, "direction": G.T @ lam, "rates": A @ lam}

    def axes(self):
        from matplotlib import pyplot as plt

        return plt.subplots(1, 2, figsize=(7.6, 3.2), width_ratios=(3, 2))

    def draw(self, axes, numbers):
        plane, bars = axes
        arrows = {
            "client 1: g₁": (numbers["G"][0], "blue"),
            "client 2: g₂": (numbers["G"][1], "orange"),
            "direction": (numbers["direction"], "black"),
        }
        for label, (v, colour) in arrows.items():
            plane.quiver(
                0, 0, *v, color=COLOURS[colour], angles="xy", scale_units="xy", scale=1, width=0.012, label=label
            )
        reach = 1.1 * max(1.0, np.linalg.norm(numbers["G"][1]))
        plane.set(xlim=(-reach, reach), ylim=(-0.25 * reach, reach), aspect="equal", xlabel="w₁", ylabel="w₂")
        plane.legend(loc="upper right", fontsize=8)
        bars.bar(["client 1", "client 2"], numbers["rates"], color=[COLOURS["blue"], COLOURS["orange"]])
        bars.axhline(0, color=COLOURS["black"], linewidth=1)
        bars.set(ylabel="rate: how fast the loss falls")

    def words(self, numbers):
        lam, rates = numbers["weights"], numbers["rates"]
        lines = [f"weights  {lam[0]:5.2f} {lam[1]:5.2f}", f"rates    {rates[0]:5.2f} {rates[1]:5.2f}"]
        losers = [f"client {k + 1}" for k in range(2) if rates[k] < -5e-3]
        return [
            *lines,
            f"this step makes {' and '.join(losers)} worse off" if losers else "this step makes nobody worse off",
        ]

    def alt(self, numbers):
        rates = numbers["rates"]
        return (
            f"Two clients' gradients and the server's direction as arrows, and bars of the clients' rates, "
            f"{rates[0]:.2f} and {rates[1]:.2f}"
        )
