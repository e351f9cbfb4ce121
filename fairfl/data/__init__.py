"""Datasets as tensors. This room knows nothing of clients."""

from fairfl.data import digits
from fairfl.data.dataset import Dataset
from fairfl.errors import unknown

LOADERS = {"digits": digits.load}


def names() -> list[str]:
    """The datasets that ``load`` knows by name."""
    return sorted(LOADERS)


def load(name: str) -> Dataset:
    """The dataset called ``name`` (see ``names()``).

    Raises ``ValueError`` for an unknown name. Your own data need no name: build a ``Dataset`` from tensors.
    """
    if name not in LOADERS:
        raise unknown("dataset", name, LOADERS, "For your own tensors use fairfl.Dataset.")
    return LOADERS[name]()


__all__ = ["Dataset", "load", "names"]
