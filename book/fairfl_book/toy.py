"""Two-dimensional test problems with known Pareto sets, for the book's figures.

A point w is an array (..., 2); a problem has K losses, one per client. NumPy in float64 throughout.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from fairfl.errors import refuse


class Toy:
    """K losses of two parameters.

    ``losses(w)`` (..., K) for w (..., 2). ``gradients(w)`` (K, 2) for a single point w (2,). ``pareto_set(n)`` (n, 2):
    points on the Pareto set, ordered along it if K = 2. ``box``: (x low, x high, y low, y high), the region to draw.
    """

    clients: int
    box: tuple[float, float, float, float]

    def losses(self, w: ArrayLike) -> np.ndarray:
        raise NotImplementedError

    def gradients(self, w: ArrayLike) -> np.ndarray:
        raise NotImplementedError

    def pareto_set(self, n: int = 101) -> np.ndarray:
        raise NotImplementedError

    def front(self, n: int = 101) -> np.ndarray:
        """The Pareto front (n, K): the losses along ``pareto_set(n)``."""
        return self.losses(self.pareto_set(n))

    def grid(self, n: int = 80) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(x (n,), y (n,), losses (n, n, K)) over ``box``, for contour plots: losses[i, j] is at (x[j], y[i])."""
        x, y = np.linspace(*self.box[:2], n), np.linspace(*self.box[2:], n)
        return x, y, self.losses(np.stack(np.meshgrid(x, y), -1))

    def points(self, n: int = 401) -> tuple[np.ndarray, np.ndarray]:
        """(w (n², 2), losses (n², K)) over the same grid, one row per point, for finding a global optimum by exhaustive search."""
        x, y, losses = self.grid(n)
        return np.stack(np.meshgrid(x, y), -1).reshape(-1, 2), losses.reshape(n * n, -1)


@dataclass(frozen=True)
class Quadratics(Toy):
    """``f_k(w) = ½ (w − c_k)ᵀ H_k (w − c_k)``.

    ``centres`` (K, 2); ``curvatures`` (K, 2, 2) symmetric positive definite, or (K,) for multiples of the identity (default 1).
    The Pareto set is ``{(Σ λ_k H_k)⁻¹ Σ λ_k H_k c_k}`` over weights λ of the simplex: a segment for two isotropic clients, a
    curve otherwise. For K > 2 ``pareto_set`` draws λ with a fixed seed.
    """

    centres: np.ndarray
    curvatures: np.ndarray | None = None
    box: tuple = (-2.0, 2.0, -2.0, 2.0)
    _H: np.ndarray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        c = np.asarray(self.centres, float)
        if c.ndim != 2 or c.shape[1] != 2:
            raise refuse("the shape of centres", c.shape, "(K, 2)", "Give one point in the plane per client.", "shape")
        H = np.ones(len(c)) if self.curvatures is None else np.asarray(self.curvatures, float)
        H = H[:, None, None] * np.eye(2) if H.ndim == 1 else H
        if (
            H.shape != (len(c), 2, 2)
            or np.abs(H - H.transpose(0, 2, 1)).max() > 1e-12
            or np.linalg.eigvalsh(H).min() <= 0
        ):
            raise refuse(
                "curvatures",
                np.asarray(self.curvatures).tolist(),
                f"({len(c)},) positive numbers or ({len(c)}, 2, 2) symmetric positive definite matrices",
                "A curvature is the client's Hessian.",
            )
        object.__setattr__(self, "centres", c)
        object.__setattr__(self, "_H", H)

    @property
    def clients(self) -> int:
        return len(self.centres)

    @property
    def hessians(self) -> np.ndarray:
        """(K, 2, 2)."""
        return self._H

    def losses(self, w: ArrayLike) -> np.ndarray:
        away = np.asarray(w, float)[..., None, :] - self.centres
        return 0.5 * np.einsum("...ki,kij,...kj->...k", away, self._H, away)

    def gradients(self, w: ArrayLike) -> np.ndarray:
        return np.einsum("kij,kj->ki", self._H, np.asarray(w, float) - self.centres)

    def minimiser(self, weights: ArrayLike) -> np.ndarray:
        """The minimiser (..., 2) of ``Σ λ_k f_k`` for ``weights`` (..., K)."""
        weights = np.asarray(weights, float)
        pull = np.einsum("...k,kij,kj->...i", weights, self._H, self.centres)
        return np.linalg.solve(np.einsum("...k,kij->...ij", weights, self._H), pull[..., None])[..., 0]

    def pareto_set(self, n: int = 101) -> np.ndarray:
        if self.clients == 2:
            weights = np.stack([1 - np.linspace(0, 1, n), np.linspace(0, 1, n)], 1)
        else:
            weights = np.random.default_rng(0).dirichlet(np.ones(self.clients), n)
        return self.minimiser(weights)


@dataclass(frozen=True)
class FonsecaFleming(Toy):
    """``f_{1,2}(w) = 1 − exp(−‖w ∓ (1, 1)/√2‖²)``: smooth losses in [0, 1) with a concave Pareto front.

    The Pareto set is the segment between the two minimisers. No weighted sum of the losses has its minimum in the middle of the front.
    Source: Fonseca and Fleming 1995, with two variables.
    """

    box: tuple = (-2.0, 2.0, -2.0, 2.0)
    clients = 2

    @property
    def centres(self) -> np.ndarray:
        return np.array([[1.0, 1.0], [-1.0, -1.0]]) / np.sqrt(2)

    def losses(self, w: ArrayLike) -> np.ndarray:
        away = np.asarray(w, float)[..., None, :] - self.centres
        return 1 - np.exp(-(away**2).sum(-1))

    def gradients(self, w: ArrayLike) -> np.ndarray:
        away = np.asarray(w, float) - self.centres
        return 2 * away * np.exp(-(away**2).sum(-1, keepdims=True))

    def pareto_set(self, n: int = 101) -> np.ndarray:
        t = np.linspace(0, 1, n)[:, None]
        return (1 - t) * self.centres[0] + t * self.centres[1]


def two_valleys() -> Quadratics:
    """The book's standard example: two clients with different Hessians, and so a curved Pareto set."""
    return Quadratics([[-1.0, -0.5], [1.0, 0.5]], [[[2.0, 0.5], [0.5, 0.6]], [[0.5, -0.3], [-0.3, 1.5]]])


def descend(direction: Callable[[np.ndarray], ArrayLike], start: ArrayLike, step: float, steps: int) -> np.ndarray:
    """The path (steps + 1, 2) of ``w ← w − step · direction(w)`` from ``start``."""
    path = [np.asarray(start, float)]
    for _ in range(steps):
        path.append(path[-1] - step * np.asarray(direction(path[-1])))
    return np.array(path)
