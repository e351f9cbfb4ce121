"""Keyed randomness: every random draw has its own key, from which it is seeded.

With a shared stream of random numbers, results depend on the order of the draws. Here every draw (a split, a sample of
clients, the order of one client's batches in one round, the initial weights) is seeded by
``(seed, purpose, round, client)``. So engines agree, a resumed run equals an uninterrupted one, and two rules that run
with the same seed see the same clients and the same batches.
"""

import hashlib
import threading
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import torch

# Layers draw their initial weights and dropout from the process's global generator, and PyTorch does not let them use
# another one. Code that seeds or reads that generator holds this lock until its state is restored, so runs in several
# threads draw what each would draw alone. The lock does not stop a thread that uses the generator without it.
GLOBAL_STREAM = threading.RLock()


def key(seed: int, purpose: str, round: int = 0, client: int = 0) -> int:
    """The 63-bit seed for this key. Different keys give unrelated seeds.

    Raises ``Refused`` if ``seed`` is not an integer: 0.5 and 0.7 would be the same seed.
    """
    # _validation and generator() import PyTorch when they need it; the book's claims draw without it.
    if type(seed) is not int:
        from fairfl._validation import integer

        seed = integer("seed", seed, remedy="Every seed is one run.")
    text = f"{seed}/{purpose}/{int(round)}/{int(client)}".encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "little") >> 1


def generator(seed: int, purpose: str, round: int = 0, client: int = 0) -> "torch.Generator":
    """A fresh CPU ``torch.Generator`` for this address.

    It is always on the CPU, whatever device trains, so training on a CPU and on a GPU sees the same draws.
    """
    import torch

    return torch.Generator().manual_seed(key(seed, purpose, round, client))


def numpy_generator(seed: int, purpose: str, round: int = 0, client: int = 0) -> np.random.Generator:
    """A ``numpy.random.Generator`` for this key, for distributions that PyTorch does not have."""
    return np.random.default_rng(key(seed, purpose, round, client))
