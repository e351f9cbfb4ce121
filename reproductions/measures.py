"""What a table's columns measure, from one run's accuracies on its clients."""

import re

import numpy as np

from fairfl import metrics
from fairfl.errors import Refused, unknown
from reproductions import own_code

# Each takes accuracies (N,) from 0 to 1 and test sizes (N,) and gives the number as it would be printed.
MEASURES = {
    "mean": lambda a, n: 100 * metrics.mean(a),
    "pooled": lambda a, n: 100 * (a * n).sum() / n.sum(),
    "std": lambda a, n: 100 * metrics.std(a),
    "variance": lambda a, n: (100 * metrics.std(a)) ** 2,
    "root of std": lambda a, n: np.sqrt(100 * metrics.std(a)),
    "worst 5 %": lambda a, n: 100 * metrics.worst(a, 5),
    "best 5 %": lambda a, n: 100 * metrics.best(a, 5),
    "worst 10 %": lambda a, n: 100 * metrics.worst(a, 10),
    "best 10 %": lambda a, n: 100 * metrics.best(a, 10),
    "5th percentile": lambda a, n: 100 * np.percentile(a, 5),
    "95th percentile": lambda a, n: 100 * np.percentile(a, 95),
    "angle": lambda a, n: metrics.angle(a),
    "KL": lambda a, n: metrics.kl(a) if a.any() else np.nan,
    "std by test rows": lambda a, n: 100 * metrics.weighted_std(a, n),
    "CVaR 10 %": lambda a, n: 100 * metrics.cvar(a, 10),
    "Jain": lambda a, n: metrics.jain(a) if a.any() else np.nan,
    "Gini": lambda a, n: metrics.gini(a) if a.any() else np.nan,
}


def check(of: str, clients: int | None = None) -> None:
    """Refuse a measure that is none of ``MEASURES``, "client K" or "module:function"."""
    found = re.fullmatch(r"client (\d+)", of)
    if found and clients is not None and int(found[1]) >= clients:
        raise Refused(
            f"measure {of!r} asks for a client that is not there; the federation has clients 0 to {clients - 1}"
        )
    if not found and of not in MEASURES:
        if ":" not in of:
            raise unknown("measure", of, [*MEASURES, "client K", "module:function"])
        own_code.function("measure", of, "accuracies", "test sizes")


def measure(of: str, accuracies: np.ndarray, test_sizes: np.ndarray) -> float:
    """The number that ``of`` names, for ``accuracies`` (N,) from 0 to 1 and ``test_sizes`` (N,)."""
    if found := re.fullmatch(r"client (\d+)", of):
        check(of, len(accuracies))
        return float(100 * accuracies[int(found[1])])
    function = MEASURES[of] if of in MEASURES else own_code.find("measure", of)
    return float(function(accuracies, test_sizes))
