"""The hull of two to four gradients in the plane, and the point of it that is nearest to the origin."""

import numpy as np

from fairfl.rules import min_norm
from fairfl_book.figures import COLOURS, GREY
from fairfl_book.labs.lab import Lab, Slider

_PENS = ("blue", "orange", "green", "purple")
_STARTS = ((20, 2.0), (140, 1.0), (85, 2.5), (230, 1.5))


class Hull(Lab):
    """Two to four gradients, each with an angle and a length; weights and rates of the nearest point of their hull.

    ``hulls`` names the hulls that are looked at, "convex" or "affine"; a subclass may name both, and the second is drawn hatched.
    """

    hulls: tuple[str, ...] = ("convex",)
    controls = {"clients": Slider("number of clients", 2, 4, 1, 3)} | {
        name: control
        for k, (angle, length) in enumerate(_STARTS, 1)
        for name, control in (
            (f"angle{k}", Slider(f"angle of g{k} (°)", 0, 360, 5, angle)),
            (f"length{k}", Slider(f"length of g{k}", 0.25, 3.0, 0.25, length)),
        )
    }

    def compute(self, clients, **arrows):
        turn = np.radians([arrows[f"angle{k}"] for k in range(1, clients + 1)])
        length = np.array([arrows[f"length{k}"] for k in range(1, clients + 1)])
        G = length[:, None] * np.stack([np.cos(turn), np.sin(turn)], 1)
        return {"G": G, "A": G @ G.T, "points": {hull: self.nearest(G, hull) for hull in self.hulls}}

    @staticmethod
    def nearest(G, hull):
        """Weights (K,), direction (2,), rates (K,) and squared norm of the nearest point of one hull of the rows."""
        weights = min_norm(G @ G.T, hull=hull).weights.numpy()
        direction = G.T @ weights
        if np.linalg.norm(direction) < 1e-9 * np.linalg.norm(G):
            direction = np.zeros_like(direction)
        return {
            "weights": weights,
            "direction": direction,
            "rates": G @ direction,
            "squared_norm": direction @ direction,
        }

    def axes(self):
        from matplotlib import pyplot as plt

        # Fixed margins: a constrained layout would draw everything twice, and a moved control should answer at once.
        margins = {"left": 0.07, "right": 0.99, "bottom": 0.15, "top": 0.97, "wspace": 0.4}
        return plt.subplots(1, 3, figsize=(8.6, 3.2), width_ratios=(5, 3, 3), gridspec_kw=margins, layout="none")

    def draw(self, axes, numbers):
        plane, *bars = axes
        self._plane(plane, numbers["G"], numbers["points"])
        names = [f"g{k}" for k in range(1, len(numbers["G"]) + 1)]
        width = 0.8 / len(self.hulls)
        for axis, key in zip(bars, ("weights", "rates")):
            for i, hull in enumerate(self.hulls):
                places = np.arange(len(names)) + (i - (len(self.hulls) - 1) / 2) * width
                point = numbers["points"][hull]
                axis.bar(
                    places,
                    point[key],
                    width,
                    color=[COLOURS[pen] for pen in _PENS[: len(names)]],
                    hatch="///" if i else None,
                    edgecolor="white",
                    linewidth=0,
                )
                if key == "rates":
                    axis.axhline(
                        point["squared_norm"], color=COLOURS["black"], linewidth=1, linestyle="--" if i == 0 else ":"
                    )
            axis.axhline(0, color=COLOURS["black"], linewidth=1)
            axis.set_xticks(range(len(names)), names)
            axis.set(ylabel="weight λ" if key == "weights" else "rate ρ")

    def _plane(self, plane, G, points):
        plane.fill(*_outline(G).T, facecolor="#DDDDDD", edgecolor=GREY, linewidth=1.5)
        for k, g in enumerate(G):
            plane.quiver(0, 0, *g, color=COLOURS[_PENS[k]], angles="xy", scale_units="xy", scale=1, width=0.012)
        for i, point in enumerate(points.values()):
            v = point["direction"]
            if v.any():
                along = 9 * np.array([-v[1], v[0]]) / np.linalg.norm(v)
                plane.plot(
                    *np.stack([v - along, v + along]).T,
                    color=COLOURS["black"],
                    linewidth=0.8,
                    linestyle=":" if i else "--",
                )
                plane.quiver(0, 0, *v, color=COLOURS["black"], angles="xy", scale_units="xy", scale=1, width=0.016)
            plane.plot(*v, "ks", markersize=6, markerfacecolor="white" if i else "black")
        plane.set(xlim=(-3.2, 3.2), ylim=(-3.2, 3.2), aspect="equal", xlabel="w₁", ylabel="w₂")

    def words(self, numbers):
        lines = []
        for hull, point in numbers["points"].items():
            name = f"{hull}: " if len(self.hulls) > 1 else ""
            lines.append(f"{name}weights  " + " ".join(f"{_zero(v):6.2f}" for v in point["weights"]))
            lines.append(
                f"{name}rates    "
                + " ".join(f"{_zero(v):6.2f}" for v in point["rates"])
                + f"   squared length of dir {point['squared_norm']:.2f}"
            )
            if not point["direction"].any():
                lines.append(f"{name}the hull contains the origin: no direction helps everybody")
        return lines

    def alt(self, numbers):
        return (
            "Gradients as arrows with their hull, a black square where it comes nearest to the origin, and bars: "
            + "; ".join(" ".join(line.split()) for line in self.words(numbers))
        )


def _zero(value):
    """No minus sign in front of a rounded zero."""
    return 0.0 if abs(value) < 5e-3 else value


def _outline(G):
    """The corners of the convex hull of points (K, 2), in order around it (Andrew's monotone chain)."""
    order = [tuple(p) for p in G[np.lexsort(G.T[::-1])]]
    corners = []
    for points in (order, order[::-1]):
        half = []
        for p in points:
            while len(half) > 1 and _turn(half[-2], half[-1], p) <= 0:
                half.pop()
            half.append(p)
        corners += half[:-1] if len(half) > 1 else half
    return np.array(corners)


def _turn(a, b, c):
    """Positive where the way from a over b to c turns left."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
