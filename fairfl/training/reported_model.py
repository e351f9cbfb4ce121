"""The module behind a history's parameters: how a named model is described in it, built again, and loaded."""

import copy
import json
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import torch

from fairfl import models
from fairfl.data.dataset import Dataset
from fairfl.errors import refuse


def recipe(model: str | torch.nn.Module | Callable, dataset: Dataset) -> dict[str, Any] | None:
    """What ``build`` needs to make a model of ``fairfl.models`` again; ``None`` for a model of the user's own.

    ``model``: as given to ``train``; a ``functools.partial`` with plain settings counts as named as well.
    """
    made: object = model
    settings: dict[str, Any] = {}
    if isinstance(model, partial) and not model.args:
        made, settings = model.func, model.keywords
    name = next((name for name, make in models.MODELS.items() if made is make or made == name), None)
    try:
        json.dumps(settings)
    except (TypeError, ValueError):
        return None
    if name is None:
        return None
    shape, text = list(dataset.inputs.shape[1:]), not dataset.inputs.is_floating_point()
    return {"name": name, "settings": settings, "shape": shape, "text": text, "outputs": dataset.outputs}


def build(made_by: dict[str, Any]) -> torch.nn.Module:
    """The model with this ``recipe``, with arbitrary weights."""
    inputs = torch.zeros(1, *made_by["shape"], dtype=torch.int64 if made_by["text"] else torch.float32)
    stand_in = Dataset(inputs, [0], classes=range(made_by["outputs"]))
    return models.build(made_by["name"], stand_in, **made_by["settings"])


def loaded(module: torch.nn.Module, vector: np.ndarray) -> torch.nn.Module:
    """A copy of ``module`` on the CPU, in evaluation mode, whose trainable parameters are ``vector`` (d,).

    Raises ``Refused`` of kind "shape" if the module has another number of them.
    """
    made = copy.deepcopy(module).cpu().eval()
    places = [p for p in made.parameters() if p.requires_grad]
    if (count := sum(p.numel() for p in places)) != len(vector):
        allowed = f"{len(vector)}, the number of parameters to load"
        remedy = "Pass a module like the one that was trained, frozen in the same places."
        raise refuse("the number of the module's trainable parameters", count, allowed, remedy, "shape")
    with torch.no_grad():
        for place, values in zip(places, torch.tensor(vector).split([p.numel() for p in places])):
            place.copy_(values.view(place.shape))
    return made
