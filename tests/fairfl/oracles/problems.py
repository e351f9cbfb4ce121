"""Random problems on which every oracle is defined and accurate."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Problem:
    """One round's inputs.

    gradients: (clients, dimensions), the clients' pseudo-gradients as rows.
    losses: (clients,), positive mean losses at w_t.
    shares: (clients,), positive data shares that sum to 1.
    """

    gradients: np.ndarray
    losses: np.ndarray
    shares: np.ndarray


def problem(rng, clients, dimensions, condition=10.0, spread=1.0, common=0.0):
    """Draw a problem whose gradients are far from linearly dependent.

    rng: a numpy.random.Generator.
    condition: ratio of the largest to the smallest non-zero singular value of the gradients, before
        the two further steps below; about half of all pairs of clients conflict.
    spread: the rows' lengths are multiplied by factors from 1 to `spread` (log-uniform).
    common: this multiple of one random unit vector is added to every row; 0 leaves the conflicts,
        2 or more makes them rare.
    """
    rank = min(clients, dimensions)
    left = np.linalg.qr(rng.normal(size=(clients, rank)))[0]
    right = np.linalg.qr(rng.normal(size=(dimensions, rank)))[0]
    singular = np.geomspace(1.0, condition, rank) if rank > 1 else np.ones(1)
    gradients = (left * rng.permutation(singular)) @ right.T

    gradients = gradients * np.exp(rng.uniform(0.0, np.log(spread), size=clients))[:, None]
    axis = rng.normal(size=dimensions)
    gradients = gradients + common * axis / np.linalg.norm(axis)

    losses = rng.uniform(0.2, 3.0, size=clients)
    shares = rng.uniform(0.5, 2.0, size=clients)
    return Problem(gradients, losses, shares / shares.sum())
