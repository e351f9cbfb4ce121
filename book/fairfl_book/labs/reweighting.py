"""Three clients with one parameter: where q-FFL, TERM and AFL end, and what each of them pays in the mean for a smaller spread."""

from functools import lru_cache

import numpy as np

from fairfl_book.figures import COLOURS, GREY
from fairfl_book.labs.lab import Choice, Lab, Slider

CURVATURE = np.array([1.0, 1.0, 0.7])
CENTRE = np.array([-1.0, -0.6, 1.4])
FLOOR = {"wants something else": np.array([0.1, 0.1, 0.1]), "cannot be served": np.array([0.1, 0.1, 3.0])}
GRID = np.linspace(-1.2, 1.6, 2801)
ROUNDS, STEP = 300, 0.2
POWERS, GAMMAS = np.linspace(0, 10, 41), np.concatenate([[0.0], np.geomspace(0.0002, 0.5, 30)])
RULES = {"equal weights": "black", "q-FFL": "blue", "TERM": "orange", "AFL": "vermilion"}


def losses(w, floor):
    """(..., 3) for parameters w (...)."""
    return 0.5 * CURVATURE * (np.asarray(w, float)[..., None] - CENTRE) ** 2 + floor


def q_optimum(q, floor):
    """The minimiser of Σ f^(q+1), found by looking at a grid of parameters 0.001 apart."""
    return GRID[(losses(GRID, floor) ** (q + 1)).sum(-1).argmin()]


def tilted_optimum(t, floor):
    """The minimiser of Σ exp(t f); for t = 0 that of Σ f."""
    f = losses(GRID, floor)
    if t == 0:
        return GRID[f.sum(-1).argmin()]
    highest = f.max(-1)
    return GRID[(highest + np.log(np.exp(t * (f - highest[:, None])).sum(-1)) / t).argmin()]


def afl(gammas, floor):
    """The mean of AFL's models over ROUNDS rounds from the mean loss's minimiser, for each of ``gammas`` (n,)."""
    gammas = np.asarray(gammas, float)
    w = np.full(len(gammas), q_optimum(0, floor))
    weights, total = np.full((len(gammas), 3), 1 / 3), np.zeros(len(gammas))
    for _ in range(ROUNDS):
        f, slopes = losses(w, floor), CURVATURE * (w[:, None] - CENTRE)
        w = w - STEP * (weights * slopes).sum(-1)
        weights = _project(weights + gammas[:, None] * f)
        total += w
    return total / ROUNDS


def _project(v):
    """The nearest point of the simplex for each row of v (n, 3)."""
    down = -np.sort(-v, axis=-1)
    excess = (down.cumsum(-1) - 1) / np.arange(1, 4)
    threshold = np.take_along_axis(excess, (down > excess).sum(-1, keepdims=True) - 1, -1)
    return np.maximum(v - threshold, 0)


@lru_cache
def trails(third):
    """Where each rule ends over all of its settings, as losses (n, 3); the same whatever the sliders say."""
    floor = FLOOR[third]
    found = {
        "q-FFL": [q_optimum(q, floor) for q in POWERS],
        "TERM": [tilted_optimum(t, floor) for t in POWERS],
        "AFL": afl(GAMMAS, floor),
    }
    return {name: losses(ends, floor) for name, ends in found.items()}


class Reweighting(Lab):
    """Client 3 wants a parameter far from what 1 and 2 want, or has a floor of 3 below which its loss cannot fall.

    q-FFL and TERM are shown at the optimum of what they minimise; AFL after 300 rounds, so that γ_λ has something to decide.
    """

    controls = {
        "q": Slider("q of q-FFL", 0.0, 10.0, 0.5, 1.0),
        "t": Slider("t of TERM", 0.0, 10.0, 0.5, 1.0),
        "gamma": Slider("γ_λ of AFL", 0.0, 0.5, 0.002, 0.004),
        "third": Choice("client 3", tuple(FLOOR), "wants something else"),
    }

    def compute(self, q, t, gamma, third):
        floor = FLOOR[third]
        ends = np.array([q_optimum(0, floor), q_optimum(q, floor), tilted_optimum(t, floor), *afl([gamma], floor)])
        return {
            "floor": floor,
            "third": third,
            "ends": ends,
            "losses": losses(ends, floor),
            "trails": trails(third),
            "settings": ["", f"q = {q:g}", f"t = {t:g}", f"γ = {gamma:g}"],
        }

    def axes(self):
        from matplotlib import pyplot as plt

        return plt.subplots(
            1,
            3,
            figsize=(9.6, 3.4),
            width_ratios=(4, 4, 4),
            layout="none",
            gridspec_kw={"left": 0.06, "right": 0.985, "bottom": 0.15, "top": 0.9, "wspace": 0.3},
        )

    def draw(self, axes, numbers):
        curves, bars, price = axes
        top = 1.3 * numbers["losses"].max()
        w = GRID[::50]
        for k, line in enumerate(losses(w, numbers["floor"]).T):
            curves.plot(w, line, color=GREY, linewidth=1.2)
            curves.text(CENTRE[k], numbers["floor"][k] - 0.01 * top, f"{k + 1}", ha="center", va="top")
        for i, ((name, colour), end, f) in enumerate(zip(RULES.items(), numbers["ends"], numbers["losses"])):
            curves.plot([end, end], [f.min(), f.max()], color=COLOURS[colour], linewidth=1.2)
            curves.plot([end] * 3, f, "o", color=COLOURS[colour], markersize=4)
            bars.bar(np.arange(1, 4) + 0.2 * i - 0.3, f, 0.19, color=COLOURS[colour], label=name)
            if name in numbers["trails"]:
                trail = numbers["trails"][name]
                price.plot(trail.std(-1), trail.mean(-1), color=COLOURS[colour], linewidth=(None, 5, 2.6, 1.2)[i])
            price.plot(f.std(), f.mean(), "o", color=COLOURS[colour], markersize=(9, 8, 7, 6)[i], zorder=3 + i)
        curves.set(xlabel="parameter w", ylabel="loss", ylim=(-0.12 * top, top), title="where each rule ends")
        bars.set(xlabel="client", ylabel="loss", xticks=[1, 2, 3], ylim=(0, top), title="who has what")
        bars.legend(loc="upper left", fontsize=8)
        price.set(xlabel="spread (std of losses)", ylabel="mean loss", title="spread and price")

    def words(self, numbers):
        lines = [f"client 3 {numbers['third']}"]
        for name, setting, end, f in zip(RULES, numbers["settings"], numbers["ends"], numbers["losses"]):
            each = " ".join(f"{v:.2f}" for v in f)
            lines.append(
                f"{name:14}{setting:9} w {end + 0.0:5.2f}   losses {each}   mean {f.mean():.2f}  worst {f.max():.2f}  spread {f.std():.2f}"
            )
        return lines

    def alt(self, numbers):
        base, q, t, gamma = numbers["losses"]
        return (
            f"Loss curves of three clients with the points where four rules end, their losses as bars, and mean loss against spread: "
            f"equal weights have spread {base.std():.2f}, q-FFL {q.std():.2f}, TERM {t.std():.2f}, AFL {gamma.std():.2f}"
        )
