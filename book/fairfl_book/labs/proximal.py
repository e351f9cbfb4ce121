"""Three clients with one shared parameter: the fixed point of FedAvg with E local steps, and that of proximal steps of
size η."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairfl_book.labs.controls import Choice, Slider
from fairfl_book.labs.lab import Lab

_STEP = 0.2  # ℓ, the size of a local step
# The largest slope of a client's loss. The first value exceeds every slope within the lab's ranges.
_SLOPES = {"quadratic": 1e3, "bounded slope": 0.2}
_W = np.linspace(15.3, 26.7, 58)  # points at which losses are drawn
_TURNS = np.linspace(0, 1, 61)
_STEPS = 1000.0**_TURNS  # 1 … 1000, with fractions for a smooth curve
_ETAS = 10.0 ** (6 * _TURNS - 2)  # 0.01 … 10⁴
_WISHES, _CURVATURES = (18.0, 24.0, 19.0), (1.0, 0.1, 0.01)


@dataclass(frozen=True)
class Clients:
    """Huber losses with minimisers ``c`` (K,): quadratic with curvatures ``h`` (K,) while the slope is below
    ``steepest``, linear beyond. Points have shape (…,), values per client (…, K)."""

    h: NDArray[np.float64]
    c: NDArray[np.float64]
    steepest: float

    def losses(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """The loss of client k at x[…, k]."""
        away = np.abs(x - self.c)
        bend = np.minimum(away, self.steepest / self.h)
        return self.h * bend**2 / 2 + self.h * bend * (away - bend)

    def slopes(self, w: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.clip(self.h * (w[..., None] - self.c), -self.steepest, self.steepest)

    def worked(self, w: NDArray[np.float64], steps: NDArray[np.float64]) -> NDArray[np.float64]:
        """The point that each client reaches after ``steps`` gradient steps from w: first on the linear part, then on
        the quadratic."""
        away, steps = w[..., None] - self.c, steps[..., None]
        far = np.clip(np.ceil((np.abs(away) - self.steepest / self.h) / (_STEP * self.steepest)), 0, steps)
        left = np.abs(away) - far * _STEP * self.steepest
        return self.c + np.sign(away) * left * (1 - _STEP * self.h) ** (steps - far)

    def leashed(self, w: NDArray[np.float64], eta: NDArray[np.float64]) -> NDArray[np.float64]:
        """Each client's proximal point of w, at most η times the largest slope away."""
        w, eta = w[..., None], eta[..., None]
        away = (w - self.c) / (1 + eta * self.h)
        straight = np.abs(self.h * away) > self.steepest
        return np.where(straight, w - np.sign(away) * eta * self.steepest, self.c + away)

    def average(self, x: NDArray[np.float64], eta: float) -> NDArray[np.float64]:
        """The proximal average at the points x: find the w whose mean proximal point is x, then sum the costs of the
        split (chapter 2)."""
        etas = np.full(x.shape, eta)
        w = _zero(lambda w: x - self.leashed(w, etas).mean(-1), x - 12 * eta - 12, x + 12 * eta + 12)
        split = self.leashed(w, etas)
        return (self.losses(split) + (split - x[:, None]) ** 2 / (2 * eta)).mean(-1)


def _zero(falling: Callable, low: NDArray[np.float64], high: NDArray[np.float64]) -> NDArray[np.float64]:
    """The zeros of many non-increasing functions, by bisection."""
    for _ in range(52):
        middle = (low + high) / 2
        above = falling(middle) > 0
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return (low + high) / 2


class ProximalAverage(Lab):
    """Three clients with equal weights. The reader drags minimisers and curvatures in the first picture, E and η in the
    second.

    FedAvg's fixed point is where the clients' E local steps cancel; that of proximal steps minimises the proximal
    average. ``steps``: E. ``log_eta``: log₁₀ η. ``c1`` …: minimisers. ``h1`` …: curvatures.
    """

    view = "proximal"
    controls = {
        "shape": Choice("losses", tuple(_SLOPES), "quadratic"),
        "steps": Slider("local steps E", 1, 1000, 1, 20, shown=False),
        "log_eta": Slider("log₁₀ η", -2.0, 4.0, 0.05, 1.5, shown=False),
        **{f"c{k + 1}": Slider(f"minimiser {k + 1}", 17.5, 24.5, 0.05, c, shown=False) for k, c in enumerate(_WISHES)},
        **{
            f"h{k + 1}": Slider(f"curvature {k + 1}", 0.01, 1.2, 0.01, h, shown=False)
            for k, h in enumerate(_CURVATURES)
        },
    }
    tries = {
        "the leash that fits": {"log_eta": 0.55},
        "150 steps: no leash fits": {"steps": 150, "log_eta": 2.0},
        "equal curvatures": {"h1": 0.3, "h2": 0.3, "h3": 0.3},
    }

    def compute(
        self, shape: str, steps: int, log_eta: float, c1: float, c2: float, c3: float, h1: float, h2: float, h3: float
    ) -> dict:
        clients = Clients(np.array([h1, h2, h3]), np.array([c1, c2, c3]), _SLOPES[shape])
        eta = 10.0**log_eta
        rests = self._rests(clients.worked, np.append(_STEPS, steps))
        leasts = self._rests(clients.leashed, np.append(_ETAS, eta))
        low, high = np.full(1, 17.0), np.full(1, 25.0)
        best = _zero(lambda w: -clients.slopes(w).sum(-1), low, high)
        rest, least = rests[-1:], leasts[-1:]
        return {
            "best": float(best[0]),
            "rest": float(rest[0]),
            "least": float(least[0]),
            "mean": clients.losses(_W[:, None]).mean(-1),
            "average": clients.average(_W, eta),
            "lowest": float(clients.average(least, eta)[0]),
            "rests": rests[:-1],
            "leasts": leasts[:-1],
            "worked": clients.worked(rest, np.array([steps]))[0],
            "leashed": clients.leashed(rest, np.array([eta]))[0],
            "losses": clients.losses(rest),
            "paid": clients.losses(rest) - clients.losses(best),
            "steps": steps,
            "eta": eta,
        }

    @staticmethod
    def _rests(sent: Callable, settings: NDArray[np.float64]) -> NDArray[np.float64]:
        """For each of ``settings`` (n,), the fixed point w, which is the mean of the clients' points
        ``sent(w, settings)``."""
        low, high = np.full(len(settings), 17.0), np.full(len(settings), 25.0)
        return _zero(lambda w: (sent(w, settings) - w[:, None]).sum(-1), low, high)

    def words(self, numbers: dict) -> list[str]:
        paid = " ".join(f"{v + 0.0:+.2f}" for v in np.round(numbers["paid"], 2))
        return [
            f"mean loss least at           w {numbers['best']:.2f}",
            f"FedAvg, {numbers['steps']:4d} local steps     w {numbers['rest']:.2f}   losses changed by {paid}",
            f"proximal average, η = {numbers['eta']:<6.3g} w {numbers['least']:.2f}",
        ]
