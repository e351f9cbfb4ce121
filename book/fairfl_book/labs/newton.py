"""Two clients' curvatures and their conflict against DQN-Fed's path and its rate."""

import numpy as np

from fairfl_book.figures import COLOURS
from fairfl_book.labs.lab import Choice, Lab, Slider

ROUNDS = 24
_START = np.array([0.9, 1.1])


class NewtonRates(Lab):
    """DQN-Fed with exact Hessians on two quadratics in the plane: one client, or two with minimisers ``conflict`` apart.

    Client 2's ellipses are client 1's, turned by ``angle``. ``steps`` multiplies every step; ``"backtracking"`` halves it until
    both losses fall. The distance is that to the Pareto set (one point where the minimisers agree).
    """

    controls = {
        "curvature": Slider("curvature, large / small", 1.0, 20.0, 0.5, 6.0),
        "angle": Slider("angle between ellipses (°)", 10, 90, 5, 60),
        "conflict": Slider("conflict: distance of minimisers", 0.0, 2.0, 0.1, 1.0),
        "steps": Choice("steps", ("full", "half", "backtracking"), "full"),
        "clients": Choice("who takes part", ("client 1 alone", "both clients"), "both clients"),
    }

    def compute(self, clients, curvature, angle, conflict, steps):
        pair = clients == "both clients"
        turn = np.radians([0, angle])[: 1 + pair]
        Q = np.array([[[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]] for a in turn])
        H = Q @ np.diag([1.0, curvature]) @ Q.transpose(0, 2, 1)
        c = np.array([[-conflict / 2, 0.0], [conflict / 2, 0.0]]) if pair else np.zeros((1, 2))
        pareto = self._pareto(H, c)
        path, distance, lengths = [_START], [self._distance(_START, pareto)], []
        for _ in range(ROUNDS):
            w = path[-1] - self._step(H, c, path[-1], steps)
            lengths.append(np.linalg.norm(w - path[-1]))
            path.append(w)
            distance.append(self._distance(w, pareto))
        back = np.linalg.norm(path[-1] - path[-3]) < 1e-6 * lengths[-1] and lengths[-1] > 1e-6
        return {
            "H": H,
            "c": c,
            "path": np.array(path),
            "pareto": pareto,
            "distance": np.array(distance),
            "two_cycle": bool(back),
        }

    @staticmethod
    def _step(H, c, w, steps):
        away = w - c
        G = np.einsum("kij,kj->ki", H, away)
        r = (G * away).sum(1)
        if r.max() < 1e-28:
            return np.zeros(2)
        u = np.linalg.lstsq(G, r, rcond=1e-12)[0]
        size = 0.5 if steps == "half" else 1.0
        falls = lambda t: (t * G @ u - 0.5 * t * t * np.einsum("i,kij,j->k", u, H, u) >= 1e-4 * t * r).all()
        while steps == "backtracking" and size > 1e-9 and not falls(size):
            size /= 2
        return size * u

    @staticmethod
    def _pareto(H, c):
        if len(H) == 1:
            return c
        t = np.linspace(0, 1, 2001)
        pull = np.outer(1 - t, H[0] @ c[0]) + np.outer(t, H[1] @ c[1])
        return np.linalg.solve((1 - t)[:, None, None] * H[0] + t[:, None, None] * H[1], pull[..., None])[..., 0]

    @staticmethod
    def _distance(w, pareto):
        """From w to the polygon through the points."""
        if np.ptp(pareto, axis=0).max() < 1e-12:
            return np.linalg.norm(w - pareto[0])
        a, side = pareto[:-1], np.diff(pareto, axis=0)
        t = np.clip(((w - a) * side).sum(1) / (side**2).sum(1), 0, 1)
        return np.linalg.norm(w - a - t[:, None] * side, axis=1).min()

    def axes(self):
        from matplotlib import pyplot as plt
        from matplotlib.layout_engine import PlaceHolderLayoutEngine

        # Fixed margins: finding them anew for every frame would take longer than drawing it.
        margins = {"left": 0.07, "right": 0.99, "bottom": 0.14, "top": 0.9, "wspace": 0.25}
        return plt.subplots(1, 2, figsize=(8.8, 3.7), gridspec_kw=margins, layout=PlaceHolderLayoutEngine(True, True))

    def draw(self, axes, numbers):
        plane, rounds = axes
        path, pareto = numbers["path"], numbers["pareto"]
        x, y = np.meshgrid(np.linspace(-2.8, 2.8, 57), np.linspace(-2.0, 2.0, 41))
        points = np.stack([x, y], -1)
        for H, c, colour, name in zip(numbers["H"], numbers["c"], ("blue", "orange"), ("client 1", "client 2")):
            away = points - c
            f = 0.5 * np.einsum("...i,ij,...j->...", away, H, away)
            plane.contour(x, y, f, levels=[0.05, 0.3, 1, 3], colors=COLOURS[colour], linewidths=0.8, alpha=0.8)
            plane.plot(*c, "*", color=COLOURS[colour], markersize=11, label=f"{name}'s minimiser")
        if len(pareto) > 1:
            plane.plot(*pareto.T, color=COLOURS["green"], linewidth=3, alpha=0.7, label="Pareto set")
        plane.plot(*path.T, ".-", color="black", linewidth=1, markersize=5, label="DQN-Fed")
        plane.plot(*path[0], "o", color="black", markersize=7)
        plane.set(xlim=(-2.8, 2.8), ylim=(-2.0, 2.0), xlabel="w₁", ylabel="w₂", title="path")
        plane.legend(loc="lower left", fontsize=7.5, ncols=2)
        shown = np.maximum(numbers["distance"], 1e-16)
        rounds.plot(shown, "o-", color=COLOURS["green"], markersize=4)
        rounds.plot(0, shown[0], "o", color="black", markersize=7)
        rounds.set(yscale="log", xlabel="round", ylabel="distance to the Pareto set", title="rate")
        rounds.set_ylim(min(1e-2, shown.min()) / 3, 3 * max(1.0, shown.max()))
        rounds.minorticks_off()

    def words(self, numbers):
        shown = "  ".join(f"round {t}: {max(numbers['distance'][t], 1e-16):.0e}" for t in (0, 1, 2, 5, 10, ROUNDS))
        return ["distance to the Pareto set   " + shown, self._verdict(numbers)]

    @staticmethod
    def _verdict(numbers):
        distance = numbers["distance"]
        if numbers["two_cycle"]:
            return "the path hops between two points for ever"
        if distance[1] < 1e-9:
            return "one step, and the error is gone"
        tail = distance[10:]
        if (tail < 1e-2).all() and len(numbers["pareto"]) > 1:
            return f"the path stays within {tail.max():.0e} of the Pareto set"
        factor = (tail[-1] / tail[0]) ** (1 / (len(tail) - 1))
        falling = (np.diff(np.log(tail)) < 1e-6).all() and factor < 0.99
        return (
            f"the distance shrinks by a factor of {factor:.2f} a round"
            if falling
            else "the path comes and goes, and does not settle"
        )

    def alt(self, numbers):
        who = "two clients" if len(numbers["c"]) == 2 else "one client"
        return (
            f"Left, the plane with elliptic contours of {who}, the Pareto set and DQN-Fed's path; right, the distance to the Pareto set "
            f"against rounds on a logarithmic axis: {self._verdict(numbers)}."
        )
