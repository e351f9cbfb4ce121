"""Two hulls of scaled gradients: the segment and the whole line, their nearest points, and the rates that follow."""

import numpy as np

from fairfl.rules.min_norm import min_norm
from fairfl_book.figures import COLOURS, GREY
from fairfl_book.labs.lab import Lab, Slider


class AffineHull(Lab):
    """Gradients g₁ = (1, 0) and g₂, losses f₁ and f₂, and AdaFed's scales s_k = f_k^γ: rows h_k = g_k / s_k and the points of
    their convex and of their affine hull that are nearest to the origin."""

    controls = {
        "gamma": Slider("γ", 0.0, 3.0, 0.25, 1.0),
        "loss_1": Slider("loss of client 1", 0.5, 2.0, 0.1, 1.0),
        "loss_2": Slider("loss of client 2", 0.5, 2.0, 0.1, 1.5),
        "angle": Slider("angle between them (°)", 5, 175, 5, 40),
        "length": Slider("length of g₂", 0.5, 4.0, 0.25, 2.5),
    }

    def compute(self, gamma, loss_1, loss_2, angle, length):
        turn = np.radians(angle)
        G = np.array([[1.0, 0.0], [length * np.cos(turn), length * np.sin(turn)]])
        s = np.array([loss_1, loss_2]) ** gamma
        H = G / s[:, None]
        numbers = {"G": G, "s": s, "H": H, "losses": np.array([loss_1, loss_2])}
        for hull in ("convex", "affine"):
            lam = min_norm(H @ H.T, hull=hull).weights.numpy() / s
            direction = G.T @ lam
            numbers[hull] = {
                "weights": lam,
                "direction": direction,
                "length": np.linalg.norm(direction),
                "rates": G @ direction,
            }
        return numbers

    def axes(self):
        from matplotlib import pyplot as plt
        from matplotlib.layout_engine import PlaceHolderLayoutEngine

        # Fixed margins: finding them anew for every frame would take longer than drawing it. (With layout="none" savefig would
        # put the style's automatic layout back.)
        margins = {"left": 0.08, "right": 0.99, "bottom": 0.15, "top": 0.9, "wspace": 0.35}
        return plt.subplots(
            1,
            3,
            figsize=(9.0, 3.3),
            width_ratios=(3, 3, 2.4),
            gridspec_kw=margins,
            layout=PlaceHolderLayoutEngine(adjust_compatible=True, colorbar_gridspec=True),
        )

    def draw(self, axes, numbers):
        H = numbers["H"]
        points = np.vstack([H, numbers["convex"]["direction"], numbers["affine"]["direction"], [0, 0]])
        low, high = points.min(0), points.max(0)
        centre, reach = (low + high) / 2, 0.75 * max((high - low).max(), 0.5)
        centre = centre + [0, 0.2 * reach]  # room for the legend
        for plane, hull in zip(axes, ("convex", "affine")):
            if hull == "affine":
                plane.axline(H[0], H[1], color=COLOURS["green"], linewidth=1.2, linestyle="--")
            plane.plot(*H.T, color=COLOURS["green"], linewidth=3, alpha=0.6)
            direction = numbers[hull]["direction"]
            arrows = (
                (H[0], "blue", "h₁ = g₁ / s₁"),
                (H[1], "orange", "h₂ = g₂ / s₂"),
                (direction, "black", "nearest point"),
            )
            for v, colour, label in arrows:
                plane.quiver(
                    0, 0, *v, color=COLOURS[colour], angles="xy", scale_units="xy", scale=1, width=0.013, label=label
                )
            plane.plot(*direction, "o", color=COLOURS["black"], markersize=4)
            sides = np.array([-reach, reach])
            plane.set(
                xlim=centre[0] + sides * plane.bbox.width / plane.bbox.height,
                ylim=centre[1] + sides,  # equal scales
                xlabel="w₁",
                ylabel="w₂",
                title=f"{hull} hull",
            )
            plane.locator_params(nbins=5)
        axes[0].legend(loc="upper left", fontsize=8)
        where = np.arange(2)
        for shift, hull, colour in ((-0.2, "convex", GREY), (0.2, "affine", COLOURS["green"])):
            axes[2].bar(where + shift, numbers[hull]["rates"], width=0.36, color=colour, label=hull)
        axes[2].set(
            xticks=where,
            xticklabels=["client 1", "client 2"],
            ylabel="rate",
            title="rates",
            ylim=(0, 1.35 * max(numbers[hull]["rates"].max() for hull in ("convex", "affine"))),
        )
        axes[2].legend(loc="upper left", fontsize=8, ncols=2)

    def words(self, numbers):
        s, lines = numbers["s"], []
        lines.append(f"scales s        {s[0]:6.2f} {s[1]:6.2f}")
        for hull in ("convex", "affine"):
            of = numbers[hull]
            pieces = [
                f"{name} {a + 0:6.2f} {b + 0:6.2f}"
                for name, (a, b) in (("weights", of["weights"].round(2)), ("rates", of["rates"].round(2)))
            ]
            lines.append(f"{hull} hull:    {'   '.join(pieces)}   length {of['length']:.2f}")
        negative = numbers["affine"]["weights"].min() < -5e-3
        lines.append(
            "the affine point lies outside the segment: a weight is negative"
            if negative
            else "the two points agree: no weight is negative"
        )
        return lines

    def alt(self, numbers):
        negative = numbers["affine"]["weights"].min() < -5e-3
        return (
            "Two scaled gradients as arrows, twice: with the segment between their tips and its point nearest to the origin, and "
            "with the whole line through their tips and its nearest point, which is "
            f"{'another one' if negative else 'the same'}; beside them bars of both clients' rates for both points."
        )
