"""The measures in a table's columns, computed from one run's accuracies on its clients, or from its clients' training losses."""

import re

import numpy as np

from fairfl import metrics
from fairfl.errors import Refused, refuse, unknown
from fairfl.training import History
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

# The measure that is computed from training losses in every round (``losses_that_rose``), and that a run's line must keep therefore.
ROSE = "losses that rose"


def check(of: str, clients: int | None = None) -> None:
    """Raise ``Refused`` unless ``of`` is one of ``MEASURES``, ``ROSE``, "client K" or "module:function"."""
    if of == ROSE:
        return
    found = re.fullmatch(r"client (\d+)", of)
    if found and clients is not None and int(found[1]) >= clients:
        raise refuse("measure", of, f"client 0 to client {clients - 1}, those of the federation", "Name one of them.")
    if not found and of not in MEASURES:
        if ":" not in of:
            raise unknown("measure", of, [*MEASURES, ROSE, "client K", "module:function"])
        declared_types.find("measure", of, "accuracies", "test sizes")


def measure(of: str, accuracies: np.ndarray, test_sizes: np.ndarray) -> float:
    """The value of the measure ``of`` for ``accuracies`` (N,) from 0 to 1 and ``test_sizes`` (N,). Raises as ``check``."""
    if found := re.fullmatch(r"client (\d+)", of):
        check(of, len(accuracies))
        return float(100 * accuracies[int(found[1])])
    function = MEASURES[of] if of in MEASURES else declared_types.find("measure", of)
    return float(function(accuracies, test_sizes))


def losses_that_rose(history: History, first: int = 0, last: int | None = None) -> float:
    """The share, in per cent, of pairs of a client and a round after which the client's training loss is larger than before.

    Only the clients that took part in a round are counted, as in FedMGDA+'s and AdaFed's percentage of improved clients, of which this is
    the rest. A loss that is no longer a number counts as larger. ``first``, ``last``: only rounds from ``first`` to before ``last``. NaN
    without a pair. The history must have training losses after every round.
    """
    losses, pairs = history.train_loss, 0
    if losses is None:
        raise Refused("the history has no training losses; train(score=('test', 'train'))", "missing")
    rose = 0
    for t, drawn in enumerate(history.participants[: len(losses) - 1][:last]):
        if t >= first:
            clients = drawn[drawn >= 0]
            rose += int((~(losses[t + 1, clients] <= losses[t, clients])).sum())
            pairs += len(clients)
    return 100 * rose / pairs if pairs else float("nan")
