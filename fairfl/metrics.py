"""Fairness metrics: the numbers by which the papers judge, and the spread that sampling alone would give.

In: the clients' accuracies (or losses) as one vector, or as (..., N) with clients last. Out: one number per leading
entry. Accuracies are fractions from 0 to 1 in the package, and percentages in tables.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from fairfl._validation import number, reals
from fairfl.errors import Kind, Refused, refuse

# Between these bounds, squares and sums of a million squares neither underflow nor overflow.
TINY, HUGE = 1e-140, 1e140
# How far above 1 rounding may carry an average of accuracies.
ROUNDING = 1e-6


def _clients_last(given: ArrayLike) -> np.ndarray:
    values = reals("values", given, "Give one number per client; convert strings with float().")
    if values.ndim == 0 or values.shape[-1] == 0:
        allowed = "(..., N) with N ≥ 1 clients last"
        raise refuse("the shape of values", values.shape, allowed, "Give one value per client.", "shape")
    if not np.isfinite(values).all():
        where = np.argwhere(~np.isfinite(values))[0]
        raise Refused(f"client {where[-1]} has a non-finite value; drop the client or look at its run")
    return values


def mean(values: ArrayLike) -> np.ndarray:
    """The mean over clients, in which each client counts once."""
    values = _clients_last(values)
    scale = _scale(values)
    return values.mean(-1) if scale is None else (values / scale).mean(-1) * scale[..., 0]


def std(values: ArrayLike) -> np.ndarray:
    """The population standard deviation over clients (divide by N), as the papers use it."""
    values = _clients_last(values)
    scale = _scale(values)
    return values.std(-1) if scale is None else (values / scale).std(-1) * scale[..., 0]


def _scale(values: np.ndarray) -> np.ndarray | None:
    """(..., 1) The scale that keeps squares of ``values`` from under- or overflowing; ``None`` if none is needed."""
    largest = np.abs(values).max(-1, keepdims=True)
    if ((largest == 0) | ((largest > TINY) & (largest < HUGE))).all():
        return None
    # Dividing by a power of two does not round.
    return np.where(largest > 0, np.ldexp(1.0, np.frexp(largest)[1] - 1), 1.0)


def weighted_std(values: ArrayLike, weights: ArrayLike) -> np.ndarray:
    """The spread around the weighted mean, ``√(Σ p_k (a_k − Σ p_j a_j)²)`` with ``p = weights / sum(weights)``.

    ``values`` (..., N); ``weights`` (N,), such as the clients' numbers of examples, so each *example* counts once.
    ``std`` is the same with equal weights, so each *client* counts once. In the unit of ``values``; its square is the
    weighted variance.
    """
    values = _clients_last(values)
    p = reals("weights", weights, "Give one weight per client.")
    if p.shape != values.shape[-1:] or not np.isfinite(p).all() or (p < 0).any() or p.sum() == 0:
        allowed, kind = f"{values.shape[-1]} non-negative numbers, not all zero", _shape_or_value(p, values)
        raise refuse("weights", p.tolist(), allowed, "Give one weight per client.", kind)
    p = p / p.sum()
    scale = _scale(values)
    values = values if scale is None else values / scale
    centred = values - (values * p).sum(-1, keepdims=True)
    spread = np.sqrt((p * centred**2).sum(-1))
    return spread if scale is None else spread * scale[..., 0]


def _shape_or_value(given: np.ndarray, values: np.ndarray) -> Kind:
    """The kind of an error about ``given``, which should hold one number per client of ``values``."""
    return "value" if given.shape == values.shape[-1:] else "shape"


def worst(values: ArrayLike, percent: float = 10) -> np.ndarray:
    """The mean over the ``percent`` % of clients (rounded up) with the smallest values: the worst accuracies."""
    return _tail(values, percent, 1)


def best(values: ArrayLike, percent: float = 10) -> np.ndarray:
    """The mean over the ``percent`` % of clients (rounded up) with the largest values: the best accuracies."""
    return _tail(values, percent, -1)


def _extreme(percent: float) -> float:
    return number("percent", percent, 0, 100, "With 10, it is a tenth of the clients.", above=True)


def _tail(given: ArrayLike, percent: float, sign: int) -> np.ndarray:
    values = _clients_last(given)
    percent = _extreme(percent)
    # Subtracting a little keeps 10 % of 30 clients at 3, although the product rounds to 3.0000000000000004.
    count = max(1, int(np.ceil(percent / 100 * values.shape[-1] - 1e-9)))
    return sign * np.sort(sign * values, axis=-1)[..., :count].mean(-1) + 0.0  # turns -0.0 into 0.0


def cvar(values: ArrayLike, percent: float = 10) -> np.ndarray:
    """The conditional value at risk of accuracies: the mean over exactly the worst ``percent`` % of the clients.

    ``values`` (..., N), larger is better; the result has their unit. If ``percent`` % of N is not a whole number, the
    last client counts in part, while ``worst`` rounds up to whole clients; otherwise the two are equal. For losses, use
    ``-cvar(-losses)``. Source: Rockafellar and Uryasev 2000, with equally likely clients and the opposite sign.
    """
    values = _clients_last(values)
    number("percent", percent, 0, 100, "With 10, it is the worst tenth of the clients.", above=True)
    taken = percent / 100 * values.shape[-1]
    counts = np.clip(taken - np.arange(values.shape[-1]), 0, 1)
    return (np.sort(values, axis=-1) * counts).sum(-1) / taken


def angle(values: ArrayLike) -> np.ndarray:
    """The angle in degrees between the clients' vector and the all-ones vector: ``tan = std / mean``.

    0 for equal values. Source: AdaFed, section 6.
    """
    values = _clients_last(values)
    scale = _scale(values)
    values = values if scale is None else values / scale
    return np.degrees(np.arctan2(std(values), mean(values)))


def jain(values: ArrayLike) -> np.ndarray:
    """Jain's index ``(Σ a)² / (N Σ a²)``, from 1/N (one client has all) to 1 (equal values): ``cos²`` of ``angle``.

    ``values`` (..., N), non-negative and not all zero; dimensionless. Source: Jain, Chiu and Hawe 1984.
    """
    values = _shared_out(values)
    scaled = values / values.max(-1, keepdims=True)  # the squares of tiny values would underflow
    return scaled.sum(-1) ** 2 / (values.shape[-1] * (scaled**2).sum(-1))


def kl(values: ArrayLike) -> np.ndarray:
    """``KL(p ‖ uniform)`` in nats for ``p = values / sum(values)``. 0 for equal values. Source: AdaFed, section 6."""
    p = _shares(values)
    return _mean_log(p, p * p.shape[-1])


def entropy(values: ArrayLike) -> np.ndarray:
    """The entropy ``−Σ p ln p`` in nats of ``p = values / sum(values)``: ``ln N − kl``, and ``ln N`` for equal values.

    ``values`` (..., N), non-negative and not all zero. It grows with N, so compare it only for equal numbers of
    clients.
    """
    p = _shares(values)
    return 0.0 - _mean_log(p, p)


def gini(values: ArrayLike) -> np.ndarray:
    """Gini's coefficient ``Σ_ij |a_i − a_j| / (2 N² mean)``, from 0 (equal values) to 1 − 1/N (one client has all).

    ``values`` (..., N), non-negative and not all zero; dimensionless. It is half the mean difference between two
    clients, drawn with replacement, in units of the mean. Source: Gini 1912.
    """
    values = np.sort(_shares(values), axis=-1)
    count = values.shape[-1]
    # In sorted order client i (from 1) is the larger one of i − 1 pairs and the smaller one of N − i.
    return np.maximum((values * (2 * np.arange(1, count + 1) - count - 1)).sum(-1) / count, 0.0)


def _shared_out(given: ArrayLike) -> np.ndarray:
    values = _clients_last(given)
    if (values < 0).any() or (values.sum(-1) == 0).any():
        raise refuse(
            "the smallest value",
            float(values.min()),
            "non-negative values, not all zero",
            "This metric compares shares of a total.",
        )
    return values


def _shares(given: ArrayLike) -> np.ndarray:
    values = _shared_out(given)
    return values / values.sum(-1, keepdims=True)


def _mean_log(p: np.ndarray, x: np.ndarray) -> np.ndarray:
    """``Σ p ln x`` over clients; a client with p = 0 adds 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(p > 0, p * np.log(x), 0.0).sum(-1)


