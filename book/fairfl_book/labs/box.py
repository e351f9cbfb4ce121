"""The box: nine clients that agree, one that does not, and how far the server may move its weights."""

import numpy as np

from fairfl.rules import min_norm
from fairfl_book.figures import COLOURS, GREY
from fairfl_book.labs.lab import Choice, Lab, Slider

NINE, TENTH = "blue", "vermilion"


class Box(Lab):
    """Nine equal gradients (1, 0) and a tenth of chosen length at a chosen angle; the nearest point to the origin with weights within ε of 1/10."""

    controls = {
        "epsilon": Slider("ε, half the box's side", 0.0, 1.0, 0.05, 0.2),
        "angle": Slider("angle to the tenth (°)", 0, 180, 5, 150),
        "length": Slider("length of the tenth", 0.25, 4.0, 0.25, 1.0),
        "rows": Choice("rows", ("unit", "raw"), "unit"),
    }
    grid = np.unique(np.concatenate([np.linspace(0, 1, 21), np.linspace(0.3, 0.5, 9)]))

    def compute(self, epsilon, angle, length, rows):
        turn = np.radians(angle)
        G = np.array([[1.0, 0.0]] * 9 + [[length * np.cos(turn), length * np.sin(turn)]])
        H = G / np.linalg.norm(G, axis=1, keepdims=True) if rows == "unit" else G
        weights = self._weights(H, epsilon)
        direction = H.T @ weights
        curve = np.array([(H @ (H.T @ self._weights(H, e)))[[0, 9]] for e in self.grid])
        return {
            "H": H,
            "epsilon": epsilon,
            "weights": weights,
            "direction": direction,
            "rates": (H @ direction)[[0, 9]],
            "curve": curve,
            "rows": rows,
        }

    @staticmethod
    def _weights(H, epsilon):
        return min_norm(H @ H.T, centre=np.full(10, 0.1), radius=float(epsilon)).weights.numpy()

    def axes(self):
        from matplotlib import pyplot as plt

        # Fixed margins: the automatic layout takes longer than all the drawing.
        return plt.subplots(
            1,
            3,
            figsize=(9.6, 3.3),
            width_ratios=(5, 3, 5),
            layout="none",
            gridspec_kw={"left": 0.075, "right": 0.985, "bottom": 0.16, "top": 0.9, "wspace": 0.34},
        )

    def draw(self, axes, numbers):
        plane, bars, curve = axes
        H, weights, direction = numbers["H"], numbers["weights"], numbers["direction"]
        for label, v, colour in (
            ("each of the nine", H[0], NINE),
            ("the tenth", H[9], TENTH),
            ("direction", direction, "black"),
        ):
            plane.quiver(
                0, 0, *v, color=COLOURS[colour], angles="xy", scale_units="xy", scale=1, width=0.014, label=label
            )
        plane.plot(*np.array([H[0], H[9]]).T, color=GREY, linestyle=":", linewidth=1.2)
        reach = 1.25 * max(1.0, np.linalg.norm(H[9]))
        plane.set(
            xlim=(-reach, reach),
            ylim=(-0.4 * reach, 1.25 * reach),
            aspect="equal",
            xlabel="w₁",
            ylabel="w₂",
            title="gradients",
        )
        plane.legend(loc="upper right", fontsize=8)
        bars.bar(["nine", "tenth"], [weights[:9].sum(), weights[9]], color=[COLOURS[NINE], COLOURS[TENTH]])
        bars.plot([0.6, 1.4], [min(1.0, 0.1 + numbers["epsilon"])] * 2, color=COLOURS["black"], linewidth=1.5)
        bars.set(ylim=(0, 1.02), ylabel="weight", title="weights")
        for rate, now, colour, name in zip(numbers["curve"].T, numbers["rates"], (NINE, TENTH), ("nine", "tenth")):
            curve.plot(self.grid, rate, color=COLOURS[colour], label=name)
            curve.plot(numbers["epsilon"], now, "o", color=COLOURS[colour])
        curve.axhline(0, color=COLOURS["black"], linewidth=1)
        curve.axvline(numbers["epsilon"], color=GREY, linewidth=1, linestyle="--")
        curve.set(xlabel="ε", ylabel="rate", title="rates", xlim=(-0.02, 1.02))
        curve.legend(loc="upper right", fontsize=8)

    def words(self, numbers):
        # Adding zero turns the -0.00 of a rounded value into 0.00.
        nine, tenth = numbers["rates"].round(3) + 0.0
        weights, squared = numbers["weights"], float(numbers["direction"] @ numbers["direction"])
        lines = [
            f"rows {numbers['rows']}, ε {numbers['epsilon']:.2f}",
            f"weights  nine together {weights[:9].sum():.2f}, tenth {weights[9]:.2f} (at most {min(1.0, 0.1 + numbers['epsilon']):.2f})",
            f"rates    each of the nine {nine:.3f}, tenth {tenth:.3f}; ‖dir‖² {squared:.3f}",
        ]
        if squared < 1e-9:
            return [*lines, "the direction is zero: no common descent exists"]
        return [
            *lines,
            "the tenth client's loss rises"
            if tenth < 0
            else "the nine clients' loss rises"
            if nine < 0
            else "nobody's loss rises",
        ]

    def alt(self, numbers):
        nine, tenth = numbers["rates"]
        return (
            f"Nine equal gradients and a tenth that conflicts, with the server's direction; bars of weights; and the two rates against ε: "
            f"at ε = {numbers['epsilon']:.2f} they are {nine:.2f} for the nine and {tenth:.2f} for the tenth"
        )
