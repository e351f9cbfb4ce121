"""Keyed randomness: every draw has an address, and the address is its seed.

A shared stream of random numbers makes results depend on who drew first. Here every draw (a split, a
sample of clients, the order of one client's batches in one round, the initial weights) is seeded by
``(seed, purpose, round, client)``. So engines agree, a resumed run equals an uninterrupted one, and two
rules that run with one seed see the same clients and the same batches.
"""

import hashlib
import threading
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import torch

# Layers draw their first weights and dropout from the process's one global stream, and PyTorch lets nobody hand them
# another. Whoever seeds that stream or watches it holds this lock until its state is put back, so that runs in several
# threads draw what each would draw alone. A thread that uses the global stream without the lock is not kept out.
GLOBAL_STREAM = threading.RLock()


def key(seed: int, purpose: str, round: int = 0, client: int = 0) -> int:
    """The 63-bit integer at this address. Different addresses give unrelated integers.

    Raises ``Refused`` for a seed that is no integer: 0.5 and 0.7 would be one seed.
    """
    # _validation and generator() import PyTorch when they need it; the book's claims draw without it.
    if type(seed) is not int:
        from fairfl._validation import integer

        seed = integer("seed", seed, remedy="Every seed is one run.")
    text = f"{seed}/{purpose}/{int(round)}/{int(client)}".encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "little") >> 1


def generator(seed: int, purpose: str, round: int = 0, client: int = 0) -> "torch.Generator":
    """A fresh CPU ``torch.Generator`` for this address.

    It always lives on the CPU, whatever device trains, so that a CPU and a GPU see the same draws.
    """
    import torch

    return torch.Generator().manual_seed(key(seed, purpose, round, client))


def numpy_generator(seed: int, purpose: str, round: int = 0, client: int = 0) -> np.random.Generator:
    """The same address as a ``numpy.random.Generator``, for laws that PyTorch does not have."""
    return np.random.default_rng(key(seed, purpose, round, client))
