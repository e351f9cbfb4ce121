"""Datasets as tensors. This subpackage does not know about clients.

In: a name, or arrays of your own. Out: a ``Dataset``: ``inputs`` (N, ...), ``targets`` (N,), the class names, the first
official test row, and further columns by which rows can be split.

``load`` looks for a dataset in this order: parquet files under ``$FAIRFL_DATA`` (``NAME-train.parquet`` and
``NAME-test.parquet``, or a folder ``NAME`` with shards as on the Hugging Face hub), the cache (``$FAIRFL_CACHE``, or
``~/.cache/fairfl``), and then the network, from which it downloads once.
"""

import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from fairfl._torch_modes import in_plain_modes
from fairfl._validation import known
from fairfl.data import adult, digits, hub_images, images, shakespeare
from fairfl.data.dataset import Dataset
from fairfl.errors import refuse

LOADERS: dict[str, Callable[..., Dataset]] = {
    "adult": adult.load,
    "cifar10": images.cifar10,
    "cifar100": images.cifar100,
    "digits": digits.load,
    "emnist": images.emnist,
    "fashion_mnist": images.fashion_mnist,
    "mnist": images.mnist,
    "parquet": hub_images.load,
    "shakespeare": shakespeare.load,
}


def names() -> list[str]:
    """The datasets that ``load`` knows by name."""
    return sorted(LOADERS)


@in_plain_modes
def load(name: str, *, classes: Sequence[str | int] | None = None, **options: Any) -> Dataset:
    """Load the dataset called ``name`` (see ``names()``). For its ``options``, see ``help(data.LOADERS[name])``.

    ``classes``: keep only the rows of these classes, renumbered in this order (see ``Dataset.only``). A string is one
    class per letter, as in ``classes="abc"``. Quantities that a loader computes over all rows, such as the mean to
    normalise by, are computed before that.

    Raises ``Refused`` for an unknown name, option or class, ``FileNotFoundError`` with instructions if a dataset can
    be neither found nor downloaded, and ``Refused`` naming the file if one is damaged or incomplete. Your own tensors
    need no name: build a ``Dataset`` from them.
    """
    known("dataset", name, LOADERS, "For your own tensors use fairfl.Dataset.")
    for option in options:
        known(f"option of dataset {name!r}", option, [*inspect.signature(LOADERS[name]).parameters, "classes"])
    if classes is not None and not isinstance(classes, Iterable):
        raise refuse("classes", classes, "a list of names or numbers", "For one class, give a list of one.", "type")
    if isinstance(classes, (str, bytes)) and (classes.isdigit() and len(classes) > 1 or not classes):
        remedy = "A string of digits could mean one number or several: write classes=[10] or classes=[1, 0]."
        raise refuse("classes", classes, "a list of names or numbers, or a string of letters", remedy, "type")
    dataset = LOADERS[name](**options)
    return dataset if classes is None else dataset.only(*classes)


__all__ = ["Dataset", "load", "names"]
