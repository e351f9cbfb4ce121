"""Fair directions from secure sums: the server asks for weighted sums of rows that it never sees.

``SecureSum`` plays the clients. For weights λ it answers with ``d = Gᵀ λ`` and, since every client gets d back, with
one number a client, ``ρ = G d = A λ``. ``by_sums`` finds FedMGDA's direction from such answers, ``prescribed_by_sums``
AdaFed's and DQN-Fed's. How and why: chapter 15.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from fairfl._validation import boolean, integer, number, reals
from fairfl.errors import Refused, refuse
from fairfl.rules.solvers.min_norm import min_norm

# An eigenvalue of the sums' own products below this, relative to the largest, is rounding: that sum says nothing new.
NEW = 1e-10
# A shadow hull this near to the origin, squared and beside the rows' squared lengths, holds it.
NOWHERE = 1e-12
# How much of a client's unit vector may be missing from the span of the weights before its row counts as known.
EXPOSED = 1e-9
BITS = 64


class SecureSum:
    """Masked sums of the rows (K, d), float64, as a server would get them, and what they have cost so far.

    Client k sends ``λ_k g_k`` in fixed point, plus what it has agreed upon with each other client and the other
    subtracts: integers modulo 2⁶⁴, so that what is sent is uniform and the masks are gone from the total. This
    *simulates* the protocol of Bonawitz et al. (2017): keys are not exchanged but drawn from ``seed``, and nobody drops
    out.

    ``least``: a sum of fewer clients is refused. ``protect``: so are weights that, with all those before, would give
    some client's row away to nine digits; a stricter limit is the clients' to set, on ``known``. ``point``: binary
    digits behind the point; a sum is exact to ``K · 2⁻⁽ᵖ⁺¹⁾``, and entries reach to ``2⁶²⁻ᵖ``.

    Raises ``Refused`` for settings out of range, and rows that are not finite.
    """

    def __init__(self, rows: ArrayLike, least: int = 3, protect: bool = False, point: int = 40, seed: int = 0):
        self._rows = reals("rows", rows, "Hand over one row a client.")
        if self._rows.ndim != 2 or not np.isfinite(self._rows).all():
            raise refuse("rows", self._rows.shape, "a finite (K, d) array", "Hand over one row a client.")
        self.least = integer("least", least, 1, "It is how many clients a sum hides among; 3 or more hide a row.")
        self.protect = boolean("protect", protect)
        self.point = integer("point", point, 0, "It is the number of binary digits behind the point.", high=BITS - 2)
        self._seed = integer("seed", seed, 0, "The masks are drawn from it.")
        self.asked = np.zeros((0, len(self._rows)))

    def __call__(self, weights: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """(``d`` (d,), ``ρ`` (K,)) for weights (K,) of either sign. Raises ``Refused`` for weights that clients
        refuse.
        """
        weights = _finite("weights", weights, len(self._rows))
        self._check(weights)
        total = self.sent(weights).sum(axis=0, dtype=np.uint64)
        self.asked = np.vstack([self.asked, weights])
        d = total.view(np.int64) / 2.0**self.point
        return d, self._rows @ d

    def sent(self, weights: ArrayLike) -> np.ndarray:
        """What the clients send for these weights, (K, d) integers modulo 2⁶⁴: each row alone says nothing."""
        K, size = self._rows.shape
        weights = _finite("weights", weights, K)
        inside = np.rint(weights[:, None] * self._rows * 2.0**self.point)
        largest = float(np.abs(inside).sum(0).max(initial=0.0))
        if largest >= 2.0 ** (BITS - 2):
            remedy = "Scale the rows down, or lower point."
            raise refuse("the sum of the sizes", largest / 2.0**self.point, f"below 2^{BITS - 2 - self.point}", remedy)
        masked = inside.astype(np.int64).view(np.uint64)
        for j in range(K):
            for k in range(j + 1, K):
                key = np.random.default_rng([self._seed, len(self.asked), j, k])
                mask = key.integers(0, 2**BITS, size=size, dtype=np.uint64)
                masked[j] += mask
                masked[k] -= mask
        return masked

    @property
    def known(self) -> np.ndarray:
        """(K,) How much of each client's row the weights asked for give away: ``‖P e_k‖²`` for the projection P onto
        their span. They sum to the number of independent sums; 1 means that the row follows from the sums.
        """
        return known(self.asked)

    def _check(self, weights: np.ndarray) -> None:
        if np.count_nonzero(weights) < self.least:
            remedy = "Spread the weights, or lower least, which is what the clients have agreed upon."
            raise refuse("clients with a weight", int(np.count_nonzero(weights)), f"at least {self.least}", remedy)
        if not self.protect:
            return
        bare = np.flatnonzero(known(np.vstack([self.asked, weights])) > 1 - EXPOSED)
        if len(bare):
            remedy = "Stop here, or ask for other weights."
            raise refuse("weights that give away the rows of clients", bare.tolist(), "none", remedy)


def _finite(name: str, given: ArrayLike, count: int | None = None) -> np.ndarray:
    """``given`` as ``count`` finite numbers, float64; as many as there are for ``None``, but one."""
    values = reals(name, given)
    if values.ndim != 1 or len(values) != (count or len(values) or 1) or not np.isfinite(values).all():
        told = values.tolist() if values.ndim == 1 and len(values) == count else f"of shape {values.shape}"
        raise refuse(name, told, f"{count or 'one or more'} finite numbers", "Give one number a client.")
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
    """What the server has found. ``vector`` (d,) with ``rates`` (K,), both exact for the sums as they came; ``bound``:
    no unit vector has a least rate above it; ``sums``: how many it took; ``weights``: λ (K,) to begin the next round
    with.
    """

    vector: np.ndarray
    rates: np.ndarray
    bound: float
    sums: int
    weights: np.ndarray

    @property
    def share(self) -> float:
        """The certified part of the best least rate per length that any direction has: 1 is FedMGDA's own."""
        length = float(np.linalg.norm(self.vector))
        return float(self.rates.min()) / length / self.bound if length > 0 and self.bound > 0 else 0.0


