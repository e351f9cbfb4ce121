"""``partitioner``, a decorator that checks a partitioner's keywords and records its call in the recipe."""

import inspect
from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import ParamSpec

import numpy as np
import torch

from fairfl._torch_modes import in_plain_modes
from fairfl._validation import known
from fairfl.data.dataset import check_dataset
from fairfl.federation import Federation

P = ParamSpec("P")


def partitioner(split: Callable[P, Federation]) -> Callable[P, Federation]:
    """Make ``split(dataset, …) → Federation`` a partitioner: it refuses a mistyped keyword and records its call.

    The recipe holds the partitioner's name, then every argument except the dataset and the reader's own lists, whether
    given or default, then the entries that ``split`` itself has added. If both have an entry of one name, that of
    ``split`` wins (groups by class number instead of by class name). ``test`` is left out where it has no effect, with
    ``scored_on="official"``. Raises ``Refused`` for a keyword that ``split`` does not have, and if the first argument
    is not a ``Dataset``.
    """
    signature = inspect.signature(split)

    @in_plain_modes
    @wraps(split)
    def checked(*arguments: P.args, **keywords: P.kwargs) -> Federation:
        for keyword in keywords:
            known(f"keyword of partition.{split.__name__}", keyword, signature.parameters)
        dataset = next(iter(arguments), keywords.get("dataset"))
        if "dataset" in keywords or arguments:
            check_dataset(dataset)
        federation = split(*arguments, **keywords)
        call = signature.bind(*arguments, **keywords)
        call.apply_defaults()
        recorded = {name: _plain(value) for name, value in call.arguments.items() if name not in ("dataset", "lists")}
        if recorded.get("scored_on") == "official":
            del recorded["test"]
        # The key stays "law", the older word for a partitioner, because checkpoints compare recipes key by key.
        return replace(federation, recipe={"law": split.__name__} | recorded | federation.recipe)

    return checked


def _plain(value: object) -> object:
    return value.item() if isinstance(value, (np.generic, np.ndarray, torch.Tensor)) and value.ndim == 0 else value