@dataclass(frozen=True)
class CollaborationGain:
    """What each client gains by joining: ``gains`` (..., N), and ``losers`` (...), the number of clients that lose.

    Gains have the unit of the accuracies.
    """

    gains: np.ndarray
    losers: np.ndarray


def collaboration_gain(accuracies: ArrayLike, alone: ArrayLike) -> CollaborationGain:
    """The clients' accuracies under the common model minus those of the models that they trained ``alone``.

    Both are (..., N) with clients last, for the same clients and test rows; NaN and infinite values are refused.
    ``alone`` may be one vector (N,) for many rows of ``accuracies``. Any negative difference makes a client a loser,
    even one test image, so compare the differences with the test sizes before you conclude.
    """
    common, own = _clients_last(accuracies), _clients_last(alone)
    if own.shape not in (common.shape, common.shape[-1:]):
        raise refuse(
            "the shape of alone",
            own.shape,
            f"{common.shape} or {common.shape[-1:]}",
            "Compare the same clients, with the common model and with their own.",
            "shape",
        )
    gains = common - own
    return CollaborationGain(gains, (gains < 0).sum(-1))


def improved(before: ArrayLike, after: ArrayLike) -> np.ndarray:
    """The fraction of clients whose loss fell from ``before`` to ``after``. Source: FedMGDA+, section 6."""
    before, after = _clients_last(before), _clients_last(after)
    if before.shape != after.shape:
        given = (before.shape, after.shape)
        raise refuse("the shapes of before and after", given, "equal shapes", "Compare the same clients.", "shape")
    return (after < before).mean(-1)


