"""Fair directions from secure sums: the server asks for weighted sums of rows that it never sees.

``SecureSum`` simulates the clients. For weights λ it returns ``d = Gᵀ λ`` and, since every client gets d back, one
number per client, ``ρ = G d = A λ``. ``by_sums`` finds FedMGDA's direction from such sums, and ``prescribed_by_sums``
those of AdaFed and DQN-Fed. Chapter 15 explains how and why.
"""

from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from fairfl._validation import boolean, integer, number, reals
from fairfl.errors import Kind, Refused, refuse
from fairfl.rules.solvers.min_norm import min_norm

# An eigenvalue of the sums' Gram matrix below this, relative to the largest, is rounding: that sum adds nothing new.
NEW = 1e-10
# The convex hull of the shadows counts as containing the origin if its squared distance from it is below this, relative
# to the rows' mean squared length.
NOWHERE = 1e-12
# How much of a client's unit vector may be missing from the span of the weights before its row counts as known.
EXPOSED = 1e-9
BITS = 64


class SecureSum:
    """Masked sums of the rows (K, d), float64, as a server would get them, and the weights asked for so far.

    Client k sends ``λ_k g_k`` in fixed point, plus one mask for each other client, which that client subtracts. Masks
    are integers modulo 2⁶⁴, so each message is uniform and the masks cancel in the total. This *simulates* the protocol
    of Bonawitz et al. (2017): keys are not exchanged but drawn from ``seed``, and no client drops out.

    ``least``: a sum of fewer clients is refused. ``protect``: also refuse weights that, together with all earlier ones,
    would reveal some client's row to nine digits; clients can set a stricter limit on ``known``. ``point``: the number
    of binary digits after the point; a sum is exact to ``K · 2⁻⁽ᵖ⁺¹⁾``, and entries reach up to ``2⁶²⁻ᵖ``.

    Raises ``Refused`` for settings out of range, and for rows that are not finite.
    """

    def __init__(self, rows: ArrayLike, least: int = 3, protect: bool = False, point: int = 40, seed: int = 0):
        self._rows = reals("rows", rows, "Give one row per client.")
        if self._rows.ndim != 2 or not np.isfinite(self._rows).all():
            kind: Kind = "shape" if self._rows.ndim != 2 else "value"
            raise refuse("rows", self._rows.shape, "a finite (K, d) array", "Give one row per client.", kind)
        self.least = integer("least", least, 1, "It is the number of clients in a sum; 3 or more hide a row.")
        self.protect = boolean("protect", protect)
        self.point = integer("point", point, 0, "It is the number of binary digits after the point.", high=BITS - 2)
        self._seed = integer("seed", seed, 0, "The masks are drawn from it.")
        self.asked = np.zeros((0, len(self._rows)))
        self._calls = 0  # of sent: no mask is used twice

    def __call__(self, weights: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """(``d`` (d,), ``ρ`` (K,)) for weights (K,) of either sign. Raises ``Refused`` for weights that the clients do
        not accept.
        """
        total = self.sent(weights).sum(axis=0, dtype=np.uint64)
        d = total.view(np.int64) / 2.0**self.point
        return d, self._rows @ d

    def sent(self, weights: ArrayLike) -> np.ndarray:
        """The clients' messages for these weights, (K, d) integers modulo 2⁶⁴: each row alone reveals nothing.

        Their sum is a sum like any other, so the weights are checked, and added to ``asked``, as in a call.
        """
        K, size = self._rows.shape
        weights = _finite("weights", weights, K)
        self._check(weights)
        inside = np.rint(weights[:, None] * self._rows * 2.0**self.point)
        self._calls += 1
        largest = float(np.abs(inside).sum(0).max(initial=0.0))
        if largest >= 2.0 ** (BITS - 2):
            remedy = "Scale the rows down, or lower point."
            what = "the largest sum of absolute entries"
            raise refuse(what, largest / 2.0**self.point, f"below 2^{BITS - 2 - self.point}", remedy)
        self.asked = np.vstack([self.asked, weights])
        masked = inside.astype(np.int64).view(np.uint64)
        for j in range(K):
            for k in range(j + 1, K):
                key = np.random.default_rng([self._seed, self._calls - 1, j, k])
                mask = key.integers(0, 2**BITS, size=size, dtype=np.uint64)
                masked[j] += mask
                masked[k] -= mask
        return masked

    @property
    def known(self) -> np.ndarray:
        """(K,) How much the weights asked for reveal of each client's row: ``‖P e_k‖²`` for the projection P onto their
        span. They add up to the number of linearly independent weights asked for; 1 means that the sums give the row.
        """
        return known(self.asked)

    def _check(self, weights: np.ndarray) -> None:
        # A weight that rounds a whole row away leaves its client out of the sum. A sum of zeros tells nothing at all.
        lost = self._rows.any(1) & ~np.rint(weights[:, None] * self._rows * 2.0**self.point).any(1)
        carried = int(np.count_nonzero(np.where(lost, 0.0, weights)))
        if (summed := carried or int(np.count_nonzero(weights))) < self.least:
            remedy = "Spread the weights, or lower least, on which the clients have agreed."
            raise refuse("clients with a weight", summed, f"at least {self.least}", remedy)
        if not self.protect:
            return
        bare = np.flatnonzero(known(np.vstack([self.asked, weights])) > 1 - EXPOSED)
        if len(bare):
            remedy = "Stop here, or ask for other weights."
            raise refuse("weights that reveal the rows of clients", bare.tolist(), "none", remedy)


def _finite(name: str, given: ArrayLike, count: int | None = None) -> np.ndarray:
    """``given`` as ``count`` finite numbers, float64; for ``None``, any number of them except 0."""
    values = reals(name, given)
    if values.ndim != 1 or len(values) != (count or len(values) or 1) or not np.isfinite(values).all():
        fits = values.ndim == 1 and len(values) == (count or len(values) or 1)
        found = values.tolist() if fits and count else f"of shape {values.shape}"
        allowed, kind = f"{count or 'one or more'} finite numbers", "value" if fits else "shape"
        raise refuse(name, found, allowed, "Give one number per client.", cast(Kind, kind))
    return values


def known(asked: ArrayLike) -> np.ndarray:
    """(K,) the diagonal of the projection onto the span of the weights ``asked`` (t, K)."""
    asked = np.asarray(asked, dtype=np.float64)
    if not asked.any():
        return np.zeros(asked.shape[1])
    _, values, right = np.linalg.svd(asked, full_matrices=False)
    return (right[values > NEW * values[0]] ** 2).sum(0)


@dataclass(frozen=True)
class BySums:
    """The server's result: ``vector`` (d,) with ``rates`` (K,), both exact for the sums as received.

    ``bound``: no unit vector has a smallest rate above it. ``sums``: the number of sums used. ``weights``: λ (K,), with
    which to start the next round.
    """

    vector: np.ndarray
    rates: np.ndarray
    bound: float
    sums: int
    weights: np.ndarray

    @property
    def share(self) -> float:
        """The smallest rate per length, as a certified fraction of the best that any direction has: 1 for FedMGDA's."""
        length = float(np.linalg.norm(self.vector))
        return float(self.rates.min()) / length / self.bound if length > 0 and self.bound > 0 else 0.0


def shadows(heard: ArrayLike, rates: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """(B (K, r), W (t, r)): each row's coordinates in a basis of the span of the sums, and the basis vectors as
    combinations of the sums.

    ``heard`` (t, d): the sums; ``rates`` (t, K): the clients' answers to each of them. ``B Bᵀ`` is the Gram matrix of
    the rows' shadows, their projections onto that span.
    """
    heard, rates = np.atleast_2d(heard), np.atleast_2d(rates)
    values, vectors = np.linalg.eigh(heard @ heard.T)
    keep = values > NEW * max(values.max(initial=0.0), 1e-300)
    basis = vectors[:, keep] / np.sqrt(values[keep])
    return rates.T @ basis, basis


def ask_next(asked: ArrayLike, B: np.ndarray, squares: ArrayLike) -> np.ndarray:
    """λ (K,) for the next sum: the min-norm weights of an estimate of A, which is the shadows' Gram matrix plus an
    estimate for the unseen parts of the rows.

    ``squares`` (K,): ``‖g_k‖²``. The server knows the squared lengths r of the unseen parts, and that the combinations
    asked for so far vanish on them. So the estimate is ``Π diag(r) Π``, scaled to the correct trace, where Π projects
    onto the complement of the span of ``asked``.
    """
    K = len(B)
    unseen = np.maximum(np.asarray(squares) - (B**2).sum(1), 0.0)
    right = np.linalg.qr(np.atleast_2d(asked).T)[0]
    off = np.eye(K) - right @ right.T
    guess = off @ (unseen[:, None] * off)
    scale = unseen.sum() / max(float(np.trace(guess)), 1e-300) if unseen.sum() > NEW * np.sum(squares) else 0.0
    return min_norm(B @ B.T + scale * guess).weights.numpy()


def by_sums(secure: SecureSum, squares: ArrayLike, sums: int, start: ArrayLike | None = None) -> BySums:
    """FedMGDA's direction from at most ``sums`` secure sums: of all vectors in the span of the sums, the one with the
    largest smallest rate per length.

    ``ρ_k ≥ ‖vector‖²`` for every k, whatever the number of sums; with K independent sums it is FedMGDA's direction.
    ``squares`` (K,): ``‖g_k‖²``, one number per client (ones for FedMGDA+, whose rows have unit length). ``start``: the
    first weights; equal weights by default, or if the clients refuse ``start``. Stops early at the optimum, or if a
    protecting ``secure`` refuses the next weights. If the sums show no direction that helps every client, ``vector`` is
    zero.

    Raises ``Refused`` for ``squares`` or ``start`` that are not K finite numbers, for fewer than one sum, and if the
    clients refuse equal weights as well.
    """
    squares = _finite("squares", squares)
    if (squares < 0).any():
        raise refuse("squares", squares.tolist(), "squared lengths, 0 or more", "Give ‖g_k‖² of each client.")
    sums = integer("sums", sums, 1, "It is the number of sums for which the server may ask.")
    K = len(squares)
    weights = np.full(K, 1 / K) if start is None else _finite("start", start, K)
    asked, rates, bound, alpha = np.zeros((0, K)), np.zeros((0, K)), np.inf, np.zeros(0)
    heard: list[np.ndarray] = []
    for _ in range(sums):
        try:
            d, rho = secure(weights)
        except Refused:
            if heard:
                break
            weights = np.full(K, 1 / K)
            d, rho = secure(weights)
        asked, rates, heard = np.vstack([asked, weights]), np.vstack([rates, rho]), [*heard, d]
        B, basis = shadows(heard, rates)
        point = min_norm(B @ B.T)
        here = point.squared_norm > NOWHERE * squares.mean()
        alpha = basis @ (B.T @ point.weights.numpy()) if here else np.zeros(len(heard))
        bound = min(bound, float(np.linalg.norm(d)) / float(weights.sum()) if (weights >= 0).all() else np.inf)
        weights = ask_next(asked, B, squares)
        if known(np.vstack([asked, weights])).sum() < len(asked) + 0.5:
            # The next weights are in the span of the earlier ones: they see nothing new, so this is the optimum.
            mixed = np.linalg.lstsq(asked.T, weights, rcond=None)[0]
            bound = min(bound, float(np.linalg.norm(mixed @ np.array(heard))))
            break
    return BySums(np.array(heard).T @ alpha, rates.T @ alpha, bound, len(heard), weights)


def prescribed_by_sums(
    secure: SecureSum, wanted: ArrayLike, sums: int, tolerance: float = 1e-9
) -> tuple[np.ndarray, np.ndarray, int]:
    """(vector (d,), its rates (K,), number of sums): the shortest vector with the rates ``wanted`` (K,), by conjugate
    gradients.

    Each step takes one sum; in exact arithmetic, K steps are enough if the rows are linearly independent. Stops when no
    rate is off by more than ``tolerance`` times the largest wanted rate. For AdaFed, ``wanted`` are the losses; for
    DQN-Fed, the decreases of Newton's step.
    """
    wanted = _finite("wanted", wanted)
    sums = integer("sums", sums, 1, "It is the number of sums for which the server may ask.")
    number("tolerance", tolerance, 0, remedy="It is relative to the largest wanted rate.")
    left = wanted.copy()
    along, vector, taken, largest = left.copy(), None, 0, 0.0
    while taken < sums and np.abs(left).max() > tolerance * np.abs(wanted).max():
        d, rates = secure(along)
        taken += 1
        curvature = float(along @ rates)
        largest = max(largest, curvature / float(along @ along))
        if curvature <= NEW * largest * float(along @ along):
            break
        size = float(left @ left)
        step = size / curvature
        vector = step * d if vector is None else vector + step * d
        left = left - step * rates
        along = left + float(left @ left) / size * along
    if vector is None and taken:
        remedy = "The rows are zero, or cancel for these rates."
        raise refuse("wanted", wanted.tolist(), "rates that these rows can have", remedy, "combination")
    if vector is None:
        raise refuse("wanted", wanted.tolist(), "rates that are not all zero", "Ask for a rate above zero.")
    return vector, wanted - left, taken
