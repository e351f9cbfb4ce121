"""The measures in a table's columns, computed from one run's accuracies on its clients."""

import re

import numpy as np

from fairfl import metrics
from fairfl.errors import refuse, unknown
from reproductions import declared_types

# Each takes accuracies (N,) from 0 to 1 and test sizes (N,), and returns the number in the unit of print.
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
    """Raise ``Refused`` unless ``of`` is one of ``MEASURES``, "client K" or "module:function"."""
    found = re.fullmatch(r"client (\d+)", of)
    if found and clients is not None and int(found[1]) >= clients:
        raise refuse("measure", of, f"client 0 to client {clients - 1}, those of the federation", "Name one of them.")
    if not found and of not in MEASURES:
        if ":" not in of:
            raise unknown("measure", of, [*MEASURES, "client K", "module:function"])
        declared_types.find("measure", of, "accuracies", "test sizes")


def measure(of: str, accuracies: np.ndarray, test_sizes: np.ndarray) -> float:
    """The value of the measure ``of`` for ``accuracies`` (N,) from 0 to 1 and ``test_sizes`` (N,). Raises as ``check``."""
    if found := re.fullmatch(r"client (\d+)", of):
        check(of, len(accuracies))
        return float(100 * accuracies[int(found[1])])
    function = MEASURES[of] if of in MEASURES else declared_types.find("measure", of)
    return float(function(accuracies, test_sizes))