def sampling_std(accuracies: ArrayLike, test_sizes: ArrayLike) -> np.ndarray:
    """The spread over clients that finite test sets alone would give.

    If client k's predictions are correct with probability ``p`` (here the clients' pooled accuracy) on each of its
    ``n_k`` test rows, its measured accuracy has variance ``p (1 − p) / n_k``. This is the square root of the mean of
    these variances. ``std`` would be near it if every client were equally well served and no two shared a test row.
    """
    accuracies = _clients_last(accuracies)
    sizes = reals("test_sizes", test_sizes, "Give one test size per client.")
    if sizes.shape != accuracies.shape[-1:] or not (np.isfinite(sizes) & (sizes >= 1)).all():
        allowed, kind = f"{accuracies.shape[-1]} positive numbers", _shape_or_value(sizes, accuracies)
        raise refuse("test_sizes", sizes.tolist(), allowed, "Give one test size per client.", kind)
    if not ((accuracies >= 0) & (accuracies <= 1)).all():
        raise refuse(
            "the range of accuracies",
            (float(accuracies.min()), float(accuracies.max())),
            "0 to 1",
            "Give fractions; this spread is not defined for losses.",
        )
    p = (accuracies * sizes).sum(-1) / sizes.sum()
    return np.sqrt(p * (1 - p) * (1 / sizes).mean())


SHARES = {"KL": kl, "Jain": jain, "Gini": gini}


def summary(accuracies: ArrayLike, test_sizes: ArrayLike | None = None, percent: float = 10) -> dict[str, float]:
    """One row of a fairness table for one vector of accuracies, in percent (angle in degrees, KL in nats).

    Jain's index and Gini's coefficient are dimensionless. These two and KL are NaN if all accuracies are 0. With
    ``test_sizes`` the row also has the spread weighted by them, and the spread from sampling. Raises
    ``Refused`` for accuracies above 1, which are not fractions.

    >>> from fairfl import metrics
    >>> row = metrics.summary([0.9, 0.8, 0.7, 0.6], percent=25)
    >>> {name: round(value, 1) for name, value in row.items() if name not in ("KL", "Jain", "Gini")}
    {'mean': 75.0, 'std': 11.2, 'worst 25 %': 60.0, 'best 25 %': 90.0, 'angle': 8.5}
    """
    percent = _extreme(percent)
    largest = float(_clients_last(accuracies).max())
    if largest > 1 + ROUNDING:
        remedy = "Divide percentages by 100; for losses, use loss_summary."
        raise refuse("the largest accuracy", largest, "fractions from 0 to 1", remedy)
    row = {
        "mean": 100 * mean(accuracies),
        "std": 100 * std(accuracies),
        f"worst {percent:g} %": 100 * worst(accuracies, percent),
        f"best {percent:g} %": 100 * best(accuracies, percent),
        "angle": angle(accuracies),
        # Shares of a total of 0 do not exist.
        **{name: share(accuracies) if largest else np.nan for name, share in SHARES.items()},
    }
    if test_sizes is not None:
        row["std by test rows"] = 100 * weighted_std(accuracies, test_sizes)
        row["std from sampling"] = 100 * sampling_std(accuracies, test_sizes)
    return {name: float(value) for name, value in row.items()}


def loss_summary(losses: ArrayLike, percent: float = 10) -> dict[str, float]:
    """The same row for one vector of losses, in their own unit; the worst clients have the largest losses."""
    percent = _extreme(percent)
    row = {
        "mean loss": mean(losses),
        "std of loss": std(losses),
        f"worst {percent:g} % by loss": best(losses, percent),
        f"best {percent:g} % by loss": worst(losses, percent),
    }
    return {name: float(value) for name, value in row.items()}