def shadows(heard: ArrayLike, rates: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """(B (K, r), W (t, r)): each row's coordinates in the span of the sums, and that basis's as combinations of the
    sums.

    ``heard`` (t, d) and ``rates`` (t, K), what clients answered to each. ``B Bᵀ`` is the Gram matrix of the rows'
    shadows.
    """
    heard, rates = np.atleast_2d(heard), np.atleast_2d(rates)
    values, vectors = np.linalg.eigh(heard @ heard.T)
    keep = values > NEW * max(values.max(initial=0.0), 1e-300)
    basis = vectors[:, keep] / np.sqrt(values[keep])
    return rates.T @ basis, basis


def ask_next(asked: ArrayLike, B: np.ndarray, squares: ArrayLike) -> np.ndarray:
    """λ (K,) for the next sum: min-norm weights of the best guess at A, the shadows' products plus a guess at what is
    unseen.

    ``squares`` (K,) ``‖g_k‖²``. Of the unseen parts the server knows the squared lengths r, and that those combinations
    vanish that it has asked for: the guess is ``Π diag(r) Π``, at the right trace, with Π the projection off the span
    of ``asked``.
    """
    K = len(B)
    unseen = np.maximum(np.asarray(squares) - (B**2).sum(1), 0.0)
    right = np.linalg.qr(np.atleast_2d(asked).T)[0]
    off = np.eye(K) - right @ right.T
    guess = off @ (unseen[:, None] * off)
    scale = unseen.sum() / max(float(np.trace(guess)), 1e-300) if unseen.sum() > NEW * np.sum(squares) else 0.0
    return min_norm(B @ B.T + scale * guess).weights.numpy()


def by_sums(secure: SecureSum, squares: ArrayLike, sums: int, start: ArrayLike | None = None) -> BySums:
    """FedMGDA's direction from at most ``sums`` secure sums: of all vectors in the span of the sums, the one whose
    least rate per length is largest.

    For every k ``ρ_k ≥ ‖vector‖²``, whatever the number of sums; with K independent ones it is FedMGDA's direction.
    ``squares`` (K,): ``‖g_k‖²``, one number a client (FedMGDA+: unit rows, ones). ``start``: the first weights; equal
    ones if none are given, or clients refuse them. Ends early at the optimum, or where a protecting ``secure`` refuses
    the next weights. Where the sums show no direction that helps everybody, ``vector`` is zero.

    Raises ``Refused`` for ``squares`` or a ``start`` that are not K finite numbers, for no sums, and where clients
    refuse equal weights as well.
    """
    squares = _finite("squares", squares)
    if (squares < 0).any():
        raise refuse("squares", squares.tolist(), "squared lengths, from 0", "Give ‖g_k‖² of each client.")
    sums = integer("sums", sums, 1, "It is how many sums the server may ask for.")
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
            # The next weights lie in the span of those before: nothing is unseen along them, and this is the optimum.
            mixed = np.linalg.lstsq(asked.T, weights, rcond=None)[0]
            bound = min(bound, float(np.linalg.norm(mixed @ np.array(heard))))
            break
    return BySums(np.array(heard).T @ alpha, rates.T @ alpha, bound, len(heard), weights)


def prescribed_by_sums(
    secure: SecureSum, wanted: ArrayLike, sums: int, tolerance: float = 1e-9
) -> tuple[np.ndarray, np.ndarray, int]:
    """(vector (d,), its rates (K,), sums taken): the shortest vector with the rates ``wanted`` (K,), by conjugate
    gradients.

    One sum a step; in exact arithmetic K steps are enough if the rows are independent. Ends when no rate is off by more
    than ``tolerance`` times the largest wanted one. AdaFed asks for losses, DQN-Fed for Newton's own falls.
    """
    wanted = _finite("wanted", wanted)
    sums = integer("sums", sums, 1, "It is how many sums the server may ask for.")
    number("tolerance", tolerance, 0, remedy="It is beside the largest wanted rate.")
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
        raise refuse(
            "wanted", wanted.tolist(), "rates that these rows can have", "They are zero, or cancel along them."
        )
    if vector is None:
        raise refuse("wanted", wanted.tolist(), "rates of which one is not zero", "Ask for some progress, and one sum.")
    return vector, wanted - left, taken
