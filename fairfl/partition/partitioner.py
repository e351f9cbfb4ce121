"""``law`` makes a function a law of splitting: keywords are checked by name, and all of them are in the recipe."""

import inspect
from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import ParamSpec

import numpy as np
import torch

from fairfl.data.dataset import check_dataset
from fairfl.errors import unknown
from fairfl.federation import Federation

P = ParamSpec("P")


def law(split: Callable[P, Federation]) -> Callable[P, Federation]:
    """``split(dataset, …) → Federation`` as a law: a mistyped keyword is refused, and the recipe is the call.

    The recipe holds the law's name and every argument but the dataset and own lists, given or default, and then what
    ``split`` has put into it (which goes before where both have a name: groups by number instead of by class name).
    ``test`` is left out where it has no effect, with ``scored_on="official"``. Raises ``Refused`` for a keyword that
    ``split`` does not have, and for what is no ``Dataset``.
    """
    signature = inspect.signature(split)

    @wraps(split)
    def checked(*arguments: P.args, **keywords: P.kwargs) -> Federation:
        for keyword in keywords:
            if keyword not in signature.parameters:
                raise unknown(f"keyword of partition.{split.__name__}", keyword, signature.parameters)
        dataset = next(iter(arguments), keywords.get("dataset"))
        if "dataset" in keywords or arguments:
            check_dataset(dataset)
        federation = split(*arguments, **keywords)
        call = signature.bind(*arguments, **keywords)
        call.apply_defaults()
        told = {name: _plain(value) for name, value in call.arguments.items() if name not in ("dataset", "lists")}
        if told.get("scored_on") == "official":
            del told["test"]
        return replace(federation, recipe={"law": split.__name__} | told | federation.recipe)

    return checked


def _plain(value: object) -> object:
    return value.item() if isinstance(value, (np.generic, np.ndarray, torch.Tensor)) and value.ndim == 0 else value
